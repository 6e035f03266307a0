-------------------------- MODULE PollRegistration --------------------------
(***************************************************************************)
(* A worker's poll waits at a partition until exactly one thing ends it: a *)
(* task, its caller, its deadline, or the unload of the manager that holds *)
(* its registration.  A task goes to a waiting poll, or to the backlog.    *)
(*                                                                         *)
(* Models    the registration of polls under one generation of a partition *)
(*           manager; sync match; the hand-over of a task in two steps, so *)
(*           that a caller may leave in between; what follows when the     *)
(*           handler asks first whether the task may be given: it may, it  *)
(*           need not be done any more, or nobody knows yet; a durable     *)
(*           backlog whose writes, reads and deletes take effect at one    *)
(*           moment and are answered at a later one, or not at all; unload *)
(*           and reload; a namespace that is active or passive on this     *)
(*           cluster; calls that a manager makes on behalf of a poll or a  *)
(*           task that it has, which wait for the answer meanwhile.        *)
(* Omits     who is asked, and why the answer is what it is (Delivery      *)
(*           brings History: until then any answer may come, and a task    *)
(*           may be handed over again after a reload or an uncertain       *)
(*           delete, which is what a worker sees without History);         *)
(*           range ids and levels (Backlog); the steps of a load           *)
(*           (PartitionLifetime); why a call is made on behalf of another, *)
(*           and how it travels (Forwarding).  Each is a refinement or     *)
(*           another module: no action here relies on its absence.         *)
(* Refines   nothing yet; Backlog refines `backlog`, PartitionLifetime     *)
(*           refines `running`.                                            *)
(* Source    the text on polling, task delivery and partition lifetime     *)
(*           (a waiting poll and a backlog record; a partition manager);   *)
(*           temporal: service/matching/matching_engine.go, pollTask, and  *)
(*           pri_matcher.go                                                *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues
  Version,     \* deployment versions, "unversioned" among them
  Worker,      \* identities of workers
  Poll,        \* slots of polls: a poll is one call of a worker
  Task,        \* slots of tasks: a task is one call of add
  Child,       \* partitions whose managers send polls and tasks on to others
  Sticky,      \* partitions that are sticky: no manager is ever loaded
  Generation   \* numbers of loads; finite in models, Nat in the judge

ASSUME HostAssumption == Host # {}                                    \* there is a host
ASSUME PartitionAssumption == Partition # {}                          \* there is a partition
ASSUME VersionAssumption == Version # {}                              \* there is a version
ASSUME WorkerAssumption == Worker # {}                                \* there is a worker
ASSUME ChildAssumption == Child \subseteq Partition \ Sticky          \* what is sticky sends nothing on
ASSUME SlotAssumption == Poll \cap Task = {}                          \* polls and tasks are told apart
ASSUME GenerationAssumption == 0 \in Generation /\ Generation \subseteq Nat \* generation 0 is "never loaded"

VARIABLES
  running,        \* [Host \X Partition -> BOOLEAN]: is a manager running?
  generation,     \* [Host \X Partition -> Generation]: the number of its loads so far
  active,         \* [Host -> BOOLEAN]: is the namespace active on this cluster, as the host knows?
  wanted,         \* [Poll -> (Worker \X Partition \X Version) \cup {<<>>}]: who polls for what; <<>> is a free slot
  registrations,  \* [Poll -> SUBSET Registration]: where the poll waits
  sent,           \* [Poll -> SUBSET Sending]: the call of poll that was made on the poll's behalf, and by which manager
  hand,           \* [Poll -> SUBSET Holding]: the task on its way to the poll's caller
  asking,         \* SUBSET Poll: polls whose handler asks whether the task in hand may be given
  expired,        \* SUBSET Poll: polls whose deadline has passed
  left,           \* SUBSET Poll: polls whose caller has left
  settled,        \* [Poll -> SUBSET Cause]: what ended the poll
  answer,         \* [Poll -> Answer \cup {<<>>}]: what the caller's call returned, as the caller saw it
  queue,          \* [Task -> (Partition \X Version) \cup {<<>>}]: where the task belongs; <<>> is a free slot
  arrived,        \* [Task -> SUBSET Host]: the host at which the call of add is
  lent,           \* [Task -> SUBSET Lending]: the calls of add that were made on the task's behalf, and by which managers
  write,          \* [Task -> WriteState]: the write of its record, as the store decides it
  added,          \* [Task -> AddAnswer]: what the call of add returned, as its caller saw it
  backlog,        \* SUBSET Task: tasks with a durable record
  fetched,        \* [Host \X Partition -> SUBSET Task]: what the store served to a read that is not yet answered
  loaded,         \* [Host \X Partition -> SUBSET Task]: records in a manager's memory, in nobody's hand
  done,           \* [Host \X Partition -> SUBSET Task]: records that this generation has done with, and does not offer again
  delivered,      \* SUBSET Task: tasks handed over at least once
  dropped         \* SUBSET Task: tasks not handed over, which need not be any more: somebody who asked was told so

managers == <<running, generation>>
polls == <<wanted, registrations, sent, hand, asking, expired, left, settled, answer>>
tasks == <<queue, arrived, lent, write, added, backlog, fetched, loaded, done, delivered, dropped>>
vars == <<running, generation, active, wanted, registrations, sent, hand, asking, expired, left, settled, answer,
          queue, arrived, lent, write, added, backlog, fetched, loaded, done, delivered, dropped>>

-----------------------------------------------------------------------------
(* Shapes *)

Manager == Host \X Partition  \* a manager is known by its host and partition
Registration == [host : Host, partition : Partition, generation : Generation, version : Version, worker : Worker] \* what a registration carries
Sending == [call : Poll, host : Host, partition : Partition, generation : Generation] \* a call of poll, and the manager that made it
Lending == [call : Task, host : Host, partition : Partition, generation : Generation] \* a call of add, and the manager that made it
Holding == [task : Task, host : Host, generation : Generation]   \* a task in a hand, and the manager that put it there
Cause == {<<"deadline">>, <<"interrupt">>, <<"unload">>, <<"above">>, <<"unanswered">>, <<"sticky">>}
           \cup {<<"delivery", t>> : t \in Task} \* the ends of a poll: its own, and those of a call on its behalf that came back empty or was not answered
Answer == {<<"empty">>, <<"interrupted">>, <<"rejected">>} \cup {<<"task", t>> : t \in Task} \* what a call of poll can return
WriteState == {"none", "owed", "flying", "committed", "failed"} \* a write is decided once; one that is owed has still to begin
AddAnswer == {"none", "accepted", "refused", "rejected", "lost", "taken", "dropped", "canceled"} \* what a call of add can return; a caller that gave up never learns it

TypeOK == \* every variable has its shape
  /\ running \in [Manager -> BOOLEAN]
  /\ generation \in [Manager -> Generation]
  /\ active \in [Host -> BOOLEAN]
  /\ wanted \in [Poll -> (Worker \X Partition \X Version) \cup {<<>>}]
  /\ registrations \in [Poll -> SUBSET Registration]
  /\ sent \in [Poll -> SUBSET Sending]
  /\ hand \in [Poll -> SUBSET Holding]
  /\ asking \subseteq Poll
  /\ expired \subseteq Poll
  /\ left \subseteq Poll
  /\ settled \in [Poll -> SUBSET Cause]
  /\ answer \in [Poll -> Answer \cup {<<>>}]
  /\ queue \in [Task -> (Partition \X Version) \cup {<<>>}]
  /\ arrived \in [Task -> SUBSET Host]
  /\ lent \in [Task -> SUBSET Lending]
  /\ write \in [Task -> WriteState]
  /\ added \in [Task -> AddAnswer]
  /\ backlog \subseteq Task
  /\ fetched \in [Manager -> SUBSET Task]
  /\ loaded \in [Manager -> SUBSET Task]
  /\ done \in [Manager -> SUBSET Task]
  /\ delivered \subseteq Task
  /\ dropped \subseteq Task

Init == \* nothing is loaded, nobody polls, no task exists
  /\ running = [m \in Manager |-> FALSE]
  /\ generation = [m \in Manager |-> 0]
  /\ \E a \in BOOLEAN : active = [h \in Host |-> a]
  /\ wanted = [p \in Poll |-> <<>>]
  /\ registrations = [p \in Poll |-> {}]
  /\ sent = [p \in Poll |-> {}]
  /\ hand = [p \in Poll |-> {}]
  /\ asking = {}
  /\ expired = {}
  /\ left = {}
  /\ settled = [p \in Poll |-> {}]
  /\ answer = [p \in Poll |-> <<>>]
  /\ queue = [t \in Task |-> <<>>]
  /\ arrived = [t \in Task |-> {}]
  /\ lent = [t \in Task |-> {}]
  /\ write = [t \in Task |-> "none"]
  /\ added = [t \in Task |-> "none"]
  /\ backlog = {}
  /\ fetched = [m \in Manager |-> {}]
  /\ loaded = [m \in Manager |-> {}]
  /\ done = [m \in Manager |-> {}]
  /\ delivered = {}
  /\ dropped = {}

-----------------------------------------------------------------------------
(* Words used by the actions *)

Asked(p) == \* the poll is on its way to a manager
  wanted[p] # <<>> /\ registrations[p] = {} /\ sent[p] = {} /\ hand[p] = {} /\ settled[p] = {}
Held(t) == \E p \in Poll : \E x \in hand[p] : x.task = t \* the task is in somebody's hand
HeldBy(t, h, g) == \E p \in Poll : [task |-> t, host |-> h, generation |-> g] \in hand[p] \* that generation put the task into a hand
LentBy(t, h, g) == \E x \in lent[t] : x.host = h /\ x.generation = g \* that generation has offered the task elsewhere, and waits
IsCall(s) == (\E p \in Poll : \E x \in sent[p] : x.call = s) \/ (\E t \in Task : \E x \in lent[t] : x.call = s) \* somebody waits for that call's answer
Arriving(t) == \* the call of add has the task in its own hand
  queue[t] # <<>> /\ added[t] \in {"none", "lost"} /\ write[t] = "none" /\ t \notin delivered \cup dropped /\ ~Held(t) /\ lent[t] = {}
HasRecord(t) == write[t] = "committed" \* the task came from a record, and handing it over owes a delete
Alive(h, q, g) == running[h, q] /\ generation[h, q] = g \* that very generation is running
Fresh(t, h, q) == \* the manager does not know the record yet
  t \in backlog \ (loaded[h, q] \cup fetched[h, q] \cup done[h, q]) /\ ~HeldBy(t, h, generation[h, q]) /\ ~LentBy(t, h, generation[h, q])
Living(x) == Alive(x.host, queue[x.task][1], x.generation) \* the generation that put the task into the hand is running
Back(x) == \* the memories, once a task from a record is out of a hand and to be offered again
  IF HasRecord(x.task) /\ Living(x) THEN [loaded EXCEPT ![x.host, queue[x.task][1]] = @ \cup {x.task}] ELSE loaded
Settles(x) == \* what the managers have done with, once a task is out of a hand for good: a generation that has stopped knows nothing
  IF HasRecord(x.task) /\ Living(x) THEN [done EXCEPT ![x.host, queue[x.task][1]] = @ \cup {x.task}] ELSE done
Suitable(p, h, q, v) == \* the poll may be given a task of that partition and version now
  /\ active[h]
  /\ p \notin expired
  /\ p \notin left
  /\ \E r \in registrations[p] : r.host = h /\ r.partition = q /\ r.version = v /\ Alive(h, q, r.generation)
Meets(t, p) == \* a task in memory, in nobody's hand, stands beside a poll that may have it
  /\ queue[t] # <<>>
  /\ \E h \in Host : t \in loaded[h, queue[t][1]] /\ Suitable(p, h, queue[t][1], queue[t][2])
AnswersOf(c) == \* how a cause looks to the caller; to that of a call on behalf of another, a poll of which nothing is known is an error
  CASE c = <<"interrupt">> -> {<<"interrupted">>}
    [] c = <<"unanswered">> -> {<<"empty">>, <<"interrupted">>}
    [] c = <<"sticky">> -> {<<"rejected">>}
    [] c \in {<<"deadline">>, <<"unload">>, <<"above">>} -> {<<"empty">>}
    [] OTHER -> {<<"task", c[2]>>}
CauseOf(p, a) == \* how a poll ends for which a call was made that was answered so
  CASE p \in left -> <<"interrupt">>
    [] a[1] = "task" -> <<"delivery", a[2]>>
    [] a = <<"empty">> -> <<"above">>
    [] OTHER -> <<"unanswered">>

-----------------------------------------------------------------------------
(* Client actions *)

StartPoll(p, w, q, v) == \* a worker polls a partition for tasks of its version
  /\ wanted[p] = <<>>
  /\ wanted' = [wanted EXCEPT ![p] = <<w, q, v>>]
  /\ UNCHANGED <<managers, active, asking, registrations, sent, hand, expired, left, settled, answer, tasks>>

AddTask(t, h, q, v) == \* a task arrives at a host, for a partition and a version
  /\ queue[t] = <<>>
  /\ queue' = [queue EXCEPT ![t] = <<q, v>>]
  /\ arrived' = [arrived EXCEPT ![t] = {h}]
  /\ UNCHANGED <<managers, active, polls, lent, write, added, backlog, fetched, loaded, done, delivered, dropped>>

Return(p, a) == \* the caller's call returns, and the caller sees how its poll ended
  /\ settled[p] # {}
  /\ answer[p] = <<>>
  /\ \/ \E c \in settled[p] : a \in AnswersOf(c)
     \/ p \in left /\ a = <<"interrupted">>
  /\ answer' = [answer EXCEPT ![p] = a]
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, sent, hand, expired, left, settled, tasks>>

AnswerAdd(t, a) == \* the call of add returns: accepted if handed over or stored, refused if its write was not confirmed
  /\ queue[t] # <<>>
  /\ added[t] = "none"
  /\ \/ a = "accepted" /\ write[t] = "none" /\ t \in delivered \cup dropped
     \/ a = "accepted" /\ write[t] = "committed"
     \/ a = "refused" /\ write[t] \in {"owed", "committed", "failed"} /\ queue[t][1] \notin Sticky
     \/ a = "rejected" /\ write[t] = "failed" /\ queue[t][1] \in Sticky
  /\ added' = [added EXCEPT ![t] = a]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, write, backlog, fetched, loaded, done, delivered, dropped>>

-----------------------------------------------------------------------------
(* Internal actions: what the service does *)

Load(h, q) == \* a new generation of the manager begins
  /\ q \notin Sticky
  /\ ~running[h, q]
  /\ generation[h, q] + 1 \in Generation
  /\ running' = [running EXCEPT ![h, q] = TRUE]
  /\ generation' = [generation EXCEPT ![h, q] = @ + 1]
  /\ UNCHANGED <<active, polls, tasks>>

Unload(h, q) == \* the manager stops: its polls end empty, what was in their hands or lent is taken back, its memory goes; a handler that asks goes on
  LET Its(x) == x.host = h /\ x.partition = q
      waiting == {p \in Poll : (\E r \in registrations[p] : Its(r)) \/ \E x \in sent[p] : Its(x)}
      matched == {p \in Poll \ asking : \E x \in hand[p] : x.host = h /\ queue[x.task][1] = q}
      calls == {x.call : x \in {y \in UNION {lent[t] : t \in Task} : Its(y)}}
  IN  /\ running[h, q]
      /\ running' = [running EXCEPT ![h, q] = FALSE]
      /\ registrations' = [p \in Poll |-> IF p \in waiting THEN {} ELSE registrations[p]]
      /\ sent' = [p \in Poll |-> IF p \in waiting THEN {} ELSE sent[p]]
      /\ hand' = [p \in Poll |-> IF p \in matched THEN {} ELSE hand[p]]
      /\ settled' = [p \in Poll |-> IF p \in waiting \cup matched THEN settled[p] \cup {<<"unload">>} ELSE settled[p]]
      /\ lent' = [t \in Task |-> {x \in lent[t] : ~Its(x)}]
      /\ added' = [t \in Task |-> IF t \in calls THEN "lost" ELSE added[t]]
      /\ fetched' = [fetched EXCEPT ![h, q] = {}]
      /\ loaded' = [loaded EXCEPT ![h, q] = {}]
      /\ done' = [done EXCEPT ![h, q] = {}]
      /\ UNCHANGED <<generation, active, wanted, asking, expired, left, answer,
                     queue, arrived, write, backlog, delivered, dropped>>

Register(p, h) == \* a poll arrives, finds no task for it in memory, and waits
  LET w == wanted[p][1]
      q == wanted[p][2]
      v == wanted[p][3]
  IN  /\ Asked(p)
      /\ p \notin expired
      /\ running[h, q]
      /\ ~(active[h] /\ \E t \in loaded[h, q] : queue[t] = <<q, v>>)
      /\ registrations' = [registrations EXCEPT ![p] =
           {[host |-> h, partition |-> q, generation |-> generation[h, q], version |-> v, worker |-> w]}]
      /\ UNCHANGED <<managers, active, asking, wanted, sent, hand, expired, left, settled, answer, tasks>>

Take(p, h, t) == \* a poll arrives and takes a task from memory at once, without a registration
  LET q == wanted[p][2]
  IN  /\ Asked(p)
      /\ active[h]
      /\ p \notin expired
      /\ running[h, q]
      /\ t \in loaded[h, q]
      /\ queue[t] = <<q, wanted[p][3]>>
      /\ hand' = [hand EXCEPT ![p] = {[task |-> t, host |-> h, generation |-> generation[h, q]]}]
      /\ loaded' = [loaded EXCEPT ![h, q] = @ \ {t}]
      /\ UNCHANGED <<managers, active, asking, wanted, registrations, sent, expired, left, settled, answer,
                     queue, arrived, lent, write, added, backlog, fetched, done, delivered, dropped>>

SendOn(p, c, h) == \* a poll that finds nothing in a child's memory is sent on: a call is made on its behalf, and it waits here no longer
  LET q == wanted[p][2]
  IN  /\ Asked(p) \/ \E r \in registrations[p] : r.host = h
      /\ p \notin expired
      /\ q \in Child
      /\ running[h, q]
      /\ ~(active[h] /\ \E t \in loaded[h, q] : queue[t] = <<q, wanted[p][3]>>)
      /\ c # p
      /\ wanted[c] = <<>>
      /\ ~IsCall(c)
      /\ sent' = [sent EXCEPT ![p] = {[call |-> c, host |-> h, partition |-> q, generation |-> generation[h, q]]}]
      /\ registrations' = [registrations EXCEPT ![p] = {}]
      /\ UNCHANGED <<managers, active, asking, wanted, hand, expired, left, settled, answer, tasks>>

Resume(p, c, goes) == \* the call made on a poll's behalf returns: its answer ends the poll, or the poll goes on where it was
  /\ answer[c] = <<>>
  /\ settled[p] = {}
  /\ \E x \in sent[p] : x.call = c
  /\ \E s \in settled[c] : \E a \in AnswersOf(s) :
       /\ goes => a = <<"empty">> /\ p \notin left
       /\ answer' = [answer EXCEPT ![c] = a]
       /\ settled' = IF goes THEN settled ELSE [settled EXCEPT ![p] = @ \cup {CauseOf(p, a)}]
  /\ sent' = [sent EXCEPT ![p] = {}]
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, hand, expired, left, tasks>>

Break(p) == \* the call made on a poll's behalf fails, and nobody can tell whether it waits: the poll ends, so that it waits nowhere else
  /\ sent[p] # {}
  /\ sent' = [sent EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"unanswered">>}]
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, hand, expired, left, answer, tasks>>

RejectPoll(p) == \* a poll for a sticky partition is told that there are none
  /\ Asked(p)
  /\ wanted[p][2] \in Sticky
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"sticky">>}]
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, sent, hand, expired, left, answer, tasks>>

Lend(t, u, h) == \* a task meets no poll at a child, and is offered elsewhere by a call on its behalf: nobody here may have it meanwhile
  LET q == queue[t][1]
  IN  /\ (Arriving(t) /\ h \in arrived[t]) \/ (queue[t] # <<>> /\ t \in loaded[h, q])
      /\ active[h]
      /\ q \in Child
      /\ running[h, q]
      /\ ~\E p \in Poll : Suitable(p, h, q, queue[t][2])
      /\ u # t
      /\ queue[u] = <<>>
      /\ added[u] = "none"
      /\ ~IsCall(u)
      /\ lent' = [lent EXCEPT ![t] = @ \cup {[call |-> u, host |-> h, partition |-> q, generation |-> generation[h, q]]}]
      /\ loaded' = [loaded EXCEPT ![h, q] = @ \ {t}]
      /\ UNCHANGED <<managers, active, polls, queue, arrived, write, added, backlog, fetched, done, delivered, dropped>>

Conclude(t, u, h) == \* the call made on a task's behalf returns: what was taken or dropped there is done with here
  LET q == queue[t][1]
      over == u \in delivered \cup dropped
  IN  /\ added[u] = "none"
      /\ \/ u \in delivered /\ added' = [added EXCEPT ![u] = "taken"]
         \/ u \in dropped /\ added' = [added EXCEPT ![u] = "dropped"]
         \/ write[u] = "failed" /\ added' = [added EXCEPT ![u] = "canceled"]
      /\ \E x \in lent[t] : x.call = u /\ x.host = h /\ lent' = [lent EXCEPT ![t] = @ \ {x}]
      /\ loaded' = IF HasRecord(t) /\ ~over THEN [loaded EXCEPT ![h, q] = @ \cup {t}] ELSE loaded
      /\ done' = IF HasRecord(t) /\ over THEN [done EXCEPT ![h, q] = @ \cup {t}] ELSE done
      /\ delivered' = IF u \in delivered THEN delivered \cup {t} ELSE delivered
      /\ dropped' = IF u \in delivered THEN dropped \ {t} ELSE IF u \in dropped /\ t \notin delivered THEN dropped \cup {t} ELSE dropped
      /\ UNCHANGED <<managers, active, polls, queue, arrived, write, backlog, fetched>>

Retract(t, u, h) == \* the call made on a task's behalf is not answered in time, or not awaited: the task is as it was
  /\ added[u] = "none"
  /\ added' = [added EXCEPT ![u] = "lost"]
  /\ \E x \in lent[t] : x.call = u /\ x.host = h /\ lent' = [lent EXCEPT ![t] = @ \ {x}]
  /\ loaded' = IF HasRecord(t) THEN [loaded EXCEPT ![h, queue[t][1]] = @ \cup {t}] ELSE loaded
  /\ UNCHANGED <<managers, active, polls, queue, arrived, write, backlog, fetched, done, delivered, dropped>>

Decline(t, h) == \* a task that was offered on behalf of another meets no poll: it stays with whoever offered it
  /\ Child # {}
  /\ \/ Arriving(t) /\ ~\E p \in Poll : Suitable(p, h, queue[t][1], queue[t][2])
     \/ write[t] = "owed"
  /\ h \in arrived[t]
  /\ running[h, queue[t][1]]
  /\ write' = [write EXCEPT ![t] = "failed"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, backlog, fetched, loaded, done, delivered, dropped>>

RejectAdd(t) == \* an add to a sticky partition is told that there are none
  /\ Arriving(t)
  /\ queue[t][1] \in Sticky
  /\ write' = [write EXCEPT ![t] = "failed"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, backlog, fetched, loaded, done, delivered, dropped>>

SyncMatch(t, p) == \* an arriving task meets a waiting poll: no record is written
  /\ Arriving(t)
  /\ \E r \in registrations[p] :
       /\ r.host \in arrived[t]
       /\ Suitable(p, r.host, queue[t][1], queue[t][2])
       /\ hand' = [hand EXCEPT ![p] = {[task |-> t, host |-> r.host, generation |-> r.generation]}]
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ UNCHANGED <<managers, active, asking, wanted, sent, expired, left, settled, answer, tasks>>

Spool(t, h) == \* an arriving task meets no poll that may have it, or must be stored: the write of its record begins
  /\ \/ Arriving(t) /\ ~\E p \in Poll : Suitable(p, h, queue[t][1], queue[t][2])
     \/ write[t] = "owed" /\ added[t] \in {"none", "lost"}
  /\ h \in arrived[t]
  /\ running[h, queue[t][1]]
  /\ write' = [write EXCEPT ![t] = "flying"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, backlog, fetched, loaded, done, delivered, dropped>>

RefuseAdd(t, h) == \* the handler of an add learns that its host does not load the partition: whoever added the task must add it again
  /\ Arriving(t) \/ write[t] = "owed"
  /\ h \in arrived[t]
  /\ queue[t][1] \notin Sticky
  /\ ~running[h, queue[t][1]]
  /\ write' = [write EXCEPT ![t] = "failed"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, backlog, fetched, loaded, done, delivered, dropped>>

AbandonAdd(t) == \* the handler of an add learns that its caller has left: whoever added the task must add it again
  /\ Arriving(t) \/ write[t] = "owed"
  /\ added[t] = "lost"
  /\ write' = [write EXCEPT ![t] = "failed"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, backlog, fetched, loaded, done, delivered, dropped>>

ReadBacklog(h, q) == \* a read is answered: records not yet known to this generation come into its memory
  /\ running[h, q]
  /\ loaded' = [loaded EXCEPT ![h, q] = @ \cup {t \in fetched[h, q] \ done[h, q] : ~HeldBy(t, h, generation[h, q]) /\ ~LentBy(t, h, generation[h, q])}]
  /\ fetched' = [fetched EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, write, added, backlog, done, delivered, dropped>>

Match(t, p) == \* a task in memory meets a waiting poll: the registration goes, the task is in the poll's hand
  /\ Meets(t, p)
  /\ \E r \in registrations[p] :
       /\ hand' = [hand EXCEPT ![p] = {[task |-> t, host |-> r.host, generation |-> r.generation]}]
       /\ loaded' = [loaded EXCEPT ![r.host, r.partition] = @ \ {t}]
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ UNCHANGED <<managers, active, asking, wanted, sent, expired, left, settled, answer,
                 queue, arrived, lent, write, added, backlog, fetched, done, delivered, dropped>>

Ask(t, p) == \* the handler resumes and asks whether the task may be given: from here on the answer decides, and the caller
  /\ p \notin left
  /\ p \notin asking
  /\ \E x \in hand[p] : x.task = t
  /\ asking' = asking \cup {p}
  /\ UNCHANGED <<managers, active, wanted, registrations, sent, hand, expired, left, settled, answer, tasks>>

Deliver(t, p) == \* the handler hands the task over, once it may; a task with a record owes a delete
  /\ p \notin left
  /\ \E x \in hand[p] :
       /\ x.task = t
       /\ done' = Settles(x)
  /\ hand' = [hand EXCEPT ![p] = {}]
  /\ asking' = asking \ {p}
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"delivery", t>>}]
  /\ delivered' = delivered \cup {t}
  /\ dropped' = dropped \ {t}
  /\ UNCHANGED <<managers, active, wanted, registrations, sent, expired, left, answer,
                 queue, arrived, lent, write, added, backlog, fetched, loaded>>

Drop(t, p) == \* the handler learns that the task need not be done any more: its record owes a delete, and the poll asks again
  /\ p \in asking
  /\ p \notin left
  /\ \E x \in hand[p] :
       /\ x.task = t
       /\ done' = Settles(x)
  /\ hand' = [hand EXCEPT ![p] = {}]
  /\ asking' = asking \ {p}
  /\ dropped' = IF t \in delivered THEN dropped ELSE dropped \cup {t}
  /\ UNCHANGED <<managers, active, wanted, registrations, sent, expired, left, settled, answer,
                 queue, arrived, lent, write, added, backlog, fetched, loaded, delivered>>

Keep(t, p) == \* nobody can tell the handler now: a task with a record is offered again later, another must be stored; the poll asks again
  /\ p \in asking
  /\ p \notin left
  /\ \E x \in hand[p] :
       /\ x.task = t
       /\ loaded' = Back(x)
  /\ hand' = [hand EXCEPT ![p] = {}]
  /\ asking' = asking \ {p}
  /\ write' = IF write[t] = "none" THEN [write EXCEPT ![t] = "owed"] ELSE write
  /\ UNCHANGED <<managers, active, wanted, registrations, sent, expired, left, settled, answer,
                 queue, arrived, lent, added, backlog, fetched, done, delivered, dropped>>

GiveBack(t, p) == \* the handler resumes, its caller has left: the task goes back to where it came from
  /\ p \in left
  /\ \E x \in hand[p] :
       /\ x.task = t
       /\ loaded' = Back(x)
  /\ hand' = [hand EXCEPT ![p] = {}]
  /\ asking' = asking \ {p}
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}]
  /\ UNCHANGED <<managers, active, wanted, registrations, sent, expired, left, answer,
                 queue, arrived, lent, write, added, backlog, fetched, done, delivered, dropped>>

Expire(p) == \* the poll's timer fires, or it arrives too late to wait: it ends empty
  /\ p \in expired
  /\ registrations[p] # {} \/ sent[p] # {} \/ Asked(p)
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ sent' = [sent EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"deadline">>}]
  /\ UNCHANGED <<managers, active, asking, wanted, hand, expired, left, answer, tasks>>

Refuse(p, h) == \* a poll arrives at a host that does not load the partition: it ends empty, as if the manager had been unloaded
  /\ Asked(p)
  /\ wanted[p][2] \notin Sticky
  /\ ~running[h, wanted[p][2]]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"unload">>}]
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, sent, hand, expired, left, answer, tasks>>

Withdraw(p) == \* the handler learns that its caller has left, and takes the registration back, or waits for the answer to a call no longer
  /\ p \in left
  /\ registrations[p] # {} \/ sent[p] # {}
  /\ registrations' = [registrations EXCEPT ![p] = {}]
  /\ sent' = [sent EXCEPT ![p] = {}]
  /\ settled' = [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}]
  /\ UNCHANGED <<managers, active, asking, wanted, hand, expired, left, answer, tasks>>

-----------------------------------------------------------------------------
(* Environment actions: time, callers, the store, the cluster *)

DeadlinePasses(p) == \* the clock reaches the deadline that the caller sent
  /\ wanted[p] # <<>>
  /\ settled[p] = {}
  /\ p \notin expired
  /\ expired' = expired \cup {p}
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, sent, hand, left, settled, answer, tasks>>

CallerLeaves(p) == \* the caller interrupts its call; before the poll has arrived that ends it, after a hand-over it is too late
  /\ wanted[p] # <<>>
  /\ answer[p] = <<>>
  /\ p \notin left
  /\ \A t \in Task : <<"delivery", t>> \notin settled[p]
  /\ left' = left \cup {p}
  /\ settled' = IF Asked(p) THEN [settled EXCEPT ![p] = @ \cup {<<"interrupt">>}] ELSE settled
  /\ UNCHANGED <<managers, active, asking, wanted, registrations, sent, hand, expired, answer, tasks>>

LeaveAdd(t) == \* the caller of an add gives up: it will not learn what became of its task
  /\ queue[t] # <<>>
  /\ added[t] = "none"
  /\ added' = [added EXCEPT ![t] = "lost"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, write, backlog, fetched, loaded, done, delivered, dropped>>

NamespaceChanges(h) == \* a host learns of a failover: this cluster has become the active one, or has ceased to be
  /\ active' = [active EXCEPT ![h] = ~@]
  /\ UNCHANGED <<managers, polls, tasks>>

CommitWrite(t) == \* the store makes the record durable; its answer is still to come
  /\ write[t] = "flying"
  /\ write' = [write EXCEPT ![t] = "committed"]
  /\ backlog' = backlog \cup {t}
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, fetched, loaded, done, delivered, dropped>>

FailWrite(t) == \* the store does not make the record durable, and never will
  /\ write[t] = "flying"
  /\ write' = [write EXCEPT ![t] = "failed"]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, added, backlog, fetched, loaded, done, delivered, dropped>>

ServeRead(h, q, found) == \* the store serves a manager's read: of what is durable at this moment, as much as was asked for
  /\ running[h, q]
  /\ fetched[h, q] = {}
  /\ \A t \in found : t \in backlog /\ queue[t][1] = q
  /\ fetched' = [fetched EXCEPT ![h, q] = found]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, write, added, backlog, loaded, done, delivered, dropped>>

FailRead(h, q) == \* a read that was served is not answered: whoever asked must ask again
  /\ fetched[h, q] # {}
  /\ fetched' = [fetched EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, write, added, backlog, loaded, done, delivered, dropped>>

CommitDelete(gone) == \* the store deletes records of tasks that were handed over, or need not be
  /\ gone # {}
  /\ gone \subseteq backlog \cap (delivered \cup dropped)
  /\ backlog' = backlog \ gone
  /\ UNCHANGED <<managers, active, polls, queue, arrived, lent, write, added, fetched, loaded, done, delivered, dropped>>

ForgetPoll(p) == \* the caller has its answer, or nobody waits for the answer any more: the slot may hold another poll
  /\ answer[p] # <<>> \/ (Child # {} /\ settled[p] # {})
  /\ ~IsCall(p)
  /\ wanted' = [wanted EXCEPT ![p] = <<>>]
  /\ expired' = expired \ {p}
  /\ left' = left \ {p}
  /\ settled' = [settled EXCEPT ![p] = {}]
  /\ answer' = [answer EXCEPT ![p] = <<>>]
  /\ UNCHANGED <<managers, active, asking, registrations, sent, hand, tasks>>

ForgetTask(t) == \* the caller has its answer and nothing refers to the task: the slot may hold another task
  /\ added[t] # "none"
  /\ write[t] # "flying"
  /\ t \notin backlog
  /\ ~Held(t)
  /\ lent[t] = {}
  /\ ~IsCall(t)
  /\ \A h \in Host, q \in Partition : t \notin loaded[h, q] \cup fetched[h, q]
  /\ \A p \in Poll : <<"delivery", t>> \notin settled[p]
  /\ queue' = [queue EXCEPT ![t] = <<>>]
  /\ arrived' = [arrived EXCEPT ![t] = {}]
  /\ write' = [write EXCEPT ![t] = "none"]
  /\ added' = [added EXCEPT ![t] = "none"]
  /\ done' = [m \in Manager |-> done[m] \ {t}]
  /\ delivered' = delivered \ {t}
  /\ dropped' = dropped \ {t}
  /\ UNCHANGED <<managers, active, polls, lent, backlog, fetched, loaded>>

-----------------------------------------------------------------------------

Next ==
  \/ \E p \in Poll, w \in Worker, q \in Partition, v \in Version : StartPoll(p, w, q, v)
  \/ \E t \in Task, h \in Host, q \in Partition, v \in Version : AddTask(t, h, q, v)
  \/ \E p \in Poll, a \in Answer : Return(p, a)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition : Unload(h, q)
  \/ \E p \in Poll, h \in Host : Register(p, h)
  \/ \E p \in Poll, h \in Host, t \in Task : Take(p, h, t)
  \/ \E p \in Poll, c \in Poll, h \in Host : SendOn(p, c, h)
  \/ \E p \in Poll, c \in Poll, goes \in BOOLEAN : Resume(p, c, goes)
  \/ \E p \in Poll : Break(p)
  \/ \E p \in Poll : RejectPoll(p)
  \/ \E t \in Task, u \in Task, h \in Host : Lend(t, u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Conclude(t, u, h)
  \/ \E t \in Task, u \in Task, h \in Host : Retract(t, u, h)
  \/ \E t \in Task, h \in Host : Decline(t, h)
  \/ \E t \in Task : RejectAdd(t)
  \/ \E t \in Task, p \in Poll : SyncMatch(t, p)
  \/ \E t \in Task, h \in Host : Spool(t, h)
  \/ \E t \in Task, h \in Host : RefuseAdd(t, h)
  \/ \E t \in Task : AbandonAdd(t)
  \/ \E h \in Host, q \in Partition : ReadBacklog(h, q)
  \/ \E t \in Task, p \in Poll : Match(t, p)
  \/ \E t \in Task, p \in Poll : Ask(t, p)
  \/ \E t \in Task, p \in Poll : Deliver(t, p)
  \/ \E t \in Task, p \in Poll : Drop(t, p)
  \/ \E t \in Task, p \in Poll : Keep(t, p)
  \/ \E t \in Task, p \in Poll : GiveBack(t, p)
  \/ \E p \in Poll : Expire(p)
  \/ \E p \in Poll, h \in Host : Refuse(p, h)
  \/ \E p \in Poll : Withdraw(p)
  \/ \E p \in Poll : DeadlinePasses(p)
  \/ \E p \in Poll : CallerLeaves(p)
  \/ \E t \in Task : LeaveAdd(t)
  \/ \E h \in Host : NamespaceChanges(h)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task : FailWrite(t)
  \/ \E h \in Host, q \in Partition, found \in SUBSET Task : ServeRead(h, q, found)
  \/ \E h \in Host, q \in Partition : FailRead(h, q)
  \/ \E gone \in SUBSET Task : CommitDelete(gone)
  \/ \E p \in Poll : ForgetPoll(p)
  \/ \E t \in Task : ForgetTask(t)

Fairness == \* what a running service, a clock and a store owe; no caller, failover or unload is owed
  /\ \A p \in Poll : WF_vars(DeadlinePasses(p))
  /\ \A p \in Poll : WF_vars(Expire(p))
  /\ \A p \in Poll : WF_vars(Withdraw(p))
  /\ \A p \in Poll : WF_vars(\E a \in Answer : Return(p, a))
  /\ \A p \in Poll : \A t \in Task : WF_vars(GiveBack(t, p))
  /\ \A t \in Task : SF_vars(\E p \in Poll : Ask(t, p))
  /\ \A t \in Task : SF_vars(\E p \in Poll : (Deliver(t, p) \/ Drop(t, p)) /\ p \in asking)
  /\ \A p \in Poll : WF_vars(\E t \in Task : (Deliver(t, p) \/ Drop(t, p) \/ Keep(t, p)) /\ p \in asking)
  /\ \A t \in Task : SF_vars(\E p \in Poll : Match(t, p))
  /\ \A h \in Host, q \in Partition, t \in Task :
       SF_vars(Fresh(t, h, q) /\ \E found \in SUBSET Task : t \in found /\ ServeRead(h, q, found))
  /\ \A h \in Host, q \in Partition : SF_vars(ReadBacklog(h, q))
  /\ \A t \in Task : SF_vars((\E h \in Host : Spool(t, h)) \/ (\E p \in Poll : SyncMatch(t, p)))
  /\ \A t \in Task : WF_vars(CommitWrite(t) \/ FailWrite(t))
  /\ \A t \in Task : WF_vars(\E a \in AddAnswer : AnswerAdd(t, a))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

RegistrationInv == \* a registration exists only under a running manager of its own generation, and carries what its caller sent
  \A p \in Poll : \A r \in registrations[p] :
    /\ Alive(r.host, r.partition, r.generation)
    /\ wanted[p] = <<r.worker, r.partition, r.version>>

OneRegistrationInv == \* a poll has at most one registration, and none once it has a task, an end, or a call on its behalf
  \A p \in Poll : /\ Cardinality(registrations[p]) <= 1
                  /\ (hand[p] # {} \/ settled[p] # {} \/ sent[p] # {}) => registrations[p] = {}

SentInv == \* on behalf of a poll that has neither task nor end one call is made at most, by a manager that runs still
  \A p \in Poll : /\ Cardinality(sent[p]) <= 1
                  /\ \A x \in sent[p] : hand[p] = {} /\ settled[p] = {} /\ Alive(x.host, x.partition, x.generation)

LentInv == \* what a manager has offered elsewhere is its own, and in no hand of its own, nor in its memory, meanwhile
  \A t \in Task : \A x \in lent[t] :
    /\ queue[t] # <<>> /\ queue[t][1] = x.partition
    /\ Alive(x.host, x.partition, x.generation)
    /\ t \notin loaded[x.host, x.partition] \cup done[x.host, x.partition]
    /\ ~HeldBy(t, x.host, x.generation)
    /\ HasRecord(t) \/ (x.host \in arrived[t] /\ write[t] = "none" /\ ~Held(t) /\ Cardinality(lent[t]) = 1)

SettledOnceInv == \* a poll is ended by at most one cause
  \A p \in Poll : Cardinality(settled[p]) <= 1

SettledGetsNothingInv == \* a poll that has ended holds no task
  \A p \in Poll : settled[p] # {} => hand[p] = {}

CauseInv == \* the deadline ends only polls whose deadline has passed, the interrupt only polls whose caller has left
  \A p \in Poll : /\ <<"deadline">> \in settled[p] => p \in expired
                  /\ <<"interrupt">> \in settled[p] => p \in left

AnswerInv == \* what the caller saw is how its poll ended; a task is seen only where one was handed over
  \A p \in Poll : answer[p] # <<>> =>
    \/ \E c \in settled[p] : answer[p] \in AnswersOf(c)
    \/ answer[p] = <<"interrupted">> /\ p \in left /\ \A t \in Task : <<"delivery", t>> \notin settled[p]

OneHandInv == \* a generation has a task in at most one hand, and then not in its memory; a task without a record is in at most one hand; a hand holds one task
  /\ \A p \in Poll : Cardinality(hand[p]) <= 1
  /\ \A p, o \in Poll : p # o => hand[p] \cap hand[o] = {}
  /\ \A p, o \in Poll : p # o => \A x \in hand[p], y \in hand[o] : x.task = y.task => HasRecord(x.task)
  /\ \A h \in Host, q \in Partition : \A t \in loaded[h, q] : ~HeldBy(t, h, generation[h, q])

HandInv == \* a hand is filled only by a running manager of its own generation; only a handler that asks outlives it
  \A p \in Poll : \A x \in hand[p] : queue[x.task] # <<>> /\ (Living(x) \/ p \in asking)

AskingInv == \* a handler asks about the task in its hand, and then its poll has no end yet
  \A p \in asking : hand[p] # {} /\ settled[p] = {}

MemoryInv == \* only a running manager has tasks in memory: of its own partition, and none to offer that it has done with
  \A h \in Host, q \in Partition :
    /\ \A t \in loaded[h, q] \cup fetched[h, q] \cup done[h, q] : running[h, q] /\ queue[t] # <<>> /\ queue[t][1] = q
    /\ loaded[h, q] \cap done[h, q] = {}

NothingLostInv == \* an accepted task has a record, has been handed over, or need not be
  \A t \in Task : added[t] = "accepted" => t \in backlog \cup delivered \cup dropped

-----------------------------------------------------------------------------
(* Step properties *)

GenerationsGrowProp == \* a load makes the next generation, and nothing else touches the count
  [][\A m \in Manager : generation'[m] = IF running'[m] /\ ~running[m] THEN generation[m] + 1 ELSE generation[m]]_vars

SettledStaysProp == \* a poll that has ended stays as it is until it is forgotten
  [][\A p \in Poll : settled[p] # {} =>
       \/ settled'[p] = settled[p] /\ (answer[p] # <<>> => answer'[p] = answer[p])
       \/ (answer[p] # <<>> \/ Child # {}) /\ settled'[p] = {} /\ answer'[p] = <<>>]_vars

RecordKeptProp == \* a record goes only after its task was handed over or dropped; an unload leaves the backlog as it is
  [][/\ \A t \in backlog : t \in backlog' \cup delivered \cup dropped
     /\ (\E m \in Manager : running[m] /\ ~running'[m]) => backlog' = backlog]_vars

SuitableProp == \* a task comes only into the hand of a poll that may have it: active namespace, same partition and version, in time
  [][\A p \in Poll : \A x \in hand'[p] \ hand[p] :
       /\ active[x.host]
       /\ p \notin expired
       /\ p \notin left
       /\ queue[x.task] = <<wanted[p][2], wanted[p][3]>>]_vars

RegisterPromptProp == \* no registration leaves a task in memory beside a poll that may have it
  [][\A p \in Poll : registrations[p] = {} /\ registrations'[p] # {} => \A t \in Task : ~Meets(t, p)']_vars

AddPromptProp == \* no add writes a record at a manager where a poll that may have the task is waiting, unless it was asked about and kept
  [][\A t \in Task : write[t] = "none" /\ write'[t] = "flying" =>
       ~\E p \in Poll, h \in arrived[t] : Suitable(p, h, queue[t][1], queue[t][2])]_vars

LendPromptProp == \* no task is lent, and none is declined, where a poll that may have it is waiting
  [][\A t \in Task :
       /\ \A x \in lent'[t] \ lent[t] : ~\E p \in Poll : Suitable(p, x.host, x.partition, queue[t][2])
       /\ write[t] = "none" /\ write'[t] = "failed" /\ added[t] = "none" =>
            ~\E p \in Poll, h \in arrived[t] : Suitable(p, h, queue[t][1], queue[t][2])]_vars

-----------------------------------------------------------------------------
(* Liveness *)

PollReturnsProp == \* every poll returns
  \A p \in Poll : wanted[p] # <<>> ~> answer[p] # <<>>

BacklogServedProp == \* a stored task is handed over if a poll that may have it is again and again waiting
  \A t \in Task :
    []<>(\E p \in Poll, h \in Host : queue[t] # <<>> /\ Suitable(p, h, queue[t][1], queue[t][2]))
      => [](t \in backlog => <>(t \in delivered \cup dropped \/ t \notin backlog))

AddAnsweredProp == \* every add is answered if its partition is again and again loaded
  \A t \in Task :
    []<>(queue[t] # <<>> /\ \E h \in arrived[t] : running[h, queue[t][1]])
      => (queue[t] # <<>> ~> added[t] # "none")

THEOREM Spec => []TypeOK
THEOREM Spec => [](/\ RegistrationInv /\ OneRegistrationInv /\ SentInv /\ LentInv /\ SettledOnceInv /\ SettledGetsNothingInv
                   /\ CauseInv /\ AnswerInv /\ OneHandInv /\ HandInv /\ AskingInv /\ MemoryInv /\ NothingLostInv)
THEOREM Spec => /\ GenerationsGrowProp /\ SettledStaysProp /\ RecordKeptProp
                /\ SuitableProp /\ RegisterPromptProp /\ AddPromptProp /\ LendPromptProp
THEOREM Spec => PollReturnsProp /\ BacklogServedProp /\ AddAnsweredProp
=============================================================================
