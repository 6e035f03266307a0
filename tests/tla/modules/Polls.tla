------------------------------- MODULE Polls -------------------------------
(***************************************************************************)
(* A small registry of polls, shaped like the specification's own root.    *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, Sequences

CONSTANTS Poll, Task, Host, Partition, Generation

ASSUME HostsAreGiven == Host # {}

VARIABLES
  registered,   \* for each host and partition, the records of waiting polls
  state,        \* what became of each poll
  taken,        \* which poll a task went to
  generation    \* how often the partition was loaded

vars == <<registered, state, taken, generation>>

None == "none"
States == {"idle", "waiting", "matched", "expired"}

Record == [poll : Poll, generation : Generation]

TypeOK ==
  /\ registered \in [Host \X Partition -> SUBSET Record]
  /\ state \in [Poll -> States]
  /\ taken \in [Task -> Poll \cup {None}]
  /\ generation \in [Host \X Partition -> Generation]

Init ==
  /\ registered = [w \in Host \X Partition |-> {}]
  /\ state = [p \in Poll |-> "idle"]
  /\ taken = [t \in Task |-> None]
  /\ generation \in [Host \X Partition -> {0}]

Register(h, q, p) ==  \* a poll waits on a host
  /\ state[p] = "idle"
  /\ state' = [state EXCEPT ![p] = "waiting"]
  /\ registered' = [registered EXCEPT ![<<h, q>>] = @ \cup {[poll |-> p, generation |-> generation[<<h, q>>]]}]
  /\ UNCHANGED <<taken, generation>>

\* a task meets a waiting poll
Match(t, p) ==
  /\ taken[t] = None
  /\ \E w \in Host \X Partition :
       LET mine == {r \in registered[w] : r.poll = p}
       IN /\ mine # {}
          /\ registered' = [registered EXCEPT ![w] = @ \ mine]
  /\ state' = [state EXCEPT ![p] = "matched"]
  /\ taken' = [taken EXCEPT ![t] = p]
  /\ UNCHANGED generation

Expire(p) ==  \* the deadline of a waiting poll passes
  /\ state[p] = "waiting"
  /\ state' = [state EXCEPT ![p] = "expired"]
  /\ registered' = [w \in DOMAIN registered |-> {r \in registered[w] : r.poll # p}]
  /\ UNCHANGED <<taken, generation>>

Reload(h, q) ==  \* a host loads the partition again
  /\ generation[<<h, q>>] + 1 \in Generation
  /\ registered[<<h, q>>] = {}
  /\ generation' = [generation EXCEPT ![<<h, q>>] = @ + 1]
  /\ UNCHANGED <<registered, state, taken>>

Forget(p) ==  \* a settled poll's slot is free again
  /\ state[p] \in {"matched", "expired"}
  /\ \A t \in Task : taken[t] # p
  /\ state' = [state EXCEPT ![p] = "idle"]
  /\ UNCHANGED <<registered, taken, generation>>

Next ==
  \/ \E h \in Host, q \in Partition, p \in Poll : Register(h, q, p)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E p \in Poll : Expire(p)
  \/ \E h \in Host, q \in Partition : Reload(h, q)
  \/ \E p \in Poll : Forget(p)

Spec == Init /\ [][Next]_vars /\ \A p \in Poll : WF_vars(Expire(p))

WaitingIsRegisteredInv ==
  \A p \in Poll : (state[p] = "waiting") <=> \E w \in Host \X Partition : \E r \in registered[w] : r.poll = p

TakenOnceInv ==
  \A t, u \in Task : t # u /\ taken[t] # None => taken[t] # taken[u]

GenerationGrowsProp == [][\A w \in Host \X Partition : generation'[w] >= generation[w]]_vars

Eventually == \A p \in Poll : (state[p] = "waiting") ~> (state[p] # "waiting")
=============================================================================
