-------------------------------- MODULE Able --------------------------------
(*****************************************************************************)
(* ENABLED of actions with parameters, negated and quantified.               *)
(*****************************************************************************)
EXTENDS Naturals
VARIABLES coins, box
Init == coins = 2 /\ box = 0
Pay(k) == coins >= k /\ coins' = coins - k /\ box' = box + k
Return == box > 0 /\ ~ENABLED Pay(1) /\ coins' = box /\ box' = 0
Stuck == ENABLED (Pay(2) /\ box' = 2) /\ coins' \in {0, 1} /\ box' = 2 - coins'
Wait == (\A k \in 1..2 : ENABLED Pay(k) <=> coins >= k) /\ coins = 1 /\ UNCHANGED <<coins, box>>
Next == (\E k \in 1..2 : Pay(k)) \/ Return \/ Stuck \/ Wait
=============================================================================
