------------------------------ MODULE MCTaskQueue ------------------------------
(***************************************************************************)
(* Bounds, symmetry and situations for TaskQueue.  A situation that must   *)
(* be reachable is a state predicate Never...: its model is violated.      *)
(***************************************************************************)
EXTENDS TaskQueue, TLC

Slots == Permutations(Event)
Attempts1 == 0..1
Attempts2 == 0..2

NeverTwice == \* an attempt is due in two places at once: it is offered from either, and started once
  \A e \in Event : status[e] = "due" => places[e] # Place
NeverEndedKept == \* what has ended is still kept, and may be offered again
  \A e \in Event : status[e] = "ended" => places[e] = {}
===============================================================================
