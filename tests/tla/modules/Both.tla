---- MODULE Both ----
EXTENDS Naturals
CONSTANTS Poll, Task, Host, Partition, Generation
VARIABLES registered, state, taken, generation, count
Polls == INSTANCE Polls
Other(k) == INSTANCE Polls WITH Poll <- {k}
Init == Polls!Init /\ count = 0
Match(t, p) == Polls!Match(t, p) /\ count' = count + 1
Rest == /\ \E p \in Poll : Polls!Expire(p)
        /\ UNCHANGED count
F[n \in Nat] == IF n = 0 THEN 1 ELSE n * F[n - 1]
RECURSIVE G(_)
G(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN 1 + G(S \ {x})
Map(Op(_), S) == {Op(x) : x \in S}
L == Map(LAMBDA x : x + 1, {1, 2})
C == CASE count = 0 -> "$Other" [] OTHER -> Other(3)!None
Next == (\E t \in Task, p \in Poll : Match(t, p)) \/ Rest
Spec == Init /\ [][Next]_<<registered, state, taken, generation, count>> /\ WF_count(Rest) 
====
