------------------------------- MODULE Shapes -------------------------------
(***************************************************************************)
(* Actions in all the shapes that a specification may give them.           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANT Limit

VARIABLES a, b, queue, box

vars == <<a, b, queue, box>>
pair == <<a, b>>

Total == a + b
Small(n) == n < Limit

Init ==
  /\ a \in 0..1
  /\ b = IF a = 0 THEN 1 ELSE 0
  /\ queue = <<>>
  /\ box = [x \in {"p", "q"} |-> 0]

\* CASE arms assign.
ByCase ==
  /\ CASE a = 0 -> a' = 1 /\ b' = b
       [] a = 1 -> a' = 0 /\ b' = IF b = 0 THEN 1 ELSE 0
       [] OTHER -> UNCHANGED pair
  /\ UNCHANGED <<queue, box>>

\* IF branches assign, and one chooses.
ByIf ==
  /\ IF Small(b) THEN b' \in {b + 1, 0} ELSE b' = 0
  /\ a' = a
  /\ UNCHANGED queue /\ UNCHANGED box

\* A defined operator is primed, before and after the variables have values.
ByTotal ==
  /\ a' = IF a = 0 THEN 1 ELSE 0
  /\ b' = b
  /\ Total' # Total
  /\ box' = [box EXCEPT !["p"] = Total', !["q"] = Total]
  /\ UNCHANGED queue

\* A LET name is primed: it names the variable.
ByAlias ==
  LET v == a
      w == b + 1
  IN /\ Small(w)
     /\ v' = v
     /\ b' = w
     /\ UNCHANGED <<queue, box>>

\* A formal is primed: it stands for a variable.
Lose(q) == q # <<>> /\ q' = Tail(q)
Put(old, new, value) == new = Append(old, value)

ByFormal == Lose(queue) /\ UNCHANGED <<a, b, box>>

BySend ==
  /\ Len(queue) < 2
  /\ \E n \in {a, b} : Put(queue, queue', n)
  /\ UNCHANGED <<a, b, box>>

\* Every element of a set is assigned through a conjunction.
ByAll ==
  /\ \A k \in {1} : a' = IF a = 0 THEN 1 ELSE 0
  /\ \A k \in {1, 2} : b' = b
  /\ UNCHANGED <<queue, box>>

\* A disjunction amid a conjunction, and another behind it.
ByBoth ==
  /\ \/ a' = 0 /\ a = 1
     \/ a' = 1
  /\ \/ b = 0 /\ b' = 1
     \/ b' = 0
     \/ b' = b
  /\ UNCHANGED <<queue, box>>

Step(f, x, y) == f' = [f EXCEPT ![x] = @ + 1, ![y] = 0]

ByExcept ==
  /\ \E <<x, y>> \in {<<"p", "q">>, <<"q", "p">>} : Step(box, x, y) /\ box[x] + 1 < 2
  /\ UNCHANGED <<a, b, queue>>

\* ENABLED of an action, negated.
ByEnabled ==
  /\ ~ENABLED Lose(queue) /\ b < 2
  /\ [a' = 1]_a
  /\ <<b' = IF b = 0 THEN 1 ELSE 0>>_b
  /\ queue' = queue
  /\ UNCHANGED box

Do(A) == A /\ UNCHANGED <<queue, box>>
ByArgument == a <= Limit /\ Do(a' = b /\ b' = a)

ByLambda ==
  LET Set(Op(_)) == a' = Op(a)
  IN /\ Set(LAMBDA n : IF n = 0 THEN 1 ELSE 0)
     /\ b' = b
     /\ UNCHANGED <<queue, box>>

Next ==
  \/ ByCase
  \/ ByIf
  \/ ByTotal
  \/ ByAlias
  \/ ByFormal
  \/ BySend
  \/ ByAll
  \/ ByBoth
  \/ ByExcept
  \/ ByEnabled
  \/ ByArgument
  \/ ByLambda

Spec == Init /\ [][Next]_vars

SmallInv == Len(queue) <= 2 /\ (ENABLED Lose(queue) <=> queue # <<>>)
BoxInv == \A x \in DOMAIN box : box[x] \in 0..(2 * Limit)
QueueProp == [][\A n \in 1..2 : Len(queue') <= Len(queue) + n]_<<queue>>
=============================================================================
