------------------------------- MODULE Named -------------------------------
(***************************************************************************)
(* Actions that are parts of other formulas, by number and by label.       *)
(***************************************************************************)
EXTENDS Naturals

VARIABLES x, y

Both ==
  \/ x < 3 /\ x' = x + 1 /\ y' = y
  \/ lowers:: (x > 0 /\ x' = x - 1 /\ UNCHANGED y)
Moves == \E d \in 1..2 : by(d):: (y' = (y + d) % 3 /\ x' = x)
Steps == /\ x # 1
         /\ Both!lowers

Init == x = 0 /\ y \in {0, 2}
Next == Both!1 \/ Steps!2 \/ Moves!by(2)
Low == Steps!1 \/ Init!2 \/ y < 3
=============================================================================
