------------------------------ MODULE MCDelivery ------------------------------
(***************************************************************************)
(* Bounds, symmetry and situations for Delivery.  A situation that must be *)
(* reachable is a state predicate Never...: its model is violated.         *)
(***************************************************************************)
EXTENDS Delivery, TLC

Slots == Permutations(Poll) \cup Permutations(Task) \cup Permutations(Request)
Attempts1 == 0..1
Attempts2 == 0..2
Stamps0 == {0}
Stamps1 == 0..1

InitStored == \* every event was scheduled, and its task is stored
  \E t \in Task, e \in Event :
    /\ phase = [f \in Event |-> "scheduled"]
    /\ attempt = [f \in Event |-> 1]
    /\ stamp = [f \in Event |-> 0]
    /\ starter = [f \in Event |-> {}]
    /\ intents = {}
    /\ carries = [u \in Task |-> IF u = t THEN <<e, 1, 0>> ELSE <<>>]
    /\ asks = [p \in Poll |-> {}]
    /\ strays = {}
    /\ kept = [m \in Host \X Task |-> {}]
    /\ tokens = {}
    /\ completed = {}
    /\ added = [u \in Task |-> IF u = t THEN "accepted" ELSE "none"]
    /\ backlog = {t}
    /\ delivered = {}
    /\ dropped = {}
NextStart == \* what happens to start calls, and why
  \/ \E e \in Event, a \in Attempt : Complete(e, a)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : RecordStart(e, a, s, r)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request, o \in Outcome : RefuseStart(e, a, s, r, o)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : FailStart(e, a, s, r)
  \/ \E t \in Task, h \in Host, p \in Poll, r \in Request : AskStart(t, h, p, r)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, p \in Poll : Keep(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E p \in Poll : LoseAnswer(p)
  \/ \E e \in Event, a \in Attempt, s \in Stamp, r \in Request : StrayEnds(e, a, s, r)
  \/ \E e \in Event : Close(e)

NextRemembering == \* no step forgets a request id without an answer: no memory is lost
  /\ Next
  /\ \A m \in Host \X Task : kept[m] # {} /\ kept'[m] = {} => \E p \in Poll : asks[p] # {} /\ asks'[p] = {}

KnownStartInv == \* a worker has the attempt that was started, or somebody still can hand it over
  \A e \in Event :
    \/ phase[e] # "started"
    \/ <<e, attempt[e]>> \in tokens
    \/ \E p \in Poll : \E c \in asks[p] : c.request \in starter[e]
    \/ \E m \in Host \X Task : kept[m] # {} /\ kept[m] = starter[e]

NeverLost == \* an attempt is started, no worker has it, and nobody can learn that he may hand it over
  KnownStartInv
NeverTwoRecords == \* an add was accepted and its answer was lost, so the intent is stored twice
  \A t, u \in backlog : carries[t] = carries[u] => t = u
NeverTaken == \* a start call learns that another one started the attempt
  \A p \in Poll : \A c \in asks[p] : c.outcome # "taken"
NeverStaleTask == \* a start call learns that another attempt or other options count
  \A p \in Poll : \A c \in asks[p] : c.outcome # "stale"
NeverLateWorker == \* a worker still has an attempt when the next one counts
  \A x \in tokens : attempt[x[1]] = x[2]
NeverUnstored == \* a task is handed over that never had a record
  [][\A t \in delivered' \ delivered : t \in backlog]_vars
NeverStartedRecord == \* the attempt of a stored task is started and its record is kept: its answer is lost
  \A t \in backlog \ (delivered \cup dropped) : phase[carries[t][1]] # "started"
NeverAskedAfterClose == \* a start call arrives when the execution is gone
  \A p \in Poll : \A c \in asks[p] : c.outcome # "gone"
=============================================================================
