------------------------------- MODULE Fields -------------------------------
(*****************************************************************************)
(* Records, sets of records, and EXCEPT in chains, with @ and outside of the domain.*)
(*****************************************************************************)
EXTENDS Naturals
VARIABLES task, table
Empty == [owner |-> "none", tries |-> 0]
Init == task = Empty /\ table = [k \in {"a", "b"} |-> Empty]
Take(k) ==
  /\ table[k].tries < 1
  /\ table' = [table EXCEPT ![k].tries = @ + 1, ![k].owner = task.owner, ![k] = [@ EXCEPT !.owner = k]]
  /\ task' = [table'[k] EXCEPT !["tries"] = 0]
Give == \E k \in DOMAIN table : table[k] # Empty /\ table' = [table EXCEPT ![k] = Empty] /\ task' = Empty
Odd == task \in [owner : {"a"}, tries : Nat] /\ task' = [task EXCEPT !.none = 1, !.owner = "b"] /\ UNCHANGED table
Next == (\E k \in {"a", "b"} : Take(k)) \/ Give \/ Odd
=============================================================================
