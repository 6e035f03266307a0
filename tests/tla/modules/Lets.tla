-------------------------------- MODULE Lets --------------------------------
(*****************************************************************************)
(* LET inside of actions: values, operators, actions, names that are primed. *)
(*****************************************************************************)
EXTENDS Naturals
VARIABLES n, seen
Init == n = 0 /\ seen = {}
Up ==
  LET next == (n + 1) % 3
      Record(k) == seen' = seen \cup {k}
      unused == 1 \div 0
  IN /\ LET Both == n' = next /\ Record(next) IN Both
     /\ LET all == seen' IN all # {0, 1, 2}
Forget == LET v == n w == seen IN /\ w # {} /\ v' = v /\ w' \in {w \ {k} : k \in {v, 0}}
Next == Up \/ Forget
=============================================================================
