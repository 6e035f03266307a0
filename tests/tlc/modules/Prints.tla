------------------------------- MODULE Prints -------------------------------
(* Every step prints. *)
EXTENDS Naturals, TLC

VARIABLE x

Init == x = 0
Step == x' = (x + 1) % 24 /\ PrintT(<<"step", x, x'>>)
=============================================================================
