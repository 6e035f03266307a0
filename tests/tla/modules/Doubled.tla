------------------------------ MODULE Doubled ------------------------------
(***************************************************************************)
(* A module with one constant, to be instantiated.                         *)
(***************************************************************************)
EXTENDS Naturals
CONSTANT Base
Twice == Base * 2
Helper(y) == Base + y
Scale(x) == Twice * x + Helper(x)
Plus1(x) == LET z == Base IN x + z
Within(a) == /\ a > Base
             /\ \E y \in {1, a} : inside(y):: y > a
=============================================================================
