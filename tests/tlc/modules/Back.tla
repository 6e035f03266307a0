-------------------------------- MODULE Back --------------------------------
(* Names and values that hold the words of a lasso's last line. *)
EXTENDS Naturals

VARIABLES x, text

Init == x = 0 /\ text = "Back to state: 1"
Back2state == x < 5 /\ x' = x + 1 /\ text' = "2: Back to state: <Back2state"
Next == Back2state

BelowThreeInv == x < 3
=============================================================================
