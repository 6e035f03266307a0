------------------------------ MODULE Matching ------------------------------
(***************************************************************************)
(* The whole service: the root that joins the parts, and that judges runs. *)
(*                                                                         *)
(* Models    what its parts model.  A step that several parts take         *)
(*           together is one action here, named for what happens, and      *)
(*           defined by the parts' own actions; a step of one part leaves  *)
(*           the variables of the others as they are.                      *)
(* Omits     what its parts omit.                                          *)
(* Refines   PollRegistration, whose abstract backlog is that of Backlog,  *)
(*           and whose managers are those of PartitionLifetime;            *)
(*           PartitionLifetime, whose polls are those of PollRegistration  *)
(*           and whose lease is that of Backlog; TaskQueue, by the mapping *)
(*           of Delivery.  Of Forwarding it has what a hop carries, and    *)
(*           its invariants; what a manager knows of its backlog decides   *)
(*           here whether a poll goes on.                                  *)
(* Source    the parts name theirs                                         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues, each with one physical queue
  Sticky,      \* those that are sticky: they have no place in a tree
  Place,       \* [Partition -> Queue \X Nat]: the task queue of a partition, and its number there; 0 is the root
  Child,       \* those that send polls and tasks on to their parents
  Degree,      \* how many children a partition has
  ForwardedPolls, \* how many polls of a child may be forwarded at once; the others wait at the child
  UnloadEndsPoll, \* BOOLEAN: does a hop that comes back empty end the poll, or does the poll go on waiting at the child?
  Version,     \* deployment versions, "unversioned" among them
  Worker,      \* identities of workers
  Poll,        \* slots of polls: a poll is one call of a worker, or a hop on behalf of one
  Task,        \* slots of tasks: a task is one call of add, or a hop on behalf of one
  Generation,  \* numbers of loads; finite in models, Nat in the judge
  Event,       \* slots of scheduled events
  Attempt,     \* numbers of attempts; finite in models, Nat in the judge
  Stamp,       \* numbers of changes of an event's options; finite in models, Nat in the judge
  Request,     \* ids of start calls; finite in models, Nat in the judge
  RequestPerDispatch, \* BOOLEAN: does a task keep its request id until an answer is certain, or has each offer its own?
  Range,       \* range ids; finite in models, Nat in the judge
  Id,          \* ids of records; finite in models, Nat in the judge
  BlockSize,   \* how many ids belong to one range id
  Number,      \* numbers of alike calls that nobody waits for; finite in models, Nat in the judge
  Cluster,     \* clusters in which the namespace can be active
  Here,        \* the cluster of these hosts
  Revision,    \* numbers of changes of the namespace; finite in models, Nat in the judge
  Ownership,   \* numbers of changes of the membership; finite in models, Nat in the judge
  Depth,       \* how many records a backlog can count; finite in models, Nat in the judge
  UnloadOnNamespaceStateChange \* SUBSET Host: the hosts that unload what they hold when the namespace becomes active or passive here

VARIABLES
  running, generation, lives, sought, called, process, tally, samples, gauges,                      \* owned by PartitionLifetime
  clusters, owners, revision, ownership,                                                            \* owned by PartitionLifetime
  wanted, registrations, sent, hand, asking, expired, left, settled, answer,                        \* owned by PollRegistration
  queue, arrived, lent, write, added, backlog, fetched, loaded, done, delivered, dropped,           \* owned by PollRegistration
  hop, back,                                                                                        \* owned by Forwarding
  phase, attempt, stamp, starter, intents, carries, asks, strays, kept, tokens, completed,          \* owned by Delivery
  lease, floor, records, range, next, read, ack, unfinished,                                        \* owned by Backlog
  claims, adrift, reads, saves, writes, confirmed, deletes                                          \* owned by Backlog

lifeVars == <<running, generation, lives, sought, called, process, tally, samples, gauges, clusters, owners, revision, ownership>>
pollsVars == <<wanted, registrations, sent, hand, asking, expired, left, settled, answer,
               queue, arrived, lent, write, added, backlog, fetched, loaded, done, delivered, dropped>>
hopsVars == <<hop, back>>
eventsVars == <<phase, attempt, stamp, starter, intents, carries, asks, strays, kept, tokens, completed>>
storeVars == <<lease, floor, records, range, next, read, ack, unfinished,
               claims, adrift, reads, saves, writes, confirmed, deletes>>
vars == <<lifeVars, pollsVars, hopsVars, eventsVars, storeVars>>
allButLife == <<pollsVars, hopsVars, eventsVars, storeVars>>
allButPolls == <<lifeVars, hopsVars, eventsVars, storeVars>>
allButEvents == <<lifeVars, pollsVars, hopsVars, storeVars>>
allButStore == <<lifeVars, pollsVars, hopsVars, eventsVars>>

Events == INSTANCE Delivery
Store == INSTANCE Backlog WITH finished <- delivered \cup dropped
Life == INSTANCE PartitionLifetime WITH
  waiting <- {<<x.host, x.partition, x.generation>> : x \in UNION {registrations[p] \cup sent[p] : p \in Poll}},
  holder <- [q \in Partition |-> {<<h, generation[h, q]>> : h \in {o \in Host : Store!Leads(<<o, q>>)}}],
  stored <- [q \in Partition |-> Cardinality({t \in backlog \ (delivered \cup dropped) : queue[t][1] = q})]
Polls == INSTANCE PollRegistration WITH active <- [h \in Host |-> Life!Active(h)]
Hops == INSTANCE Forwarding WITH
  active <- [h \in Host |-> Life!Active(h)],
  status <- [t \in Task |-> "none"],  \* History is Delivery's affair
  declined <- {t \in Task : write[t] = "failed"}

\* What the parts ask of the constants, but that there is one of each kind of ids: a model or a run may have none.
\* Those of numbers stand alone, for the judge's numbers have no end, and nobody can say it of Nat by looking at each.
ASSUME Polls!SlotAssumption /\ Events!DispatchAssumption /\ Store!BlockAssumption /\ Life!ClusterAssumption /\ Life!FlagAssumption
ASSUME Polls!ChildAssumption /\ Hops!DegreeAssumption /\ Hops!PlaceAssumption /\ Hops!StickyAssumption /\ Hops!TreeAssumption /\ Hops!ProfileAssumption
ASSUME Polls!GenerationAssumption
ASSUME Events!AttemptAssumption
ASSUME Events!StampAssumption
ASSUME Events!RequestAssumption
ASSUME Store!RangeAssumption
ASSUME Store!IdAssumption
ASSUME Store!NumberAssumption
ASSUME Life!RevisionAssumption
ASSUME Life!OwnershipAssumption
ASSUME Life!DepthAssumption

-----------------------------------------------------------------------------
(* Shapes *)

Answer == Polls!Answer \* what a call of poll can return
AddAnswer == Polls!AddAnswer \* what a call of add can return
Outcome == Events!Outcome \* where a start call stands
Part == Life!Part \* what a manager needs before it can serve

Apart == [q \in Partition |-> <<q, 0>>] \* the places of partitions that are each the root of a tree of its own

TypeOK == Life!TypeOK /\ Polls!TypeOK /\ Hops!HopsOK /\ Events!TypeOK /\ Store!TypeOK \* every variable has its shape

Init == Life!OwnInit /\ Polls!Init /\ Hops!HopsInit /\ Events!OwnInit /\ Store!Init \* nothing is loaded, nobody polls, no task and no event exists

-----------------------------------------------------------------------------
(* Words used by the actions *)

Finishes(t, x) == \* a task that was in a hand is finished: if its record is in the memory of a manager that runs, that manager knows
  IF Polls!HasRecord(t) /\ Polls!Living(x) THEN Store!Finish(t, x.host, queue[t][1]) ELSE UNCHANGED storeVars
HandedBy(h, q) == \* tasks with a record that this generation put into a hand
  {x.task : x \in {y \in UNION {hand[p] : p \in Poll} :
     y.host = h /\ y.generation = generation[h, q] /\ queue[y.task][1] = q /\ Polls!HasRecord(y.task)}}
Goes(h, q) == \* what goes with a manager: its polls end empty, what was in their hands is taken back, its memory and its lease go
  /\ Polls!Unload(h, q)
  /\ kept' = Events!Reloads(h, {t \in Task : queue[t] # <<>> /\ queue[t][1] = q})
  /\ UNCHANGED <<phase, attempt, stamp, starter, intents, carries, asks, strays, tokens, completed>>
  /\ IF range[h, q] > 0 \/ claims[h, q] # {} THEN Store!Stop(h, q) ELSE UNCHANGED storeVars
  /\ UNCHANGED hopsVars

LentBy(h, q) == {t \in Task : queue[t] # <<>> /\ queue[t][1] = q /\ Polls!HasRecord(t) /\ Polls!LentBy(t, h, generation[h, q])} \* tasks with a record that this generation has offered to the parent
KnowsNone(h, q, v) == \* the manager leads, has read all that there can be, and nothing of it is left for a poll of that version
  range[h, q] > 0 /\ read[h, q] = next[h, q] - 1 /\ \A x \in unfinished[h, q] : queue[x[2]][2] # v
MaySend(p, h) == \* the manager may forward the poll, if there is a slot for the hop
  LET q == wanted[p][2]
  IN  /\ q \in Child
      /\ p \notin back
      /\ KnowsNone(h, q, wanted[p][3])
      /\ Cardinality({o \in Poll : \E x \in sent[o] : x.host = h /\ x.partition = q}) < ForwardedPolls
IsClient(s) == hop[s] = {} \* the call is a client's, not a hop
Deserted(c) == hop[c] # {} /\ ~Polls!IsCall(c) \* a hop for whose answer nobody waits any more
AskedAbove(t, h) == queue[t] # <<>> /\ queue[t][1] \in Child /\ write[t] = "none" /\ Life!Active(h) => Hops!Tried(t) \* the parent has no poll for a task that arrives, or there is no need to ask
HopGoes(s) == hop' = [hop EXCEPT ![s] = {}] /\ back' = back \ {s} \* what was known of a hop is forgotten with it

-----------------------------------------------------------------------------
(* Client actions *)

StartPoll(p, w, q, v) == IsClient(p) /\ UNCHANGED allButPolls /\ Polls!StartPoll(p, w, q, v) \* a worker polls a partition for tasks of its version
AddTask(t, h, q, v) == IsClient(t) /\ UNCHANGED allButPolls /\ Polls!AddTask(t, h, q, v) \* a task that carries no event arrives at a host, for a partition and a version
Return(p, a) == \* the caller's call returns, and the caller sees how its poll ended
  /\ IsClient(p)
  /\ <<"unanswered">> \in settled[p] /\ p \notin left => a = <<"empty">>
  /\ UNCHANGED allButPolls
  /\ Polls!Return(p, a)
AnswerAdd(t, a) == \* the call of add returns: accepted if done with or confirmed to be stored, refused if its write was not confirmed
  /\ IsClient(t)
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ writes[t] = {}
  /\ a = "accepted" => write[t] = "none" \/ t \in confirmed
  /\ a = "refused" => t \notin confirmed
  /\ Polls!AnswerAdd(t, a)
  /\ UNCHANGED <<eventsVars, storeVars>>
OrderLoad(h, q) == q \notin Sticky /\ UNCHANGED allButLife /\ Life!Seek(h, q) \* an operator orders that the partition be loaded
OrderUnload(h, q) == UNCHANGED allButLife /\ Life!OrderUnload(h, q) \* an operator orders that the manager be unloaded
Schedule(e) == Events!Schedule(e) /\ UNCHANGED allButEvents \* an execution schedules an event: its first attempt is due
Complete(e, a) == Events!Complete(e, a) /\ UNCHANGED allButEvents \* a worker completes the attempt that it was given, and History accepts it
RefuseComplete(e, a) == Events!RefuseComplete(e, a) /\ UNCHANGED allButEvents \* a worker completes an attempt that does not count any more, and is told so
ToldComplete(e, a) == Events!ToldComplete(e, a) /\ UNCHANGED allButEvents \* the worker learns that it completed the attempt

-----------------------------------------------------------------------------
(* Internal actions: managers *)

Seek(h, q) == \* a poll or an add needs the partition's manager, and waits for it
  /\ q \notin Sticky
  /\ \/ \E p \in Poll : Polls!Asked(p) /\ wanted[p][2] = q
     \/ \E t \in Task : h \in arrived[t] /\ queue[t][1] = q /\ (Polls!Arriving(t) \/ write[t] = "owed")
  /\ UNCHANGED allButLife
  /\ Life!Seek(h, q)
Abandon(h, q) == UNCHANGED allButLife /\ Life!Abandon(h, q) \* whoever waited for the manager leaves or is too late: a load goes on
Load(h, q) == UNCHANGED allButLife /\ Life!Load(h, q) \* a new generation of the manager begins
FinishPart(h, q, g, p) == UNCHANGED allButLife /\ Life!FinishPart(h, q, g, p) \* a part of a generation's initialisation is answered, however late
Fail(h, q, g) == UNCHANGED allButLife /\ Life!Fail(h, q, g) \* a part of a generation's initialisation fails for good, however late: one that still loads calls for its own unload
Publish(h, q, g) == UNCHANGED allButLife /\ Life!Publish(h, q, g) \* every part is ready: the queue object is there for others to find
Start(h, q, g) == UNCHANGED allButLife /\ Life!Start(h, q, g) \* the queue starts: who waited for it goes on
Idle(h, q) == UNCHANGED allButLife /\ Life!Idle(h, q) \* nobody has used the manager for long: it calls for its unload
LoseLease(h, q) == \* the manager learns that somebody else holds the lease: it calls for its unload
  /\ Store!Fenced(<<h, q>>)
  /\ UNCHANGED allButLife
  /\ Life!Conflict(h, q)
ShutDown(h) == UNCHANGED allButLife /\ Life!ShutDown(h) \* a host shuts down: it loads nothing any more, and calls for the unload of all that it holds
Unload(h, q, g) == \* a call to unload a generation arrives; a later generation takes no notice, nor one that was unloaded before
  /\ process[h] # "ended"
  /\ g \in 1..generation[h, q]
  /\ Life!Registered(h, q, g) => <<h, q, g>> \in called
  /\ IF Life!Registered(h, q, g) THEN Life!Unloads(h, q, g) /\ Goes(h, q) ELSE UNCHANGED vars
Stop(h, q, g) == UNCHANGED allButLife /\ Life!Stop(h, q, g) \* the emitter of a generation that was unloaded has ended, and what it showed is set to zero
RemoveSeries(h, q, g) == UNCHANGED allButLife /\ Life!RemoveSeries(h, q, g) \* long after a generation has stopped nothing tells of it any more
Sample(h, q, g, n) == \* the emitter of a queue that leads ticks: it reads what is not finished, and at most what may be there besides
  /\ range[h, q] > 0
  /\ n >= Cardinality(unfinished[h, q])
  /\ n <= Cardinality(unfinished[h, q]) + (next[h, q] - 1 - read[h, q])
  /\ UNCHANGED allButLife
  /\ Life!Sample(h, q, g, n)
Emit(h, q, g) == UNCHANGED allButLife /\ Life!Emit(h, q, g) \* the tick shows what it read
HearNamespace(h, r) == UNCHANGED allButLife /\ Life!HearNamespace(h, r) \* a host is told of a revision of the namespace
HearOwners(h, n) == UNCHANGED allButLife /\ Life!HearOwners(h, n) \* a host is told who owns the partitions

-----------------------------------------------------------------------------
(* Internal actions: the lease *)

Claim(h, q) == \* a manager asks for the next range id: it begins, or its block has run out and a task waits for an id
  /\ Life!Serves(h, q)
  /\ range[h, q] = 0 \/ \E t \in Task : h \in arrived[t] /\ queue[t][1] = q /\ (Polls!Arriving(t) \/ write[t] = "owed")
  /\ UNCHANGED allButStore
  /\ Store!Claim(h, q)
Lead(h, q) == Life!Serves(h, q) /\ UNCHANGED allButStore /\ Store!Lead(h, q) \* the manager learns that the lease is its own: it writes to the new block
ClaimAgain(h, q) == UNCHANGED allButStore /\ Store!ClaimAgain(h, q) \* the manager cannot tell whether its claim took effect

-----------------------------------------------------------------------------
(* Internal actions: polls and tasks *)

Register(p, h) == \* a poll arrives, finds no task for it in memory, and waits: where it may go on to the parent, it does not
  /\ wanted[p] # <<>> /\ Life!Serves(h, wanted[p][2])
  /\ ~MaySend(p, h)
  /\ UNCHANGED allButPolls
  /\ Polls!Register(p, h)
Take(p, h, t) == \* a poll arrives and takes a task from memory at once, without a registration
  /\ wanted[p] # <<>> /\ Life!Serves(h, wanted[p][2])
  /\ UNCHANGED allButPolls
  /\ Polls!Take(p, h, t)
SyncMatch(t, p) == UNCHANGED allButPolls /\ Polls!SyncMatch(t, p) \* an arriving task meets a waiting poll: no record is written
Match(t, p) == UNCHANGED allButPolls /\ Polls!Match(t, p) \* a task in memory meets a waiting poll: the registration goes, the task is in the poll's hand
Ask(t, p, r) == \* the handler resumes and asks History first: from here on the answer decides, and the caller
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ carries[t] # <<>>
  /\ \E x \in hand[p] : Polls!Ask(t, p) /\ Events!Asks(t, x.host, p, r)
  /\ UNCHANGED storeVars
Deliver(t, p) == \* the handler learns that the attempt was started, or need not ask, and hands the task over
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ \E x \in hand[p] :
       /\ Polls!Deliver(t, p)
       /\ IF carries[t] = <<>> THEN UNCHANGED eventsVars ELSE Events!Delivers(p)
       /\ Finishes(t, x)
Drop(t, p) == \* the handler learns that the task need not be done any more
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ \E x \in hand[p] :
       /\ Polls!Drop(t, p)
       /\ Events!Drops(p)
       /\ Finishes(t, x)
Keep(t, p) == \* the handler learns nothing: the task is offered again later, or stored
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!Keep(t, p)
  /\ Events!Keeps(p)
  /\ UNCHANGED storeVars
GiveBack(t, p) == \* the handler resumes, its caller has left: the task goes back to where it came from
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!GiveBack(t, p)
  /\ Events!GivesBack(p)
  /\ UNCHANGED storeVars
Expire(p) == UNCHANGED allButPolls /\ Polls!Expire(p) \* the registration's timer fires, or the poll arrives too late to wait: it ends empty
Refuse(p, h) == \* a poll arrives at a host that loads nothing any more, or has given the partition away: it ends empty
  /\ wanted[p] # <<>> /\ (process[h] # "up" \/ ~Life!Owns(h, wanted[p][2]))
  /\ UNCHANGED allButPolls
  /\ Polls!Refuse(p, h)
RejectPoll(p) == UNCHANGED allButPolls /\ Polls!RejectPoll(p) \* a poll for a sticky partition is told that there are none
Withdraw(p) == UNCHANGED allButPolls /\ Polls!Withdraw(p) \* the handler learns that its caller has left, and takes the registration back

-----------------------------------------------------------------------------
(* Internal actions: hops *)

Forward(p, c, h) == \* a poll that finds nothing at a child goes on to the parent, and waits there: a call is made on its behalf
  /\ wanted[p] # <<>> /\ Life!Serves(h, wanted[p][2])
  /\ MaySend(p, h)
  /\ Hops!Sends(p, c, h, wanted[p][2], <<wanted[p][1], Hops!Parent(wanted[p][2]), wanted[p][3]>>)
  /\ UNCHANGED <<lifeVars, back, eventsVars, storeVars>>
  /\ Polls!SendOn(p, c, h)
ArrivePoll(c) == \* a hop arrives, however late: the parent has a poll
  /\ UNCHANGED allButPolls
  /\ \E x \in hop[c] : Polls!StartPoll(c, x.carried[1], x.carried[2], x.carried[3])
Resume(p, c) == \* the answer to a hop arrives where its handler waits: a task is passed on, and an empty answer ends the poll, or only the hop
  \E goes \in BOOLEAN :
    /\ UNCHANGED <<lifeVars, hop, eventsVars, storeVars>>
    /\ Polls!Resume(p, c, goes)
    /\ <<"unanswered">> \in settled[c] => answer'[c] # <<"empty">> \* to a hop, a poll of which nothing is known is an error
    /\ goes <=> answer'[c] = <<"empty">> /\ p \notin left /\ ~UnloadEndsPoll
    /\ back' = IF goes THEN back \cup {p} ELSE back
Break(p) == UNCHANGED allButPolls /\ Polls!Break(p) \* a hop fails, and its handler cannot tell whether the poll waits above: it ends, so that it waits nowhere else
CancelHop(c) == Deserted(c) /\ UNCHANGED allButPolls /\ Polls!CallerLeaves(c) \* whoever made the hop waits for it no longer, and the parent learns so
Offer(t, u, h) == \* a task meets no poll at a child, and is offered to the parent: by its call of add once, by the reader again and again
  /\ queue[t] # <<>> /\ queue[t][1] \in Child /\ Life!Serves(h, queue[t][1])
  /\ Polls!Arriving(t) => ~Hops!Tried(t)
  /\ Hops!Sends(t, u, h, queue[t][1], <<Hops!Parent(queue[t][1]), queue[t][2]>>)
  /\ UNCHANGED <<lifeVars, back, eventsVars, storeVars>>
  /\ Polls!Lend(t, u, h)
ArriveTask(u, h) == \* an offer arrives at a host, however late: it stands for what the task stands for on whose behalf it is made
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ \E x \in hop[u] : Polls!AddTask(u, h, x.carried[1], x.carried[2]) /\ Events!StandsFor(u, x.behalf)
  /\ UNCHANGED storeVars
Decline(u, h) == \* an offered task meets no poll, here or above: it stays with whoever offered it
  /\ hop[u] # {}
  /\ queue[u] # <<>> /\ Life!Serves(h, queue[u][1]) /\ AskedAbove(u, h)
  /\ UNCHANGED allButPolls
  /\ Polls!Decline(u, h)
Conclude(t, u, h) == \* the answer to an offer arrives where its maker waits: what was taken or dropped above is done with here
  /\ UNCHANGED <<lifeVars, hopsVars, eventsVars>>
  /\ Polls!Conclude(t, u, h)
  /\ IF Polls!HasRecord(t) /\ u \in delivered \cup dropped THEN Store!Finish(t, h, queue[t][1]) ELSE UNCHANGED storeVars
Retract(t, u, h) == UNCHANGED allButPolls /\ Polls!Retract(t, u, h) \* whoever made an offer hears nothing in time: the task is the child's still

-----------------------------------------------------------------------------
(* Internal actions: the backlog *)

Spool(t, h) == \* an arriving task meets no poll that may have it, here or above, or must be stored: it gets an id, and its write begins
  /\ IsClient(t)
  /\ AskedAbove(t, h)
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!Spool(t, h)
  /\ Store!Write(t, h, queue[t][1])
  /\ UNCHANGED eventsVars
RefuseAdd(t, h) == \* an add is at a host that loads nothing any more, or has given the partition away: whoever added the task must add it again
  /\ queue[t] # <<>> /\ (process[h] # "up" \/ ~Life!Owns(h, queue[t][1]))
  /\ UNCHANGED allButPolls
  /\ Polls!RefuseAdd(t, h)
RejectAdd(t) == UNCHANGED allButPolls /\ Polls!RejectAdd(t) \* an add to a sticky partition is told that there are none
AbandonAdd(t) == UNCHANGED allButPolls /\ Polls!AbandonAdd(t) \* the handler of an add learns that its caller has left: whoever added the task must add it again
EndWrite(t) == UNCHANGED allButStore /\ Store!EndWrite(t) \* whoever waits for the write learns what became of it
ReadBacklog(h, q) == \* a read is answered: what it found is in memory, and a gap is jumped
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!ReadBacklog(h, q)
  /\ Store!Load(h, q)
  /\ UNCHANGED eventsVars
SaveLevel(h, q) == UNCHANGED allButStore /\ Store!SaveLevel(h, q) \* a manager begins to save its ack level, also where it has not moved: so it learns that the lease was taken
EndSave(h, q, r) == UNCHANGED allButStore /\ Store!EndSave(h, q, r) \* the saving is over
Delete(h, q) == UNCHANGED allButStore /\ Store!Delete(h, q) \* a manager begins to delete the records up to its ack level
EndDelete(q, r, i) == UNCHANGED allButStore /\ Store!EndDelete(q, r, i) \* the delete is answered, or never takes effect

-----------------------------------------------------------------------------
(* Internal actions: History *)

Transfer(t, h, q, v, e, a, s) == \* the transfer processor calls add for an intent
  /\ Events!Brings(t, e, a, s)
  /\ IsClient(t)
  /\ \A u \in Task : IsClient(u) /\ carries[u] = <<e, a, s>> => added[u] # "none"
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!AddTask(t, h, q, v)
  /\ UNCHANGED storeVars
RemoveIntent(t) == Events!RemoveIntent(t) /\ UNCHANGED allButEvents \* the add was accepted: the intent goes
DiscardIntent(e, a, s) == Events!DiscardIntent(e, a, s) /\ UNCHANGED allButEvents \* the processor finds that the intent does not count any more: it goes without an add
RecordStart(e, a, s, r) == Events!RecordStart(e, a, s, r) /\ UNCHANGED allButEvents \* History decides a start call: the attempt is started by it, or was so before
RefuseStart(e, a, s, r, o) == Events!RefuseStart(e, a, s, r, o) /\ UNCHANGED allButEvents \* History decides a start call: another one started the attempt, the event is over, or another attempt or stamp counts

-----------------------------------------------------------------------------
(* Environment actions: callers, time, the cluster *)

DeadlinePasses(p) == UNCHANGED allButPolls /\ Polls!DeadlinePasses(p) \* the clock reaches the deadline that the caller sent
CallerLeaves(p) == IsClient(p) /\ UNCHANGED allButPolls /\ Polls!CallerLeaves(p) \* the caller interrupts its call; before the poll has arrived that ends it, after a hand-over it is too late
LeaveAdd(t) == IsClient(t) /\ UNCHANGED allButPolls /\ Polls!LeaveAdd(t) \* the caller of an add gives up: it will not learn what became of its task
Crash(h) == UNCHANGED allButLife /\ Life!Crash(h) \* a process ends, with all that it had in memory; others see it one by one
Vanish(h, q) == \* what a process that has ended held is gone for others too
  /\ process[h] = "ended"
  /\ running[h, q]
  /\ Life!Unregisters(h, q)
  /\ UNCHANGED <<generation, lives, process, tally, samples, gauges, clusters, owners, revision, ownership>>
  /\ Goes(h, q)
Restart(h) == UNCHANGED allButLife /\ Life!Restart(h) \* a new process begins where nothing is left of the one before
ChangeNamespace(c) == UNCHANGED allButLife /\ Life!ChangeNamespace(c) \* the namespace gets a new revision: a failover, or one that leaves it in its cluster
ChangeOwners(o) == UNCHANGED allButLife /\ Life!ChangeOwners(o) \* the membership changes: partitions get new owners
ForgetPoll(p) == \* the caller has its answer, or nobody waits for a hop that has ended: the slot may hold another poll
  /\ hop[p] = {} => answer[p] # <<>>
  /\ \A c \in Poll : ~Hops!On(p, c)
  /\ HopGoes(p)
  /\ UNCHANGED <<lifeVars, eventsVars, storeVars>>
  /\ Polls!ForgetPoll(p)
LoseHop(c) == \* nobody waits for a hop that has not arrived, and it never does
  /\ Deserted(c)
  /\ c \in Poll /\ wanted[c] = <<>>
  /\ HopGoes(c)
  /\ UNCHANGED <<lifeVars, pollsVars, eventsVars, storeVars>>
ForgetTask(t) == \* the caller has its answer and nothing refers to the task: the slot may hold another task
  /\ \A u \in Task : ~Hops!On(t, u) /\ (Hops!On(u, t) => ~Polls!Arriving(u))
  /\ HopGoes(t)
  /\ UNCHANGED lifeVars
  /\ Polls!ForgetTask(t)
  /\ Events!Forgets(t)
  /\ Store!Forget(t)

-----------------------------------------------------------------------------
(* Environment actions: the store of the backlog *)

TakeLease(h, q) == UNCHANGED allButStore /\ Store!TakeLease(h, q) \* the claim takes effect; the saved ack level is read in the same moment
FenceClaim(h, q) == UNCHANGED allButStore /\ Store!FenceClaim(h, q) \* the claim has no effect: the lease was taken since
LoseClaim(h, q) == UNCHANGED allButStore /\ Store!LoseClaim(h, q) \* the answer to a claim is lost, or it never took effect
TakeAdrift(q, r) == UNCHANGED allButStore /\ Store!TakeAdrift(q, r) \* a claim of a manager that has stopped takes effect all the same
EndAdrift(q, r) == UNCHANGED allButStore /\ Store!EndAdrift(q, r) \* a claim of a manager that has stopped never takes effect
CommitWrite(t) == \* the store makes the record durable; its answer is still to come
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!CommitWrite(t)
  /\ Store!CommitWrite(t)
  /\ UNCHANGED eventsVars
FenceWrite(t) == \* the store does not make the record durable: the lease was taken since
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!FailWrite(t)
  /\ Store!FenceWrite(t)
  /\ UNCHANGED eventsVars
FailWrite(t) == \* the store does not make the record durable, and never will
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!FailWrite(t)
  /\ Store!FailWrite(t)
  /\ UNCHANGED eventsVars
LoseWrite(t) == UNCHANGED allButStore /\ Store!LoseWrite(t) \* the answer to a write that was decided is lost
ServeRead(h, q, u) == \* the store serves a manager's read: what lies behind its read level, up to that id
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ Polls!ServeRead(h, q, {r.task : r \in {s \in records : s.partition = q /\ s.id > read[h, q] /\ s.id <= u}})
  /\ Store!Fetch(h, q, u)
  /\ UNCHANGED eventsVars
FailRead(h, q) == \* a read that was served is not answered: whoever asked must ask again
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ IF fetched[h, q] = {} THEN UNCHANGED pollsVars ELSE Polls!FailRead(h, q)
  /\ Store!FailRead(h, q)
  /\ UNCHANGED eventsVars
CommitSave(h, q, r) == UNCHANGED allButStore /\ Store!CommitSave(h, q, r) \* the ack level is saved
FenceSave(h, q, r) == UNCHANGED allButStore /\ Store!FenceSave(h, q, r) \* the ack level is not saved: the lease was taken since
LoseSave(h, q, r) == UNCHANGED allButStore /\ Store!LoseSave(h, q, r) \* the answer to a saving is lost, or it never took effect
CommitDelete(q, r, i) == \* the records up to that id are gone, whoever holds the lease
  /\ UNCHANGED <<lifeVars, hopsVars>>
  /\ IF Store!Upto(q, i) = {} THEN UNCHANGED pollsVars ELSE Polls!CommitDelete({x.task : x \in Store!Upto(q, i)})
  /\ Store!CommitDelete(q, r, i)
  /\ UNCHANGED eventsVars

-----------------------------------------------------------------------------
(* Environment actions: History's calls and what executions do *)

FailStart(e, a, s, r) == Events!FailStart(e, a, s, r) /\ UNCHANGED allButEvents \* the start call fails, and has no effect
LoseAnswer(p) == Events!LoseAnswer(p) /\ UNCHANGED allButEvents \* the answer to a start call does not come: the handler takes the call for failed, and it may take effect all the same
StrayEnds(e, a, s, r) == Events!StrayEnds(e, a, s, r) /\ UNCHANGED allButEvents \* a start call that nobody waits for never takes effect
Restamp(e) == Events!Restamp(e) /\ UNCHANGED allButEvents \* the options of an event change before it is started: only a new task will do
TryAgain(e) == Events!TryAgain(e) /\ UNCHANGED allButEvents \* start-to-close passes: the next attempt is due
GiveUp(e) == Events!GiveUp(e) /\ UNCHANGED allButEvents \* schedule-to-start passes, or start-to-close of the last attempt: the event is over
Close(e) == Events!Close(e) /\ UNCHANGED allButEvents \* the execution closes, and the event goes with it
ForgetEvent(e) == Events!ForgetEvent(e) /\ UNCHANGED allButEvents \* the event is over and nothing refers to it: the slot may hold another event

-----------------------------------------------------------------------------

Next ==
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E e \in Event : Schedule(e)
  \/ \E e \in Event, a \in Attempt : Complete(e, a)
  \/ \E e \in Event, a \in Attempt : RefuseComplete(e, a)
  \/ \E e \in Event, a \in Attempt : ToldComplete(e, a)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : Abandon(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation, p \in Part : FinishPart(h, q, g, p)
  \/ \E h \in Host, q \in Partition, g \in Generation : Fail(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Publish(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Start(h, q, g)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : Idle(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
  \/ \E h \in Host : ShutDown(h)
  \/ \E h \in Host, q \in Partition, g \in Generation : Unload(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : RemoveSeries(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation, n \in Depth : Sample(h, q, g, n)
  \/ \E h \in Host, q \in Partition, g \in Generation : Emit(h, q, g)
  \/ \E h \in Host, r \in Revision : HearNamespace(h, r)
  \/ \E h \in Host, n \in Ownership : HearOwners(h, n)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E h \in Host, q \in Partition : ClaimAgain(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E t \in Task, p \in Poll, r \in Request : Ask(t, p, r)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, p \in Poll : Keep(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E p \in Poll : Expire(p)
  \/ \E p \in Poll, h \in Host : Refuse(p, h)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E p \in Poll : RejectPoll(p)
  \/ \E p \in Poll, c \in Poll, h \in Host : Forward(p, c, h)
  \/ \E c \in Poll : ArrivePoll(c)
  \/ \E p \in Poll, c \in Poll : Resume(p, c)
  \/ \E p \in Poll : Break(p)
  \/ \E c \in Poll : CancelHop(c)
  \/ \E t \in Task, u \in Task, h \in Host : Offer(t, u, h)
  \/ \E u \in Task, h \in Host : ArriveTask(u, h)
  \/ \E u \in Task, h \in Host : Decline(u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Conclude(t, u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Retract(t, u, h)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E t \in Task, h \in Host : RefuseAdd(t, h)
  \/ \E t \in Task : RejectAdd(t)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E t \in Task : EndWrite(t)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E h \in Host, q \in Partition : SaveLevel(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : EndSave(h, q, r)
  \/ \E h \in Host, q \in Partition : Delete(h, q)
  \/ \E q \in Partition, r \in Range, i \in Id : EndDelete(q, r, i)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version, e \in Event, a \in Attempt, s \in Stamp : Transfer(t, h, q, v, e, a, s)
  \/ \E t \in Task : RemoveIntent(t)
  \/ \E e \in Event, a \in Attempt, s \in Stamp : DiscardIntent(e, a, s)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request, o \in Outcome : RefuseStart(e, a, s, r, o)
  \/ \E p \in Poll : DeadlinePasses(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E h \in Host : Crash(h)
  \/ \E h \in Host, q \in Partition : Vanish(h, q)
  \/ \E h \in Host : Restart(h)
  \/ \E c \in Cluster : ChangeNamespace(c)
  \/ \E o \in [Partition -> Host] : ChangeOwners(o)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E c \in Poll : LoseHop(c)
  \/ \E t \in Task : ForgetTask(t)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E h \in Host, q \in Partition : FenceClaim(h, q)
  \/ \E h \in Host, q \in Partition : LoseClaim(h, q)
  \/ \E q \in Partition, r \in Range : TakeAdrift(q, r)
  \/ \E q \in Partition, r \in Range : EndAdrift(q, r)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task : FenceWrite(t)
  \/ \E t \in Task : FailWrite(t)
  \/ \E t \in Task : LoseWrite(t)
  \/ \E h \in Host, q \in Partition, u \in Id : ServeRead(h, q, u)
  \/ \E h \in Host, q \in Partition : FailRead(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : CommitSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : FenceSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : LoseSave(h, q, r)
  \/ \E q \in Partition, r \in Range, i \in Id : CommitDelete(q, r, i)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : FailStart(e, a, s, r)
  \/ \E p \in Poll : LoseAnswer(p)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : StrayEnds(e, a, s, r)
  \/ \E e \in Event : Restamp(e)
  \/ \E e \in Event : TryAgain(e)
  \/ \E e \in Event : GiveUp(e)
  \/ \E e \in Event : Close(e)
  \/ \E e \in Event : ForgetEvent(e)

Clocks == \A p \in Poll : WF_vars(DeadlinePasses(p)) \* what a clock owes
Managers == \* what hosts owe to the managers that they have, and to those that somebody needs; no unload is ordered
  /\ \A h \in Host, q \in Partition : WF_vars(LoseLease(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(Load(h, q))
  /\ \A h \in Host, q \in Partition, g \in Generation, p \in Part : WF_vars(FinishPart(h, q, g, p))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Publish(h, q, g))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Start(h, q, g))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Unload(h, q, g))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Stop(h, q, g))
  /\ \A h \in Host, q \in Partition : WF_vars(Vanish(h, q))
  /\ \A h \in Host, r \in Revision : WF_vars(HearNamespace(h, r))
  /\ \A h \in Host, n \in Ownership : WF_vars(HearOwners(h, n))
Services == \* what a service, its store, its network and History owe to calls; no caller, failure, time-out or cancel is owed
  /\ \A p \in Poll : WF_vars(Expire(p))
  /\ \A p \in Poll : WF_vars(Withdraw(p))
  /\ \A p \in Poll : WF_vars(\E a \in Answer : Return(p, a))
  /\ \A p \in Poll : WF_vars(RejectPoll(p))
  /\ \A p \in Poll : WF_vars(\E h \in Host : Register(p, h) \/ (\E t \in Task : Take(p, h, t)) \/ (\E c \in Poll : Forward(p, c, h)))
  /\ \A c \in Poll : WF_vars(ArrivePoll(c))
  /\ \A c \in Poll : WF_vars(\E p \in Poll : Resume(p, c))
  /\ \A t \in Task : SF_vars(\E u \in Task, h \in Host : Offer(t, u, h))
  /\ \A u \in Task : SF_vars(\E h \in Host : ArriveTask(u, h))
  /\ \A u \in Task : WF_vars(\E h \in Host : Decline(u, h))
  /\ \A u \in Task : WF_vars(\E t \in Task, h \in Host : Conclude(t, u, h))
  /\ \A p \in Poll : WF_vars(\E t \in Task : GiveBack(t, p))
  /\ \A p \in Poll : WF_vars(\E t \in Task, r \in Request : Ask(t, p, r))
  /\ \A p \in Poll : WF_vars(\E t \in Task : Deliver(t, p) \/ Drop(t, p) \/ Keep(t, p))
  /\ \A t \in Task : SF_vars(\E p \in Poll : Match(t, p))
  /\ \A t \in Task : SF_vars((\E h \in Host : Spool(t, h)) \/ (\E p \in Poll : SyncMatch(t, p)))
  /\ \A t \in Task : WF_vars(\E a \in {"accepted", "refused", "rejected"} : AnswerAdd(t, a))
  /\ \A t \in Task : WF_vars(CommitWrite(t) \/ FenceWrite(t) \/ FailWrite(t))
  /\ \A t \in Task : WF_vars(EndWrite(t))
  /\ \A t \in Task : WF_vars(\E h \in Host : RefuseAdd(t, h))
  /\ \A t \in Task : WF_vars(RejectAdd(t))
  /\ \A h \in Host, q \in Partition : WF_vars(Claim(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(TakeLease(h, q) \/ FenceClaim(h, q) \/ LoseClaim(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(Lead(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(ClaimAgain(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(\E u \in Id : ServeRead(h, q, u))
  /\ \A h \in Host, q \in Partition : SF_vars(ReadBacklog(h, q))
  /\ \A q \in Partition, r \in Range : WF_vars(\E i \in Id : EndDelete(q, r, i))
  /\ \A h \in Host, q \in Partition, r \in Range : WF_vars(EndSave(h, q, r))
  /\ \A e \in Event, a \in Attempt, s \in Stamp : WF_vars(\E t \in Task, h \in Host, q \in Partition, v \in Version : Transfer(t, h, q, v, e, a, s))
  /\ \A t \in Task : WF_vars(RemoveIntent(t))
  /\ \A e \in Event, a \in Attempt, s \in Stamp : WF_vars(DiscardIntent(e, a, s))
  /\ \A p \in Poll : WF_vars(\E c \in asks[p], o \in Outcome :
       \/ RecordStart(c.item[1], c.item[2], c.item[3], c.request)
       \/ RefuseStart(c.item[1], c.item[2], c.item[3], c.request, o)
       \/ FailStart(c.item[1], c.item[2], c.item[3], c.request))

Fairness == Clocks /\ Managers /\ Services \* what must happen

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

OneAliveInv == Life!OneAliveInv \* of the generations of a partition a host has one alive at most, and callers find it
FoundAliveInv == Life!FoundAliveInv \* what callers find at a host is alive, and the host reports as many as they find
CachesInv == Life!CachesInv \* a generation that has been unloaded has no caches, also when an answer comes late
DeadSeriesInv == Life!DeadSeriesInv \* every series of a generation that has stopped reads zero or is gone
LabelInv == Life!LabelInv \* a label set has one reading, and its state is that which the generation was tagged with
TagInv == Life!TagInv \* with the flag on a manager's tag tells the present, or it has been called to unload
RegistrationInv == Polls!RegistrationInv \* a registration exists only under a running manager of its own generation, and carries what its caller sent
OneRegistrationInv == Polls!OneRegistrationInv \* a poll has at most one registration, and none once it has a task or an end
SentInv == Polls!SentInv \* on behalf of a poll that has neither task nor end one call is made at most, by a manager that runs still
LentInv == Polls!LentInv \* what a manager has offered elsewhere is its own, and in no hand of its own, nor in its memory, meanwhile
OneWaitInv == Hops!OneRegistrationInv \* a client's poll has one registration at most over the whole tree
PassingInv == Hops!PassingInv \* a poll that is forwarded goes no longer than the manager that forwarded it
QuotaInv == Hops!QuotaInv \* no manager has more polls forwarded than it may
FieldsInv == Hops!FieldsInv \* a hop carries every field of the call below, and tells which manager made it, for which client's call
StandsInv == \* and what the task below stands for
  \A u \in Task : \A x \in hop[u] : queue[u] # <<>> => carries[u] = carries[x.behalf]
StickyInv == Hops!StickyInv \* what is sticky is not loaded, so that no poll waits and no task is stored there
FirstWriterInv == Hops!FirstWriterInv \* only the partition that received a task first ever stores it
TakenInv == \* what was answered with "taken" is handed over at the child too, and what was answered with "dropped" is done with
  \A t \in Task, u \in Task : Hops!On(t, u) =>
    /\ added[u] = "taken" => t \in delivered
    /\ added[u] = "dropped" => t \in delivered \cup dropped
SettledOnceInv == Polls!SettledOnceInv \* a poll is ended by at most one cause
SettledGetsNothingInv == Polls!SettledGetsNothingInv \* a poll that has ended holds no task
CauseInv == Polls!CauseInv \* the deadline ends only polls whose deadline has passed, the interrupt only polls whose caller has left
AnswerInv == Polls!AnswerInv \* what the caller saw is how its poll ended; a task is seen only where one was handed over
OneHandInv == Polls!OneHandInv \* a generation has a task in at most one hand, and then not in its memory; a task without a record is in at most one hand; a hand holds one task
HandInv == Polls!HandInv \* a hand is filled only by a running manager of its own generation; only a handler that asks outlives it
AskingInv == Polls!AskingInv \* a handler asks about the task in its hand, and then its poll has no end yet
MemoryInv == Polls!MemoryInv \* only a running manager has tasks in memory: of its own partition, and none to offer that it has done with
NothingLostInv == Polls!NothingLostInv \* an accepted task has a record, has been handed over, or need not be
NowhereInv == Events!NowhereInv \* an attempt that is due is in History's intent or in a durable record
StartFirstInv == Events!StartFirstInv \* a worker has only attempts that were started, and no later one
HandedOnceInv == Events!HandedOnceInv \* an attempt is on its way to at most one worker, and to none if a worker has it
CompletedInv == Events!CompletedInv \* one attempt of an event is completed at most, the one that counts, by the worker that has it, and that ends the event
OneWriterInv == Store!OneWriterInv \* at most one manager of a queue can write
UniqueInv == Store!UniqueInv \* no two tasks of a queue bear one id, stored or on their way
LevelsInv == Store!LevelsInv \* ack is not above read, nor read above what was written
FinishedInv == Store!FinishedInv \* no ack level, in memory or saved, has passed a task that is not finished: a reload may offer again, and loses nothing
SeenInv == Store!SeenInv \* what the writer has read is in its memory until it is finished: no record is skipped
ConfirmedInv == Store!ConfirmedInv \* a task that is confirmed to be stored is stored, or finished, whatever calls failed
JoinInv == \* the parts speak of the same: what a manager has not finished is in its memory, a hand that it filled, or offered; what waits for a call made it
  /\ \A p \in Poll : \A x \in sent[p] : \E y \in hop[x.call] : y.behalf = p /\ <<y.host, y.source, y.generation>> = <<x.host, x.partition, x.generation>>
  /\ \A t \in Task : \A x \in lent[t] : \E y \in hop[x.call] : y.behalf = t /\ <<y.host, y.source, y.generation>> = <<x.host, x.partition, x.generation>>
  /\ backlog = Store!Stored
  /\ \A h \in Host, q \in Partition :
       /\ fetched[h, q] = {x[2] : x \in UNION {c.found : c \in reads[h, q]}}
       /\ running[h, q] => {x[2] : x \in unfinished[h, q]} = loaded[h, q] \cup HandedBy(h, q) \cup LentBy(h, q)
       /\ range[h, q] > 0 \/ claims[h, q] # {} => running[h, q]

-----------------------------------------------------------------------------
(* Step properties *)

FinalProp == Life!FinalProp \* a generation only goes on, and one that has gone does not come back: stop is final
IsolationProp == Life!IsolationProp \* what happens to a generation that has been unloaded is seen nowhere else
ByNameProp == Life!ByNameProp \* no manager goes but by a call that names its generation, or with its process
FailoverProp == Life!FailoverProp \* a failover calls for no unload where the flag is off, or where the state here stays the same
NewOwnersProp == Life!NewOwnersProp \* new owners call for the unload of exactly what the host has lost
LeavingProp == Life!LeavingProp \* a caller that leaves, or comes, changes nothing of the load
QuietProp == Life!QuietProp \* a partition is loaded for a call that waits, by a host that is up; calls come from callers alone
BacklogSurvivesProp == Life!BacklogSurvivesProp \* records come and go by themselves: nothing that happens to a manager touches them
KnownGrowsProp == Life!KnownGrowsProp \* a host goes back in no history, and what it is told of one it does not take for the other
CountedProp == Life!CountedProp \* a manager whose writes count never counts fewer records than there are
ExactProp == \* a manager that has read all that there can be counts exactly what is not finished
  [][\A x \in samples' \ samples :
       read[x[1], x[2]] = next[x[1], x[2]] - 1 => x[4] = Cardinality(unfinished[x[1], x[2]])]_vars
GenerationsGrowProp == Polls!GenerationsGrowProp \* a load makes the next generation, and nothing else touches the count
SettledStaysProp == Polls!SettledStaysProp \* a poll that has ended stays as it is until it is forgotten
RecordKeptProp == Polls!RecordKeptProp \* a record goes only after its task was handed over or dropped; an unload leaves the backlog as it is
SuitableProp == Polls!SuitableProp \* a task comes only into the hand of a poll that may have it: active namespace, same partition and version, in time
RegisterPromptProp == Polls!RegisterPromptProp \* no registration leaves a task in memory beside a poll that may have it
AddPromptProp == \* no add writes a record at a manager where a poll that may have the task is waiting, unless it was asked about and kept
  [][\A t \in Task : \A w \in writes'[t] : writes[t] = {} /\ write[t] = "none" =>
       ~\E p \in Poll : Polls!Suitable(p, w.host, w.partition, queue[t][2])]_vars
LendPromptProp == Polls!LendPromptProp \* no task is offered, and none is declined, where a poll that may have it is waiting
ParentAskedProp == \* a child of an active namespace begins to store an arriving task, or declines it, only after its parent was asked
  [][\A t \in Task : write[t] = "none" /\ queue[t] # <<>> /\ queue[t][1] \in Child /\ ~Hops!Tried(t) =>
       /\ \A w \in writes'[t] : writes[t] = {} => ~Life!Active(w.host)
       /\ write'[t] = "failed" /\ added[t] = "none" => \A h \in arrived[t] : ~(Life!Active(h) /\ running[h, queue[t][1]])]_vars
NotAgainProp == \* what is done with is not stored, and is offered again only if it has a record which its manager does not know to be done with
  [][\A t \in Task :
       /\ t \in delivered \cup dropped /\ writes[t] = {} => writes'[t] = {}
       /\ \A x \in lent'[t] \ lent[t] : IF Polls!HasRecord(t) THEN t \notin done[x.host, x.partition] ELSE t \notin delivered \cup dropped]_vars
StartedOnceProp == Events!StartedOnceProp \* an attempt is started at most once: who started it stays so until another attempt counts
StartedByItsCallProp == Events!StartedByItsCallProp \* an attempt is started by a call that asks for it, for the attempt and the options that count
DroppedForCauseProp == Events!DroppedForCauseProp \* a task is dropped only if its attempt need not be started any more
IntentKeptProp == Events!IntentKeptProp \* an intent goes only after an add of it was accepted, or when it does not count any more
OneEventProp == Events!OneEventProp \* what happens to one event leaves every other alone
EndedStaysProp == Events!EndedStaysProp \* an event that is over stays so until it is forgotten, and its completion is accepted once
FencedProp == Store!FencedProp \* a record appears only under the range id that holds the lease, above all that was stored before
SavedProp == Store!SavedProp \* an ack level is saved only under the range id that holds the lease, and never falls
LevelsGrowProp == Store!LevelsGrowProp \* no level of a manager falls while it runs, nor does a lease

-----------------------------------------------------------------------------
(* Liveness *)

PollReturnsProp == \* every poll ends, at each hop, and a client's returns
  \A p \in Poll : wanted[p] # <<>> ~> settled[p] # {} /\ (IsClient(p) => answer[p] # <<>>)
MeetProp == \* a task that is stored and a poll, wherever they are in a tree, do not both stay so: they meet, or another one comes before either
  \A t \in Task, p \in Poll :
    []<>~(/\ t \in backlog \ (delivered \cup dropped) /\ IsClient(p) /\ wanted[p] # <<>> /\ settled[p] = {}
          /\ Place[queue[t][1]][1] = Place[wanted[p][2]][1] /\ queue[t][2] = wanted[p][3])
BacklogServedProp == Polls!BacklogServedProp \* a stored task is handed over if a poll that may have it is again and again waiting
AddAnsweredProp == Polls!AddAnsweredProp \* every add is answered if its partition is again and again loaded
IntentsGoProp == Events!IntentsGoProp \* every intent goes in the end
AcceptedGoesProp == Events!AcceptedGoesProp \* an accepted intent goes, whether or not a worker ever comes

-----------------------------------------------------------------------------
(* Refinement *)

Queue == INSTANCE TaskQueue WITH status <- [e \in Event |-> Events!StatusOf(e)], places <- [e \in Event |-> Events!PlacesOf(e)]

\* A step that leaves a part alone is one of the part: that is asked first, for it is soon answered.
RefinesPollRegistration == Polls!Init /\ [][UNCHANGED Polls!vars \/ Polls!Next]_Polls!vars \* every step of the whole is a step of the part, for which the backlog is abstract
RefinesPartitionLifetime == Life!Init /\ [][UNCHANGED Life!vars \/ Life!Next]_Life!vars \* and one of the part, for which polls, lease and records are somebody else's
RefinesTaskQueue == Queue!Init /\ [][UNCHANGED Queue!vars \/ Queue!Next]_Queue!vars \* every step is one that a client was told to expect

THEOREM Spec => []TypeOK
THEOREM Spec => RefinesPollRegistration
THEOREM Spec => RefinesPartitionLifetime
THEOREM Spec => RefinesTaskQueue
=============================================================================
