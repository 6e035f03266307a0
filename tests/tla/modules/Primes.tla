------------------------------- MODULE Primes -------------------------------
(*****************************************************************************)
(* Primed definitions, primed expressions, and values read in the next state.*)
(*****************************************************************************)
EXTENDS Naturals
VARIABLES a, b, log
both == <<a, b>>
Sum == a + b
Less(x, y) == x < y
Pair(x) == <<x, Sum>>
Init == a \in 0..1 /\ b = 1 - a /\ log = <<a, 1>>
Swap == a' = b /\ b' = a /\ Sum' = Sum /\ log' = Pair(a)'
Grow == a' = (a + 1) % 3 /\ b' = (a' + b) % 2 /\ (Sum # Sum') /\ log' = <<both'[2], Sum'>>
Keep == Less(a', b') = FALSE /\ UNCHANGED both /\ log' = log
Same == UNCHANGED both /\ ~Less(a, b)' /\ log' = <<0, (a + b)'>>
Next == Swap \/ Grow \/ (a' = a /\ b' = b /\ Keep) \/ Same
=============================================================================
