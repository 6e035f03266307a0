------------------------------- MODULE Grows -------------------------------
(* x counts up for ever; two model values stand for each other. *)
EXTENDS Naturals, TLC

CONSTANT Pair
VARIABLE x

Init == x = 0
Step == x' = x + 1
Safe == Init /\ [][Step]_x
Spec == Safe /\ WF_x(Step)
Bound == x < 3
Swaps == Permutations(Pair)
TenProp == <>(x = 10)
GrowsProp == [][x' > x]_x
=============================================================================
