------------------------------- MODULE Baton -------------------------------
(***************************************************************************)
(* A baton goes from runner to runner.  Small enough to be read at once;   *)
(* two actions break what the configuration asks for, on purpose.          *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
  Runner, \* ids of runners
  Lap,    \* numbers of laps
  Most    \* how many laps a race has

VARIABLES
  holder, \* SUBSET Runner: who has the baton
  laps,   \* [Runner -> Lap]: how often each has handed it on
  coach   \* Runner: who may start; a run does not show it

vars == <<holder, laps, coach>>

TypeOK == \* every variable has its shape
  /\ holder \subseteq Runner
  /\ laps \in [Runner -> Lap]
  /\ coach \in Runner

Init == \* nobody runs, and somebody is the coach
  /\ holder = {}
  /\ laps = [r \in Runner |-> 0]
  /\ coach \in Runner

Start(r) == \* the coach gives the baton to another runner
  /\ holder = {}
  /\ r # coach
  /\ holder' = {r}
  /\ UNCHANGED <<laps, coach>>

Pass(r, s) == \* a runner hands the baton on
  /\ holder = {r}
  /\ s # r
  /\ laps[r] < Most
  /\ holder' = {s}
  /\ laps' = [laps EXCEPT ![r] = @ + 1]
  /\ UNCHANGED coach

Stop(r) == \* a runner ends the race
  /\ r \in holder
  /\ holder' = {}
  /\ UNCHANGED <<laps, coach>>

Rest == \* nothing happens, and it is said
  UNCHANGED vars

Copy(r) == \* a second baton appears: an invariant fails
  /\ holder # {}
  /\ r \notin holder
  /\ holder' = holder \cup {r}
  /\ UNCHANGED <<laps, coach>>

Skip(r) == \* a runner counts two at once: a step property fails
  /\ laps' = [laps EXCEPT ![r] = @ + 2]
  /\ UNCHANGED <<holder, coach>>

Next ==
  \/ \E r \in Runner : Start(r)
  \/ \E r, s \in Runner : Pass(r, s)
  \/ \E r \in Runner : Stop(r)
  \/ Rest
  \/ \E r \in Runner : Copy(r)
  \/ \E r \in Runner : Skip(r)

Fairness == \* a race ends
  \A r \in Runner : WF_vars(Stop(r))

Spec == Init /\ [][Next]_vars

OneBatonInv == \* at most one runner has the baton
  \A r, s \in holder : r = s

CountProp == \* laps are counted one by one
  [][\A r \in Runner : laps'[r] <= laps[r] + 1]_vars
=============================================================================
