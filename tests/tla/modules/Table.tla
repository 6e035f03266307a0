------------------------------- MODULE Table -------------------------------
(***************************************************************************)
(* The definitions that the expressions of the table speak of.             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

F(a, b) == IF a THEN 1 ELSE b
RECURSIVE Fold(_,_,_)
Fold(op(_,_), base, S) == IF S = {} THEN base ELSE LET e == CHOOSE e \in S : TRUE IN op(e, Fold(op, base, S \ {e}))
Big(x) == x > 2
Inc(x) == x + 1
Plus(a, b) == a + b
Map(Op(_), S) == {Op(x) : x \in S}
Apply2(Op(_,_), a, b) == Op(a, b)
Fact[n \in Nat] == IF n = 0 THEN 1 ELSE n * Fact[n-1]
RECURSIVE Fib(_)
Fib(n) == IF n < 2 THEN n ELSE Fib(n-1) + Fib(n-2)
RECURSIVE Even(_)
RECURSIVE Odd(_)
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n-1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n-1)
RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Head(s) + Sum(Tail(s))
FF == [x \in 1..5 |-> x + 1]
FF2 == [x, y \in 1..5 |-> x + y]
RECURSIVE Ackermann(_,_)
Ackermann(m, n) == IF m = 0 THEN n + 1 ELSE IF n = 0 THEN Ackermann(m - 1, 1) ELSE Ackermann(m - 1, Ackermann(m, n - 1))
RECURSIVE Mutual1(_)
Mutual2(n) == IF n = 0 THEN 0 ELSE 1 + Mutual1(n - 1)
Mutual1(n) == IF n = 0 THEN 0 ELSE 1 + Mutual2(n - 1)
Nest(a) == LET b == a + 1 C(x) == LET d == x + b IN d * 2 IN C(a) + C(b)
RECURSIVE Loop(_)
Loop(n) == 1 + Loop(n + 1)
ShadowTest(n) == LET S == {m \in 1..n : m > 1} IN {k * n : k \in S}
Par == INSTANCE Doubled WITH Base <- 10
Par2(k) == INSTANCE Doubled WITH Base <- k + 1
ParW == INSTANCE Doubled WITH Base <- Cardinality({1,2})

RECURSIVE W3(_)
W3(n) == IF n = 0 THEN <<>> ELSE SelectSeq(<<1,2,3>>, LAMBDA x : x > Len(W3(n - 1)))
Twice(Op(_), x) == Op(Op(x))
RECURSIVE FoldSeq(_,_,_)
FoldSeq(op(_,_), base, s) == IF s = <<>> THEN base ELSE FoldSeq(op, op(base, Head(s)), Tail(s))
Count(S, P(_)) == Cardinality({x \in S : P(x)})
Deep3(k) == LET A(x) == LET B(y) == y * k + x IN B(x) + B(k) IN {A(z) : z \in 1..k}
Choose1(S) == CHOOSE x \in S : \A y \in S : x <= y
Lazy1(a, b, c) == IF a > 0 THEN b ELSE c
Lazy2(a, b) == Lazy1(a, b, 1 \div 0)
SetRec == [name : {"a", "b"}, val : {x \in 1..3 : x # 2}]
RecFn == [n \in 0..3 |-> [k \in 1..n |-> k * n]]
fib[n \in Nat] == IF n < 2 THEN n ELSE fib[n-1] + fib[n-2]
gcd[a \in Nat, b \in Nat] == IF b = 0 THEN a ELSE gcd[b, a % b]
Labelled(k) == whole:: k + 1
Listed == /\ first:: 1 = 1
          /\ second:: 2 = 2
          /\ \E y \in 1..3 : third(y):: (y > 2)
AllOf == \A z \in {1,2} : z > 0
Mapped == [i \in 1..3 |-> i + 1]
Three == {7, 8, 9}
Held == LET u == 5 IN u + 1
Either == IF 1 = 1 THEN 10 ELSE 20
Added == 3 + 4
Armed == CASE 1 = 2 -> 11 [] OTHER -> 12
Chosen == CHOOSE k \in 1..5 : k > 3
At2(G(_)) == G(2)
Wound(G(_), p) == \E t \in 1..3 : turn(t):: LET v == G(t) + p
                                             w(k) == LET z == v + k IN part:: (z + t)
                                         IN  (sum:: (v + w(t))) > t
=============================================================================
