------------------------------- MODULE Parts -------------------------------
(***************************************************************************)
(* Instances in every form: by name, with expressions, with parameters.    *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT Hand

VARIABLES hour, other, hands

vars == <<hour, other, hands>>

Same == INSTANCE Clock WITH Top <- 2
Second == INSTANCE Clock WITH Top <- 1, hour <- other
Of(h) == INSTANCE Clock WITH Top <- 2, hour <- hands[h]
Sum == INSTANCE Clock WITH Top <- 3, hour <- hour + other

Init ==
  /\ Same!Init
  /\ Second!Init
  /\ hands = [h \in Hand |-> 0]

Tick == Same!Next /\ UNCHANGED <<other, hands>>
Tock == Second!Next /\ UNCHANGED <<hour, hands>>
Jump(n) == Same!Advance(n) /\ UNCHANGED <<other, hands>>
Turn(h) ==
  /\ ~Of(h)!Late
  /\ hands' = [hands EXCEPT ![h] = 2 - @]
  /\ UNCHANGED <<hour, other>>
  /\ \A g \in Hand \ {h} : hands'[g] = hands[g]

Next ==
  \/ Tick
  \/ Tock
  \/ \E n \in {0, 2} : Jump(n)
  \/ \E h \in Hand : Turn(h)

Spec == Init /\ [][Next]_vars

InRangeInv == Same!InRange /\ Second!InRange /\ Sum!InRange /\ \A h \in Hand : Of(h)!InRange
RefinesSecond == Second!Spec
=============================================================================
