------------------------------ MODULE Follows ------------------------------
(* x goes 0, 1 and back; another module says what it must do. *)
EXTENDS Naturals

VARIABLE x

Count == INSTANCE Counts

Init == x = 0
Next == x' = 1 - x
BothProp == [][x' # x]_x
UpProp == Count!GrowsProp \* as that module has it
=============================================================================
