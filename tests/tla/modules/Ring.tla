---- MODULE Ring ----
EXTENDS Naturals
(* Members that know each other, one that is the first, and a vote. *)
CONSTANTS Member, First, Colour
VARIABLES knows, vote
Init == knows = [m \in Member |-> {}] /\ vote = [m \in Member |-> "none"]
Meet(a, b) == a # b /\ knows' = [knows EXCEPT ![a] = @ \cup {b}] /\ UNCHANGED vote
Vote(m, c) == vote[m] = "none" /\ vote' = [vote EXCEPT ![m] = c] /\ UNCHANGED knows
Lead == vote' = [vote EXCEPT ![First] = CHOOSE c \in Colour : TRUE] /\ UNCHANGED knows
Next ==
  \/ \E a, b \in Member : Meet(a, b)
  \/ \E m \in Member, c \in Colour : Vote(m, c)
Leading == Next \/ Lead
====
