------------------------------ MODULE MCMatching ------------------------------
(***************************************************************************)
(* Bounds, beginnings, parts of Next and situations for Matching, the      *)
(* module that judges runs.  A situation that must be reachable is a       *)
(* predicate Never...: its model is violated.                              *)
(***************************************************************************)
EXTENDS Matching

Loads0 == 0..0
Loads1 == 0..1
Loads2 == 0..2
Attempts1 == 0..1
Attempts2 == 0..2
Stamps0 == 0..0
Stamps1 == 0..1
Requests1 == 1..1
Requests2 == 1..2
Ranges0 == 0..0
Ranges1 == 0..1
Ranges2 == 0..2
Ids1 == 1..1
Ids2 == 1..2
First == 1..1
Second == 1..2
Depth0 == 0..0
Depth1 == 0..1
Depth2 == 0..2

Loading == \* somebody waits for a manager that is on its way: in most models nothing else happens meanwhile
  sought # {} \/ \E m \in Host \X Partition : \E x \in lives[m] : x.phase \in {"loading", "publishing"}
Begin(h, q) == ~running[h, q] /\ generation[h, q] + 1 \in Generation /\ (Seek(h, q) \/ OrderLoad(h, q)) \* somebody needs a manager that is not there
NextLoad == \* how a manager comes to serve, when nothing fails or overtakes it
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation, p \in Part : FinishPart(h, q, g, p)
  \/ \E h \in Host, q \in Partition, g \in Generation : Publish(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Start(h, q, g)
Moving == Loading \/ called # {} \* the same, or a manager has been called to unload
NextMove == NextLoad \/ \E h \in Host, q \in Partition, g \in Generation : Unload(h, q, g) \* how a manager comes and goes
Undisturbed == \* nothing happens while a manager comes or goes, unless a process has ended; only one that is not there is sought
  /\ Moving /\ (\A h \in Host : process[h] = "up") => lives' # lives /\ UNCHANGED process
  /\ \A m \in sought' \ sought : ~running[m] /\ generation[m] + 1 \in Generation
Steady == \* one process for each host, in one membership and a namespace that stays as it is; gauges are left alone
  /\ UNCHANGED <<process, samples, gauges, clusters, owners, revision, ownership>>
  /\ \A m \in sought' \ sought : ~running[m] /\ generation[m] + 1 \in Generation
  /\ \A m \in Host \X Partition : \A x \in lives[m] : x.phase = "stopping" => [x EXCEPT !.phase = "stopped"] \notin lives'[m]
Up == UNCHANGED process \* each process goes on
InLease == \* a task comes to a manager that leads, and one host begins
  /\ \A t \in Task : queue'[t] # queue[t] => \A h \in arrived'[t] : range[h, queue'[t][1]] > 0
  /\ \A m \in sought' \ sought : lease[m[2]] > 0 \/ m[1] = CHOOSE h \in Host : TRUE
Alone == \* all but one host hear and load nothing; only a manager that is not there is sought
  /\ \A h \in Host : h # (CHOOSE o \in Host : TRUE) => revision'[h] = revision[h] /\ ownership'[h] = ownership[h]
  /\ \A m \in sought' \ sought : m[1] = (CHOOSE o \in Host : TRUE) /\ ~running[m] /\ generation[m] + 1 \in Generation
NextSteady == IF Moving THEN NextMove ELSE Next /\ Steady \* what may happen while each host stays as it is
SteadySpec == Init /\ [][NextSteady]_vars
SteadyLiveSpec == Init /\ [][NextSteady]_vars /\ Fairness

InitOwned == Init /\ owners = <<[q \in Partition |-> CHOOSE h \in Host : TRUE]>> \* nothing is loaded, and one host owns everything

InitStarted == \* a worker has the first attempt of every event, and nothing is left of how it came to that
  /\ Life!OwnInit
  /\ Polls!Init
  /\ Hops!HopsInit
  /\ Store!Init
  /\ phase = [e \in Event |-> "started"]
  /\ attempt = [e \in Event |-> 1]
  /\ stamp = [e \in Event |-> 0]
  /\ starter = [e \in Event |-> {CHOOSE r \in Request : TRUE}]
  /\ intents = {}
  /\ carries = [t \in Task |-> <<>>]
  /\ asks = [p \in Poll |-> {}]
  /\ strays = {}
  /\ kept = [m \in Host \X Task |-> {}]
  /\ tokens = Event \X {1}
  /\ completed = {}

Serving(managers, home, held) == \* those managers lead, each has in memory the accepted task that it holds, and nothing else has happened
  /\ running = [m \in Host \X Partition |-> m \in managers]
  /\ generation = [m \in Host \X Partition |-> IF m \in managers THEN 1 ELSE 0]
  /\ lives = [m \in Host \X Partition |-> IF m \in managers THEN {[generation |-> 1, phase |-> "running", tag |-> "active", ready |-> Part]} ELSE {}]
  /\ sought = {}
  /\ called = {}
  /\ process = [h \in Host |-> "up"]
  /\ tally = [h \in Host |-> Cardinality({m \in managers : m[1] = h})]
  /\ samples = {}
  /\ gauges = {}
  /\ clusters = <<Here>>
  /\ owners = <<home>>
  /\ revision = [h \in Host |-> 1]
  /\ ownership = [h \in Host |-> 1]
  /\ wanted = [p \in Poll |-> <<>>]
  /\ registrations = [p \in Poll |-> {}]
  /\ sent = [p \in Poll |-> {}]
  /\ hand = [p \in Poll |-> {}]
  /\ asking = {}
  /\ expired = {}
  /\ left = {}
  /\ settled = [p \in Poll |-> {}]
  /\ answer = [p \in Poll |-> <<>>]
  /\ queue = [t \in Task |-> IF \E x \in held : x.task = t THEN (CHOOSE x \in held : x.task = t).queue ELSE <<>>]
  /\ arrived = [t \in Task |-> {x.host : x \in {y \in held : y.task = t}}]
  /\ lent = [t \in Task |-> {}]
  /\ Hops!HopsInit
  /\ write = [t \in Task |-> IF \E x \in held : x.task = t THEN "committed" ELSE "none"]
  /\ added = [t \in Task |-> IF \E x \in held : x.task = t THEN "accepted" ELSE "none"]
  /\ backlog = {x.task : x \in held}
  /\ fetched = [m \in Host \X Partition |-> {}]
  /\ loaded = [m \in Host \X Partition |-> {x.task : x \in {y \in held : <<y.host, y.queue[1]>> = m}}]
  /\ done = [m \in Host \X Partition |-> {}]
  /\ delivered = {}
  /\ dropped = {}
  /\ phase = [e \in Event |-> IF \E x \in held : x.item # <<>> /\ x.item[1] = e THEN "scheduled" ELSE "none"]
  /\ attempt = [e \in Event |-> IF \E x \in held : x.item # <<>> /\ x.item[1] = e THEN 1 ELSE 0]
  /\ stamp = [e \in Event |-> 0]
  /\ starter = [e \in Event |-> {}]
  /\ intents = {}
  /\ carries = [t \in Task |-> IF \E x \in held : x.task = t THEN (CHOOSE x \in held : x.task = t).item ELSE <<>>]
  /\ asks = [p \in Poll |-> {}]
  /\ strays = {}
  /\ kept = [m \in Host \X Task |-> {}]
  /\ tokens = {}
  /\ completed = {}
  /\ lease = [q \in Partition |-> IF \E m \in managers : m[2] = q THEN 1 ELSE 0]
  /\ floor = [q \in Partition |-> 0]
  /\ records = {[partition |-> x.queue[1], id |-> 1, task |-> x.task] : x \in held}
  /\ range = [m \in Host \X Partition |-> IF m \in managers THEN 1 ELSE 0]
  /\ next = [m \in Host \X Partition |->
       IF m \notin managers THEN 0 ELSE IF \E x \in held : <<x.host, x.queue[1]>> = m THEN 2 ELSE 1]
  /\ read = [m \in Host \X Partition |-> IF \E x \in held : <<x.host, x.queue[1]>> = m THEN 1 ELSE 0]
  /\ ack = [m \in Host \X Partition |-> 0]
  /\ unfinished = [m \in Host \X Partition |-> {<<1, x.task>> : x \in {y \in held : <<y.host, y.queue[1]>> = m}}]
  /\ claims = [m \in Host \X Partition |-> {}]
  /\ adrift = {}
  /\ reads = [m \in Host \X Partition |-> {}]
  /\ saves = [m \in Host \X Partition |-> {}]
  /\ writes = [t \in Task |-> {}]
  /\ confirmed = {x.task : x \in held}
  /\ deletes = {}
Held(t, h, q, v) == {[task |-> t, host |-> h, queue |-> <<q, v>>, item |-> i] : i \in IF Event = {} THEN {<<>>} ELSE Event \X {1} \X {0}}

InitStored == \* a manager that leads has one accepted task in memory: of an event that is due, or of none
  \E h \in Host, q \in Partition, v \in Version, t \in Task : \E x \in Held(t, h, q, v) :
    Serving({<<h, q>>}, [o \in Partition |-> h], {x})

Root == 0 \* in a tree partitions are numbers: 1 and 2 are children of the root, 5 is one of 2
Numbered == [q \in Partition |-> <<"queue", q>>] \* all of one task queue
Client == 1..9 \cup 21..29 \* in a tree slots are numbers: of clients' polls and tasks, and 11 and 31 onwards of hops
Together == [q \in Partition |-> CHOOSE h \in Host : TRUE] \* one host has the whole tree
RootApart == [q \in Partition |-> IF q = Root THEN CHOOSE h \in Host : TRUE ELSE CHOOSE h \in Host : h # Together[q]] \* but the root, which another has
Tree(home, held) == Serving({<<home[q], q>> : q \in Partition}, home, held) \* every partition is led by the host that owns it
InitTree == Tree(Together, {}) \* the tree is led by one host, and nothing has happened
InitTreeStored == \E v \in Version : \E x \in Held(21, Together[1], 1, v) : Tree(Together, {x}) \* a child has one accepted task in memory
InitTreeApartStored == \E v \in Version : \E x \in Held(21, RootApart[1], 1, v) : Tree(RootApart, {x}) \* the same, where the root has a host of its own

TakenPoll(p) == hop[p] # {} \/ wanted[p] # <<>> \* the slot is in use
TakenTask(t) == hop[t] # {} \/ queue[t] # <<>> \* the slot is in use
InOrder == \* clients take slots of clients, and hops the others
  /\ \A p \in Poll : ~TakenPoll(p) /\ TakenPoll(p)' => (hop'[p] = {} <=> p \in Client)
  /\ \A t \in Task : ~TakenTask(t) /\ TakenTask(t)' => (hop'[t] = {} <=> t \in Client)
PollsAt(q) == \A p \in Poll : wanted[p] = <<>> /\ wanted'[p] # <<>> /\ hop[p] = {} => wanted'[p][2] = q
Awake == UNCHANGED <<running, called>> \* no manager is loaded, or called to unload
AddsAt(q) == \A t \in Task : queue[t] = <<>> /\ queue'[t] # <<>> /\ hop[t] = {} => queue'[t][1] = q
OnlyLoads == \A m \in Host \X Partition : running[m] => running'[m] /\ UNCHANGED called \* no manager goes
Punctual == UNCHANGED expired \* no deadline passes
Patient == UNCHANGED <<expired, left>> \* no deadline passes, and no caller leaves
RootStays == \A x \in called' : x[2] # Root \* the root is not called to unload
MiddleGoes == \A x \in called' : x[2] = 2 \* only the child between two others is called to unload
PollsAtChild == PollsAt(1) \* a client polls a child
PollsAtRoot == PollsAt(Root) \* a client polls the root
PollsAtLeaf == PollsAt(5) \* a client polls the child of a child
AddsAtChild == AddsAt(1) \* a client adds its tasks to a child
AddsAtLeaf == AddsAt(5) \* a client adds its tasks to the child of a child

NextPlain == \* how a task comes into a hand, and what becomes of it when nobody unloads, is late or fails to store
  IF Loading THEN NextLoad ELSE
    \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
    \/ \E e \in Event : Schedule(e)
    \/ \E h \in Host, q \in Partition : Begin(h, q)
    \/ \E h \in Host, q \in Partition : Claim(h, q)
    \/ \E h \in Host, q \in Partition : Lead(h, q)
    \/ \E p \in Poll, h \in Host : Register(p, h)
    \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
    \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
    \/ \E t \in Task, p \in Poll, r \in Request : Ask(t, p, r)
    \/ \E t \in Task, p \in Poll : Deliver(t, p)
    \/ \E t \in Task, p \in Poll : Keep(t, p)
    \/ \E t \in Task, h \in Host : Spool(t, h)
    \/ \E t \in Task : EndWrite(t)
    \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
    \/ \E t \in Task, h \in Host, q \in Partition, v \in Version, e \in Event, a \in Attempt, s \in Stamp : Transfer(t, h, q, v, e, a, s)
    \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r)
    \/ \E p \in Poll : CallerLeaves(p)
    \/ \E h \in Host, q \in Partition : TakeLease(h, q)
    \/ \E t \in Task : CommitWrite(t)
    \/ \E h \in Host, q \in Partition, u \in Id : ServeRead(h, q, u)
    \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : FailStart(e, a, s, r)
NextPrompt == NextSteady /\ UNCHANGED expired \* nobody is late
NextPunctual == NextSteady /\ UNCHANGED <<expired, claims>> \* nobody is late, and no lease is claimed
NextOnce == NextSteady /\ UNCHANGED <<expired, left, queue, claims>> \* nobody is late or leaves, no task comes or goes, and no lease is claimed
NextStart == \* what becomes of a task once a poll has it in hand, and why
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E e \in Event, a \in Attempt : Complete(e, a)
  \/ \E e \in Event, a \in Attempt : ToldComplete(e, a)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E t \in Task, p \in Poll, r \in Request : Ask(t, p, r)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, p \in Poll : Keep(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request, o \in Outcome : RefuseStart(e, a, s, r, o)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : FailStart(e, a, s, r)
  \/ \E p \in Poll : LoseAnswer(p)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : StrayEnds(e, a, s, r)
  \/ \E e \in Event : GiveUp(e)
  \/ \E e \in Event : Close(e)
NextFinish == \* what becomes of a record whose task is done
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E h \in Host, q \in Partition : SaveLevel(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : EndSave(h, q, r)
  \/ \E h \in Host, q \in Partition : Delete(h, q)
  \/ \E q \in Partition, r \in Range, i \in Id : EndDelete(q, r, i)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E h \in Host, q \in Partition, u \in Id : ServeRead(h, q, u)
  \/ \E h \in Host, q \in Partition : FailRead(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : CommitSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : FenceSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : LoseSave(h, q, r)
  \/ \E q \in Partition, r \in Range, i \in Id : CommitDelete(q, r, i)
NextGauges == \* how a record is counted and shown, until its task is handed over, or its manager is unloaded
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : RemoveSeries(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation, n \in Depth : Sample(h, q, g, n)
  \/ \E h \in Host, q \in Partition, g \in Generation : Emit(h, q, g)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E h \in Host, q \in Partition, u \in Id : ServeRead(h, q, u)
NextJoint == \* nobody leaves or is late, and no call fails
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E t \in Task : EndWrite(t)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E h \in Host, q \in Partition : SaveLevel(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : EndSave(h, q, r)
  \/ \E h \in Host, q \in Partition : Delete(h, q)
  \/ \E q \in Partition, r \in Range, i \in Id : EndDelete(q, r, i)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E h \in Host, q \in Partition, u \in Id : ServeRead(h, q, u)
  \/ \E h \in Host, q \in Partition, r \in Range : CommitSave(h, q, r)
  \/ \E q \in Partition, r \in Range, i \in Id : CommitDelete(q, r, i)
NextWrite == \* what becomes of a write when the lease is taken
  \/ NextMove
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E t \in Task : EndWrite(t)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E t \in Task : ForgetTask(t)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E h \in Host, q \in Partition : FenceClaim(h, q)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task : FenceWrite(t)
  \/ \E t \in Task : FailWrite(t)
  \/ \E t \in Task : LoseWrite(t)
  \/ \E q \in Partition, r \in Range : TakeAdrift(q, r)
NextTakeover == \* what becomes of the saving of a level when the lease is taken
  \/ NextMove
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E h \in Host, q \in Partition : SaveLevel(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : EndSave(h, q, r)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E q \in Partition, r \in Range : TakeAdrift(q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : CommitSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : FenceSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : LoseSave(h, q, r)
NextIntent == \* how an intent is brought to Matching, while no poll comes
  \/ NextMove
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E e \in Event : Schedule(e)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E t \in Task : EndWrite(t)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version, e \in Event, a \in Attempt, s \in Stamp : Transfer(t, h, q, v, e, a, s)
  \/ \E t \in Task : RemoveIntent(t)
  \/ \E e \in Event, a \in Attempt, s \in Stamp : DiscardIntent(e, a, s)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E t \in Task : ForgetTask(t)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task : FailWrite(t)
  \/ \E e \in Event : GiveUp(e)
  \/ \E e \in Event : Close(e)
  \/ \E e \in Event : ForgetEvent(e)

NextRefuse == \* what becomes of calls at a host that shuts down, ends, or begins anew
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host : ShutDown(h)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E p \in Poll, h \in Host : Refuse(p, h)
  \/ \E t \in Task, h \in Host : RefuseAdd(t, h)
  \/ \E h \in Host : Crash(h)
  \/ \E h \in Host, q \in Partition : Vanish(h, q)
  \/ \E h \in Host : Restart(h)

NextOvertaken == \* a poll, a failover and new owners come at any time, also while a manager is on its way
  \/ NextLoad
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation : Unload(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host : Refuse(p, h)
  \/ \E h \in Host, r \in Revision : HearNamespace(h, r)
  \/ \E c \in Cluster : ChangeNamespace(c)
  \/ \E h \in Host, n \in Ownership : HearOwners(h, n)
  \/ \E o \in [Partition -> Host] : ChangeOwners(o)

NextHopPoll == \* what becomes of a poll that a child forwards, while no task comes
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll : Expire(p)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E p \in Poll, c \in Poll, h \in Host : Forward(p, c, h)
  \/ \E c \in Poll : ArrivePoll(c)
  \/ \E p \in Poll, c \in Poll : Resume(p, c)
  \/ \E p \in Poll : Break(p)
  \/ \E c \in Poll : CancelHop(c)
  \/ \E p \in Poll : DeadlinePasses(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E c \in Poll : LoseHop(c)
NextHopTask == \* what becomes of a task that a child offers, while no poll comes
  \/ NextMove
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, r \in Revision : HearNamespace(h, r)
  \/ \E t \in Task, u \in Task, h \in Host : Offer(t, u, h)
  \/ \E u \in Task, h \in Host : ArriveTask(u, h)
  \/ \E u \in Task, h \in Host : Decline(u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Conclude(t, u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Retract(t, u, h)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E t \in Task : EndWrite(t)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E c \in Cluster : ChangeNamespace(c)
  \/ \E t \in Task : ForgetTask(t)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E h \in Host, q \in Partition, u \in Id : ServeRead(h, q, u)
NextHopMeet == \* how an offered task and a forwarded poll meet, and what their callers learn
  \/ NextMove
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E t \in Task, p \in Poll, r \in Request : Ask(t, p, r)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, p \in Poll : Keep(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E p \in Poll, h \in Host : Refuse(p, h)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E p \in Poll, c \in Poll, h \in Host : Forward(p, c, h)
  \/ \E c \in Poll : ArrivePoll(c)
  \/ \E p \in Poll, c \in Poll : Resume(p, c)
  \/ \E c \in Poll : CancelHop(c)
  \/ \E t \in Task, u \in Task, h \in Host : Offer(t, u, h)
  \/ \E u \in Task, h \in Host : ArriveTask(u, h)
  \/ \E u \in Task, h \in Host : Decline(u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Conclude(t, u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Retract(t, u, h)
  \/ \E t \in Task, h \in Host : RefuseAdd(t, h)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request, o \in Outcome : RefuseStart(e, a, s, r, o)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : FailStart(e, a, s, r)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E t \in Task : ForgetTask(t)
NextHopTakeover == \* the same, while another host takes the child's lease
  \/ NextHopMeet
  \/ \E h \in Host : OrderLoad(h, 1)
  \/ \E h \in Host : Claim(h, 1)
  \/ \E h \in Host : Lead(h, 1)
  \/ \E h \in Host : TakeLease(h, 1)
  \/ \E h \in Host : ReadBacklog(h, 1)
  \/ \E h \in Host, u \in Id : ServeRead(h, 1, u)
NextSticky == \* what becomes of calls for a sticky partition
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderLoad(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E p \in Poll : Expire(p)
  \/ \E p \in Poll : RejectPoll(p)
  \/ \E t \in Task : RejectAdd(t)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E p \in Poll : DeadlinePasses(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E t \in Task : ForgetTask(t)

NextForwarded == NextHopPoll /\ InOrder /\ Undisturbed \* what becomes of a poll, while managers come and go alone
NextOffered == NextHopTask /\ InOrder /\ Undisturbed \* what becomes of a task
NextMet == NextHopMeet /\ InOrder /\ Undisturbed \* what becomes of both
NextTakenOver == NextHopTakeover /\ InOrder /\ Undisturbed \* the same, while the lease is taken
NextTwoPolls == NextForwarded /\ Awake /\ Patient /\ PollsAtChild \* two polls come to a child that stays, and nobody leaves
NextFromChild == NextForwarded /\ RootStays /\ PollsAtChild \* a poll comes to a child, whose parent stays
NextPatient == NextMet /\ RootStays /\ Patient \* nobody leaves, and no deadline passes
NextFailover == NextOffered /\ Awake /\ AddsAtChild \* a task is added at a child that stays
NextUpward == NextOffered /\ Awake /\ AddsAtLeaf \* a task is added at the child of a child
StepsOfPollRegistrationProp == [][Polls!Next]_(Polls!vars) \* from wherever a run begins, every step of the whole is a step of that part
StepsOfPartitionLifetimeProp == [][Life!Next]_(Life!vars) \* the same
StepsOfTaskQueueProp == [][Queue!Next]_(Queue!vars) \* and one that a client was told to expect
Reuse == \* the slots of hops that have ended are used again
  /\ \A p \in Poll : WF_vars(hop[p] # {} /\ ForgetPoll(p))
  /\ \A t \in Task : WF_vars(hop[t] # {} /\ ForgetTask(t))
HopPollSpec == InitTree /\ [][NextFromChild]_vars /\ Clocks /\ Services /\ Reuse \* what is owed to calls happens, though every cancel be lost
HopMeetSpec == InitTreeStored /\ [][NextHopMeet /\ InOrder /\ Awake /\ Patient]_vars /\ Services /\ Reuse \* the same, while no manager goes, nobody leaves, and no deadline passes

NeverStartedAndLeft == \* a start is recorded, and the worker that it was for has left
  \A p \in left : \A c \in asks[p] : c.outcome # "started"
NeverDeliveredByLoser == \* a manager hands a task over although another one has taken its lease
  [][\A t \in delivered' \ delivered, p \in Poll : \A x \in hand[p] : x.task = t => range[x.host, queue[t][1]] \in {0, lease[queue[t][1]]}]_vars
NeverKeptIsStored == \* a task whose start call failed had no record, and is stored
  [][\A t \in Task : write[t] = "owed" => write'[t] # "flying"]_vars
NeverTwoHands == \* two hosts have one task in hand, and both ask whether they may give it
  \A p, o \in asking : p # o => \A x \in hand[p], y \in hand[o] : x.task # y.task
NeverForNobody == \* a task is handed over to a hop for which nobody waits any more
  \A c \in Poll, t \in Task : <<"delivery", t>> \in settled[c] => ~Deserted(c) \/ answer[c] # <<>>
NeverLateHop == \* a hop begins to wait at the parent although nobody waits for it
  [][\A c \in Poll : registrations'[c] # {} => registrations[c] # {} \/ ~Deserted(c)]_vars
NeverOfferedAgain == \* a task that was handed over above is offered again: the answer to the offer was lost
  \A t \in Task \ delivered : \A x \in lent[t] : \A u \in delivered : ~Hops!On(t, u)
NeverDroppedAbove == \* an offer is dropped above, since an earlier one was taken whose answer was lost
  \A u, o \in Task : added[u] = "dropped" /\ o \in delivered => ~\E t \in Task : Hops!On(t, u) /\ Hops!On(t, o)
NeverTwoHops == \* a task is taken through two hops, and its first receiver knows
  \A u \in Task : added[u] = "taken" => ~\E t \in Task : Hops!On(u, t)
NeverGoesOn == \* a poll whose hop came back empty waits at the child
  \A p \in back : registrations[p] = {}
NeverMovesOn == \* a poll that waits at a child is forwarded, once that may forward another
  [][\A p \in Poll : registrations[p] # {} => sent'[p] = {}]_vars
=============================================================================
