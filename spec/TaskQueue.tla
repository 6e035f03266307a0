------------------------------ MODULE TaskQueue ------------------------------
(***************************************************************************)
(* What a client may rely on, whatever happens inside: an attempt that is  *)
(* due is started at most once, is never nowhere until then, and is        *)
(* completed once, by its own worker.                                      *)
(*                                                                         *)
(* Models    scheduled events with their attempts, from the moment that    *)
(*           they are accepted until a worker completes them or they are   *)
(*           validly dropped; where a due attempt is kept meanwhile.       *)
(* Omits     who keeps it, who polls, and how often it is offered: any     *)
(*           number of offers is one start.                                *)
(* Refines   nothing: this is the top of the ladder; Delivery and Matching *)
(*           refine it.                                                    *)
(* Source    the text on dispatch and its two identities                   *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
  Event,       \* slots of scheduled events
  Attempt      \* numbers of attempts; finite in models, Nat in the judge

ASSUME EventAssumption == Event # {}                                     \* there is an event
ASSUME AttemptAssumption == {0, 1} \subseteq Attempt /\ Attempt \subseteq Nat \* attempt 0 is "not scheduled"

VARIABLES
  status,      \* [Event -> Status]: what the client was promised
  attempt,     \* [Event -> Attempt]: the number of the attempt that counts
  places       \* [Event -> SUBSET Place]: where the attempt that counts is kept

vars == <<status, attempt, places>>

-----------------------------------------------------------------------------
(* Shapes *)

Status == {"none", "due", "started", "ended"} \* an event that ended was completed or dropped
Place == {"intent", "record"} \* History's intent, or a durable record of the backlog

TypeOK == \* every variable has its shape
  /\ status \in [Event -> Status]
  /\ attempt \in [Event -> Attempt]
  /\ places \in [Event -> SUBSET Place]

Init == \* nothing is scheduled
  /\ status = [e \in Event |-> "none"]
  /\ attempt = [e \in Event |-> 0]
  /\ places = [e \in Event |-> {}]

-----------------------------------------------------------------------------
(* Client actions *)

Schedule(e) == \* an event is accepted: its first attempt is due
  /\ status[e] = "none"
  /\ status' = [status EXCEPT ![e] = "due"]
  /\ attempt' = [attempt EXCEPT ![e] = 1]
  /\ places' = [places EXCEPT ![e] = {"intent"}]

Complete(e, a) == \* the worker of the attempt that was started completes it
  /\ status[e] = "started"
  /\ attempt[e] = a
  /\ status' = [status EXCEPT ![e] = "ended"]
  /\ UNCHANGED <<attempt, places>>

-----------------------------------------------------------------------------
(* Internal actions *)

Move(e, w) == \* the attempt is kept elsewhere; while it is due, somewhere
  /\ status[e] = "due" => w # {}
  /\ places' = [places EXCEPT ![e] = w]
  /\ UNCHANGED <<status, attempt>>

Start(e) == \* the attempt is started
  /\ status[e] = "due"
  /\ status' = [status EXCEPT ![e] = "started"]
  /\ UNCHANGED <<attempt, places>>

-----------------------------------------------------------------------------
(* Environment actions *)

TryAgain(e) == \* the time of a started attempt is up: the next one is due
  /\ status[e] = "started"
  /\ attempt[e] + 1 \in Attempt
  /\ status' = [status EXCEPT ![e] = "due"]
  /\ attempt' = [attempt EXCEPT ![e] = @ + 1]
  /\ places' = [places EXCEPT ![e] = {"intent"}]

Drop(e) == \* the event is validly dropped: its time is up, or its execution is closed
  /\ status[e] \in {"due", "started"}
  /\ status' = [status EXCEPT ![e] = "ended"]
  /\ UNCHANGED <<attempt, places>>

Forget(e) == \* the slot may hold another event
  /\ status[e] = "ended"
  /\ status' = [status EXCEPT ![e] = "none"]
  /\ attempt' = [attempt EXCEPT ![e] = 0]
  /\ places' = [places EXCEPT ![e] = {}]

-----------------------------------------------------------------------------

Next ==
  \/ \E e \in Event : Schedule(e)
  \/ \E e \in Event, a \in Attempt : Complete(e, a)
  \/ \E e \in Event, w \in SUBSET Place : Move(e, w)
  \/ \E e \in Event : Start(e)
  \/ \E e \in Event : TryAgain(e)
  \/ \E e \in Event : Drop(e)
  \/ \E e \in Event : Forget(e)

Fairness == \* a due attempt is started or dropped in the end
  \A e \in Event : WF_vars(status[e] = "due" /\ (Start(e) \/ Drop(e)))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

NowhereInv == \* an attempt that is due is never nowhere
  \A e \in Event : status[e] = "due" => places[e] # {}

-----------------------------------------------------------------------------
(* Step properties *)

StartedOnceProp == \* an attempt is started at most once: it starts only while it is due, and is due again only as the next attempt
  [][\A e \in Event :
       /\ status'[e] = "started" => status[e] \in {"due", "started"} /\ attempt'[e] = attempt[e]
       /\ status'[e] = "due" => (status[e] = "due" /\ attempt'[e] = attempt[e]) \/ attempt'[e] = attempt[e] + 1]_vars

EndedStaysProp == \* an event that has ended stays so until it is forgotten: its completion is accepted once
  [][\A e \in Event : status[e] = "ended" => status'[e] \in {"ended", "none"}]_vars

-----------------------------------------------------------------------------
(* Liveness *)

StartedProp == \* every due attempt is started, or validly dropped
  \A e \in Event : status[e] = "due" ~> status[e] # "due"

THEOREM Spec => []TypeOK
THEOREM Spec => []NowhereInv
THEOREM Spec => StartedOnceProp /\ EndedStaysProp
THEOREM Spec => StartedProp
=============================================================================
