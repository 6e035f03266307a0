----------------------------- MODULE GrowsMore -----------------------------
(* x counts up for ever, as Grows says with and without what is owed. *)
EXTENDS Naturals, TLC

CONSTANT Pair
VARIABLE x

Below == INSTANCE Grows

Init == Below!Init
Next == Below!Step
Bound == Below!Bound
Swaps == Below!Swaps
SafeProp == Below!Safe
OwedProp == Below!Spec
=============================================================================
