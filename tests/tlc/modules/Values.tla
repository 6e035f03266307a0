------------------------------- MODULE Values -------------------------------
(* One state for each corner of the grammar of printed values. *)
EXTENDS Integers, Sequences, TLC

CONSTANT a
VARIABLES kind, value

Long == [first |-> "some text that is long enough to wrap", second |-> {1, 2, 3}, third |-> <<>>,
         fourth |-> [inner |-> "more text that makes the line long", other |-> 7 :> 8]]

Init ==
  \/ kind = 1 /\ value = 1..3
  \/ kind = 2 /\ value = -1..1
  \/ kind = 3 /\ value = 3..1
  \/ kind = 4 /\ value = [i \in {} |-> i]
  \/ kind = 5 /\ value = <<>>
  \/ kind = 6 /\ value = (0 :> 5 @@ 1 :> 6)
  \/ kind = 7 /\ value = ("a" :> 1)
  \/ kind = 8 /\ value = (1 :> 5)
  \/ kind = 9 /\ value = {{}, {{1}}, {1, 2}}
  \/ kind = 10 /\ value = {a, "a"}
  \/ kind = 11 /\ value = <<Long, Long, Long>>
  \/ kind = 12 /\ value = "a \"quoted\" \\ word"
  \/ kind = 13 /\ value = <<TRUE, -5, (a :> "a" @@ "b" :> FALSE)>>
Stay == UNCHANGED <<kind, value>>
NeverMixed == kind # 10
=============================================================================
