------------------------------- MODULE Grows -------------------------------
(* x counts up for ever; two model values stand for each other. *)
EXTENDS Naturals, TLC

CONSTANT Pair
VARIABLE x

Init == x = 0
Step == x' = x + 1
Spec == Init /\ [][Step]_x /\ WF_x(Step)
Bound == x < 3
Swaps == Permutations(Pair)
TenProp == <>(x = 10)
GrowsProp == [][x' > x]_x
=============================================================================
