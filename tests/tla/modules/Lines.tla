------------------------------- MODULE Lines -------------------------------
(*****************************************************************************)
(* Sequences: all of their operators.                                        *)
(*****************************************************************************)
EXTENDS Naturals, Sequences
VARIABLES in, out
Init == in = <<1, 2>> /\ out = <<>>
Send == in # <<>> /\ out' = Append(out, Head(in)) /\ in' = Tail(in)
Turn == Len(out) = 2 /\ in' = [i \in 1..Len(out) |-> out[Len(out) + 1 - i]] /\ out' = SubSeq(out, 2, 1)
Pick == \E i \in DOMAIN in : in' = SelectSeq(in, LAMBDA v : v # in[i]) /\ out' = <<in[i]>>
Join == Len(in) + Len(out) < 2 /\ in' = out \o in \o <<2>> /\ UNCHANGED out
Next == Send \/ Turn \/ Pick \/ Join
=============================================================================
