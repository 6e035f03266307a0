------------------------------- MODULE Common -------------------------------
(* Actions of which TLC says only that they are of Next: one under a guard, one whose set depends on the state. *)
EXTENDS Naturals

VARIABLE x

Init == x = 0
Up == x' = x + 1
Jump(n) == x' = n
Guarded == x < 9 /\ (Up \/ x' = x + 2)
Next == \E n \in {x + 3} : Jump(n)
Other == x < 4 /\ (Up \/ x' = 0)

SmallInv == x < 3
=============================================================================
