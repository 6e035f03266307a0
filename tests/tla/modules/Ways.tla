-------------------------------- MODULE Ways --------------------------------
(***************************************************************************)
(* Definitions through which TLC takes an action apart, or does not.       *)
(* Models    one state, x = 0 and s = {1, 2, 3}.                            *)
(* Omits     what is asked of it: see ways.txt.                             *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC
VARIABLES row, x, s

Either == x = 0 \/ x < 5
Op(p) == p
Both(p, q) == p /\ q
Apply(F(_), n) == F(n)
Below(n) == x = 0 \/ x < n
All(S) == \A i \in S : x < i \/ i > 0
THEOREM Known == x = 0 \/ x < 5

Plain == [i \in 1..2 |-> x = 0 \/ x < 5]
Given[i \in 1..2] == x = 0 \/ x < i
Fixed[i \in 1..2] == i > 0 \/ i < 5

RECURSIVE Down(_), Keeping(_), Even(_), Odd(_)
Down(n) == IF n = 0 THEN Either ELSE Down(n - 1)
Keeping(n) == IF n = 0 THEN s' = s ELSE (n > 0 \/ n = 7) /\ Keeping(n - 1)
Even(n) == IF n = 0 THEN Either ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1) /\ Op(Either)

In(y) == INSTANCE Lower
It == INSTANCE Lower WITH y <- x
=============================================================================
