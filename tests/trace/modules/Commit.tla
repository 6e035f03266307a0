---- MODULE Commit ----
(* Participants of a transaction prepare or give up; a coordinator decides when all have prepared. *)

CONSTANT Participant

VARIABLES
  state,     \* [Participant -> {"working", "prepared", "committed", "aborted"}]
  decision,  \* what the coordinator has decided: "none", "commit" or "abort"
  heard,     \* the participants of which the coordinator knows that they are prepared
  letters    \* what was sent and may arrive at any time, also twice

vars == <<state, decision, heard, letters>>

TypeOK ==
  /\ state \in [Participant -> {"working", "prepared", "committed", "aborted"}]
  /\ decision \in {"none", "commit", "abort"}
  /\ heard \subseteq Participant
  /\ letters \subseteq [kind : {"ready"}, from : Participant] \cup [kind : {"commit", "abort"}]

Init ==
  /\ state = [p \in Participant |-> "working"]
  /\ decision = "none"
  /\ heard = {}
  /\ letters = {}

Prepare(p) ==
  /\ state[p] = "working"
  /\ state' = [state EXCEPT ![p] = "prepared"]
  /\ letters' = letters \cup {[kind |-> "ready", from |-> p]}
  /\ UNCHANGED <<decision, heard>>

GiveUp(p) ==
  /\ state[p] = "working"
  /\ state' = [state EXCEPT ![p] = "aborted"]
  /\ UNCHANGED <<decision, heard, letters>>

Hear(p) ==
  /\ decision = "none"
  /\ p \notin heard
  /\ [kind |-> "ready", from |-> p] \in letters
  /\ heard' = heard \cup {p}
  /\ UNCHANGED <<state, decision, letters>>

Commit ==
  /\ decision = "none"
  /\ heard = Participant
  /\ decision' = "commit"
  /\ letters' = letters \cup {[kind |-> "commit"]}
  /\ UNCHANGED <<state, heard>>

Abort ==
  /\ decision = "none"
  /\ decision' = "abort"
  /\ letters' = letters \cup {[kind |-> "abort"]}
  /\ UNCHANGED <<state, heard>>

Obey(p, kind) ==
  /\ [kind |-> kind] \in letters
  /\ state[p] \in {"working", "prepared"}
  /\ state' = [state EXCEPT ![p] = IF kind = "commit" THEN "committed" ELSE "aborted"]
  /\ UNCHANGED <<decision, heard, letters>>

Next ==
  \/ \E p \in Participant : Prepare(p)
  \/ \E p \in Participant : GiveUp(p)
  \/ \E p \in Participant : Hear(p)
  \/ Commit
  \/ Abort
  \/ \E p \in Participant, kind \in {"commit", "abort"} : Obey(p, kind)

Decides == <>(decision # "none")

Obeyed == \A p \in Participant : decision = "commit" ~> state[p] = "committed"

NobodyGivesUp == \A p \in Participant : state[p] # "aborted"

NeverAborts == [][decision' # "abort" \/ decision = "abort"]_vars

Agree == ~ \E p, q \in Participant : state[p] = "committed" /\ state[q] = "aborted"
====
