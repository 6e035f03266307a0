------------------------------- MODULE Counts -------------------------------
(* x goes round 0, 1, 2, 3, 4; the questions are about where it may be. *)
EXTENDS Naturals

VARIABLE x

Init == x = 0
Step == x < 4 /\ x' = x + 1
Reset == x = 4 /\ x' = 0
Never == x = 9 /\ x' = 0
Next == Step \/ Reset \/ Never
Spec == Init /\ [][Next]_x /\ WF_x(Next)

PositiveInv == x > 0
BelowThreeInv == x < 3
SmallInv == x < 5
GrowsProp == [][x' > x]_x
ZeroProp == x = 1
SevenProp == <>(x = 7)
ThreeProp == <>(x = 3)
FieldInv == x.field = 1
Below == x < 3
Halves == {x}
Nowhere == x = 0 /\ x > 0
=============================================================================
