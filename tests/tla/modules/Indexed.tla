------------------------------ MODULE Indexed ------------------------------
(*****************************************************************************)
(* INSTANCE with parameters, over a function's values.                       *)
(*****************************************************************************)
EXTENDS Naturals
CONSTANT Hand
VARIABLES at, turn
One(h, size) == INSTANCE Inner WITH Size <- size, Move <- LAMBDA n : n + size - 1, place <- at[h]
Init == at = [h \in Hand |-> 0] /\ turn \in Hand
Go(h) ==
  /\ turn = h
  /\ at' = [at EXCEPT ![h] = (@ + 1) % 3]
  /\ turn' \in Hand
  /\ One(h, 3)!AtEnd => turn' # h
Rest == (\A h \in Hand : One(h, 2)!AtEnd) /\ turn' = turn /\ at' = [h \in Hand |-> 2]
Next == (\E h \in Hand : Go(h)) \/ Rest
=============================================================================
