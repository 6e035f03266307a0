-------------------------- MODULE PartitionLifetime --------------------------
(***************************************************************************)
(* The manager of a partition is loaded state: a host begins it when a     *)
(* call asks for the partition, and gives it up for a cause.  Each load    *)
(* is a generation of its own; a generation that has stopped stays so, and *)
(* whatever of it comes late touches nothing.                              *)
(*                                                                         *)
(* Models    the registry of each host; initialisation in parts that may   *)
(*           fail, be slow or be overtaken; publish and start, which are   *)
(*           two steps; calls to unload, each for one generation, which    *)
(*           may come late and twice; a stop that ends the polls at once   *)
(*           and the emitter of gauges later; what a scrape of each host   *)
(*           reads, of dead generations too; namespace and membership as   *)
(*           two histories of which each host learns at its own time, old  *)
(*           and repeated news included; processes that close, crash, and  *)
(*           begin anew.                                                   *)
(* Omits     polls but for whether one waits (PollRegistration); the store *)
(*           but for how much it holds that is not done with, and whose    *)
(*           writes count (Backlog: a lease that is taken counts for       *)
(*           nobody until its manager learns of it); time: a removal, an   *)
(*           idle unload may come early; how good a count is, but that a   *)
(*           manager whose writes count never counts too few.              *)
(* Refines   nothing; `running` and `generation` are PollRegistration's,   *)
(*           and `active` there is what Active says of a host here.  What  *)
(*           is borrowed is a function of other parts' variables.          *)
(* Source    the texts on partition managers and on namespace change and   *)
(*           unload; temporal: service/matching/matching_engine.go and     *)
(*           task_queue_partition_manager.go                               *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues
  Generation,  \* numbers of loads; finite in models, Nat in the judge
  Cluster,     \* clusters in which the namespace can be active
  Here,        \* the cluster of these hosts
  Revision,    \* numbers of changes of the namespace; finite in models, Nat in the judge
  Ownership,   \* numbers of changes of the membership; finite in models, Nat in the judge
  Depth,       \* how many records a backlog can have; finite in models, Nat in the judge
  UnloadOnNamespaceStateChange \* SUBSET Host: the hosts that unload what they hold when the namespace becomes active or passive here

ASSUME HostAssumption == Host # {}                                          \* there is a host
ASSUME PartitionAssumption == Partition # {}                                \* there is a partition
ASSUME GenerationAssumption == 0 \in Generation /\ Generation \subseteq Nat \* generation 0 is "never loaded"
ASSUME ClusterAssumption == Here \in Cluster                                \* this cluster is one of them
ASSUME RevisionAssumption == 1 \in Revision /\ Revision \subseteq Nat       \* a namespace begins with revision 1
ASSUME OwnershipAssumption == 1 \in Ownership /\ Ownership \subseteq Nat    \* a membership begins with ownership generation 1
ASSUME DepthAssumption == 0 \in Depth /\ Depth \subseteq Nat                \* a backlog can be empty
ASSUME FlagAssumption == UnloadOnNamespaceStateChange \subseteq Host         \* the flag is on or off at each host

VARIABLES
  running,     \* [Manager -> BOOLEAN]: does the host's registry hold a manager?
  generation,  \* [Manager -> Generation]: the number of its loads so far
  lives,       \* [Manager -> SUBSET Life]: its generations, until nothing tells of them any more
  sought,      \* SUBSET Manager: managers that a call waits for
  called,      \* SUBSET (Host \X Partition \X Generation): generations that have been called to unload
  process,     \* [Host -> Process]: does the process run?
  tally,       \* [Host -> Nat]: how many managers the process reports as loaded
  samples,     \* SUBSET (Host \X Partition \X Generation \X Nat): what an emitter has read of the backlog and not yet shown
  gauges,      \* SUBSET Reading: what a scrape of the hosts reads
  clusters,    \* Seq(Cluster): where the namespace was active, by revision
  owners,      \* Seq([Partition -> Host]): who owned each partition, by ownership generation
  revision,    \* [Host -> Nat]: the namespace revision that the host knows
  ownership,   \* [Host -> Nat]: the ownership generation that the host knows
  waiting,     \* SUBSET (Host \X Partition \X Generation): borrowed: generations under which a poll waits
  holder,      \* [Partition -> SUBSET (Host \X Generation)]: borrowed: whose writes count
  stored       \* [Partition -> Depth]: borrowed: how many durable records the partition has that are not done with

known == <<clusters, owners, revision, ownership>>
emitters == <<samples, gauges>>
own == <<running, generation, lives, sought, called, process, tally, samples, gauges, clusters, owners, revision, ownership>>
borrowed == <<waiting, holder, stored>>
vars == <<running, generation, lives, sought, called, process, tally, samples, gauges, clusters, owners, revision, ownership,
          waiting, holder, stored>>

Manager == Host \X Partition

-----------------------------------------------------------------------------
(* Shapes *)

Part == {"metadata", "user data"} \* what a manager needs before it can serve
Phase == {"loading", "publishing", "running", "stopping", "stopped"} \* the life of a generation, in order
Alive == {"loading", "publishing", "running"} \* the phases of a manager that callers may find
State == {"active", "passive"} \* of the namespace on this cluster
Process == {"up", "closing", "ended"} \* a process that closes loads nothing any more
Life == [generation : Generation, phase : Phase, tag : State, ready : SUBSET Part] \* one generation: its tag is fixed when it begins; the user data that is ready is a cache
Reading == [host : Host, partition : Partition, generation : Generation, state : State, value : Nat] \* a series by its labels, and what it reads; the other labels follow from the partition

TypeOK == \* every variable has its shape
  /\ running \in [Manager -> BOOLEAN]
  /\ generation \in [Manager -> Generation]
  /\ \A m \in Manager : lives[m] \subseteq Life
  /\ sought \subseteq Manager
  /\ called \subseteq Host \X Partition \X Generation
  /\ process \in [Host -> Process]
  /\ tally \in [Host -> Nat]
  /\ samples \subseteq Host \X Partition \X Generation \X Nat
  /\ gauges \subseteq Reading
  /\ clusters \in Seq(Cluster)
  /\ owners \in Seq([Partition -> Host])
  /\ revision \in [Host -> 1..Len(clusters)]
  /\ ownership \in [Host -> 1..Len(owners)]
  /\ waiting \subseteq Host \X Partition \X Generation
  /\ \A q \in Partition : holder[q] \subseteq Host \X Generation
  /\ stored \in [Partition -> Depth]

OwnInit == \* nothing is loaded or asked for, and every host knows the first of each history
  /\ running = [m \in Manager |-> FALSE]
  /\ generation = [m \in Manager |-> 0]
  /\ lives = [m \in Manager |-> {}]
  /\ sought = {}
  /\ called = {}
  /\ process = [h \in Host |-> "up"]
  /\ tally = [h \in Host |-> 0]
  /\ samples = {}
  /\ gauges = {}
  /\ \E c \in Cluster : clusters = <<c>>
  /\ \E o \in [Partition -> Host] : owners = <<o>>
  /\ revision = [h \in Host |-> 1]
  /\ ownership = [h \in Host |-> 1]

Init == \* nobody polls and nothing is stored either
  /\ OwnInit
  /\ waiting = {}
  /\ holder = [q \in Partition |-> {}]
  /\ stored = [q \in Partition |-> 0]

-----------------------------------------------------------------------------
(* Words used by the actions *)

StateAt(r) == IF clusters[r] = Here THEN "active" ELSE "passive" \* of the namespace on this cluster, by revision
StateOf(h) == StateAt(revision[h]) \* as the host knows it
Active(h) == StateOf(h) = "active" \* what PollRegistration calls active
Owns(h, q) == owners[ownership[h]][q] = h \* the host believes to own the partition
InPhase(h, q, g, phases) == \E x \in lives[h, q] : x.generation = g /\ x.phase \in phases \* that generation is in one of these phases
Registered(h, q, g) == running[h, q] /\ generation[h, q] = g \* a caller finds that very generation
Serves(h, q) == running[h, q] /\ InPhase(h, q, generation[h, q], {"running"}) \* polls may wait here, and tasks may be stored
LoadedAt(h) == {<<h, q, generation[h, q]>> : q \in {p \in Partition : running[h, p]}} \* the generations that callers find at the host
Tagged(x, s) == \E y \in lives[x[1], x[2]] : y.generation = x[3] /\ y.tag = s \* that generation reports this state of the namespace
Becomes(h, q, g, phase, next(_)) == \* the lives, once a generation in this phase has gone on; in another phase it takes no notice
  [lives EXCEPT ![h, q] = {IF x.generation = g /\ x.phase = phase THEN next(x) ELSE x : x \in @}]
SeriesOf(r, h, q, g) == r.host = h /\ r.partition = q /\ r.generation = g \* the series is that generation's
Shown(h, q, g, s, n) == \* the gauges, once that series reads n
  {r \in gauges : ~(SeriesOf(r, h, q, g) /\ r.state = s)}
    \cup {[host |-> h, partition |-> q, generation |-> g, state |-> s, value |-> n]}
Unregisters(h, q) == \* the callers of a host find no manager any more; who waited for one looks again
  /\ running' = [running EXCEPT ![h, q] = FALSE]
  /\ sought' = sought \ {<<h, q>>}
  /\ called' = {x \in called : <<x[1], x[2]>> # <<h, q>>}
Leaves(h, q) == \* what others know of a manager that has gone: its polls end, its writes do not count
  /\ waiting' = {x \in waiting : <<x[1], x[2]>> # <<h, q>>}
  /\ holder' = [holder EXCEPT ![q] = {x \in @ : x[1] # h}]
  /\ UNCHANGED stored

-----------------------------------------------------------------------------
(* Client actions *)

Seek(h, q) == \* a call needs the partition's manager, and waits for it
  /\ process[h] # "ended"
  /\ ~Serves(h, q)
  /\ sought' = sought \cup {<<h, q>>}
  /\ UNCHANGED <<running, generation, lives, called, process, tally, emitters, known, borrowed>>

Abandon(h, q) == \* whoever waited for the manager leaves, or is too late: a load goes on
  /\ <<h, q>> \in sought
  /\ sought' = sought \ {<<h, q>>}
  /\ UNCHANGED <<running, generation, lives, called, process, tally, emitters, known, borrowed>>

OrderUnload(h, q) == \* an operator orders that the manager be unloaded
  /\ process[h] # "ended"
  /\ running[h, q]
  /\ called' = called \cup {<<h, q, generation[h, q]>>}
  /\ UNCHANGED <<running, generation, lives, sought, process, tally, emitters, known, borrowed>>

-----------------------------------------------------------------------------
(* Internal actions: a load *)

Load(h, q) == \* a new generation begins, whoever owns the partition, tagged with the state of the namespace: every later call finds it
  /\ process[h] = "up"
  /\ <<h, q>> \in sought
  /\ ~running[h, q]
  /\ generation[h, q] + 1 \in Generation
  /\ running' = [running EXCEPT ![h, q] = TRUE]
  /\ generation' = [generation EXCEPT ![h, q] = @ + 1]
  /\ lives' = [lives EXCEPT ![h, q] = @ \cup {[generation |-> generation[h, q] + 1, phase |-> "loading", tag |-> StateOf(h), ready |-> {}]}]
  /\ tally' = [tally EXCEPT ![h] = @ + 1]
  /\ UNCHANGED <<sought, called, process, emitters, known, borrowed>>

FinishPart(h, q, g, p) == \* a part of a generation's initialisation arrives, however late
  /\ process[h] # "ended"
  /\ g \in 1..generation[h, q]
  /\ lives' = Becomes(h, q, g, "loading", LAMBDA x : [x EXCEPT !.ready = @ \cup {p}])
  /\ UNCHANGED <<running, generation, sought, called, process, tally, emitters, known, borrowed>>

Fail(h, q, g) == \* a part of a generation's initialisation fails for good, however late: one that still loads calls for its own unload
  /\ process[h] # "ended"
  /\ g \in 1..generation[h, q]
  /\ called' = IF InPhase(h, q, g, {"loading"}) THEN called \cup {<<h, q, g>>} ELSE called
  /\ UNCHANGED <<running, generation, lives, sought, process, tally, emitters, known, borrowed>>

Publish(h, q, g) == \* every part is ready: the queue object is there for others to find
  /\ \E x \in lives[h, q] : x.generation = g /\ x.phase = "loading" /\ x.ready = Part
  /\ lives' = Becomes(h, q, g, "loading", LAMBDA x : [x EXCEPT !.phase = "publishing"])
  /\ UNCHANGED <<running, generation, sought, called, process, tally, emitters, known, borrowed>>

Start(h, q, g) == \* the queue starts, with its emitter, unless it was stopped since it was published: who waited for it goes on
  /\ InPhase(h, q, g, {"publishing"})
  /\ lives' = Becomes(h, q, g, "publishing", LAMBDA x : [x EXCEPT !.phase = "running"])
  /\ sought' = sought \ {<<h, q>>}
  /\ UNCHANGED <<running, generation, called, process, tally, emitters, known, borrowed>>

-----------------------------------------------------------------------------
(* Internal actions: an unload *)

Unloads(h, q, g) == \* what a host does of it at once: the manager is found no more, its caches go, its queue is told to stop
  /\ Unregisters(h, q)
  /\ lives' = [lives EXCEPT ![h, q] = {IF x.generation = g THEN [x EXCEPT !.phase = "stopping", !.ready = {}] ELSE x : x \in @}]
  /\ tally' = [tally EXCEPT ![h] = @ - 1]
  /\ UNCHANGED <<generation, process, emitters, known>>

Unload(h, q, g) == \* a call to unload a generation arrives; a later generation takes no notice, nor one that was unloaded before
  /\ process[h] # "ended"
  /\ g \in 1..generation[h, q]
  /\ Registered(h, q, g) => <<h, q, g>> \in called
  /\ IF Registered(h, q, g) THEN Unloads(h, q, g) /\ Leaves(h, q) ELSE UNCHANGED vars

Stop(h, q, g) == \* the emitter has ended, and then what it showed is set to zero
  /\ InPhase(h, q, g, {"stopping"})
  /\ lives' = Becomes(h, q, g, "stopping", LAMBDA x : [x EXCEPT !.phase = "stopped"])
  /\ gauges' = {IF SeriesOf(r, h, q, g) THEN [r EXCEPT !.value = 0] ELSE r : r \in gauges}
  /\ UNCHANGED <<running, generation, sought, called, process, tally, samples, known, borrowed>>

RemoveSeries(h, q, g) == \* long after a generation has stopped its series are removed, and nothing tells of it any more
  /\ InPhase(h, q, g, {"stopped"})
  /\ lives' = [lives EXCEPT ![h, q] = {x \in @ : x.generation # g}]
  /\ gauges' = {r \in gauges : ~SeriesOf(r, h, q, g)}
  /\ UNCHANGED <<running, generation, sought, called, process, tally, samples, known, borrowed>>

-----------------------------------------------------------------------------
(* Internal actions: gauges, and what a host is told *)

Sample(h, q, g, n) == \* the emitter of a running queue ticks: it reads how many records its backlog counts
  /\ InPhase(h, q, g, {"running"})
  /\ ~\E x \in samples : <<x[1], x[2], x[3]>> = <<h, q, g>>
  /\ <<h, g>> \in holder[q] => n >= stored[q]
  /\ samples' = samples \cup {<<h, q, g, n>>}
  /\ UNCHANGED <<running, generation, lives, sought, called, process, tally, gauges, known, borrowed>>

Emit(h, q, g) == \* the tick shows what it read, under the generation's tag; once the emitter has ended it shows nothing
  \E x \in samples :
    /\ <<x[1], x[2], x[3]>> = <<h, q, g>>
    /\ samples' = samples \ {x}
    /\ IF InPhase(h, q, g, {"running", "stopping"})
       THEN \E y \in lives[h, q] : y.generation = g /\ gauges' = Shown(h, q, g, y.tag, x[4])
       ELSE UNCHANGED gauges
    /\ UNCHANGED <<running, generation, lives, sought, called, process, tally, known, borrowed>>

HearNamespace(h, r) == \* a host is told of a revision of the namespace: if it is news, and of another state, it calls for unloads
  /\ process[h] # "ended"
  /\ r \in 1..Len(clusters)
  /\ IF r > revision[h]
     THEN /\ revision' = [revision EXCEPT ![h] = r]
          /\ called' = IF h \in UnloadOnNamespaceStateChange
                       THEN called \cup {x \in LoadedAt(h) : ~Tagged(x, StateAt(r))}
                       ELSE called
     ELSE UNCHANGED <<revision, called>>
  /\ UNCHANGED <<running, generation, lives, sought, process, tally, emitters, clusters, owners, ownership, borrowed>>

HearOwners(h, n) == \* a host is told who owns the partitions: if it is news, it calls for the unload of what it has lost
  /\ process[h] # "ended"
  /\ n \in 1..Len(owners)
  /\ IF n > ownership[h]
     THEN /\ ownership' = [ownership EXCEPT ![h] = n]
          /\ called' = called \cup {x \in LoadedAt(h) : owners[n][x[2]] # h}
     ELSE UNCHANGED <<ownership, called>>
  /\ UNCHANGED <<running, generation, lives, sought, process, tally, emitters, clusters, owners, revision, borrowed>>

Idle(h, q) == \* no poll waits, and the manager is taken for unused
  /\ Serves(h, q)
  /\ <<h, q, generation[h, q]>> \notin waiting
  /\ called' = called \cup {<<h, q, generation[h, q]>>}
  /\ UNCHANGED <<running, generation, lives, sought, process, tally, emitters, known, borrowed>>

Conflict(h, q) == \* the manager learns from the store that its writes do not count
  /\ Serves(h, q)
  /\ <<h, generation[h, q]>> \notin holder[q]
  /\ called' = called \cup {<<h, q, generation[h, q]>>}
  /\ UNCHANGED <<running, generation, lives, sought, process, tally, emitters, known, borrowed>>

ShutDown(h) == \* a host shuts down: it loads nothing any more, and calls for the unload of all that it holds
  /\ process[h] = "up"
  /\ process' = [process EXCEPT ![h] = "closing"]
  /\ called' = called \cup LoadedAt(h)
  /\ UNCHANGED <<running, generation, lives, sought, tally, emitters, known, borrowed>>

-----------------------------------------------------------------------------
(* Environment actions *)

Crash(h) == \* a process ends, with all that it had in memory; its polls and its lease show it one by one
  /\ process[h] # "ended"
  /\ lives' = [m \in Manager |-> IF m[1] = h THEN {} ELSE lives[m]]
  /\ sought' = {m \in sought : m[1] # h}
  /\ called' = {x \in called : x[1] # h}
  /\ process' = [process EXCEPT ![h] = "ended"]
  /\ tally' = [tally EXCEPT ![h] = 0]
  /\ samples' = {x \in samples : x[1] # h}
  /\ gauges' = {r \in gauges : r.host # h}
  /\ UNCHANGED <<running, generation, known, borrowed>>

Restart(h) == \* a new process begins, once all that the old one held has vanished, and knows what there is to know
  /\ process[h] = "ended"
  /\ \A q \in Partition : ~running[h, q]
  /\ process' = [process EXCEPT ![h] = "up"]
  /\ revision' = [revision EXCEPT ![h] = Len(clusters)]
  /\ ownership' = [ownership EXCEPT ![h] = Len(owners)]
  /\ UNCHANGED <<running, generation, lives, sought, called, tally, emitters, clusters, owners, borrowed>>

Vanish(h, q) == \* what a process that has ended held is gone for others too
  /\ process[h] = "ended"
  /\ running[h, q]
  /\ Unregisters(h, q)
  /\ Leaves(h, q)
  /\ UNCHANGED <<generation, lives, process, tally, emitters, known>>

ChangeNamespace(c) == \* the namespace gets a new revision: a failover, or one that leaves it in its cluster
  /\ Len(clusters) + 1 \in Revision
  /\ clusters' = Append(clusters, c)
  /\ UNCHANGED <<running, generation, lives, sought, called, process, tally, emitters, owners, revision, ownership, borrowed>>

ChangeOwners(o) == \* the membership changes: partitions get new owners
  /\ Len(owners) + 1 \in Ownership
  /\ owners' = Append(owners, o)
  /\ UNCHANGED <<running, generation, lives, sought, called, process, tally, emitters, clusters, revision, ownership, borrowed>>

Wait(h, q) == \* a poll waits at a manager that serves
  /\ Serves(h, q)
  /\ <<h, q, generation[h, q]>> \notin waiting
  /\ waiting' = waiting \cup {<<h, q, generation[h, q]>>}
  /\ UNCHANGED <<own, holder, stored>>

Settle(h, q, g) == \* a task, the deadline or its caller ends the last poll that waits
  /\ <<h, q, g>> \in waiting
  /\ waiting' = waiting \ {<<h, q, g>>}
  /\ UNCHANGED <<own, holder, stored>>

Lead(h, q) == \* a manager learns that the lease is its own
  /\ Serves(h, q)
  /\ holder[q] = {}
  /\ holder' = [holder EXCEPT ![q] = {<<h, generation[h, q]>>}]
  /\ UNCHANGED <<own, waiting, stored>>

TakeLease(q) == \* somebody takes the lease: nobody's writes count until it learns so
  /\ holder[q] # {}
  /\ holder' = [holder EXCEPT ![q] = {}]
  /\ UNCHANGED <<own, waiting, stored>>

ChangeBacklog(q, n) == \* records come, or go for cause
  /\ n # stored[q]
  /\ stored' = [stored EXCEPT ![q] = n]
  /\ UNCHANGED <<own, waiting, holder>>

-----------------------------------------------------------------------------

Next ==
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : Abandon(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation, p \in Part : FinishPart(h, q, g, p)
  \/ \E h \in Host, q \in Partition, g \in Generation : Fail(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Publish(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Start(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Unload(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : RemoveSeries(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation, n \in Depth : Sample(h, q, g, n)
  \/ \E h \in Host, q \in Partition, g \in Generation : Emit(h, q, g)
  \/ \E h \in Host, r \in Revision : HearNamespace(h, r)
  \/ \E h \in Host, n \in Ownership : HearOwners(h, n)
  \/ \E h \in Host, q \in Partition : Idle(h, q)
  \/ \E h \in Host, q \in Partition : Conflict(h, q)
  \/ \E h \in Host : ShutDown(h)
  \/ \E h \in Host : Crash(h)
  \/ \E h \in Host : Restart(h)
  \/ \E h \in Host, q \in Partition : Vanish(h, q)
  \/ \E c \in Cluster : ChangeNamespace(c)
  \/ \E o \in [Partition -> Host] : ChangeOwners(o)
  \/ \E h \in Host, q \in Partition : Wait(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation : Settle(h, q, g)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E q \in Partition : TakeLease(q)
  \/ \E q \in Partition, n \in Depth : ChangeBacklog(q, n)

Fairness == \* what hosts owe, and who brings the news; no caller, failure, failover or crash is owed
  /\ \A h \in Host, q \in Partition : WF_vars(Load(h, q))
  /\ \A h \in Host, q \in Partition, g \in Generation, p \in Part : WF_vars(FinishPart(h, q, g, p))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Publish(h, q, g))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Start(h, q, g))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Unload(h, q, g))
  /\ \A h \in Host, q \in Partition, g \in Generation : WF_vars(Stop(h, q, g))
  /\ \A h \in Host, r \in Revision : WF_vars(HearNamespace(h, r))
  /\ \A h \in Host, n \in Ownership : WF_vars(HearOwners(h, n))
  /\ \A h \in Host, q \in Partition : WF_vars(Idle(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(Vanish(h, q))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

OneAliveInv == \* of the generations of a partition a host has one alive at most, and callers find it
  \A m \in Manager : \A x \in lives[m] : x.phase \in Alive => Registered(m[1], m[2], x.generation)

FoundAliveInv == \* what callers find at a host is alive, and the host reports as many as they find: a stop counts once
  \A h \in Host : process[h] # "ended" =>
    /\ \A x \in LoadedAt(h) : InPhase(h, x[2], x[3], Alive)
    /\ tally[h] = Cardinality(LoadedAt(h))

WaitingInv == \* polls wait only under a manager that callers find: an unload ends them
  \A x \in waiting : Registered(x[1], x[2], x[3])

CachesInv == \* a generation that has been unloaded has no caches, also when an answer comes late
  \A m \in Manager : \A x \in lives[m] : x.phase \notin Alive => x.ready = {}

OneWriterInv == \* of all hosts that hold a manager of a partition one can write at most
  \A q \in Partition :
    /\ Cardinality(holder[q]) <= 1
    /\ \A x \in holder[q] : Registered(x[1], q, x[2])

DeadSeriesInv == \* every series of a generation that has stopped reads zero or is gone
  \A r \in gauges : r.value # 0 => InPhase(r.host, r.partition, r.generation, {"running", "stopping"})

LabelInv == \* a label set has one reading, and its state is that which the generation was tagged with
  \A r \in gauges :
    /\ Tagged(<<r.host, r.partition, r.generation>>, r.state)
    /\ \A s \in gauges : [s EXCEPT !.value = r.value] = r => s = r

TagInv == \* with the flag on a manager's tag tells the present, or it has been called to unload
  \A h \in UnloadOnNamespaceStateChange :
    process[h] # "ended" => \A x \in LoadedAt(h) : Tagged(x, StateOf(h)) \/ x \in called

LearnsInv == \* what is news of one history is taken as such, whatever the host knows of the other
  \A h \in Host : process[h] # "ended" =>
    /\ \A r \in revision[h] + 1..Len(clusters) : ENABLED (HearNamespace(h, r) /\ revision'[h] = r)
    /\ \A n \in ownership[h] + 1..Len(owners) : ENABLED (HearOwners(h, n) /\ ownership'[h] = n)

-----------------------------------------------------------------------------
(* Step properties *)

Order(phase) == CASE phase = "loading" -> 1 [] phase = "publishing" -> 2 [] phase = "running" -> 3 [] phase = "stopping" -> 4 [] OTHER -> 5
AllBut(h, q, g) == <<running[h, q], waiting, holder, stored, called, sought, tally, {x \in lives[h, q] : x.generation # g}, {r \in gauges : ~SeriesOf(r, h, q, g)}>> \* what there is to see but that generation

FinalProp == \* a generation only goes on, and one that has gone does not come back: stop is final
  [][\A m \in Manager : \A x \in lives'[m] \ lives[m] :
       \/ x.generation > generation[m]
       \/ \E y \in lives[m] : y.generation = x.generation /\ y.tag = x.tag /\ Order(y.phase) <= Order(x.phase)]_vars

IsolationProp == \* what happens to a generation that has been unloaded is seen nowhere else
  [][\A h \in Host, q \in Partition : process'[h] = process[h] => \A x \in lives[h, q] \ lives'[h, q] :
       x.phase \notin Alive => AllBut(h, q, x.generation)' = AllBut(h, q, x.generation)]_vars

ByNameProp == \* no manager goes but by a call that names its generation, or with its process
  [][\A h \in Host, q \in Partition :
       running[h, q] /\ ~running'[h, q] => <<h, q, generation[h, q]>> \in called \/ process[h] = "ended"]_vars

LateProp == \* what comes late of a generation that has gone changes nothing
  [][\A h \in Host, q \in Partition : \A g \in 1..generation[h, q] :
       /\ ~Registered(h, q, g) => ~(Unload(h, q, g) \/ Fail(h, q, g) \/ \E p \in Part : FinishPart(h, q, g, p))
       /\ Emit(h, q, g) /\ ~InPhase(h, q, g, {"running", "stopping"}) => gauges' = gauges]_vars

FailoverProp == \* a failover calls for no unload where the flag is off, or where the state here stays the same
  [][\A h \in Host : revision'[h] # revision[h] /\ (h \notin UnloadOnNamespaceStateChange \/ StateOf(h)' = StateOf(h))
       => called' = called]_vars

NewOwnersProp == \* new owners call for the unload of exactly what the host has lost
  [][\A h \in Host : ownership'[h] # ownership[h] /\ process[h] # "ended"
       => called' = called \cup {x \in LoadedAt(h) : ~Owns(h, x[2])'}]_vars

LeavingProp == \* a caller that leaves, or comes, changes nothing of the load
  [][sought' # sought /\ UNCHANGED <<lives, process>> => UNCHANGED <<running, called>>]_vars

QuietProp == \* a partition is loaded for a call that waits, by a host that is up; calls come from callers alone
  [][/\ \A h \in Host, q \in Partition : generation'[h, q] # generation[h, q] => <<h, q>> \in sought /\ process[h] = "up"
     /\ ~(sought' \subseteq sought) => UNCHANGED <<running, lives>>]_vars

BacklogSurvivesProp == \* records come and go by themselves: nothing that happens to a manager touches them
  [][stored' # stored => UNCHANGED <<own, waiting, holder>>]_vars

KnownGrowsProp == \* a host goes back in no history, and what it is told of one it does not take for the other
  [][\A h \in Host :
       /\ revision'[h] >= revision[h]
       /\ ownership'[h] >= ownership[h]
       /\ revision'[h] # revision[h] /\ process[h] # "ended" => ownership' = ownership]_vars

CountedProp == \* a manager whose writes count never counts fewer records than there are
  [][\A x \in samples' \ samples : <<x[1], x[3]>> \in holder[x[2]] => x[4] >= stored[x[2]]]_vars

-----------------------------------------------------------------------------
(* Liveness *)

Lies(h, q) == process[h] # "ended" /\ \E x \in LoadedAt(h) : x[2] = q /\ ~Tagged(x, StateOf(h)) \* a manager's tag does not tell the present
Lost(h, q) == running[h, q] /\ owners[Len(owners)][q] # h \* another host owns what this one holds

ServedProp == \* a partition that is asked for is served, if the host stays up and nothing calls for an unload from some time on
  \A h \in Host, q \in Partition :
    <>[](process[h] = "up" /\ <<h, q, generation[h, q]>> \notin called /\ (running[h, q] \/ generation[h, q] + 1 \in Generation))
      => (<<h, q>> \in sought ~> <<h, q>> \notin sought)

LossProp == \* what a host holds and has lost without knowing it, it gives up for that
  \A h \in Host, q \in Partition, g \in Generation \ {0} :
    (Registered(h, q, g) /\ ownership[h] < Len(owners) /\ Lost(h, q)) ~> (~Registered(h, q, g) \/ ~Lost(h, q))

ZeroedProp == \* what was told to stop stops, and its series read zero
  \A h \in Host, q \in Partition, g \in Generation : InPhase(h, q, g, {"stopping"}) ~> ~InPhase(h, q, g, {"stopping"})

LearnsProp == \* a host learns of the namespace's newest revision
  \A h \in Host : revision[h] # Len(clusters) ~> (process[h] = "ended" \/ revision[h] = Len(clusters))

VanishesProp == \* what a process that has ended held goes for others too
  \A h \in Host, q \in Partition :
    (process[h] = "ended" /\ running[h, q]) ~> ~(process[h] = "ended" /\ running[h, q])

CalledGoesProp == \* what is called to unload goes
  \A h \in Host, q \in Partition, g \in Generation : <<h, q, g>> \in called ~> ~Registered(h, q, g)

GivenUpProp == \* what a host has lost it gives up, also what it loaded later, once no poll waits there
  \A h \in Host, q \in Partition :
    <>[](\A g \in Generation : <<h, q, g>> \notin waiting) => (Lost(h, q) ~> ~Lost(h, q))

LieEndsProp == \* a tag that does not tell the present goes when nobody uses the partition any more, whatever the flag
  \A h \in Host, q \in Partition :
    <>[](<<h, q>> \notin sought /\ \A g \in Generation : <<h, q, g>> \notin waiting) => <>[]~Lies(h, q)

THEOREM Spec => []TypeOK
THEOREM Spec => [](/\ OneAliveInv /\ FoundAliveInv /\ WaitingInv /\ CachesInv /\ OneWriterInv
                   /\ DeadSeriesInv /\ LabelInv /\ TagInv /\ LearnsInv)
THEOREM Spec => /\ FinalProp /\ IsolationProp /\ LateProp /\ ByNameProp
                /\ FailoverProp /\ NewOwnersProp /\ LeavingProp /\ QuietProp /\ BacklogSurvivesProp /\ KnownGrowsProp /\ CountedProp
THEOREM Spec => /\ ServedProp /\ CalledGoesProp /\ LossProp /\ GivenUpProp
                /\ ZeroedProp /\ LearnsProp /\ VanishesProp /\ LieEndsProp
=============================================================================
