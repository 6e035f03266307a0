-------------------------- MODULE MCPollRegistration --------------------------
(***************************************************************************)
(* Bounds, symmetry, parts of Next and situations for PollRegistration.  A *)
(* situation that must be reachable is a predicate Never...: its model is  *)
(* violated.                                                               *)
(***************************************************************************)
EXTENDS PollRegistration, TLC

Slots == Permutations(Poll) \cup Permutations(Task)
Loads1 == 0..1
Loads2 == 0..2

NextSteady == Next /\ UNCHANGED active \* the namespace stays as it is
InitActive == Init /\ \A h \in Host : active[h] \* nothing is loaded, and the namespace is active
NextSends == NextSteady /\ UNCHANGED expired /\ \A t \in Task : write'[t] \in {"none", "failed"} \* what becomes of a poll that is sent on, when nobody is late and nothing is stored
NextLends == \* what becomes of a task that is lent, when nobody is late or leaves, no call to the store fails, and a call is in time
  /\ NextSteady
  /\ UNCHANGED <<expired, left>>
  /\ backlog \subseteq backlog'
  /\ \A t \in Task : queue'[t] \notin {<<>>, queue[t]} => t = (CHOOSE u \in Task : TRUE) \/ IsCall(t)
  /\ \A t \in Task : added'[t] # "refused" /\ (write[t] = "flying" => write'[t] # "failed")
  /\ \A m \in Manager : fetched'[m] = fetched[m] \/ fetched[m] = {} \/ loaded'[m] # loaded[m] \/ ~running'[m]

NeverLeavesHand == \* a caller leaves between the match and the hand-over
  \A p \in Poll : p \in left => hand[p] = {}
NeverExpiresHand == \* a deadline passes between the match and the hand-over
  \A p \in Poll : p \in expired => hand[p] = {}
NeverLeftAndExpired == \* caller and deadline meet on a poll that still waits
  \A p \in Poll : p \in left /\ p \in expired => registrations[p] = {}
NeverRefusedButStored == \* a write takes effect and its caller is told that it failed
  \A t \in Task : added[t] = "refused" => t \notin backlog
NeverOfferedAgain == \* a task that was handed over is in a hand again, after a reload or an uncertain delete
  \A t \in Task : t \in delivered => ~Held(t)
NeverStaleMemory == \* a record is in memory although it is no longer durable: a delete of an earlier generation came late
  \A h \in Host, q \in Partition : loaded[h, q] \subseteq backlog
NeverPassiveBeside == \* at a passive namespace a task in memory stands beside a poll that waits for its kind
  ~\E p \in Poll : \E r \in registrations[p] : \E t \in loaded[r.host, r.partition] :
     ~active[r.host] /\ p \notin expired /\ p \notin left /\ queue[t] = <<r.partition, r.version>>
NeverTakenBack == \* an unload takes back a task that has no record: it is again in the hand of its add
  [][\A t \in Task : Held(t) /\ Arriving(t)' => \A m \in Manager : running[m] => running'[m]]_vars
NeverOutlives == \* a handler asks about a task that a manager gave it which has stopped since
  \A p \in asking : \A x \in hand[p] : Living(x)
NeverOwed == \* a task without a record was kept: its write is owed
  \A t \in Task : write[t] # "owed"
NeverTwoWait == \* two polls wait for the same kind of task
  \A p, o \in Poll : p # o => registrations[p] = {} \/ registrations[o] = {}
=============================================================================
