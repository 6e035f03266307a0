------------------------------- MODULE Given -------------------------------
(*****************************************************************************)
(* Operators, LAMBDAs and actions handed over as arguments.                  *)
(*****************************************************************************)
EXTENDS Naturals, FiniteSets
VARIABLES x, y
Init == x = 0 /\ y = {}
Apply(Op(_), v) == Op(v)
Do(A(_, _), v, w) == A(v, w) /\ x' \in 0..2
Both(A, B) == A /\ B
Filter(S, P(_)) == {s \in S : P(s)}
Put(old, new) == x' = (old + new) % 3
Add(k) == Do(Put, x, k) /\ y' = Filter(y \cup {x}, LAMBDA s : s # k)
Set == x \in Nat /\ Both(Apply(LAMBDA v : x' = v, 1), y' = Filter({0, 1, 2}, LAMBDA s : s > x))
Clear == LET Is(s) == s = x IN Filter(y, Is) # {} /\ y' = {} /\ Apply(LAMBDA v : x' = v, x)
Next == (\E k \in 1..2 : Add(k)) \/ Set \/ Clear
=============================================================================
