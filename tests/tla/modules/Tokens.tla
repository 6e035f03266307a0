------------------------------- MODULE Tokens -------------------------------
(*****************************************************************************)
(* Model values, and a typed one; a CHOOSE among them.                       *)
(*****************************************************************************)
EXTENDS FiniteSets
CONSTANTS Proc, None, p_1
VARIABLES owner, wants
Init == owner = None /\ wants \in {{}, Proc}
Ask(p) == p \notin wants /\ wants' = wants \cup {p} /\ UNCHANGED owner
Grant == owner = None /\ wants # {} /\ owner' = (CHOOSE p \in wants : TRUE) /\ wants' = wants \ {owner'}
Free == owner \in Proc \cup {p_1} /\ owner' = None /\ UNCHANGED wants
Lend == owner # None /\ owner # p_1 /\ owner' = p_1 /\ UNCHANGED wants
Next == (\E p \in Proc : Ask(p)) \/ Grant \/ Free \/ Lend
=============================================================================
