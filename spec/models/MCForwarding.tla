---------------------------- MODULE MCForwarding ----------------------------
(***************************************************************************)
(* Bounds, parts of Next, what the real server does otherwise, and         *)
(* situations for Forwarding.  Slots are numbers: 1, 2 are clients' polls, *)
(* 11, 12 hops of polls, 21, 22 clients' tasks, 31, 32 offers.  The least  *)
(* that is free is taken, and a hop that has ended for all is forgotten    *)
(* first.  A situation that must be reachable is a predicate Never...: its *)
(* model is violated.                                                      *)
(***************************************************************************)
EXTENDS Forwarding

Loads1 == 0..1
Loads2 == 0..2
Numbered == [q \in Partition |-> <<0, q>>] \* partitions are numbers, all of one task queue
Below == Partition \ (Sticky \cup {0}) \* all but the root and what is sticky have a parent
Client == 1..9 \cup 21..29 \* slots that hold no hop

InitLoaded == \* the tree is loaded, the namespace is active, and nothing has happened
  /\ running = [m \in Manager |-> m[2] \notin Sticky]
  /\ generation = [m \in Manager |-> IF m[2] \in Sticky THEN 0 ELSE 1]
  /\ active = [h \in Host |-> TRUE]
  /\ CallsInit
InitApart == \* the same, where the root is on a host of its own
  LET root == CHOOSE h \in Host : TRUE
  IN  /\ running = [m \in Manager |-> m[1] = root <=> m[2] = 0]
      /\ generation = [m \in Manager |-> IF m[1] = root <=> m[2] = 0 THEN 1 ELSE 0]
      /\ active = [h \in Host |-> TRUE]
      /\ CallsInit
InitActive == Init /\ \A h \in Host : active[h] \* nothing is loaded, and the namespace is active

TakenPoll(p) == hop[p] # {} \/ wanted[p] # <<>> \* the slot is in use
TakenTask(t) == hop[t] # {} \/ queue[t] # <<>> \* the slot is in use
InOrder == \* the least free slot of its kind is taken
  /\ \A p \in Poll : ~TakenPoll(p) /\ TakenPoll(p)' =>
       /\ hop'[p] = {} <=> p \in Client
       /\ \A o \in Poll : o < p /\ (o \in Client <=> p \in Client) => TakenPoll(o)
  /\ \A t \in Task : ~TakenTask(t) /\ TakenTask(t)' =>
       /\ hop'[t] = {} <=> t \in Client
       /\ \A u \in Task : u < t /\ (u \in Client <=> t \in Client) => TakenTask(u)
EndedPolls == \* hops that have ended, and for which nobody waits
  {c \in Poll : Deserted(c) /\ settled[c] # {} /\ \A o \in Poll : ~On(c, o)}
EndedOffers == \* offers that have ended, of whose answer nobody needs to know
  {u \in Task : /\ hop[u] # {} /\ arrived[u] # {} /\ added[u] # "none" /\ ~Arriving(u)
                /\ \A t \in Task : ~On(u, t) /\ (On(t, u) => ~Arriving(t))
                /\ \A p \in Poll : <<"delivery", u>> \notin settled[p]}
Tidy == \* what has ended for all is forgotten before anything else happens
  /\ EndedPolls # {} => \E c \in EndedPolls : hop'[c] = {}
  /\ EndedOffers # {} => \E u \in EndedOffers : hop'[u] = {}

Steady == UNCHANGED active \* the namespace stays as it is
Awake == UNCHANGED running \* no manager is loaded or unloaded
RootStays == \A h \in Host : running'[h, 0] = running[h, 0] \* the root is neither loaded nor unloaded
Patient == UNCHANGED <<expired, left>> \* no caller leaves, and no deadline passes
Timeless == UNCHANGED expired \* no deadline passes
OneClock == expired' \ expired \subseteq Client \* no deadline passes but that of a worker's call
Expected == \* whoever adds a task waits for the answer, and the task is due until it is started
  \A t \in Task : (t \in Client => added'[t] # "lost") /\ (status'[t] = "over" => status[t] # "due")
PollsAt(n) == \A p \in Poll : wanted[p] = <<>> /\ wanted'[p] # <<>> /\ hop[p] = {} => wanted'[p][2] = n
AddsAt(n) == \A t \in Task : queue[t] = <<>> /\ queue'[t] # <<>> /\ hop[t] = {} => queue'[t][1] = n
PollsAtRoot == PollsAt(0)
PollsAtChild == PollsAt(2)
PollsAtGrandchild == PollsAt(5)
AddsAtRoot == AddsAt(0)
AddsAtChild == AddsAt(2)
AddsAtOtherChild == AddsAt(1)
AddsAtGrandchild == AddsAt(5)

NextTidy == Next /\ InOrder /\ Tidy
NextSteady == NextTidy /\ Steady
NextAwake == NextSteady /\ Awake
NextPatient == NextAwake /\ Patient
NextGrandchild == NextSteady /\ OneClock /\ PollsAtGrandchild \* a poll goes over two hops
NextClocks == NextAwake /\ PollsAtGrandchild \* the same, while no manager is unloaded, and each hop has a clock of its own
NextMeet == NextPatient /\ AddsAtChild \* a poll and a task begin at a child, or the poll at the root
NextLate == NextAwake /\ Expected /\ PollsAtChild /\ AddsAtRoot \* a poll is forwarded to where a task comes
NextOffers == NextPatient /\ Expected /\ PollsAtRoot /\ AddsAtGrandchild \* a task goes over two hops
NextFork == NextPatient /\ Expected /\ PollsAtChild /\ AddsAtOtherChild \* a task of one child, and a poll of another
NextFailover == NextTidy /\ Awake /\ Patient /\ AddsAtChild \* the namespace fails over while a task is offered
NextReload == NextSteady /\ Patient /\ Expected /\ RootStays /\ PollsAtRoot /\ AddsAtChild \* a child is unloaded and loaded again
NextTwoPolls == NextSteady /\ Patient /\ PollsAtChild \* two polls at one child

NextPoll == \* what becomes of a poll that a child forwards, while no deadline passes
  \/ \E p \in Poll \cap Client, w \in Worker, v \in Version : StartPoll(p, w, 2, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E h \in Host, q \in Partition : Unload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll \cap Client, c \in Poll \ Client, h \in Host : Forward(p, c, h)
  \/ \E c \in Poll : ArrivePoll(c)
  \/ \E p \in Poll, c \in Poll : Resume(p, c)
  \/ \E p \in Poll, c \in Poll : Break(p, c)
  \/ \E c \in Poll : CancelHop(c)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E p \in Poll : ForgetPoll(p)
NextTask == \* what becomes of a task that a child offers, while no poll comes
  \/ \E t \in Task \cap Client, h \in Host, v \in Version : AddTask(t, h, 2, v)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Unload(h, q)
  \/ \E t \in Task, u \in Task \ Client, h \in Host : Offer(t, u, h)
  \/ \E u \in Task, h \in Host : ArriveTask(u, h)
  \/ \E u \in Task : Decline(u)
  \/ \E t \in Task, u \in Task : Conclude(t, u)
  \/ \E t \in Task, h \in Host : Store(t, h)
  \/ \E t \in Task, h \in Host : RefuseAdd(t, h)
  \/ \E t \in Task \ Client : LeaveAdd(t)
  \/ \E t \in Task : ForgetTask(t)
NextRoot == \* what becomes of a task and a poll that meet at the root
  \/ \E p \in Poll, w \in Worker, v \in Version : StartPoll(p, w, 0, v)
  \/ \E t \in Task, h \in Host, v \in Version : AddTask(t, h, 0, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, h \in Host : Store(t, h)
  \/ \E t \in Task : CommitDelete(t)
  \/ \E t \in Task : Close(t)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E t \in Task : ForgetTask(t)

BreakLocally(p, c) == \* the real server: a poll whose hop has failed goes on waiting at the child
  /\ WaitsOn(p, c)
  /\ back' = back \cup {p}
  /\ UNCHANGED <<managers, active, hop, wanted, registrations, expired, left, settled, answer, tasks>>
NextUnanswered == NextAwake \/ \E p, c \in Poll : BreakLocally(p, c)

Reuse == \* the slots of hops that have ended are used again
  /\ \A p \in Poll : WF_vars(hop[p] # {} /\ ForgetPoll(p))
  /\ \A t \in Task : WF_vars(hop[t] # {} /\ ForgetTask(t))
NextForwarded == NextSteady /\ PollsAtChild
NextLeaving == NextForwarded /\ Timeless
NextMeeting == NextMeet /\ Expected /\ PollsAtChild
ReturnSpec == InitLoaded /\ [][NextForwarded]_vars /\ Fairness /\ Reuse \* what must happen does, but for cancels, which may all be lost
MeetSpec == InitLoaded /\ [][NextMeeting]_vars /\ Services /\ Reuse \* deadlines never pass, no caller leaves, and no manager is unloaded
CancelSpec == InitLoaded /\ [][NextLeaving]_vars /\ Services /\ Cancels /\ Reuse \* deadlines never pass, and cancels arrive

NeverGrandchild == \* a poll waits at the root for a worker that polls a child of a child
  \A c \in Poll : registrations[c] # {} => First(c) = c \/ On(First(c), c)
NeverTwoHops == \* a task is taken through two hops, and its first receiver knows
  \A t \in delivered, u \in delivered : hop[u] = {} \/ On(First(u), u) \/ First(u) # t
NeverLostAnswer == \* a stored task is handed over above, and its child never learns
  \A u \in delivered : added[u] = "lost" => Arriving(First(u)) \/ ~Open(First(u))
NeverDroppedAbove == \* an offer is dropped above, since an earlier one was taken whose answer was lost
  \A u \in Task : added[u] = "dropped" => status[First(u)] # "started"
NeverTwoOffers == \* two offers of one task are at the parent
  \A t, u, v \in Task : u # v /\ On(t, u) /\ On(t, v) => ~(Arriving(u) /\ Arriving(v))
NeverForNobody == \* a task is handed to a hop that nobody waits for any more
  \A c \in Poll, t \in Task : <<"delivery", t>> \in settled[c] => ~Deserted(c) \/ answer[c] # <<>>
NeverLateHop == \* a hop begins to wait at the parent although nobody waits for it
  [][\A c \in Poll : registrations'[c] # {} => registrations[c] # {} \/ ~Deserted(c)]_vars
NeverMiddleUnloads == \* a poll waits at the root although a manager through which it came has stopped
  \A c \in Poll : \A x \in hop[c] : registrations[c] # {} => Alive(x.host, x.source, x.generation)
NeverMovesOn == \* a poll that waits at a child is forwarded, once that may forward another
  [][\A p \in Poll : registrations[p] # {} => ~Forwarded(p)']_vars
=============================================================================
