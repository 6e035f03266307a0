-------------------------- MODULE PollRegistration --------------------------
(***************************************************************************)
(* A worker's poll waits at a partition until exactly one thing ends it: a *)
(* task, its caller, its deadline, or the unload of the manager that holds *)
(* its registration.  A task goes to a waiting poll, or to the backlog.    *)
(*                                                                         *)
(* Models    the registration of polls under one generation of a partition *)
(*           manager; sync match; the hand-over of a task in two steps, so *)
(*           that a caller may leave in between; a durable backlog whose   *)
(*           writes, reads and deletes take effect at one moment and are   *)
(*           answered at a later one, or not at all; unload and reload; a  *)
(*           namespace that is active or passive on this cluster.          *)
(* Omits     History's record of a start (Delivery brings it: until then a *)
(*           task may be handed over again after a reload or an uncertain  *)
(*           delete, which is what a worker sees without History);         *)
(*           range ids and levels (Backlog); the steps of a load           *)
(*           (PartitionLifetime); forwarding (a poll has one hop); a       *)
(*           caller of an add that leaves (its task stays in the add's     *)
(*           hand, where nothing here depends on the caller).  Each is a   *)
(*           refinement or another module: no action here relies on its    *)
(*           absence.                                                      *)
(* Refines   nothing yet; Backlog refines `backlog`, PartitionLifetime     *)
(*           refines `running`.                                            *)
(* Source    the text on polling, task delivery and partition lifetime     *)
(*           (a waiting poll and a backlog record; a partition manager);   *)
(*           temporal: service/matching/matching_engine.go, pollTask, and  *)
(*           pri_matcher.go                                                *)
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

ASSUME HostAssumption == Host # {}                                    \* there is a host
ASSUME PartitionAssumption == Partition # {}                          \* there is a partition
ASSUME VersionAssumption == Version # {}                              \* there is a version
ASSUME WorkerAssumption == Worker # {}                                \* there is a worker
ASSUME SlotAssumption == Poll \cap Task = {}                          \* polls and tasks are told apart
ASSUME GenerationAssumption == 0 \in Generation /\ Generation \subseteq Nat \* generation 0 is "never loaded"

VARIABLES
  running,        \* [Host \X Partition -> BOOLEAN]: is a manager running?
  generation,     \* [Host \X Partition -> Generation]: the number of its loads so far
  active,         \* BOOLEAN: is the namespace active on this cluster?
  wanted,         \* [Poll -> (Worker \X Partition \X Version) \cup {<<>>}]: who polls for what; <<>> is a free slot
  registrations,  \* [Poll -> SUBSET Registration]: where the poll waits
  hand,           \* [Poll -> SUBSET Holding]: the task on its way to the poll's caller
  expired,        \* SUBSET Poll: polls whose deadline has passed
  left,           \* SUBSET Poll: polls whose caller has left
  settled,        \* [Poll -> SUBSET Cause]: what ended the poll
  answer,         \* [Poll -> Answer \cup {<<>>}]: what the caller's call returned, as the caller saw it
  queue,          \* [Task -> (Partition \X Version) \cup {<<>>}]: where the task belongs; <<>> is a free slot
  write,          \* [Task -> WriteState]: the write of its record, as the store decides it
  added,          \* [Task -> AddAnswer]: what the call of add returned, as its caller saw it
  backlog,        \* SUBSET Task: tasks with a durable record
  fetched,        \* [Host \X Partition -> SUBSET Task]: what the store served to a read that is not yet answered
  loaded,         \* [Host \X Partition -> SUBSET Task]: records in a manager's memory, in nobody's hand
  deleting,       \* SUBSET Deletion: deletes of records that were handed over, not yet answered
  delivered       \* SUBSET Task: tasks handed over at least once

managers == <<running, generation>>
polls == <<wanted, registrations, hand, expired, left, settled, answer>>
tasks == <<queue, write, added, backlog, fetched, loaded, deleting, delivered>>
vars == <<running, generation, active, wanted, registrations, hand, expired, left, settled, answer,
          queue, write, added, backlog, fetched, loaded, deleting, delivered>>

-----------------------------------------------------------------------------
(* Shapes *)

Manager == Host \X Partition  \* a manager is known by its host and partition
Registration == [host : Host, partition : Partition, generation : Generation, version : Version, worker : Worker] \* what a registration carries
Holding == [task : Task, host : Host, generation : Generation]   \* a task in a hand, and the manager that put it there
Deletion == [task : Task, host : Host, generation : Generation]  \* a delete in flight, and the manager that asked for it
Cause == {<<"deadline">>, <<"interrupt">>, <<"unload">>} \cup {<<"delivery", t>> : t \in Task} \* the four ends of a poll
Answer == {<<"empty">>, <<"interrupted">>} \cup {<<"task", t>> : t \in Task} \* what a call of poll can return
WriteState == {"none", "flying", "committed", "failed"} \* a write is decided once
AddAnswer == {"none", "accepted", "refused"} \* what a call of add can return

TypeOK == \* every variable has its shape
  /\ running \in [Manager -> BOOLEAN]
  /\ generation \in [Manager -> Generation]
  /\ active \in BOOLEAN
  /\ wanted \in [Poll -> (Worker \X Partition \X Version) \cup {<<>>}]
  /\ registrations \in [Poll -> SUBSET Registration]
  /\ hand \in [Poll -> SUBSET Holding]
  /\ expired \subseteq Poll
  /\ left \subseteq Poll
  /\ settled \in [Poll -> SUBSET Cause]
  /\ answer \in [Poll -> Answer \cup {<<>>}]
  /\ queue \in [Task -> (Partition \X Version) \cup {<<>>}]
  /\ write \in [Task -> WriteState]
  /\ added \in [Task -> AddAnswer]
  /\ backlog \subseteq Task
  /\ fetched \in [Manager -> SUBSET Task]
  /\ loaded \in [Manager -> SUBSET Task]
  /\ deleting \subseteq Deletion
  /\ delivered \subseteq Task

Init == \* nothing is loaded, nobody polls, no task exists
  /\ running = [m \in Manager |-> FALSE]
  /\ generation = [m \in Manager |-> 0]
  /\ active \in BOOLEAN
  /\ wanted = [p \in Poll |-> <<>>]
  /\ registrations = [p \in Poll |-> {}]
  /\ hand = [p \in Poll |-> {}]
  /\ expired = {}
  /\ left = {}
  /\ settled = [p \in Poll |-> {}]
  /\ answer = [p \in Poll |-> <<>>]
  /\ queue = [t \in Task |-> <<>>]
  /\ write = [t \in Task |-> "none"]
  /\ added = [t \in Task |-> "none"]
  /\ backlog = {}
  /\ fetched = [m \in Manager |-> {}]
  /\ loaded = [m \in Manager |-> {}]
  /\ deleting = {}
  /\ delivered = {}

-----------------------------------------------------------------------------
(* Words used by the actions *)

Asked(p) == \* the poll is on its way to a manager
  wanted[p] # <<>> /\ registrations[p] = {} /\ hand[p] = {} /\ settled[p] = {}
Held(t) == \E p \in Poll : \E x \in hand[p] : x.task = t \* the task is in somebody's hand
Arriving(t) == \* the call of add has the task in its own hand
  queue[t] # <<>> /\ added[t] = "none" /\ write[t] = "none" /\ t \notin delivered /\ ~Held(t)
HasRecord(t) == write[t] = "committed" \* the task came from a record, and handing it over owes a delete
Alive(h, q, g) == running[h, q] /\ generation[h, q] = g \* that very generation is running
Suitable(p, h, q, v) == \* the poll may be given a task of that partition and version now
  /\ active
  /\ p \notin expired
  /\ p \notin left
  /\ \E r \in registrations[p] : r.host = h /\ r.partition = q /\ r.version = v /\ Alive(h, q, r.generation)
Meets(t, p) == \* a task in memory, in nobody's hand, stands beside a poll that may have it
  /\ queue[t] # <<>>
  /\ \E h \in Host : t \in loaded[h, queue[t][1]] /\ Suitable(p, h, queue[t][1], queue[t][2])
AnswerOf(c) == \* how a cause looks to the caller
  CASE c = <<"interrupt">> -> <<"interrupted">>
    [] c \in {<<"deadline">>, <<"unload">>} -> <<"empty">>
    [] OTHER -> <<"task", c[2]>>

-----------------------------------------------------------------------------
(* Client actions *)

StartPoll(p, w, q, v) == \* a worker polls a partition for tasks of its version
  /\ wanted[p] = <<>>
  /\ wanted' = [wanted EXCEPT ![p] = <<w, q, v>>]
  /\ UNCHANGED <<managers, active, registrations, hand, expired, left, settled, answer, tasks>>

AddTask(t, q, v) == \* a task arrives for a partition and a version
  /\ queue[t] = <<>>
  /\ queue' = [queue EXCEPT ![t] = <<q, v>>]
  /\ UNCHANGED <<managers, active, polls, write, added, backlog, fetched, loaded, deleting, delivered>>

Return(p, a) == \* the caller's call returns, and the caller sees how its poll ended
  /\ settled[p] # {}
  /\ answer[p] = <<>>
  /\ \/ \E c \in settled[p] : a = AnswerOf(c)
     \/ p \in left /\ a = <<"interrupted">>
  /\ answer' = [answer EXCEPT ![p] = a]
  /\ UNCHANGED <<managers, active, wanted, registrations, hand, expired, left, settled, tasks>>

AnswerAdd(t, a) == \* the call of add returns: accepted if handed over or stored, refused if its write was not confirmed
  /\ queue[t] # <<>>
  /\ added[t] = "none"
  /\ \/ a = "accepted" /\ write[t] = "none" /\ t \in delivered
     \/ a = "accepted" /\ write[t] = "committed"
     \/ a = "refused" /\ write[t] \in {"committed", "failed"}
  /\ added' = [added EXCEPT ![t] = a]
  /\ UNCHANGED <<managers, active, polls, queue, write, backlog, fetched, loaded, deleting, delivered>>

-----------------------------------------------------------------------------
(* Internal actions: what the service does *)

Load(h, q) == \* a new generation of the manager begins
  /\ ~running[h, q]
  /\ generation[h, q] + 1 \in Generation
  /\ running' = [running EXCEPT ![h, q] = TRUE]
  /\ generation' = [generation EXCEPT ![h, q] = @ + 1]
  /\ UNCHANGED <<active, polls, tasks>>

Unload(h, q) == \* the manager stops: its polls end empty, what was in their hands is taken back, its memory goes
  LET waiting == {p \in Poll : \E r \in registrations[p] : r.host = h /\ r.partition = q}
      matched == {p \in Poll : \E x \in hand[p] : x.host = h /\ queue[x.task][1] = q}
  IN  /\ running[h, q]
      /\ running' = [running EXCEPT ![h, q] = FALSE]
      /\ registrations' = [p \in Poll |-> IF p \in waiting THEN {} ELSE registrations[p]]
      /\ hand' = [p \in Poll |-> IF p \in matched THEN {} ELSE hand[p]]
      /\ settled' = [p \in Poll |-> IF p \in waiting \cup matched THEN settled[p] \cup {<<"unload">>} ELSE settled[p]]
      /\ fetched' = [fetched EXCEPT ![h, q] = {}]
      /\ loaded' = [loaded EXCEPT ![h, q] = {}]
      /\ UNCHANGED <<generation, active, wanted, expired, left, answer, queue, write, added, backlog, deleting, delivered>>

Register(p, h) == \* a poll arrives, finds no task for it in memory, and waits
  LET w == wanted[p][1]
      q == wanted[p][2]
      v == wanted[p][3]
  IN  /\ Asked(p)
      /\ p \notin expired
      /\ running[h, q]
      /\ ~(active /\ \E t \in loaded[h, q] : queue[t] = <<q, v>>)
      /\ registrations' = [registrations EXCEPT ![p] =
           {[host |-> h, partition |-> q, generation |-> generation[h, q], version |-> v, worker |-> w]}]
      /\ UNCHANGED <<managers, active, wanted, hand, expired, left, settled, answer, tasks>>

Take(p, h, t) == \* a poll arrives and takes a task from memory at once, without a registration
  LET q == wanted[p][2]
  IN  /\ Asked(p)
      /\ active
      /\ p \notin expired
      /\ running[h, q]
      /\ t \in loaded[h, q]
      /\ queue[t] = <<q, wanted[p][3]>>
      /\ hand' = [hand EXCEPT ![p] = {[task |-> t, host |-> h, generation |-> generation[h, q]]}]
      /\ loaded' = [loaded EXCEPT ![h, q] = @ \ {t}]
      /\ UNCHANGED <<managers, active, wanted, registrations, expired, left, settled, answer,
                     queue, write, added, backlog, fetched, deleting, delivered>>

SyncMatch(t, p) == \* an arriving task meets a waiting poll: no record is written
  /\ Arriving(t)
  /\ \E r \in registrations[p] :
       /\ Suitable(p, r.host, queue[t][1], queue[t][2])
       /\ hand' = [hand EXCEPT ![p] = {[task |-> t, host |-> r.host, generation |-> r.generation]}]
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ UNCHANGED <<managers, active, wanted, expired, left, settled, answer, tasks>>

Spool(t, h) == \* an arriving task meets no poll that may have it: the write of its record begins
  /\ Arriving(t)
  /\ running[h, queue[t][1]]
  /\ ~\E p \in Poll : Suitable(p, h, queue[t][1], queue[t][2])
  /\ write' = [write EXCEPT ![t] = "flying"]
  /\ UNCHANGED <<managers, active, polls, queue, added, backlog, fetched, loaded, deleting, delivered>>

ReadBacklog(h, q) == \* a read is answered: records not yet known to this generation come into its memory
  /\ running[h, q]
  /\ loaded' = [loaded EXCEPT ![h, q] = @ \cup
       {t \in fetched[h, q] : ~Held(t) /\ [task |-> t, host |-> h, generation |-> generation[h, q]] \notin deleting}]
  /\ fetched' = [fetched EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<managers, active, polls, queue, write, added, backlog, deleting, delivered>>

Match(t, p) == \* a task in memory meets a waiting poll: the registration goes, the task is in the poll's hand
  /\ Meets(t, p)
  /\ ~Held(t)
  /\ \E r \in registrations[p] :
       /\ hand' = [hand EXCEPT ![p] = {[task |-> t, host |-> r.host, generation |-> r.generation]}]
       /\ loaded' = [loaded EXCEPT ![r.host, r.partition] = @ \ {t}]
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ UNCHANGED <<managers, active, wanted, expired, left, settled, answer,
                 queue, write, added, backlog, fetched, deleting, delivered>>

Deliver(t, p) == \* the handler resumes and hands the task over; a task with a record owes a delete
  /\ p \notin left
  /\ \E x \in hand[p] :
       /\ x.task = t
       /\ deleting' = IF HasRecord(t) THEN deleting \cup {x} ELSE deleting
  /\ hand' = [hand EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"delivery", t>>}]
  /\ delivered' = delivered \cup {t}
  /\ UNCHANGED <<managers, active, wanted, registrations, expired, left, answer, queue, write, added, backlog, fetched, loaded>>

GiveBack(t, p) == \* the handler resumes, its caller has left: the task goes back to where it came from
  /\ p \in left
  /\ \E x \in hand[p] :
       /\ x.task = t
       /\ loaded' = IF HasRecord(t) THEN [loaded EXCEPT ![x.host, queue[t][1]] = @ \cup {t}] ELSE loaded
  /\ hand' = [hand EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}]
  /\ UNCHANGED <<managers, active, wanted, registrations, expired, left, answer,
                 queue, write, added, backlog, fetched, deleting, delivered>>

Expire(p) == \* the registration's timer fires, or the poll arrives too late to wait: it ends empty
  /\ p \in expired
  /\ registrations[p] # {} \/ Asked(p)
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"deadline">>}]
  /\ UNCHANGED <<managers, active, wanted, hand, expired, left, answer, tasks>>

Withdraw(p) == \* the handler learns that its caller has left, and takes the registration back
  /\ p \in left
  /\ registrations[p] # {}
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}]
  /\ UNCHANGED <<managers, active, wanted, hand, expired, left, answer, tasks>>

Acknowledge(t, h, g) == \* the manager learns that the record is gone
  /\ [task |-> t, host |-> h, generation |-> g] \in deleting
  /\ Alive(h, queue[t][1], g)
  /\ t \notin backlog
  /\ deleting' = deleting \ {[task |-> t, host |-> h, generation |-> g]}
  /\ fetched' = [fetched EXCEPT ![h, queue[t][1]] = @ \ {t}]
  /\ UNCHANGED <<managers, active, polls, queue, write, added, backlog, loaded, delivered>>

AcknowledgeFails(t, h, g) == \* the answer to a delete is an error, or comes when that generation has stopped: a record still there will be read again
  /\ [task |-> t, host |-> h, generation |-> g] \in deleting
  /\ deleting' = deleting \ {[task |-> t, host |-> h, generation |-> g]}
  /\ UNCHANGED <<managers, active, polls, queue, write, added, backlog, fetched, loaded, delivered>>

-----------------------------------------------------------------------------
(* Environment actions: time, callers, the store, the cluster *)

DeadlinePasses(p) == \* the clock reaches the deadline that the caller sent
  /\ wanted[p] # <<>>
  /\ settled[p] = {}
  /\ p \notin expired
  /\ expired' = expired \cup {p}
  /\ UNCHANGED <<managers, active, wanted, registrations, hand, left, settled, answer, tasks>>

CallerLeaves(p) == \* the caller interrupts its call; before the poll has arrived that ends it, after a hand-over it is too late
  /\ wanted[p] # <<>>
  /\ answer[p] = <<>>
  /\ p \notin left
  /\ \A t \in Task : <<"delivery", t>> \notin settled[p]
  /\ left' = left \cup {p}
  /\ settled' = IF Asked(p) THEN [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}] ELSE settled
  /\ UNCHANGED <<managers, active, wanted, registrations, hand, expired, answer, tasks>>

NamespaceChanges == \* a failover: this cluster becomes the active one, or ceases to be
  /\ active' = ~active
  /\ UNCHANGED <<managers, polls, tasks>>

CommitWrite(t) == \* the store makes the record durable; its answer is still to come
  /\ write[t] = "flying"
  /\ write' = [write EXCEPT ![t] = "committed"]
  /\ backlog' = backlog \cup {t}
  /\ UNCHANGED <<managers, active, polls, queue, added, fetched, loaded, deleting, delivered>>

FailWrite(t) == \* the store does not make the record durable, and never will
  /\ write[t] = "flying"
  /\ write' = [write EXCEPT ![t] = "failed"]
  /\ UNCHANGED <<managers, active, polls, queue, added, backlog, fetched, loaded, deleting, delivered>>

ServeRead(h, q) == \* the store serves a manager's read: what is durable at this moment
  /\ running[h, q]
  /\ fetched' = [fetched EXCEPT ![h, q] = {t \in backlog : queue[t][1] = q}]
  /\ UNCHANGED <<managers, active, polls, queue, write, added, backlog, loaded, deleting, delivered>>

CommitDelete(t, h, g) == \* the store deletes the record; its answer is still to come
  /\ [task |-> t, host |-> h, generation |-> g] \in deleting
  /\ backlog' = backlog \ {t}
  /\ UNCHANGED <<managers, active, polls, queue, write, added, fetched, loaded, deleting, delivered>>

ForgetPoll(p) == \* the caller has its answer: the slot may hold another poll
  /\ answer[p] # <<>>
  /\ wanted' = [wanted EXCEPT ![p] = <<>>]
  /\ expired' = expired \ {p}
  /\ left' = left \ {p}
  /\ settled' = [settled EXCEPT ![p] = {}]
  /\ answer' = [answer EXCEPT ![p] = <<>>]
  /\ UNCHANGED <<managers, active, registrations, hand, tasks>>

ForgetTask(t) == \* the caller has its answer and nothing refers to the task: the slot may hold another task
  /\ added[t] # "none"
  /\ t \notin backlog
  /\ ~Held(t)
  /\ \A h \in Host, q \in Partition : t \notin loaded[h, q] \cup fetched[h, q]
  /\ \A x \in deleting : x.task # t
  /\ \A p \in Poll : <<"delivery", t>> \notin settled[p]
  /\ queue' = [queue EXCEPT ![t] = <<>>]
  /\ write' = [write EXCEPT ![t] = "none"]
  /\ added' = [added EXCEPT ![t] = "none"]
  /\ delivered' = delivered \ {t}
  /\ UNCHANGED <<managers, active, polls, backlog, fetched, loaded, deleting>>

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

Fairness == \* what a running service, a clock and a store owe; no caller, failover or unload is owed
  /\ \A p \in Poll : WF_vars(DeadlinePasses(p))
  /\ \A p \in Poll : WF_vars(Expire(p))
  /\ \A p \in Poll : WF_vars(Withdraw(p))
  /\ \A p \in Poll : WF_vars(\E a \in Answer : Return(p, a))
  /\ \A p \in Poll : \A t \in Task : WF_vars(GiveBack(t, p))
  /\ \A t \in Task : SF_vars(\E p \in Poll : Deliver(t, p))
  /\ \A t \in Task : SF_vars(\E p \in Poll : Match(t, p))
  /\ \A h \in Host, q \in Partition : WF_vars(ServeRead(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(ReadBacklog(h, q))
  /\ \A t \in Task : SF_vars((\E h \in Host : Spool(t, h)) \/ (\E p \in Poll : SyncMatch(t, p)))
  /\ \A t \in Task : WF_vars(CommitWrite(t) \/ FailWrite(t))
  /\ \A t \in Task : WF_vars(\E a \in AddAnswer : AnswerAdd(t, a))
  /\ \A t \in Task, h \in Host, g \in Generation : WF_vars(CommitDelete(t, h, g))
  /\ \A t \in Task, h \in Host, g \in Generation : WF_vars(Acknowledge(t, h, g))
  /\ \A t \in Task, h \in Host, g \in Generation : WF_vars(AcknowledgeFails(t, h, g) /\ ~Alive(h, queue[t][1], g))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

RegistrationInv == \* a registration exists only under a running manager of its own generation, and carries what its caller sent
  \A p \in Poll : \A r \in registrations[p] :
    /\ Alive(r.host, r.partition, r.generation)
    /\ wanted[p] = <<r.worker, r.partition, r.version>>

OneRegistrationInv == \* a poll has at most one registration, and none once it has a task or an end
  \A p \in Poll : /\ Cardinality(registrations[p]) <= 1
                  /\ (hand[p] # {} \/ settled[p] # {}) => registrations[p] = {}

SettledOnceInv == \* a poll is ended by at most one cause
  \A p \in Poll : Cardinality(settled[p]) <= 1

SettledGetsNothingInv == \* a poll that has ended holds no task
  \A p \in Poll : settled[p] # {} => hand[p] = {}

CauseInv == \* the deadline ends only polls whose deadline has passed, the interrupt only polls whose caller has left
  \A p \in Poll : /\ <<"deadline">> \in settled[p] => p \in expired
                  /\ <<"interrupt">> \in settled[p] => p \in left

AnswerInv == \* what the caller saw is how its poll ended; a task is seen only where one was handed over
  \A p \in Poll : answer[p] # <<>> =>
    \/ \E c \in settled[p] : answer[p] = AnswerOf(c)
    \/ answer[p] = <<"interrupted">> /\ p \in left /\ \A t \in Task : <<"delivery", t>> \notin settled[p]

OneHandInv == \* a task is in at most one hand, and then in no memory; a hand holds one task
  /\ \A p \in Poll : Cardinality(hand[p]) <= 1
  /\ \A p, o \in Poll : p # o => {x.task : x \in hand[p]} \cap {x.task : x \in hand[o]} = {}
  /\ \A h \in Host, q \in Partition : \A t \in loaded[h, q] : ~Held(t)

HandInv == \* a hand is filled only by a running manager of its own generation
  \A p \in Poll : \A x \in hand[p] : queue[x.task] # <<>> /\ Alive(x.host, queue[x.task][1], x.generation)

MemoryInv == \* only a running manager has tasks in memory, and they are its own partition's
  \A h \in Host, q \in Partition : \A t \in loaded[h, q] \cup fetched[h, q] :
    running[h, q] /\ queue[t] # <<>> /\ queue[t][1] = q

NothingLostInv == \* an accepted task has a record or has been handed over
  \A t \in Task : added[t] = "accepted" => t \in backlog \/ t \in delivered

-----------------------------------------------------------------------------
(* Step properties *)

GenerationsGrowProp == \* a load makes the next generation, and nothing else touches the count
  [][\A m \in Manager : generation'[m] = IF running'[m] /\ ~running[m] THEN generation[m] + 1 ELSE generation[m]]_vars

SettledStaysProp == \* a poll that has ended stays as it is until it is forgotten
  [][\A p \in Poll : settled[p] # {} =>
       \/ settled'[p] = settled[p] /\ (answer[p] # <<>> => answer'[p] = answer[p])
       \/ answer[p] # <<>> /\ settled'[p] = {} /\ answer'[p] = <<>>]_vars

RecordKeptProp == \* a record goes only after its task was handed over; an unload leaves the backlog as it is
  [][/\ \A t \in backlog : t \in backlog' \/ t \in delivered
     /\ (\E m \in Manager : running[m] /\ ~running'[m]) => backlog' = backlog]_vars

SuitableProp == \* a task comes only into the hand of a poll that may have it: active namespace, same partition and version, in time
  [][\A p \in Poll : \A x \in hand'[p] \ hand[p] :
       /\ active
       /\ p \notin expired
       /\ p \notin left
       /\ queue[x.task] = <<wanted[p][2], wanted[p][3]>>]_vars

RegisterPromptProp == \* no registration leaves a task in memory beside a poll that may have it
  [][\A p \in Poll : registrations[p] = {} /\ registrations'[p] # {} => \A t \in Task : ~Meets(t, p)']_vars

AddPromptProp == \* no add writes a record while a poll that may have the task is waiting
  [][\A t \in Task : write[t] = "none" /\ write'[t] # "none" =>
       ~\E p \in Poll, h \in Host : Suitable(p, h, queue[t][1], queue[t][2])]_vars

-----------------------------------------------------------------------------
(* Liveness *)

PollReturnsProp == \* every poll returns
  \A p \in Poll : wanted[p] # <<>> ~> answer[p] # <<>>

BacklogServedProp == \* a stored task is handed over if a poll that may have it is again and again waiting
  \A t \in Task :
    []<>(\E p \in Poll, h \in Host : queue[t] # <<>> /\ Suitable(p, h, queue[t][1], queue[t][2]))
      => [](t \in backlog => <>(t \in delivered \/ t \notin backlog))

AddAnsweredProp == \* every add is answered if its partition is again and again loaded
  \A t \in Task :
    []<>(queue[t] # <<>> /\ \E h \in Host : running[h, queue[t][1]])
      => (queue[t] # <<>> ~> added[t] # "none")

DeleteEndsProp == \* every delete comes to an end, one way or the other
  \A x \in Deletion : x \in deleting ~> x \notin deleting

THEOREM Spec => []TypeOK
THEOREM Spec => [](/\ RegistrationInv /\ OneRegistrationInv /\ SettledOnceInv /\ SettledGetsNothingInv
                   /\ CauseInv /\ AnswerInv /\ OneHandInv /\ HandInv /\ MemoryInv /\ NothingLostInv)
THEOREM Spec => /\ GenerationsGrowProp /\ SettledStaysProp /\ RecordKeptProp
                /\ SuitableProp /\ RegisterPromptProp /\ AddPromptProp
THEOREM Spec => PollReturnsProp /\ BacklogServedProp /\ AddAnsweredProp /\ DeleteEndsProp
=============================================================================
