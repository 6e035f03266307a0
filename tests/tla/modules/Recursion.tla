----------------------------- MODULE Recursion -----------------------------
(*****************************************************************************)
(* RECURSIVE operators, alone, mutual and inside of LET; recursive functions.*)
(*****************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES heap, sum
RECURSIVE Total(_), Even(_), Odd(_)
Total(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN x + Total(S \ {x})
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)
power[n \in Nat] == IF n = 0 THEN 1 ELSE 2 * power[n - 1]
Init == heap = {} /\ sum = 0
Add(n) == n \notin heap /\ heap' = heap \cup {n} /\ sum' = Total(heap')
Drop == \E n \in heap : Even(n) /\ heap' = heap \ {n} /\ sum' = Total(heap')
Double ==
  LET RECURSIVE Times(_, _)
      Times(k, n) == IF k = 0 THEN n ELSE Times(k - 1, 2 * n)
  IN sum < 4 /\ Odd(sum) /\ heap' = {power[Cardinality(heap)]} /\ sum' = Times(1, sum)
Next == (\E n \in 0..2 : Add(n)) \/ Drop \/ Double
=============================================================================
