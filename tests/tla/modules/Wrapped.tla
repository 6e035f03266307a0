------------------------------ MODULE Wrapped ------------------------------
(*****************************************************************************)
(* INSTANCE with values, operators and expressions in place of constants and *)
(* variables.                                                                *)
(*****************************************************************************)
EXTENDS Integers
VARIABLES left, right
Next1(n) == n + 1
Sum == left + right
L == INSTANCE Inner WITH Size <- 3, Move <- Next1, place <- left
R == INSTANCE Inner WITH Size <- 2, Move <- LAMBDA n : n + 3, place <- right
B == INSTANCE Inner WITH Size <- 4, Move <- Next1, place <- Sum
Init == L!Start /\ R!Start
GoLeft == L!Go /\ UNCHANGED right
GoRight == ~L!AtEnd /\ R!Go /\ left' = left
BackLeft(n) == L!Back(n) /\ UNCHANGED right
AtEnd == B!AtEnd /\ left' = 0 /\ right' = 0
Next == GoLeft \/ GoRight \/ (\E n \in 1..2 : BackLeft(n)) \/ AtEnd
Spec == Init /\ [][Next]_<<left, right>>
=============================================================================
