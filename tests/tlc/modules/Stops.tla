------------------------------- MODULE Stops -------------------------------
(* x counts to 2 and stops there; y is left alone, or forgotten. *)
EXTENDS Naturals

VARIABLES x, y

Init == x = 0 /\ y = 0
Step == x < 2 /\ x' = x + 1 /\ y' = y
Forgets == x < 2 /\ x' = x + 1
Spec == Init /\ [][Step]_<<x, y>>
TwoProp == <>(x = 2)
=============================================================================
