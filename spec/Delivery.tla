------------------------------ MODULE Delivery ------------------------------
(***************************************************************************)
(* History schedules an event and owns its transfer intent; Matching asks  *)
(* History before it hands a task over; the answer decides what becomes of *)
(* the task; the worker that got it completes it, once.                    *)
(*                                                                         *)
(* Models    scheduled events with attempt and stamp; transfer intents,    *)
(*           removed only after acceptance; calls of add as tasks, several *)
(*           of one intent where an answer was lost; the start call: sent, *)
(*           decided by History at one moment, answered later or never,    *)
(*           and still decided where nobody listens any more; deliver,     *)
(*           drop and keep; completion by token; time-outs.  A task that   *)
(*           carries no event (a query) needs no start.                    *)
(* Omits     how a task and a poll meet (PollRegistration: here any task   *)
(*           that Matching has may be offered to anybody, any number of    *)
(*           times); range ids and levels (Backlog); which of two reasons  *)
(*           History tells where both hold, for either drops the task; the *)
(*           kinds of events, which differ in that order alone; heartbeats *)
(*           and cancellation of activities, which no row needs.           *)
(* Refines   TaskQueue: the mapping is the last section.                   *)
(* Source    the text on dispatch and its two identities;                  *)
(*           temporal: service/history/api/recordworkflowtaskstarted,      *)
(*           recordactivitytaskstarted; service/matching/matching_engine.go*)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues
  Poll,        \* slots of polls: a poll is one call of a worker
  Task,        \* slots of tasks: a task is one call of add
  Event,       \* slots of scheduled events
  Attempt,     \* numbers of attempts; finite in models, Nat in the judge
  Stamp,       \* numbers of changes of an event's options; finite in models, Nat in the judge
  Request,     \* ids of start calls; finite in models, Nat in the judge
  RequestPerDispatch, \* BOOLEAN: does a task keep its request id until an answer is certain, or has each offer its own?
  Number       \* numbers of alike calls that nobody waits for; finite in models, Nat in the judge

ASSUME HostAssumption == Host # {}                                       \* there is a host
ASSUME PartitionAssumption == Partition # {}                             \* there is a partition
ASSUME SlotAssumption == Poll \cap Task = {}                             \* polls and tasks are told apart
ASSUME EventAssumption == Event # {}                                     \* there is an event
ASSUME AttemptAssumption == {0, 1} \subseteq Attempt /\ Attempt \subseteq Nat \* attempt 0 is "not scheduled"
ASSUME StampAssumption == 0 \in Stamp /\ Stamp \subseteq Nat             \* an event is scheduled with stamp 0
ASSUME RequestAssumption == Request # {}                                 \* there is a request id
ASSUME DispatchAssumption == RequestPerDispatch \in BOOLEAN              \* either way is specified
ASSUME NumberAssumption == 0 \in Number /\ Number \subseteq Nat           \* the first of its like bears 0

VARIABLES
  phase,       \* [Event -> Phase]: how History has the event
  attempt,     \* [Event -> Attempt]: the number of the attempt that counts
  stamp,       \* [Event -> Stamp]: the number of the options that count
  starter,     \* [Event -> SUBSET Request]: the start call that started this attempt
  intents,     \* SUBSET Item: what History still has to bring to Matching
  carries,     \* [Task -> Item \cup {<<>>}]: what a call of add stands for; <<>> is a free slot, or a query
  asks,        \* [Poll -> SUBSET Ask]: the start call that a poll's handler waits for
  strays,      \* SUBSET Stray: start calls that nobody waits for, and that may still take effect
  kept,        \* [Host \X Task -> SUBSET Request]: the request id of a task whose start is uncertain
  tokens,      \* SUBSET (Event \X Attempt): attempts that were handed to a worker
  completed,   \* SUBSET (Event \X Attempt): attempts whose worker was told that it completed them
  added,       \* owned by PollRegistration: what the call of add returned
  backlog,     \* owned by PollRegistration: tasks with a durable record
  delivered,   \* owned by PollRegistration: tasks handed over at least once
  dropped      \* SUBSET Task: tasks not handed over, which need not be any more

history == <<phase, attempt, stamp, starter, intents, completed>>
calls == <<asks, strays, kept, tokens>>
shared == <<added, backlog, delivered, dropped>>
vars == <<phase, attempt, stamp, starter, intents, carries, asks, strays, kept, tokens, completed,
          added, backlog, delivered, dropped>>

-----------------------------------------------------------------------------
(* Shapes *)

Phase == {"none", "scheduled", "started", "done", "gone"} \* a done event was completed or given up; a gone one went with its execution
Item == Event \X Attempt \X Stamp \* what an intent, and the task that carries it, stand for
Stray == [item : Item, request : Request, number : Number] \* a start call on its way to History that nobody waits for; those that are alike are numbered
Outcome == {"sent", "started", "taken", "gone", "stale", "failed"} \* where a start call stands; the last five are answers
Ask == [task : Task, host : Host, item : Item, request : Request, outcome : Outcome] \* a start call and the handler's side of it
AddAnswer == {"none", "accepted", "refused", "rejected", "lost", "taken", "dropped", "canceled"} \* what a call of add can return; a caller that gave up never learns it

TypeOK == \* every variable has its shape
  /\ phase \in [Event -> Phase]
  /\ attempt \in [Event -> Attempt]
  /\ stamp \in [Event -> Stamp]
  /\ starter \in [Event -> SUBSET Request]
  /\ intents \subseteq Item
  /\ carries \in [Task -> Item \cup {<<>>}]
  /\ asks \in [Poll -> SUBSET Ask]
  /\ strays \subseteq Stray
  /\ kept \in [Host \X Task -> SUBSET Request]
  /\ tokens \subseteq Event \X Attempt
  /\ completed \subseteq Event \X Attempt
  /\ added \in [Task -> AddAnswer]
  /\ backlog \subseteq Task
  /\ delivered \subseteq Task
  /\ dropped \subseteq Task

OwnInit == \* nothing is scheduled
  /\ phase = [e \in Event |-> "none"]
  /\ attempt = [e \in Event |-> 0]
  /\ stamp = [e \in Event |-> 0]
  /\ starter = [e \in Event |-> {}]
  /\ intents = {}
  /\ carries = [t \in Task |-> <<>>]
  /\ asks = [p \in Poll |-> {}]
  /\ strays = {}
  /\ kept = [m \in Host \X Task |-> {}]
  /\ tokens = {}
  /\ completed = {}

Init == \* nothing is scheduled, and Matching has nothing
  /\ OwnInit
  /\ added = [t \in Task |-> "none"]
  /\ backlog = {}
  /\ delivered = {}
  /\ dropped = {}

-----------------------------------------------------------------------------
(* Words used by the actions *)

Now(e) == <<e, attempt[e], stamp[e]>> \* the item of an event that counts
Due(i) == phase[i[1]] = "scheduled" /\ i = Now(i[1]) \* the item has still to be started
CallOf(c) == [item |-> c.item, request |-> c.request] \* what a start call asks, whoever waits for it
Flying == {CallOf(c) : c \in strays \cup {d \in UNION {asks[p] : p \in Poll} : d.outcome = "sent"}} \* start calls on their way
Alike(i, r) == Cardinality({c \in strays : c.item = i /\ c.request = r}) \* how many such calls are stray
WithStray(c) == strays \cup {[item |-> c.item, request |-> c.request, number |-> Alike(c.item, c.request)]} \* the strays, once nobody waits for this call
WithoutStray(i, r) == strays \ {[item |-> i, request |-> r, number |-> Alike(i, r) - 1]} \* the strays, once one of these calls is decided
Used == \* request ids that somebody still knows
  UNION {starter[e] : e \in Event} \cup UNION {kept[m] : m \in Host \X Task}
    \cup {c.request : c \in strays} \cup {c.request : c \in UNION {asks[p] : p \in Poll}}
Offered(t) == \E p \in Poll : \E c \in asks[p] : c.task = t \* a handler asks about the task
HasTask(t) == carries[t] # <<>> /\ (t \in backlog \/ (added[t] \in {"none", "lost"} /\ t \notin delivered \cup dropped)) \* Matching has the task and may offer it
Answers(i, r, outcome) == \* a start call is decided: a handler that waits for it gets the answer, a stray one goes
  \/ \E p \in Poll : \E c \in asks[p] :
       /\ c.item = i /\ c.request = r /\ c.outcome = "sent"
       /\ asks' = [asks EXCEPT ![p] = {[c EXCEPT !.outcome = outcome]}]
       /\ UNCHANGED strays
  \/ /\ Alike(i, r) > 0
     /\ strays' = WithoutStray(i, r)
     /\ UNCHANGED asks
LetGo(p) == \* nobody waits any more for what the poll's handler asked; a call on its way may still take effect
  /\ \A c \in asks[p] : c.outcome = "sent" => Alike(c.item, c.request) \in Number
  /\ asks' = [asks EXCEPT ![p] = {}]
  /\ strays' = UNION {IF c.outcome = "sent" THEN WithStray(c) ELSE strays : c \in asks[p]} \cup strays
Certain(p) == [m \in Host \X Task |-> IF \E c \in asks[p] : m = <<c.host, c.task>> THEN {} ELSE kept[m]] \* the request ids, once the poll's answer is certain

-----------------------------------------------------------------------------
(* Client actions *)

Schedule(e) == \* an execution schedules an event: its first attempt is due
  /\ phase[e] = "none"
  /\ phase' = [phase EXCEPT ![e] = "scheduled"]
  /\ attempt' = [attempt EXCEPT ![e] = 1]
  /\ intents' = intents \cup {<<e, 1, 0>>}
  /\ UNCHANGED <<stamp, starter, completed, carries, calls, shared>>

Complete(e, a) == \* a worker completes the attempt that it was given, and History accepts it
  /\ <<e, a>> \in tokens
  /\ phase[e] = "started"
  /\ attempt[e] = a
  /\ phase' = [phase EXCEPT ![e] = "done"]
  /\ completed' = completed \cup {<<e, a>>}
  /\ UNCHANGED <<attempt, stamp, starter, intents, carries, calls, shared>>

RefuseComplete(e, a) == \* a worker completes an attempt that does not count any more, and is told so
  /\ <<e, a>> \in tokens
  /\ phase[e] # "started" \/ attempt[e] # a
  /\ UNCHANGED vars

ToldComplete(e, a) == \* the worker learns that it completed the attempt
  /\ <<e, a>> \in completed
  /\ UNCHANGED vars

-----------------------------------------------------------------------------
(* Internal actions: History *)

Brings(t, e, a, s) == \* a call of add stands for an intent
  /\ <<e, a, s>> \in intents
  /\ carries[t] = <<>>
  /\ added[t] = "none"
  /\ carries' = [carries EXCEPT ![t] = <<e, a, s>>]
  /\ UNCHANGED <<history, calls, shared>>

Transfer(t, e, a, s) == \* the transfer processor calls add for an intent; one that began anew knows of no acceptance before
  /\ \A u \in Task : carries[u] = <<e, a, s>> => added[u] # "none"
  /\ Brings(t, e, a, s)

StandsFor(u, t) == \* a task is offered elsewhere by a call of its own, which stands for the same
  /\ carries' = [carries EXCEPT ![u] = carries[t]]
  /\ UNCHANGED <<history, calls>>

RemoveIntent(t) == \* the add was accepted: the intent goes
  /\ carries[t] \in intents
  /\ added[t] = "accepted"
  /\ intents' = intents \ {carries[t]}
  /\ UNCHANGED <<phase, attempt, stamp, starter, completed, carries, calls, shared>>

DiscardIntent(e, a, s) == \* the processor finds that the intent does not count any more: it goes without an add
  /\ <<e, a, s>> \in intents
  /\ ~Due(<<e, a, s>>)
  /\ intents' = intents \ {<<e, a, s>>}
  /\ UNCHANGED <<phase, attempt, stamp, starter, completed, carries, calls, shared>>

RecordStart(e, a, s, r) == \* History decides a start call: the attempt is started by it, or was so before
  /\ [item |-> <<e, a, s>>, request |-> r] \in Flying
  /\ \/ Due(<<e, a, s>>)
     \/ phase[e] = "started" /\ attempt[e] = a /\ r \in starter[e]
  /\ phase' = [phase EXCEPT ![e] = "started"]
  /\ starter' = [starter EXCEPT ![e] = {r}]
  /\ Answers(<<e, a, s>>, r, "started")
  /\ UNCHANGED <<attempt, stamp, intents, completed, carries, kept, tokens, shared>>

RefuseStart(e, a, s, r, o) == \* History decides a start call: another one started the attempt, the event is over, or another attempt or stamp counts
  /\ [item |-> <<e, a, s>>, request |-> r] \in Flying
  /\ \/ o = "taken" /\ phase[e] = "started" /\ ~(attempt[e] = a /\ r \in starter[e])
     \/ o = "gone" /\ phase[e] \in {"none", "done", "gone"}
     \/ o = "stale" /\ phase[e] \in {"scheduled", "started"} /\ <<e, a, s>> # Now(e)
  /\ Answers(<<e, a, s>>, r, o)
  /\ UNCHANGED <<history, carries, kept, tokens, shared>>

FailStart(e, a, s, r) == \* the start call fails, and has no effect
  /\ [item |-> <<e, a, s>>, request |-> r] \in Flying
  /\ Answers(<<e, a, s>>, r, "failed")
  /\ UNCHANGED <<history, carries, kept, tokens, shared>>

-----------------------------------------------------------------------------
(* Internal actions: Matching *)

Store(t) == \* the record of the task becomes durable
  /\ carries[t] # <<>>
  /\ added[t] \in {"none", "lost"}
  /\ t \notin backlog \cup delivered \cup dropped
  /\ backlog' = backlog \cup {t}
  /\ UNCHANGED <<history, carries, calls, added, delivered, dropped>>

Erase(t) == \* the record of a task that is done with is deleted
  /\ t \in backlog
  /\ t \in delivered \cup dropped
  /\ backlog' = backlog \ {t}
  /\ UNCHANGED <<history, carries, calls, added, delivered, dropped>>

AnswerAdd(t, a) == \* the call of add returns: accepted if its task is stored or done with
  /\ carries[t] # <<>>
  /\ added[t] = "none"
  /\ \/ a = "accepted" /\ t \in backlog \cup delivered \cup dropped
     \/ a \in {"refused", "lost"}
  /\ added' = [added EXCEPT ![t] = a]
  /\ UNCHANGED <<history, carries, calls, backlog, delivered, dropped>>

Asks(t, h, p, r) == \* a handler on that host sends the start call of the task in its hand
  /\ asks[p] = {}
  /\ IF RequestPerDispatch /\ kept[h, t] # {} THEN r \in kept[h, t] ELSE r \notin Used
  /\ asks' = [asks EXCEPT ![p] = {[task |-> t, host |-> h, item |-> carries[t], request |-> r, outcome |-> "sent"]}]
  /\ kept' = IF RequestPerDispatch THEN [kept EXCEPT ![h, t] = {r}] ELSE kept
  /\ UNCHANGED <<history, carries, strays, tokens, shared>>

AskStart(t, h, p, r) == \* Matching offers the task to a poll, and asks History first
  /\ HasTask(t)
  /\ Asks(t, h, p, r)

Delivers(p) == \* the attempt was started: the worker gets its token
  /\ \E c \in asks[p] : c.outcome = "started" /\ tokens' = tokens \cup {<<c.item[1], c.item[2]>>}
  /\ asks' = [asks EXCEPT ![p] = {}]
  /\ kept' = Certain(p)
  /\ UNCHANGED <<history, carries, strays>>

Deliver(t, p) == \* the handler learns that the attempt was started, and hands the task over
  /\ \E c \in asks[p] : c.task = t
  /\ Delivers(p)
  /\ delivered' = delivered \cup {t}
  /\ dropped' = dropped \ {t}
  /\ UNCHANGED <<added, backlog>>

Drops(p) == \* the attempt need not be started by this call, now or later
  /\ \E c \in asks[p] : c.outcome \in {"taken", "gone", "stale"}
  /\ asks' = [asks EXCEPT ![p] = {}]
  /\ kept' = Certain(p)
  /\ UNCHANGED <<history, carries, strays, tokens>>

Drop(t, p) == \* the handler learns that the task need not be done any more
  /\ \E c \in asks[p] : c.task = t
  /\ Drops(p)
  /\ dropped' = IF t \in delivered THEN dropped ELSE dropped \cup {t}
  /\ UNCHANGED <<added, backlog, delivered>>

Keeps(p) == \* nobody can tell: the call failed, or its answer did not come
  /\ \E c \in asks[p] : c.outcome = "failed"
  /\ asks' = [asks EXCEPT ![p] = {}]
  /\ UNCHANGED <<history, carries, strays, kept, tokens>>

Keep(t, p) == \* the handler learns nothing, and the task is kept
  /\ \E c \in asks[p] : c.task = t
  /\ Keeps(p)
  /\ UNCHANGED shared

GivesBack(p) == \* the caller has left: the handler waits no more
  /\ LetGo(p)
  /\ UNCHANGED <<history, carries, kept, tokens>>

GiveBack(t, p) == \* the caller has left while its handler asked: the task is kept
  /\ \E c \in asks[p] : c.task = t
  /\ GivesBack(p)
  /\ UNCHANGED shared

-----------------------------------------------------------------------------
(* Environment actions: time, failure, what executions do *)

LoseAnswer(p) == \* the answer to a start call does not come: the handler takes the call for failed, and it may take effect all the same
  /\ \E c \in asks[p] :
       /\ c.outcome # "failed"
       /\ c.outcome = "sent" => Alike(c.item, c.request) \in Number
       /\ asks' = [asks EXCEPT ![p] = {[c EXCEPT !.outcome = "failed"]}]
       /\ strays' = IF c.outcome = "sent" THEN WithStray(c) ELSE strays
  /\ UNCHANGED <<history, carries, kept, tokens, shared>>

StrayEnds(e, a, s, r) == \* a start call that nobody waits for never takes effect
  /\ Alike(<<e, a, s>>, r) > 0
  /\ strays' = WithoutStray(<<e, a, s>>, r)
  /\ UNCHANGED <<history, carries, asks, kept, tokens, shared>>

Reloads(h, gone) == [m \in Host \X Task |-> IF m[1] = h /\ m[2] \in gone THEN {} ELSE kept[m]] \* the request ids, once the host has unloaded those tasks

Reload(h) == \* the memory of a host goes, and with it what it knew of uncertain starts
  /\ kept' = Reloads(h, Task)
  /\ UNCHANGED <<history, carries, asks, strays, tokens, shared>>

Restamp(e) == \* the options of an event change before it is started: only a new task will do
  /\ phase[e] = "scheduled"
  /\ stamp[e] + 1 \in Stamp
  /\ stamp' = [stamp EXCEPT ![e] = @ + 1]
  /\ intents' = intents \cup {<<e, attempt[e], stamp[e] + 1>>}
  /\ UNCHANGED <<phase, attempt, starter, completed, carries, calls, shared>>

TryAgain(e) == \* start-to-close passes: the next attempt is due
  /\ phase[e] = "started"
  /\ attempt[e] + 1 \in Attempt
  /\ phase' = [phase EXCEPT ![e] = "scheduled"]
  /\ attempt' = [attempt EXCEPT ![e] = @ + 1]
  /\ starter' = [starter EXCEPT ![e] = {}]
  /\ intents' = intents \cup {<<e, attempt[e] + 1, stamp[e]>>}
  /\ UNCHANGED <<stamp, completed, carries, calls, shared>>

GiveUp(e) == \* schedule-to-start passes, or start-to-close of the last attempt: the event is over
  /\ phase[e] \in {"scheduled", "started"}
  /\ phase' = [phase EXCEPT ![e] = "done"]
  /\ UNCHANGED <<attempt, stamp, starter, intents, completed, carries, calls, shared>>

Close(e) == \* the execution closes, and the event goes with it
  /\ phase[e] \in {"scheduled", "started", "done"}
  /\ phase' = [phase EXCEPT ![e] = "gone"]
  /\ UNCHANGED <<attempt, stamp, starter, intents, completed, carries, calls, shared>>

ForgetEvent(e) == \* the event is over and nothing refers to it: the slot may hold another event
  /\ phase[e] \in {"done", "gone"}
  /\ \A i \in intents : i[1] # e
  /\ \A t \in Task : carries[t] # <<>> => carries[t][1] # e
  /\ \A c \in Flying : c.item[1] # e
  /\ phase' = [phase EXCEPT ![e] = "none"]
  /\ attempt' = [attempt EXCEPT ![e] = 0]
  /\ stamp' = [stamp EXCEPT ![e] = 0]
  /\ starter' = [starter EXCEPT ![e] = {}]
  /\ tokens' = {x \in tokens : x[1] # e}
  /\ completed' = {x \in completed : x[1] # e}
  /\ UNCHANGED <<intents, carries, asks, strays, kept, shared>>

Forgets(t) == \* the add has its answer and nothing refers to the task
  /\ ~Offered(t)
  /\ carries' = [carries EXCEPT ![t] = <<>>]
  /\ kept' = [m \in Host \X Task |-> IF m[2] = t THEN {} ELSE kept[m]]
  /\ UNCHANGED <<history, asks, strays, tokens>>

ForgetTask(t) == \* the slot may hold another task
  /\ added[t] # "none"
  /\ t \notin backlog
  /\ Forgets(t)
  /\ added' = [added EXCEPT ![t] = "none"]
  /\ delivered' = delivered \ {t}
  /\ dropped' = dropped \ {t}
  /\ UNCHANGED backlog

-----------------------------------------------------------------------------

Next ==
  \/ \E e \in Event : Schedule(e)
  \/ \E e \in Event, a \in Attempt : Complete(e, a)
  \/ \E e \in Event, a \in Attempt : RefuseComplete(e, a)
  \/ \E e \in Event, a \in Attempt : ToldComplete(e, a)
  \/ \E t \in Task, e \in Event, a \in Attempt, s \in Stamp : Transfer(t, e, a, s)
  \/ \E t \in Task : RemoveIntent(t)
  \/ \E e \in Event, a \in Attempt, s \in Stamp : DiscardIntent(e, a, s)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request, o \in Outcome : RefuseStart(e, a, s, r, o)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : FailStart(e, a, s, r)
  \/ \E t \in Task : Store(t)
  \/ \E t \in Task : Erase(t)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E t \in Task, h \in Host, p \in Poll, r \in Request : AskStart(t, h, p, r)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, p \in Poll : Keep(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E p \in Poll : LoseAnswer(p)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : StrayEnds(e, a, s, r)
  \/ \E h \in Host : Reload(h)
  \/ \E e \in Event : Restamp(e)
  \/ \E e \in Event : TryAgain(e)
  \/ \E e \in Event : GiveUp(e)
  \/ \E e \in Event : Close(e)
  \/ \E e \in Event : ForgetEvent(e)
  \/ \E t \in Task : ForgetTask(t)

Fairness == \* what History, Matching and a store owe; no failure, time-out or change of options is owed
  /\ \A e \in Event, a \in Attempt, s \in Stamp : WF_vars(\E t \in Task : Transfer(t, e, a, s))
  /\ \A t \in Task : WF_vars(RemoveIntent(t))
  /\ \A e \in Event, a \in Attempt, s \in Stamp : WF_vars(DiscardIntent(e, a, s))
  /\ \A e \in Event : SF_vars(\E a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r))
  /\ \A p \in Poll : WF_vars(\E c \in asks[p], o \in Outcome :
       \/ RecordStart(c.item[1], c.item[2], c.item[3], c.request)
       \/ RefuseStart(c.item[1], c.item[2], c.item[3], c.request, o))
  /\ \A t \in Task : SF_vars(\E h \in Host, p \in Poll, r \in Request : AskStart(t, h, p, r) /\ Due(carries[t]))
  /\ \A p \in Poll : WF_vars(\E t \in Task : Deliver(t, p) \/ Drop(t, p) \/ Keep(t, p))
  /\ \A t \in Task : SF_vars(Store(t) \/ AnswerAdd(t, "accepted"))
  /\ \A t \in Task : WF_vars(\E a \in AddAnswer : AnswerAdd(t, a))
  /\ \A t \in Task : WF_vars(Erase(t))
  /\ \A t \in Task : WF_vars(ForgetTask(t))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

NowhereInv == \* an attempt that is due is in History's intent or in a durable record
  \A e \in Event : phase[e] = "scheduled" => Now(e) \in intents \/ \E t \in backlog : carries[t] = Now(e) /\ t \notin delivered \cup dropped

StartFirstInv == \* a worker has only attempts that were started, and no later one
  \A x \in tokens : x[2] < attempt[x[1]] \/ (x[2] = attempt[x[1]] /\ (phase[x[1]] \in {"done", "gone"} \/ starter[x[1]] # {}))

HandedOnceInv == \* an attempt is on its way to at most one worker, and to none if a worker has it
  \A p \in Poll : \A c \in asks[p] : c.outcome = "started" =>
    /\ <<c.item[1], c.item[2]>> \notin tokens
    /\ \A o \in Poll : o # p => \A d \in asks[o] : ~(d.outcome = "started" /\ d.item[1] = c.item[1] /\ d.item[2] = c.item[2])

CompletedInv == \* one attempt of an event is completed at most, the one that counts, by the worker that has it, and that ends the event
  \A x \in completed : /\ x \in tokens
                       /\ attempt[x[1]] = x[2]
                       /\ phase[x[1]] \in {"done", "gone"}

AcceptedInv == \* an accepted task is stored or done with
  \A t \in Task : added[t] = "accepted" /\ carries[t] # <<>> => t \in backlog \cup delivered \cup dropped

-----------------------------------------------------------------------------
(* Step properties *)

StartedOnceProp == \* an attempt is started at most once: who started it stays so until another attempt counts
  [][\A e \in Event : /\ phase'[e] = "started" => phase[e] \in {"scheduled", "started"} /\ attempt'[e] = attempt[e]
                      /\ starter[e] # {} => starter'[e] = starter[e] \/ phase'[e] # "started"]_vars

StartedByItsCallProp == \* an attempt is started by a call that asks for it, for the attempt and the options that count
  [][\A e \in Event : starter'[e] \ starter[e] # {} => \E c \in Flying : c.item = Now(e) /\ starter'[e] = {c.request}]_vars

DroppedForCauseProp == \* a task is dropped only if its attempt need not be started any more
  [][\A t \in dropped' \ dropped : carries[t] # <<>> => ~Due(carries[t])]_vars

IntentKeptProp == \* an intent goes only after an add of it was accepted, or when it does not count any more
  [][\A i \in intents \ intents' : ~Due(i) \/ \E t \in Task : carries[t] = i /\ added[t] = "accepted"]_vars

OneEventProp == \* what happens to one event leaves every other alone
  [][\A e, f \in Event : e # f /\ <<phase[e], attempt[e], stamp[e]>>' # <<phase[e], attempt[e], stamp[e]>>
       => <<phase[f], attempt[f], stamp[f], starter[f]>>' = <<phase[f], attempt[f], stamp[f], starter[f]>>]_vars

EndedStaysProp == \* an event that is over stays so until it is forgotten, and its completion is accepted once
  [][\A e \in Event : /\ phase[e] = "done" => phase'[e] \in {"done", "gone", "none"}
                      /\ phase[e] = "gone" => phase'[e] \in {"gone", "none"}
                      /\ phase[e] \in {"done", "gone"} => \A x \in completed' \ completed : x[1] # e]_vars

-----------------------------------------------------------------------------
(* Liveness *)

IntentsGoProp == \* every intent goes in the end
  \A e \in Event, a \in Attempt, s \in Stamp : <<e, a, s>> \in intents ~> <<e, a, s>> \notin intents

AcceptedGoesProp == \* an accepted intent goes, whether or not a worker ever comes
  \A t \in Task : added[t] = "accepted" /\ carries[t] \in intents ~> carries[t] \notin intents

-----------------------------------------------------------------------------
(* Refinement *)

StatusOf(e) == \* what the client was promised
  CASE phase[e] = "scheduled" -> "due"
    [] phase[e] \in {"done", "gone"} -> "ended"
    [] OTHER -> phase[e]
PlacesOf(e) == \* where the attempt that counts is kept
  {w \in {"intent", "record"} : \/ w = "intent" /\ Now(e) \in intents
                                \/ w = "record" /\ \E t \in backlog : carries[t] = Now(e) /\ t \notin delivered \cup dropped}

Queue == INSTANCE TaskQueue WITH status <- [e \in Event |-> StatusOf(e)], places <- [e \in Event |-> PlacesOf(e)]

RefinesTaskQueue == Queue!SafetySpec \* every step is one that a client was told to expect
RefinesTaskQueueLive == Queue!Spec \* and what is due is started in the end

THEOREM Spec => []TypeOK
THEOREM Spec => [](NowhereInv /\ StartFirstInv /\ HandedOnceInv /\ CompletedInv /\ AcceptedInv)
THEOREM Spec => /\ StartedOnceProp /\ StartedByItsCallProp /\ DroppedForCauseProp /\ IntentKeptProp /\ OneEventProp /\ EndedStaysProp
THEOREM Spec => IntentsGoProp /\ AcceptedGoesProp
THEOREM Spec => RefinesTaskQueue
=============================================================================
