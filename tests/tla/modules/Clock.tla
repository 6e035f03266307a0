------------------------------- MODULE Clock -------------------------------
(***************************************************************************)
(* A small module to be instantiated: a counter that wraps.                *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT Top
VARIABLE hour

Init == hour = 0
Advance(n) == hour' = (hour + n) % (Top + 1)
Reset == hour # 0 /\ hour' = 0
Next == Advance(1) \/ Reset
Spec == Init /\ [][Next]_hour /\ WF_hour(Next)
InRange == hour \in 0..Top
Late == hour > Top \div 2
=============================================================================
