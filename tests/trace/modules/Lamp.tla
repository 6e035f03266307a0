-------------------------------- MODULE Lamp --------------------------------
(***************************************************************************)
(* A lamp is switched and dimmed: disjuncts inside of actions, and         *)
(* properties that a run may leave alone.                                  *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT Lamp \* ids of lamps

VARIABLES
  on,    \* SUBSET Lamp: the lamps that shine
  level  \* [Lamp -> 0..9]: how bright they are set

vars == <<on, level>>

Init == \* all is dark
  /\ on = {}
  /\ level = [l \in Lamp |-> 5]

Switch(l) == \* a lamp is switched
  /\ \/ l \notin on /\ on' = on \cup {l}
     \/ l \in on /\ on' = on \ {l}
  /\ UNCHANGED level

Dim(l) == \* a lamp is dimmed, or, at the lowest level, goes out
  /\ l \in on
  /\ IF level[l] > 1
     THEN level' = [level EXCEPT ![l] = @ - 1] /\ on' = on
     ELSE level' = level /\ on' = on \ {l}

Break(l) == \* a lamp breaks for one of two reasons
  /\ \E why \in {"heat", "age"} :
       \/ why = "heat" /\ level[l] = 9
       \/ why = "age" /\ level[l] < 9
  /\ on' = on \ {l}
  /\ UNCHANGED level

Next ==
  \/ \E l \in Lamp : Switch(l)
  \/ \E l \in Lamp : Dim(l)
  \/ \E l \in Lamp : Break(l)

Spec == Init /\ [][Next]_vars

BrightInv == \* a lamp that shines has a level, and a bright one is not too bright
  \A l \in on :
    /\ level[l] > 0
    /\ level[l] > 7 => level[l] < 10

SetInv == \* a lamp that does not shine keeps its level
  \A l \in Lamp : l \notin on => level[l] \in 0..9

SlowProp == \* a lamp that goes on shining changes its level by one
  [][\A l \in on : l \in on' => level[l] - level'[l] <= 1]_vars
=============================================================================
