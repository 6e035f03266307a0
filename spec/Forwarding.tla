----------------------------- MODULE Forwarding -----------------------------
(***************************************************************************)
(* The partitions of a task queue are a tree.  A task that meets no poll   *)
(* at its own partition is offered to the parent, hop by hop; a poll that  *)
(* finds no backlog at its own is forwarded to the parent, hop by hop, and *)
(* waits at the root.  A poll waits at one place, a task has one writer.   *)
(*                                                                         *)
(* Models    every hop as a call of its own, made by a manager on behalf   *)
(*           of the call below: a message that is slow or never arrives,   *)
(*           whose answer is slow or lost; a deadline, a cancel and an     *)
(*           unload at each hop; offers of arriving and of stored tasks;   *)
(*           sticky partitions, which are rejected; a namespace that is    *)
(*           active or passive.                                            *)
(* Omits     the steps of a hand-over and of a write (PollRegistration,    *)
(*           Delivery, Backlog: here either is done at once or not at      *)
(*           all); a memory that lacks what is stored (Backlog); History   *)
(*           but for whether a task is due: a start is recorded as the     *)
(*           task is handed over, and what is not due is dropped for that  *)
(*           cause; how often a hop may be made, and how long it takes.    *)
(*           None of it is changed by a hop.                               *)
(* Refines   TaskQueue: the mapping is the last section.                   *)
(* Source    the text on parent forwarding; temporal:                      *)
(*           service/matching/forwarder.go, pri_forwarder.go and           *)
(*           pri_matcher.go, forwardPolls                                  *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues
  Sticky,      \* those that are sticky: they have no place in a tree
  Place,       \* [Partition -> Queue \X Nat]: the task queue of a partition, and its number there; 0 is the root
  Child,       \* those that send polls and tasks on to their parents
  Degree,      \* how many children a partition has
  Version,     \* deployment versions, "unversioned" among them
  Worker,      \* identities of workers
  Poll,        \* slots of polls: a poll is one call of a worker, or a hop on behalf of one
  Task,        \* slots of tasks: a task is one call of add, or a hop on behalf of one
  Generation,  \* numbers of loads; finite in models, Nat in the judge
  ForwardedPolls, \* how many polls of a child may be forwarded at once; the others wait at the child
  UnloadEndsPoll  \* BOOLEAN: does a hop that comes back empty end the poll, or does the poll go on waiting at the child?

Above(q) == <<Place[q][1], (Place[q][2] + Degree - 1) \div Degree - 1>> \* the place of a partition's parent
Parent(q) == CHOOSE o \in Partition : Place[o] = Above(q) \* the parent of a partition that is not the root

ASSUME HostAssumption == Host # {}                                    \* there is a host
ASSUME DegreeAssumption == Degree \in Nat \ {0}                       \* a partition has room for a child
ASSUME PlaceAssumption == \A o, q \in Partition : Place[o] = Place[q] => o = q \* a partition is known by its queue and number
ASSUME StickyAssumption == Sticky \subseteq Partition /\ Sticky \cap Child = {} \* what is sticky has no parent
ASSUME TreeAssumption == \A q \in Child : Place[q][2] # 0 /\ \E o \in Partition \ Sticky : Place[o] = Above(q) \* the way to the root is there
ASSUME VersionAssumption == Version # {}                              \* there is a version
ASSUME WorkerAssumption == Worker # {}                                \* there is a worker
ASSUME SlotAssumption == Poll \cap Task = {}                          \* polls and tasks are told apart
ASSUME GenerationAssumption == 0 \in Generation /\ Generation \subseteq Nat \* generation 0 is "never loaded"
ASSUME ProfileAssumption == ForwardedPolls \in Nat /\ UnloadEndsPoll \in BOOLEAN \* either way is specified

VARIABLES
  running,        \* [Host \X Partition -> BOOLEAN]: is a manager running?
  generation,     \* [Host \X Partition -> Generation]: the number of its loads so far
  active,         \* [Host -> BOOLEAN]: is the namespace active on this cluster, as the host knows?
  hop,            \* [Poll \cup Task -> SUBSET Hop]: what makes the call a hop, from the moment that it is made; {} is a call of a client
  wanted,         \* [Poll -> (Worker \X Partition \X Version) \cup {<<>>}]: who polls for what; <<>> is a free slot, or a hop that has not arrived
  registrations,  \* [Poll -> SUBSET Registration]: where the poll waits
  back,           \* SUBSET Poll: polls whose hop came back empty, and which go on at the child
  expired,        \* SUBSET Poll: polls whose deadline has passed
  left,           \* SUBSET Poll: polls whose caller has left
  settled,        \* [Poll -> SUBSET Cause]: what ended the poll
  answer,         \* [Poll -> Answer \cup {<<>>}]: what the caller's call returned, as the caller saw it
  queue,          \* [Task -> (Partition \X Version) \cup {<<>>}]: where the task belongs; <<>> is a free slot, or a hop that has not arrived
  arrived,        \* [Task -> SUBSET Host]: the host at which the call of add is
  status,         \* [Task -> Status]: what History has of the task; "none" for a hop
  added,          \* [Task -> AddAnswer]: what the call of add returned, as its caller saw it
  backlog,        \* SUBSET Task: tasks with a durable record
  delivered,      \* SUBSET Task: tasks handed over, here or above
  dropped,        \* SUBSET Task: tasks not handed over, which need not be any more: somebody who asked was told so, here or above
  declined        \* SUBSET Task: calls of add that end with neither a poll nor a record

managers == <<running, generation>>
polls == <<wanted, registrations, back, expired, left, settled, answer>>
tasks == <<queue, arrived, status, added, backlog, delivered, dropped, declined>>
vars == <<running, generation, active, hop, wanted, registrations, back, expired, left, settled, answer,
          queue, arrived, status, added, backlog, delivered, dropped, declined>>

-----------------------------------------------------------------------------
(* Shapes *)

Manager == Host \X Partition  \* a manager is known by its host and partition
Registration == [host : Host, partition : Partition, generation : Generation, version : Version, worker : Worker] \* what a registration carries
PollHop == [behalf : Poll, first : Poll, host : Host, source : Partition, generation : Generation, origin : Partition,
            carried : Worker \X Partition \X Version] \* the call below and the client's, the manager that makes the hop, where it all began, what is asked of the parent
TaskHop == [behalf : Task, first : Task, host : Host, source : Partition, generation : Generation, origin : Partition,
            carried : Partition \X Version] \* the same
Cause == {<<"deadline">>, <<"interrupt">>, <<"unload">>, <<"above">>, <<"unanswered">>, <<"sticky">>}
           \cup {<<"delivery", t>> : t \in Task} \* its own ends, and those of a hop that came back empty or was not answered
Answer == {<<"empty">>, <<"interrupted">>, <<"rejected">>} \cup {<<"task", t>> : t \in Task} \* what a call of poll can return
Status == {"none", "due", "started", "over"} \* a task that is over was completed, or need not be
HopAnswer == {"taken", "dropped", "canceled"} \* what an offer can return
AddAnswer == {"none", "accepted", "refused", "rejected", "lost"} \cup HopAnswer \* what a call of add can return; a caller that gave up never learns it

HopsOK == \* what is this module's own has its shape
  /\ DOMAIN hop = Poll \cup Task
  /\ \A p \in Poll : hop[p] \subseteq PollHop
  /\ \A t \in Task : hop[t] \subseteq TaskHop
  /\ back \subseteq Poll

TypeOK == \* every variable has its shape
  /\ HopsOK
  /\ running \in [Manager -> BOOLEAN]
  /\ generation \in [Manager -> Generation]
  /\ active \in [Host -> BOOLEAN]
  /\ wanted \in [Poll -> (Worker \X Partition \X Version) \cup {<<>>}]
  /\ \A p \in Poll : registrations[p] \subseteq Registration
  /\ expired \subseteq Poll
  /\ left \subseteq Poll
  /\ \A p \in Poll : settled[p] \subseteq Cause
  /\ answer \in [Poll -> Answer \cup {<<>>}]
  /\ queue \in [Task -> (Partition \X Version) \cup {<<>>}]
  /\ \A t \in Task : arrived[t] \subseteq Host
  /\ status \in [Task -> Status]
  /\ added \in [Task -> AddAnswer]
  /\ backlog \subseteq Task
  /\ delivered \subseteq Task
  /\ dropped \subseteq Task
  /\ declined \subseteq Task

HopsInit == \* no call is made on behalf of another
  /\ hop = [s \in Poll \cup Task |-> {}]
  /\ back = {}

CallsInit == \* nobody polls, no task exists
  /\ HopsInit
  /\ wanted = [p \in Poll |-> <<>>]
  /\ registrations = [p \in Poll |-> {}]
  /\ expired = {}
  /\ left = {}
  /\ settled = [p \in Poll |-> {}]
  /\ answer = [p \in Poll |-> <<>>]
  /\ queue = [t \in Task |-> <<>>]
  /\ arrived = [t \in Task |-> {}]
  /\ status = [t \in Task |-> "none"]
  /\ added = [t \in Task |-> "none"]
  /\ backlog = {}
  /\ delivered = {}
  /\ dropped = {}
  /\ declined = {}

Init == \* nothing is loaded, and nothing has happened
  /\ running = [m \in Manager |-> FALSE]
  /\ generation = [m \in Manager |-> 0]
  /\ \E a \in BOOLEAN : active = [h \in Host |-> a]
  /\ CallsInit

-----------------------------------------------------------------------------
(* Words used by the actions *)

Alive(h, q, g) == running[h, q] /\ generation[h, q] = g \* that very generation is running
First(s) == IF hop[s] = {} THEN s ELSE (CHOOSE x \in hop[s] : TRUE).first \* the client's call at the bottom of all hops
Origin(s, q) == IF hop[s] = {} THEN q ELSE (CHOOSE x \in hop[s] : TRUE).origin \* the partition of the client's call
Sends(s, o, h, q, carried) == \* the manager makes a call of its own on behalf of another, and tells its parent where that began
  /\ hop[o] = {}
  /\ hop' = [hop EXCEPT ![o] =
       {[behalf |-> s, first |-> First(s), host |-> h, source |-> q, generation |-> generation[h, q], origin |-> Origin(s, q),
         carried |-> carried]}]
On(p, c) == \E x \in hop[c] : x.behalf = p \* the call c is a hop on behalf of p
WaitsOn(p, c) == On(p, c) /\ settled[p] = {} /\ p \notin back \* the handler of p waits for the answer to that hop
Forwarded(p) == \E c \in Poll : WaitsOn(p, c) \* the poll is at the parent, or on its way there
Asked(p) == wanted[p] # <<>> /\ registrations[p] = {} /\ settled[p] = {} /\ ~Forwarded(p) \* the poll is on its way to a manager
Deserted(c) == hop[c] # {} /\ ~\E p \in Poll : WaitsOn(p, c) \* a hop for whose answer nobody waits any more
ForwardedBy(h, q) == \* the polls that the manager has forwarded
  {p \in Poll : \E c \in Poll : WaitsOn(p, c) /\ \E x \in hop[c] : x.host = h /\ x.source = q /\ x.generation = generation[h, q]}
Open(t) == t \in backlog \ (delivered \cup dropped) \* the task is stored, and not done with
Stored(q, v) == {t \in Task : Open(t) /\ queue[t] = <<q, v>>} \* what a poll of that version finds there
Arriving(t) == arrived[t] # {} /\ t \notin backlog \cup delivered \cup dropped \cup declined \* the call of add has the task in its own hand
MadeBy(u, h) == \E x \in hop[u] : x.host = h /\ Alive(h, x.source, x.generation) \* that host's manager made the hop, and runs still
Out(t, h) == \E u \in Task : On(t, u) /\ added[u] = "none" /\ MadeBy(u, h) \* the host has offered the task to the parent and waits for the answer
Tried(t) == \E u \in Task : On(t, u) \* the parent has been asked
Here(t, h) == \* the task is in the hand of a running manager
  /\ queue[t] # <<>>
  /\ running[h, queue[t][1]]
  /\ Open(t) \/ (Arriving(t) /\ h \in arrived[t])
  /\ ~Out(t, h)
Suitable(p, h, q, v) == \* the poll may be given a task of that partition and version now
  /\ active[h]
  /\ p \notin expired
  /\ p \notin left
  /\ \E r \in registrations[p] : r.host = h /\ r.partition = q /\ r.version = v /\ Alive(h, q, r.generation)
Alone(t, h) == ~\E p \in Poll : Suitable(p, h, queue[t][1], queue[t][2]) \* no poll waits at the manager that may have the task
Hopeless(t, h) == \* the task meets no poll at the manager, and nothing more can be done for it above
  Here(t, h) /\ Alone(t, h) /\ (queue[t][1] \notin Child \/ ~active[h] \/ Tried(t))
Unmet(p) == hop[p] = {} /\ wanted[p] # <<>> /\ wanted[p][2] \notin Sticky /\ settled[p] = {} \* a worker's poll in the tree has not ended
AnswerOf(p, c) == \* how a cause looks to the caller; to that of a hop, a poll of which nothing is known is an error
  CASE c[1] = "delivery" -> <<"task", c[2]>>
    [] c[1] = "interrupt" \/ (c[1] = "unanswered" /\ hop[p] # {}) -> <<"interrupted">>
    [] c[1] = "sticky" -> <<"rejected">>
    [] OTHER -> <<"empty">>

-----------------------------------------------------------------------------
(* Client actions *)

StartPoll(p, w, q, v) == \* a worker polls a partition for tasks of its version
  /\ wanted[p] = <<>>
  /\ hop[p] = {}
  /\ wanted' = [wanted EXCEPT ![p] = <<w, q, v>>]
  /\ UNCHANGED <<managers, active, hop, registrations, back, expired, left, settled, answer, tasks>>

AddTask(t, h, q, v) == \* a task that is due arrives at a host, for a partition and a version
  /\ queue[t] = <<>>
  /\ hop[t] = {}
  /\ queue' = [queue EXCEPT ![t] = <<q, v>>]
  /\ arrived' = [arrived EXCEPT ![t] = {h}]
  /\ status' = [status EXCEPT ![t] = "due"]
  /\ UNCHANGED <<managers, active, hop, polls, added, backlog, delivered, dropped, declined>>

Return(p, a) == \* a client's call returns, and the client sees how its poll ended
  /\ hop[p] = {}
  /\ answer[p] = <<>>
  /\ \E c \in settled[p] : a = AnswerOf(p, c)
  /\ answer' = [answer EXCEPT ![p] = a]
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, expired, left, settled, tasks>>

AnswerAdd(t, a) == \* a client's call of add returns: accepted if handed over, dropped or stored, refused if neither
  /\ hop[t] = {}
  /\ queue[t] # <<>>
  /\ added[t] = "none"
  /\ \/ a = "accepted" /\ t \in backlog \cup delivered \cup dropped
     \/ a = "refused" /\ t \in declined /\ queue[t][1] \notin Sticky
     \/ a = "rejected" /\ t \in declined /\ queue[t][1] \in Sticky
  /\ added' = [added EXCEPT ![t] = a]
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, backlog, delivered, dropped, declined>>

-----------------------------------------------------------------------------
(* Internal actions: managers *)

Load(h, q) == \* a new generation of the manager begins; a sticky partition has none
  /\ q \notin Sticky
  /\ ~running[h, q]
  /\ generation[h, q] + 1 \in Generation
  /\ running' = [running EXCEPT ![h, q] = TRUE]
  /\ generation' = [generation EXCEPT ![h, q] = @ + 1]
  /\ UNCHANGED <<active, hop, polls, tasks>>

Unload(h, q) == \* the manager stops: the polls that wait with it end empty, and so do those that it has forwarded
  LET ending == ForwardedBy(h, q) \cup {p \in Poll : \E r \in registrations[p] : r.host = h /\ r.partition = q}
  IN  /\ running[h, q]
      /\ running' = [running EXCEPT ![h, q] = FALSE]
      /\ registrations' = [p \in Poll |-> IF p \in ending THEN {} ELSE registrations[p]]
      /\ settled' = [p \in Poll |-> IF p \in ending THEN settled[p] \cup {<<"unload">>} ELSE settled[p]]
      /\ UNCHANGED <<generation, active, hop, wanted, back, expired, left, answer, tasks>>

-----------------------------------------------------------------------------
(* Internal actions: polls *)

Register(p, h) == \* a poll arrives and waits: at the root, or at a child that has a backlog for it, or has forwarded enough
  LET w == wanted[p][1]
      q == wanted[p][2]
      v == wanted[p][3]
  IN  /\ Asked(p)
      /\ p \notin expired
      /\ running[h, q]
      /\ q \notin Child \/ Stored(q, v) # {} \/ Cardinality(ForwardedBy(h, q)) >= ForwardedPolls \/ p \in back
      /\ registrations' = [registrations EXCEPT ![p] =
           {[host |-> h, partition |-> q, generation |-> generation[h, q], version |-> v, worker |-> w]}]
      /\ UNCHANGED <<managers, active, hop, wanted, back, expired, left, settled, answer, tasks>>

Forward(p, c, h) == \* a poll that arrives or waits at a child without a backlog for it goes to the parent: it waits here no longer
  LET q == wanted[p][2]
      v == wanted[p][3]
  IN  /\ Asked(p) \/ \E r \in registrations[p] : r.host = h
      /\ p \notin expired \cup back
      /\ q \in Child
      /\ running[h, q]
      /\ Stored(q, v) = {}
      /\ Cardinality(ForwardedBy(h, q)) < ForwardedPolls
      /\ c # p
      /\ wanted[c] = <<>>
      /\ Sends(p, c, h, q, <<wanted[p][1], Parent(q), v>>)
      /\ registrations' = [registrations EXCEPT ![p] = {}]
      /\ UNCHANGED <<managers, active, wanted, back, expired, left, settled, answer, tasks>>

ArrivePoll(c) == \* a hop arrives, however late: the parent has a poll
  /\ wanted[c] = <<>>
  /\ \E x \in hop[c] : wanted' = [wanted EXCEPT ![c] = x.carried]
  /\ UNCHANGED <<managers, active, hop, registrations, back, expired, left, settled, answer, tasks>>

Resume(p, c) == \* the answer to a hop arrives where its handler waits: a task is passed on, and an empty answer ends the poll, or only the hop
  /\ WaitsOn(p, c)
  /\ \E s \in settled[c] :
       LET a == AnswerOf(c, s)
           goes == a = <<"empty">> /\ p \notin left /\ ~UnloadEndsPoll
           cause == CASE p \in left -> <<"interrupt">>
                      [] a[1] = "task" -> <<"delivery", a[2]>>
                      [] a = <<"empty">> -> <<"above">>
                      [] OTHER -> <<"unanswered">>
       IN  /\ answer' = [answer EXCEPT ![c] = a]
           /\ back' = IF goes THEN back \cup {p} ELSE back
           /\ settled' = IF goes THEN settled ELSE [settled EXCEPT ![p] = @ \cup {cause}]
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, expired, left, tasks>>

Break(p, c) == \* a hop fails, and its handler cannot tell whether the poll waits above: it ends, so that it waits nowhere else
  /\ WaitsOn(p, c)
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"unanswered">>}]
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, expired, left, answer, tasks>>

CancelHop(c) == \* whoever made the hop waits for it no longer, and the parent learns so: before the poll waits that ends it
  /\ Deserted(c)
  /\ wanted[c] # <<>>
  /\ settled[c] = {}
  /\ c \notin left
  /\ left' = left \cup {c}
  /\ settled' = IF Asked(c) THEN [settled EXCEPT ![c] = @ \cup {<<"interrupt">>}] ELSE settled
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, expired, answer, tasks>>

Expire(p) == \* the poll's timer fires, or it arrives too late to wait: it ends empty
  /\ p \in expired
  /\ settled[p] = {}
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"deadline">>}]
  /\ UNCHANGED <<managers, active, hop, wanted, back, expired, left, answer, tasks>>

Refuse(p, h) == \* a poll arrives at a host that does not load the partition: it ends empty, as if the manager had been unloaded
  /\ Asked(p)
  /\ wanted[p][2] \notin Sticky
  /\ ~running[h, wanted[p][2]]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"unload">>}]
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, expired, left, answer, tasks>>

RejectPoll(p) == \* a poll for a sticky partition is told that there are none
  /\ Asked(p)
  /\ wanted[p][2] \in Sticky
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"sticky">>}]
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, expired, left, answer, tasks>>

Withdraw(p) == \* the handler learns that its caller has left, and takes the registration back, or waits for its hop no longer
  /\ p \in left
  /\ settled[p] = {}
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}]
  /\ UNCHANGED <<managers, active, hop, wanted, back, expired, left, answer, tasks>>

-----------------------------------------------------------------------------
(* Internal actions: tasks *)

Deliver(t, p) == \* a task meets a waiting poll that may have it: its start is recorded, and it is handed over
  /\ \E h \in Host : Here(t, h) /\ Suitable(p, h, queue[t][1], queue[t][2])
  /\ status[First(t)] = "due"
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"delivery", t>>}]
  /\ status' = [status EXCEPT ![First(t)] = "started"]
  /\ delivered' = delivered \cup {t}
  /\ UNCHANGED <<managers, active, hop, wanted, back, expired, left, answer, queue, arrived, added, backlog, dropped, declined>>

Drop(t, p) == \* a task meets a waiting poll, and History says that it need not be done any more
  /\ \E h \in Host : Here(t, h) /\ Suitable(p, h, queue[t][1], queue[t][2])
  /\ status[First(t)] # "due"
  /\ dropped' = dropped \cup {t}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, backlog, delivered, declined>>

Offer(t, u, h) == \* a task meets no poll at a child, and is offered to the parent: by its call of add once, by the reader again and again
  LET q == queue[t][1]
  IN  /\ Here(t, h)
      /\ Alone(t, h)
      /\ active[h]
      /\ q \in Child
      /\ Arriving(t) => ~Tried(t)
      /\ u # t
      /\ queue[u] = <<>>
      /\ Sends(t, u, h, q, <<Parent(q), queue[t][2]>>)
      /\ UNCHANGED <<managers, active, polls, tasks>>

ArriveTask(u, h) == \* an offer arrives at a host, however late
  /\ queue[u] = <<>>
  /\ \E x \in hop[u] : queue' = [queue EXCEPT ![u] = x.carried]
  /\ arrived' = [arrived EXCEPT ![u] = {h}]
  /\ UNCHANGED <<managers, active, hop, polls, status, added, backlog, delivered, dropped, declined>>

Decline(u) == \* an offered task meets no poll, here or above: it stays with whoever offered it
  /\ hop[u] # {}
  /\ Arriving(u)
  /\ \E h \in Host : Hopeless(u, h)
  /\ declined' = declined \cup {u}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, backlog, delivered, dropped>>

Conclude(t, u) == \* the answer to an offer arrives where its maker waits: what was taken or dropped above is done with here
  /\ On(t, u)
  /\ added[u] = "none"
  /\ \E h \in Host : MadeBy(u, h)
  /\ \/ u \in delivered /\ added' = [added EXCEPT ![u] = "taken"]
     \/ u \in dropped /\ added' = [added EXCEPT ![u] = "dropped"]
     \/ u \in declined /\ added' = [added EXCEPT ![u] = "canceled"]
  /\ delivered' = IF u \in delivered THEN delivered \cup {t} ELSE delivered
  /\ dropped' = IF u \in dropped THEN dropped \cup {t} ELSE dropped
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, backlog, declined>>

Store(t, h) == \* an arriving task meets no poll, here or above: the partition that received it first writes its record
  /\ hop[t] = {}
  /\ Arriving(t)
  /\ Hopeless(t, h)
  /\ backlog' = backlog \cup {t}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, delivered, dropped, declined>>

RefuseAdd(t, h) == \* the handler of an add learns that its host does not load the partition
  /\ Arriving(t)
  /\ h \in arrived[t]
  /\ queue[t][1] \notin Sticky
  /\ ~running[h, queue[t][1]]
  /\ declined' = declined \cup {t}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, backlog, delivered, dropped>>

RejectAdd(t) == \* an add to a sticky partition is told that there are none
  /\ Arriving(t)
  /\ queue[t][1] \in Sticky
  /\ declined' = declined \cup {t}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, backlog, delivered, dropped>>

AbandonAdd(t) == \* the handler of an add learns that its caller has left
  /\ Arriving(t)
  /\ added[t] = "lost"
  /\ \A h \in Host : ~Out(t, h)
  /\ declined' = declined \cup {t}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, backlog, delivered, dropped>>

CommitDelete(t) == \* the store deletes the record of a task that is done with
  /\ t \in backlog \cap (delivered \cup dropped)
  /\ backlog' = backlog \ {t}
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, added, delivered, dropped, declined>>

-----------------------------------------------------------------------------
(* Environment actions: time, callers, messages, History, the cluster *)

DeadlinePasses(p) == \* a clock reaches the deadline that the caller sent; that of a hop is its own
  /\ wanted[p] # <<>>
  /\ settled[p] = {}
  /\ p \notin expired
  /\ expired' = expired \cup {p}
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, left, settled, answer, tasks>>

CallerLeaves(p) == \* a worker interrupts its call; before the poll has arrived that ends it
  /\ hop[p] = {}
  /\ wanted[p] # <<>>
  /\ settled[p] = {}
  /\ p \notin left
  /\ left' = left \cup {p}
  /\ settled' = IF Asked(p) THEN [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}] ELSE settled
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, back, expired, answer, tasks>>

LeaveAdd(t) == \* the caller of an add gives up; of a hop, it hears nothing in time: the task is the child's still
  /\ queue[t] # <<>> \/ hop[t] # {}
  /\ added[t] = "none"
  /\ added' = [added EXCEPT ![t] = "lost"]
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, status, backlog, delivered, dropped, declined>>

Close(t) == \* a task that was started is completed, or need not be started any more
  /\ status[t] \in {"due", "started"}
  /\ status' = [status EXCEPT ![t] = "over"]
  /\ UNCHANGED <<managers, active, hop, polls, queue, arrived, added, backlog, delivered, dropped, declined>>

NamespaceChanges(h) == \* a host learns of a failover: this cluster has become the active one, or has ceased to be
  /\ active' = [active EXCEPT ![h] = ~@]
  /\ UNCHANGED <<managers, hop, polls, tasks>>

ForgetPoll(p) == \* a client has its answer, or nobody waits for a hop that has ended or never arrives: the slot may hold another poll
  /\ IF hop[p] = {} THEN answer[p] # <<>> ELSE Deserted(p) /\ (wanted[p] = <<>> \/ settled[p] # {})
  /\ \A c \in Poll : ~On(p, c)
  /\ hop' = [hop EXCEPT ![p] = {}]
  /\ wanted' = [wanted EXCEPT ![p] = <<>>]
  /\ back' = back \ {p}
  /\ expired' = expired \ {p}
  /\ left' = left \ {p}
  /\ settled' = [settled EXCEPT ![p] = {}]
  /\ answer' = [answer EXCEPT ![p] = <<>>]
  /\ UNCHANGED <<managers, active, registrations, tasks>>

ForgetTask(t) == \* the caller has its answer, or gave up a hop that never arrives, and nothing refers to the task: the slot may hold another
  /\ added[t] # "none"
  /\ ~Arriving(t)
  /\ t \notin backlog
  /\ hop[t] = {} => status[t] = "over"
  /\ \A u \in Task : ~On(t, u) /\ (On(u, t) => ~Arriving(u))
  /\ \A p \in Poll : <<"delivery", t>> \notin settled[p]
  /\ hop' = [hop EXCEPT ![t] = {}]
  /\ queue' = [queue EXCEPT ![t] = <<>>]
  /\ arrived' = [arrived EXCEPT ![t] = {}]
  /\ status' = [status EXCEPT ![t] = "none"]
  /\ added' = [added EXCEPT ![t] = "none"]
  /\ delivered' = delivered \ {t}
  /\ dropped' = dropped \ {t}
  /\ declined' = declined \ {t}
  /\ UNCHANGED <<managers, active, polls, backlog>>

-----------------------------------------------------------------------------

Next ==
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition : Unload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, c \in Poll, h \in Host : Forward(p, c, h)
  \/ \E c \in Poll : ArrivePoll(c)
  \/ \E p \in Poll, c \in Poll : Resume(p, c)
  \/ \E p \in Poll, c \in Poll : Break(p, c)
  \/ \E c \in Poll : CancelHop(c)
  \/ \E p \in Poll : Expire(p)
  \/ \E p \in Poll, h \in Host : Refuse(p, h)
  \/ \E p \in Poll : RejectPoll(p)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, u \in Task, h \in Host : Offer(t, u, h)
  \/ \E u \in Task, h \in Host : ArriveTask(u, h)
  \/ \E u \in Task : Decline(u)
  \/ \E t \in Task, u \in Task : Conclude(t, u)
  \/ \E t \in Task, h \in Host : Store(t, h)
  \/ \E t \in Task, h \in Host : RefuseAdd(t, h)
  \/ \E t \in Task : RejectAdd(t)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E t \in Task : CommitDelete(t)
  \/ \E p \in Poll : DeadlinePasses(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E t \in Task : Close(t)
  \/ \E h \in Host : NamespaceChanges(h)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E t \in Task : ForgetTask(t)

Clocks == \A p \in Poll : WF_vars(DeadlinePasses(p)) \* what a clock owes
Services == \* what services and their network owe: what is sent again and again arrives; no failure, failover or unload is owed
  /\ \A p \in Poll : WF_vars(Expire(p))
  /\ \A p \in Poll : WF_vars(Withdraw(p))
  /\ \A p \in Poll : WF_vars(RejectPoll(p))
  /\ \A p \in Poll : WF_vars(\E a \in Answer : Return(p, a))
  /\ \A p \in Poll : WF_vars(\E h \in Host : Register(p, h))
  /\ \A p \in Poll : WF_vars(\E c \in Poll, h \in Host : Forward(p, c, h))
  /\ \A c \in Poll : WF_vars(ArrivePoll(c))
  /\ \A c \in Poll : WF_vars(\E p \in Poll : Resume(p, c))
  /\ \A t \in Task : SF_vars(\E p \in Poll : Deliver(t, p) \/ Drop(t, p))
  /\ \A t \in Task : SF_vars(\E u \in Task, h \in Host : Offer(t, u, h))
  /\ \A u \in Task : SF_vars(\E h \in Host : ArriveTask(u, h))
  /\ \A u \in Task : WF_vars(Decline(u))
  /\ \A u \in Task : WF_vars(\E t \in Task : Conclude(t, u))
  /\ \A t \in Task : SF_vars(\E h \in Host : Store(t, h))
  /\ \A t \in Task : WF_vars(RejectAdd(t))
  /\ \A t \in Task : WF_vars(\E a \in AddAnswer : AnswerAdd(t, a))

Cancels == \A c \in Poll : WF_vars(CancelHop(c)) \* what a network owes that loses no cancel

Fairness == Clocks /\ Services \* what must happen, though every cancel be lost

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants: polls *)

RegistrationInv == \* a registration exists only under a running manager of its own generation, and carries what its caller sent
  \A p \in Poll : \A r \in registrations[p] :
    /\ Alive(r.host, r.partition, r.generation)
    /\ wanted[p] = <<r.worker, r.partition, r.version>>

OneRegistrationInv == \* a client's poll has one registration at most over the whole tree: none below its hops, none once it has ended
  \A p \in Poll :
    /\ hop[p] = {} => Cardinality(UNION {registrations[c] : c \in {o \in Poll : First(o) = p}}) <= 1
    /\ settled[p] # {} \/ Forwarded(p) => registrations[p] = {}

OneHopInv == \* a call waits for at most one hop
  /\ \A p \in Poll : Cardinality({c \in Poll : WaitsOn(p, c)}) <= 1
  /\ \A t \in Task, h \in Host : Cardinality({u \in Task : On(t, u) /\ added[u] = "none" /\ MadeBy(u, h)}) <= 1

SettledOnceInv == \* a poll is ended by at most one cause, at each hop
  \A p \in Poll : Cardinality(settled[p]) <= 1

CauseInv == \* the deadline ends only polls whose deadline has passed, the interrupt only those whose caller has left, and these get no task
  \A p \in Poll : /\ <<"deadline">> \in settled[p] => p \in expired
                  /\ <<"interrupt">> \in settled[p] => p \in left
                  /\ p \in left => \A t \in Task : <<"delivery", t>> \notin settled[p]

AnswerInv == \* what the caller saw is how its poll ended
  \A p \in Poll : answer[p] # <<>> => \E c \in settled[p] : answer[p] = AnswerOf(p, c)

DeliveryInv == \* a poll has a task only if that was handed over, to a poll for tasks of its version
  \A p \in Poll, t \in Task : <<"delivery", t>> \in settled[p] => t \in delivered /\ queue[t][2] = wanted[p][3]

PassingInv == \* a poll that is forwarded goes no longer than the manager that forwarded it
  \A p \in Poll, c \in Poll : WaitsOn(p, c) => \E x \in hop[c] : Alive(x.host, x.source, x.generation)

QuotaInv == \* no manager has more polls forwarded than it may
  \A h \in Host, q \in Partition : Cardinality(ForwardedBy(h, q)) <= ForwardedPolls

FieldsInv == \* a hop carries every field of the call below, and tells which manager made it, for which client's call
  /\ \A c \in Poll : \A x \in hop[c] :
       /\ wanted[x.behalf] # <<>>
       /\ x.source = wanted[x.behalf][2]
       /\ x.carried = <<wanted[x.behalf][1], Parent(x.source), wanted[x.behalf][3]>>
       /\ wanted[c] \in {<<>>, x.carried}
       /\ x.first = First(x.behalf)
       /\ x.origin = wanted[First(c)][2]
  /\ \A u \in Task : \A x \in hop[u] :
       /\ queue[x.behalf] # <<>>
       /\ x.source = queue[x.behalf][1]
       /\ x.carried = <<Parent(x.source), queue[x.behalf][2]>>
       /\ queue[u] \in {<<>>, x.carried}
       /\ x.first = First(x.behalf)
       /\ x.origin = queue[First(u)][1]

StickyInv == \* what is sticky is not loaded, so that no poll waits and no task is stored there
  \A h \in Host, q \in Sticky : ~running[h, q]

-----------------------------------------------------------------------------
(* Invariants: tasks *)

FirstWriterInv == \* only the partition that received a task first ever stores it
  \A t \in backlog : hop[t] = {}

TakenInv == \* what was answered with "taken" or "dropped" is done with at the child; all else is the child's still
  \A t \in Task, u \in Task : On(t, u) =>
    /\ added[u] = "taken" => t \in delivered
    /\ added[u] = "dropped" => t \in dropped

DoneInv == \* what is done with was started, or need not be
  \A t \in delivered \cup dropped : status[First(t)] # "due"

NothingLostInv == \* an accepted task has a record, was started, or need not be
  \A t \in Task : added[t] = "accepted" => t \in backlog \/ status[t] # "due"

-----------------------------------------------------------------------------
(* Step properties *)

OnwardProp == \* where a hop that comes back empty ends the poll, a poll that was forwarded never waits below
  [][UnloadEndsPoll => \A p \in Poll : registrations'[p] \ registrations[p] # {} => \A c \in Poll : ~On(p, c)]_vars

AtTheRootProp == \* a poll waits at a child only if that has a backlog for it, has forwarded enough, or has it back
  [][\A p \in Poll : registrations'[p] \ registrations[p] # {} /\ wanted[p][2] \in Child =>
       \/ p \in back
       \/ Stored(wanted[p][2], wanted[p][3]) # {}
       \/ \E r \in registrations'[p] : Cardinality(ForwardedBy(r.host, r.partition)) >= ForwardedPolls]_vars

NoBacklogProp == \* a poll is not forwarded past what is stored for it
  [][\A c \in Poll : \A x \in hop'[c] \ hop[c] : Stored(wanted[x.behalf][2], wanted[x.behalf][3]) = {}]_vars

SuitableProp == \* a task is handed over only to a poll that waits for it: active namespace, same partition and version, in time
  [][\A p \in Poll, t \in Task : registrations[p] # {} /\ <<"delivery", t>> \in settled'[p] \ settled[p] =>
       /\ \E r \in registrations[p] : active[r.host]
       /\ p \notin expired
       /\ p \notin left
       /\ queue[t] = <<wanted[p][2], wanted[p][3]>>]_vars

StartedOnceProp == \* a task is handed over only if no start of it is recorded, whichever partition offers it
  [][\A p \in Poll, t \in Task : registrations[p] # {} /\ <<"delivery", t>> \in settled'[p] \ settled[p] =>
       status[First(t)] = "due"]_vars

LocalFirstProp == \* no task is offered, declined or stored while a poll that may have it waits where it is
  [][/\ \A u \in Task : \A x \in hop'[u] \ hop[u] : Alone(x.behalf, x.host)
     /\ \A t \in backlog' \ backlog : \A h \in arrived[t] : Alone(t, h)
     /\ \A t \in declined' \ declined : added[t] = "none" => \A h \in arrived[t] : Alone(t, h)]_vars

ParentAskedProp == \* no child of an active namespace stores a task without asking its parent
  [][\A t \in backlog' \ backlog : queue[t][1] \notin Child \/ Tried(t) \/ \E h \in arrived[t] : ~active[h]]_vars

NotAgainProp == \* a task that is done with is neither offered nor stored again
  [][\A t \in delivered \cup dropped :
       /\ \A u \in Task : On(t, u)' => On(t, u)
       /\ t \in backlog' => t \in backlog]_vars

RecordKeptProp == \* a record goes only after its task was handed over or dropped, here or above
  [][\A t \in backlog \ backlog' : t \in delivered \cup dropped]_vars

-----------------------------------------------------------------------------
(* Liveness *)

PollReturnsProp == \* every poll ends, at each hop, and a client's returns, whether or not a cancel ever arrives
  \A p \in Poll : wanted[p] # <<>> ~> settled[p] # {} /\ (hop[p] = {} => answer[p] # <<>>)

CancelCarriedProp == \* where cancels arrive, a hop for which nobody waits stops waiting, whether or not its deadline ever passes
  \A c \in Poll : []<>~(registrations[c] # {} /\ Deserted(c))

MeetProp == \* a stored task and a poll, wherever they are, do not both stay so: they meet, or another one comes before either
  \A t \in Task, p \in Poll : []<>~(Open(t) /\ status[t] = "due" /\ Unmet(p) /\ queue[t][2] = wanted[p][3])

-----------------------------------------------------------------------------
(* Refinement *)

StatusOf(t) == IF status[t] = "over" THEN "ended" ELSE status[t] \* what the client was promised
PlacesOf(t) == \* where it is kept: History's intent goes when the add was accepted
  {w \in {"intent", "record"} : \/ w = "intent" /\ status[t] # "none" /\ added[t] # "accepted"
                                \/ w = "record" /\ t \in backlog}

Queue == INSTANCE TaskQueue WITH
  Event <- Task,
  Attempt <- {0, 1},
  status <- [t \in Task |-> StatusOf(t)],
  attempt <- [t \in Task |-> IF status[t] = "none" THEN 0 ELSE 1],
  places <- [t \in Task |-> PlacesOf(t)]

RefinesTaskQueue == Queue!SafetySpec \* every step is one that a client was told to expect, whichever messages are lost

THEOREM Spec => []TypeOK
THEOREM Spec => [](/\ RegistrationInv /\ OneRegistrationInv /\ OneHopInv /\ SettledOnceInv /\ CauseInv /\ AnswerInv /\ DeliveryInv
                   /\ PassingInv /\ QuotaInv /\ FieldsInv /\ StickyInv
                   /\ FirstWriterInv /\ TakenInv /\ DoneInv /\ NothingLostInv)
THEOREM Spec => /\ OnwardProp /\ AtTheRootProp /\ NoBacklogProp /\ SuitableProp /\ StartedOnceProp
                /\ LocalFirstProp /\ ParentAskedProp /\ NotAgainProp /\ RecordKeptProp
THEOREM Spec => PollReturnsProp
THEOREM SafetySpec /\ Services /\ Cancels => CancelCarriedProp
THEOREM Spec => RefinesTaskQueue
=============================================================================
