------------------------------ MODULE Matching ------------------------------
(***************************************************************************)
(* The whole service: the root that joins the parts, and that judges runs. *)
(*                                                                         *)
(* Models    what its parts model.  A step that several parts take         *)
(*           together is one action here, named for what happens, and      *)
(*           defined by the parts' own actions; a step of one part leaves  *)
(*           the variables of the others as they are, <<>> while there are *)
(*           none.                                                         *)
(* Omits     what its parts omit; at present it has one part,              *)
(*           PollRegistration, so every step is a step of that part.       *)
(* Refines   PollRegistration: the part's Spec is a theorem below.         *)
(* Source    the parts name theirs                                         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues
  Version,     \* deployment versions, "unversioned" among them
  Worker,      \* identities of workers
  Poll,        \* slots of polls: a poll is one call of a worker
  Task,        \* slots of tasks: a task is one call of add
  Generation   \* numbers of loads; finite in models, Nat in the judge

VARIABLES
  running, generation, active, wanted, registrations, hand, expired, left, settled, answer, \* owned by PollRegistration
  queue, write, added, backlog, fetched, loaded, deleting, delivered                        \* owned by PollRegistration

vars == <<running, generation, active, wanted, registrations, hand, expired, left, settled, answer,
          queue, write, added, backlog, fetched, loaded, deleting, delivered>>

Polls == INSTANCE PollRegistration

-----------------------------------------------------------------------------
(* Shapes *)

Answer == Polls!Answer \* what a call of poll can return
AddAnswer == Polls!AddAnswer \* what a call of add can return

TypeOK == Polls!TypeOK \* every variable has its shape

Init == Polls!Init \* nothing is loaded, nobody polls, no task exists

-----------------------------------------------------------------------------
(* Client actions *)

StartPoll(p, w, q, v) == Polls!StartPoll(p, w, q, v) /\ UNCHANGED <<>> \* a worker polls a partition for tasks of its version
AddTask(t, q, v) == Polls!AddTask(t, q, v) /\ UNCHANGED <<>> \* a task arrives for a partition and a version
Return(p, a) == Polls!Return(p, a) /\ UNCHANGED <<>> \* the caller's call returns, and the caller sees how its poll ended
AnswerAdd(t, a) == Polls!AnswerAdd(t, a) /\ UNCHANGED <<>> \* the call of add returns: accepted if handed over or stored, refused if its write was not confirmed

-----------------------------------------------------------------------------
(* Internal actions *)

Load(h, q) == Polls!Load(h, q) /\ UNCHANGED <<>> \* a new generation of the manager begins
Unload(h, q) == Polls!Unload(h, q) /\ UNCHANGED <<>> \* the manager stops: its polls end empty, what was in their hands is taken back, its memory goes
Register(p, h) == Polls!Register(p, h) /\ UNCHANGED <<>> \* a poll arrives, finds no task for it in memory, and waits
Take(p, h, t) == Polls!Take(p, h, t) /\ UNCHANGED <<>> \* a poll arrives and takes a task from memory at once, without a registration
SyncMatch(t, p) == Polls!SyncMatch(t, p) /\ UNCHANGED <<>> \* an arriving task meets a waiting poll: no record is written
Spool(t, h) == Polls!Spool(t, h) /\ UNCHANGED <<>> \* an arriving task meets no poll that may have it: the write of its record begins
ReadBacklog(h, q) == Polls!ReadBacklog(h, q) /\ UNCHANGED <<>> \* a read is answered: records not yet known to this generation come into its memory
Match(t, p) == Polls!Match(t, p) /\ UNCHANGED <<>> \* a task in memory meets a waiting poll: the registration goes, the task is in the poll's hand
Deliver(t, p) == Polls!Deliver(t, p) /\ UNCHANGED <<>> \* the handler resumes and hands the task over; a task with a record owes a delete
GiveBack(t, p) == Polls!GiveBack(t, p) /\ UNCHANGED <<>> \* the handler resumes, its caller has left: the task goes back to where it came from
Expire(p) == Polls!Expire(p) /\ UNCHANGED <<>> \* the registration's timer fires, or the poll arrives too late to wait: it ends empty
Withdraw(p) == Polls!Withdraw(p) /\ UNCHANGED <<>> \* the handler learns that its caller has left, and takes the registration back
Acknowledge(t, h, g) == Polls!Acknowledge(t, h, g) /\ UNCHANGED <<>> \* the manager learns that the record is gone
AcknowledgeFails(t, h, g) == Polls!AcknowledgeFails(t, h, g) /\ UNCHANGED <<>> \* the answer to a delete is an error, or comes when that generation has stopped: a record still there will be read again

-----------------------------------------------------------------------------
(* Environment actions *)

DeadlinePasses(p) == Polls!DeadlinePasses(p) /\ UNCHANGED <<>> \* the clock reaches the deadline that the caller sent
CallerLeaves(p) == Polls!CallerLeaves(p) /\ UNCHANGED <<>> \* the caller interrupts its call; before the poll has arrived that ends it, after a hand-over it is too late
NamespaceChanges == Polls!NamespaceChanges /\ UNCHANGED <<>> \* a failover: this cluster becomes the active one, or ceases to be
CommitWrite(t) == Polls!CommitWrite(t) /\ UNCHANGED <<>> \* the store makes the record durable; its answer is still to come
FailWrite(t) == Polls!FailWrite(t) /\ UNCHANGED <<>> \* the store does not make the record durable, and never will
ServeRead(h, q) == Polls!ServeRead(h, q) /\ UNCHANGED <<>> \* the store serves a manager's read: what is durable at this moment
CommitDelete(t, h, g) == Polls!CommitDelete(t, h, g) /\ UNCHANGED <<>> \* the store deletes the record; its answer is still to come
ForgetPoll(p) == Polls!ForgetPoll(p) /\ UNCHANGED <<>> \* the caller has its answer: the slot may hold another poll
ForgetTask(t) == Polls!ForgetTask(t) /\ UNCHANGED <<>> \* the caller has its answer and nothing refers to the task: the slot may hold another task

-----------------------------------------------------------------------------

Next ==
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, q \in Partition, v \in Version : AddTask(t, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition : Unload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E p \in Poll : Expire(p)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E t \in Task, h \in Host, g \in Generation : Acknowledge(t, h, g)
  \/ \E t \in Task, h \in Host, g \in Generation : AcknowledgeFails(t, h, g)
  \/ \E p \in Poll : DeadlinePasses(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ NamespaceChanges
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task : FailWrite(t)
  \/ \E h \in Host, q \in Partition : ServeRead(h, q)
  \/ \E t \in Task, h \in Host, g \in Generation : CommitDelete(t, h, g)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E t \in Task : ForgetTask(t)

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Polls!Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

RegistrationInv == Polls!RegistrationInv \* a registration exists only under a running manager of its own generation, and carries what its caller sent
OneRegistrationInv == Polls!OneRegistrationInv \* a poll has at most one registration, and none once it has a task or an end
SettledOnceInv == Polls!SettledOnceInv \* a poll is ended by at most one cause
SettledGetsNothingInv == Polls!SettledGetsNothingInv \* a poll that has ended holds no task
CauseInv == Polls!CauseInv \* the deadline ends only polls whose deadline has passed, the interrupt only polls whose caller has left
AnswerInv == Polls!AnswerInv \* what the caller saw is how its poll ended; a task is seen only where one was handed over
OneHandInv == Polls!OneHandInv \* a task is in at most one hand, and then in no memory; a hand holds one task
HandInv == Polls!HandInv \* a hand is filled only by a running manager of its own generation
MemoryInv == Polls!MemoryInv \* only a running manager has tasks in memory, and they are its own partition's
NothingLostInv == Polls!NothingLostInv \* an accepted task has a record or has been handed over

-----------------------------------------------------------------------------
(* Step properties *)

GenerationsGrowProp == Polls!GenerationsGrowProp \* a load makes the next generation, and nothing else touches the count
SettledStaysProp == Polls!SettledStaysProp \* a poll that has ended stays as it is until it is forgotten
RecordKeptProp == Polls!RecordKeptProp \* a record goes only after its task was handed over; an unload leaves the backlog as it is
SuitableProp == Polls!SuitableProp \* a task comes only into the hand of a poll that may have it: active namespace, same partition and version, in time
RegisterPromptProp == Polls!RegisterPromptProp \* no registration leaves a task in memory beside a poll that may have it
AddPromptProp == Polls!AddPromptProp \* no add writes a record while a poll that may have the task is waiting

-----------------------------------------------------------------------------
(* Liveness *)

PollReturnsProp == Polls!PollReturnsProp \* every poll returns
BacklogServedProp == Polls!BacklogServedProp \* a stored task is handed over if a poll that may have it is again and again waiting
AddAnsweredProp == Polls!AddAnsweredProp \* every add is answered if its partition is again and again loaded
DeleteEndsProp == Polls!DeleteEndsProp \* every delete comes to an end, one way or the other

-----------------------------------------------------------------------------
(* Refinement *)

RefinesPollRegistration == Polls!SafetySpec \* every step of the whole is a step of the part

THEOREM Spec => RefinesPollRegistration
THEOREM Spec => []TypeOK
=============================================================================
