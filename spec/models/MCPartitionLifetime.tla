------------------------- MODULE MCPartitionLifetime -------------------------
(***************************************************************************)
(* Bounds, parts of Next, what the real server does otherwise, and         *)
(* situations for PartitionLifetime.  A situation that must be reachable   *)
(* is a predicate Never...: its model is violated.                         *)
(***************************************************************************)
EXTENDS PartitionLifetime

Loads0 == 0..0
Loads1 == 0..1
Loads2 == 0..2
Depth0 == 0..0
Depth1 == 0..1
First == 1..1
Second == 1..2
Third == 1..3

NextSilent == Next /\ UNCHANGED emitters \* no emitter ticks
NextOpen == Next /\ \A h \in Host : process'[h] # "closing" \* no host shuts down
NextSilentOpen == NextSilent /\ \A h \in Host : process'[h] # "closing" \* no host shuts down, and no emitter ticks
SilentSpec == Init /\ [][NextSilent]_vars /\ Fairness \* no emitter ticks, and what must happen does
NextMoves == \* how a partition is loaded, moves to another host, and is given up
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation : Unload(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
  \/ \E h \in Host, n \in Ownership : HearOwners(h, n)
  \/ \E o \in [Partition -> Host] : ChangeOwners(o)
NextHistories == \* the same, while the namespace fails over
  \/ NextMoves
  \/ \E h \in Host, r \in Revision : HearNamespace(h, r)
  \/ \E c \in Cluster : ChangeNamespace(c)

InitOwned == Init /\ owners = <<[q \in Partition |-> CHOOSE h \in Host : TRUE]>> \* nothing is loaded, and one host owns everything
UnloadHalfway(h, q, g) == \* the real server: stop sees a queue that is published and not started, and does nothing
  IF Registered(h, q, g) /\ <<h, q, g>> \in called /\ InPhase(h, q, g, {"publishing"})
  THEN /\ Unregisters(h, q)
       /\ Leaves(h, q)
       /\ tally' = [tally EXCEPT ![h] = @ - 1]
       /\ UNCHANGED <<generation, lives, process, emitters, known>>
  ELSE Unload(h, q, g)
UnloadZeroes(h, q, g) == \* the real server: gauges are set to zero while their emitter goes on
  IF Registered(h, q, g) /\ <<h, q, g>> \in called
  THEN /\ Unregisters(h, q)
       /\ Leaves(h, q)
       /\ lives' = [lives EXCEPT ![h, q] = {IF x.generation = g THEN [x EXCEPT !.phase = "stopping", !.ready = {}] ELSE x : x \in @}]
       /\ tally' = [tally EXCEPT ![h] = @ - 1]
       /\ gauges' = {IF SeriesOf(r, h, q, g) THEN [r EXCEPT !.value = 0] ELSE r : r \in gauges}
       /\ UNCHANGED <<generation, process, samples, known>>
  ELSE Unload(h, q, g)
StopCancels(h, q, g) == \* the real server: the emitter is cancelled last
  /\ InPhase(h, q, g, {"stopping"})
  /\ lives' = Becomes(h, q, g, "stopping", LAMBDA x : [x EXCEPT !.phase = "stopped"])
  /\ UNCHANGED <<running, generation, sought, called, process, tally, emitters, known, borrowed>>
NextHalfway == \* stop between publish and start
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation, p \in Part : FinishPart(h, q, g, p)
  \/ \E h \in Host, q \in Partition, g \in Generation : Publish(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Start(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : UnloadHalfway(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
NextZeroes == \* gauges set to zero before their emitter ends
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : OrderUnload(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation, p \in Part : FinishPart(h, q, g, p)
  \/ \E h \in Host, q \in Partition, g \in Generation : Publish(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Start(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : UnloadZeroes(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : StopCancels(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation, n \in Depth : Sample(h, q, g, n)
  \/ \E h \in Host, q \in Partition, g \in Generation : Emit(h, q, g)
  \/ \E q \in Partition, n \in Depth : ChangeBacklog(q, n)

NextHandover == \* how a partition goes from one owner to the next, when nothing fails and polls may wait for ever
  \/ \E h \in Host, q \in Partition : Seek(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition, g \in Generation, p \in Part : FinishPart(h, q, g, p)
  \/ \E h \in Host, q \in Partition, g \in Generation : Publish(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Start(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Unload(h, q, g)
  \/ \E h \in Host, q \in Partition, g \in Generation : Stop(h, q, g)
  \/ \E h \in Host, n \in Ownership : HearOwners(h, n)
  \/ \E h \in Host, q \in Partition : Idle(h, q)
  \/ \E o \in [Partition -> Host] : ChangeOwners(o)
  \/ \E h \in Host, q \in Partition : Wait(h, q)
HandoverSpec == InitOwned /\ [][NextHandover]_vars /\ Fairness \* nothing fails, and what must happen does

StartedInv == \* a queue that runs is one that callers find, so that it can be stopped
  \A m \in Manager : \A x \in lives[m] : x.phase = "running" => Registered(m[1], m[2], x.generation)
NeverLies == \* a manager that is not called to unload reports a state of the namespace that is past
  \A h \in Host, q \in Partition : Lies(h, q) => <<h, q, generation[h, q]>> \in called
NeverTwoHold == \* two hosts hold a manager of one partition, and both serve
  \A h, o \in Host, q \in Partition : Serves(h, q) /\ Serves(o, q) => h = o
NeverOvertaken == \* a failover overtakes a load: it is called to unload before it can serve
  \A h \in Host, q \in Partition :
    Lies(h, q) /\ <<h, q, generation[h, q]>> \in called => ~InPhase(h, q, generation[h, q], {"loading"})
NeverHalfway == \* a manager is unloaded between publish and start
  [][\A m \in Manager : \A x \in lives[m], y \in lives'[m] :
       x.generation = y.generation /\ x.phase = "publishing" => y.phase # "stopping"]_vars
NeverBesides == \* a generation serves while the one before has still to stop
  \A h \in Host, q \in Partition : Serves(h, q) => \A x \in lives[h, q] : x.phase # "stopping"
NeverLateTick == \* a tick of a generation that has stopped is still under way, and has a length to show
  \A x \in samples : x[4] # 0 => ~InPhase(x[1], x[2], x[3], {"stopped"})
NeverPassive == \* a manager serves, and a poll waits, while the namespace is passive here
  \A x \in waiting : Active(x[1])
NeverAbroad == \* a host that holds a manager hears of a failover between two other clusters
  [][\A h \in Host, q \in Partition :
       running[h, q] /\ revision'[h] # revision[h] /\ ~Active(h) /\ ~Active(h)' => clusters'[revision'[h]] = clusters[revision[h]]]_vars
=============================================================================
