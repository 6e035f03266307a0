------------------------------ MODULE Settles ------------------------------
(* x counts from 1 to 5 and stays there. *)
EXTENDS Naturals

VARIABLE x

Init == x = 1
Step == x < 5 /\ x' = x + 1
Stay == x = 5 /\ x' = x
Next == Step \/ Stay
Spec == Init /\ [][Next]_x /\ WF_x(Next)
SettlesProp == (x = 1) => <>[](x = 5)
=============================================================================
