-------------------------------- MODULE Arms --------------------------------
(*****************************************************************************)
(* CASE and IF whose arms give variables their values, or branch.            *)
(*****************************************************************************)
EXTENDS Naturals
VARIABLES light, count
Init == light = "red" /\ count = 0
Turn ==
  CASE light = "red" /\ count < 2 -> light' = "green" /\ count' \in {count, count + 1}
    [] light = "green" -> IF count = 0 THEN light' = "off" /\ UNCHANGED count
                                       ELSE light' \in {"red", "off"} /\ count' = count
    [] OTHER -> /\ light' = "red"
                /\ IF count > 1 THEN count' = 0 ELSE count' = count + 1
Guard == (count > 0 => light # "red") /\ (IF light = "off" THEN count = 1 \/ count = 2 ELSE FALSE) /\ count' = 0 /\ UNCHANGED light
Next == Turn \/ Guard
=============================================================================
