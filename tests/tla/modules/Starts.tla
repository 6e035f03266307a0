------------------------------- MODULE Starts -------------------------------
(*****************************************************************************)
(* Several initial states, reached through choices, arms and quantifiers.    *)
(*****************************************************************************)
EXTENDS Integers, TLC
VARIABLES x, f, on
Init ==
  /\ \/ x = 0 /\ on = TRUE
     \/ \E k \in {1, 2} : x = -k /\ on \in BOOLEAN
  /\ IF on THEN f \in [{x} -> {0, 1}] ELSE f = (x :> 1)
  /\ (on => f[x] >= 0)
Step == x < 0 /\ x' = x + 1 /\ f' = (x' :> f[x]) /\ on' \in BOOLEAN
Flip == f' = [f EXCEPT ![x] = 1 - @] /\ UNCHANGED <<x, on>>
Next == Step \/ Flip
=============================================================================
