---- MODULE Lamp ----
EXTENDS Naturals
(* A lamp that is switched, dimmed, and may break. *)
CONSTANT Level
VARIABLES lit, level
vars == <<lit, level>>
Init == lit = FALSE /\ level = 0
Switch == lit' = ~lit /\ UNCHANGED level
Dim(n) == lit /\ level' = n /\ UNCHANGED lit
Next == Switch \/ \E n \in Level : Dim(n)
Spec == Init /\ [][Next]_vars /\ WF_vars(Switch)

EverLit == <>lit
AlwaysLit == []lit
LitAtLast == <>[]lit
LitAgain == []<>lit
Dimmed == lit ~> level = 2
EachDimmed == \A n \in Level : lit ~> level = n
SomeDimmed == \E n \in Level : <>[](level = n)
NotEver == ~EverLit
Both == EverLit /\ Dimmed
Either == AlwaysLit \/ Dimmed
Implied == EverLit => LitAtLast
Bright(n) == <>(level = n)
BrightTwo == Bright(2)
Local == LET high == level = 2 IN <>high
FairSwitch == WF_vars(Switch)
FairBreak == SF_vars(lit /\ level = 2 /\ Switch)
Steps == [][level' >= level]_level
SomeStep == <><<Dim(2)>>_vars
====
