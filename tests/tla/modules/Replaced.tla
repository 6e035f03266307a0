------------------------------ MODULE Replaced ------------------------------
(*****************************************************************************)
(* Constants, definitions and operators of standard modules, replaced by cfg.*)
(*****************************************************************************)
EXTENDS Naturals, Limits
CONSTANTS Start, Step(_), Names
VARIABLES n, name
StartHere == 1
StepHere(k) == k + 2
Few == 0..4
TopHere == 3
Init == n = Start /\ name \in Names
Up == n \in Nat /\ n' = Step(n) /\ n' \in Nat /\ UNCHANGED name
Down == \E k \in Nat : k < n /\ k <= Top /\ n' = k /\ name' \in Names \ {Banned}
Next == Up \/ Down
=============================================================================
