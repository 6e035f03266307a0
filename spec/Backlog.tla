------------------------------- MODULE Backlog -------------------------------
(***************************************************************************)
(* The durable backlog of a queue, and the managers that write and read it *)
(* under a lease: whoever raised the range id last is the only one whose   *)
(* writes take effect.                                                     *)
(*                                                                         *)
(* Models    the lease and its blocks of ids; writes, reads, deletes and   *)
(*           the saving of the ack level as calls that take effect, or     *)
(*           not, at one moment and are answered at another, or never;     *)
(*           two managers of one queue; levels; reload.                    *)
(* Omits     who offers a task and what ends it (PollRegistration and      *)
(*           Delivery: here any task in memory may be finished at any      *)
(*           time); the bound of memory and of a batch, which only delay;  *)
(*           the approximate count; a claim that takes effect after its    *)
(*           manager stopped, which fences nobody who is not fenced by a   *)
(*           claim whose answer is lost.                                   *)
(* Refines   nothing yet; Stored is what PollRegistration calls `backlog`. *)
(* Source    the text on partition managers, fencing and the backlog;      *)
(*           temporal: service/matching/db.go, task_writer.go,             *)
(*           task_reader.go, ack_manager.go                                *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues, each with one physical queue
  Task,        \* slots of tasks: a task is one call of add
  Range,       \* range ids; finite in models, Nat in the judge
  Id,          \* ids of records; finite in models, Nat in the judge
  BlockSize    \* how many ids belong to one range id

ASSUME HostAssumption == Host # {}                                       \* there is a host
ASSUME PartitionAssumption == Partition # {}                             \* there is a partition
ASSUME RangeAssumption == 0 \in Range /\ Range \subseteq Nat             \* range id 0 is "taken by nobody"
ASSUME IdAssumption == Id \subseteq Nat                                  \* an id is a number
ASSUME BlockAssumption == BlockSize \in Nat /\ BlockSize > 0             \* a block has an id

VARIABLES
  lease,       \* [Partition -> Range]: durable: the range id of the last takeover
  floor,       \* [Partition -> Nat]: durable: the ack level that was saved last
  records,     \* SUBSET Record: durable: the tasks that are stored, by id
  range,       \* [Manager -> Range]: the range id that a manager believes to hold; 0 is a manager that does not run
  next,        \* [Manager -> Nat]: the next id that it gives to a task
  read,        \* [Manager -> Nat]: up to which id it has read
  ack,         \* [Manager -> Nat]: up to which id every record is finished
  unfinished,  \* [Manager -> SUBSET Entry]: what it has read and not finished
  claims,      \* [Manager -> SUBSET ClaimCall]: its takeover under way
  reads,       \* [Manager -> SUBSET ReadCall]: its read under way
  saves,       \* [Manager -> SUBSET SaveCall]: its saving of the ack level under way
  writes,      \* [Task -> SUBSET WriteCall]: the write of a task under way
  deletes,     \* SUBSET (Partition \X Nat): deletes under way
  added,       \* owned by PollRegistration: what the call of add returned
  finished     \* SUBSET Task: tasks that were handed over, or dropped for cause

durable == <<lease, floor, records>>
levels == <<range, next, read, ack, unfinished>>
vars == <<lease, floor, records, range, next, read, ack, unfinished, claims, reads, saves, writes, deletes, added, finished>>

Manager == Host \X Partition

-----------------------------------------------------------------------------
(* Shapes *)

Entry == Nat \X Task \* a record in memory: its id, and its task
Record == [partition : Partition, id : Nat, task : Task] \* a stored task
Outcome == {"flying", "done", "fenced", "unknown"} \* where a call of the store stands; the last three are answers, and the last tells nothing
ClaimCall == [seen : Range, floor : Nat, outcome : Outcome] \* a takeover, conditional on the range id that was seen; done, it tells the saved ack level
ReadCall == [upto : Nat, found : SUBSET Entry] \* what a read found, and up to which id it looked
SaveCall == [range : Range, level : Nat, outcome : Outcome] \* an ack level to be saved, conditional on the range id
WriteCall == [host : Host, partition : Partition, range : Range, id : Nat, outcome : Outcome] \* a task to be stored, conditional on the range id
AddAnswer == {"none", "accepted", "refused"} \* what a call of add can return

TypeOK == \* every variable has its shape
  /\ lease \in [Partition -> Range]
  /\ floor \in [Partition -> Nat]
  /\ records \subseteq Record
  /\ range \in [Manager -> Range]
  /\ next \in [Manager -> Nat]
  /\ read \in [Manager -> Nat]
  /\ ack \in [Manager -> Nat]
  /\ \A m \in Manager : unfinished[m] \subseteq Entry
  /\ \A m \in Manager : claims[m] \subseteq ClaimCall
  /\ \A m \in Manager : \A c \in reads[m] : c.upto \in Nat /\ c.found \subseteq Entry
  /\ \A m \in Manager : saves[m] \subseteq SaveCall
  /\ \A t \in Task : writes[t] \subseteq WriteCall
  /\ deletes \subseteq Partition \X Nat
  /\ added \in [Task -> AddAnswer]
  /\ finished \subseteq Task

Init == \* nothing is stored, and nobody runs
  /\ lease = [q \in Partition |-> 0]
  /\ floor = [q \in Partition |-> 0]
  /\ records = {}
  /\ range = [m \in Manager |-> 0]
  /\ next = [m \in Manager |-> 0]
  /\ read = [m \in Manager |-> 0]
  /\ ack = [m \in Manager |-> 0]
  /\ unfinished = [m \in Manager |-> {}]
  /\ claims = [m \in Manager |-> {}]
  /\ reads = [m \in Manager |-> {}]
  /\ saves = [m \in Manager |-> {}]
  /\ writes = [t \in Task |-> {}]
  /\ deletes = {}
  /\ added = [t \in Task |-> "none"]
  /\ finished = {}

-----------------------------------------------------------------------------
(* Words used by the actions *)

LastId(r) == r * BlockSize \* the last id of a range's block; the first is that after the last of the range before
Min(ids) == CHOOSE i \in ids : \A j \in ids : i <= j
Waits(m) == {w \in UNION {writes[t] : t \in Task} : <<w.host, w.partition>> = m /\ w.range = range[m]} \* writes whose answers the manager waits for
Top(m) == IF Waits(m) = {} THEN next[m] - 1 ELSE Min({w.id : w \in Waits(m)}) - 1 \* up to which id nothing can appear any more
Leading(entries, level) == IF entries = {} THEN level ELSE Min({x[1] : x \in entries}) - 1 \* up to which id every record is finished
Stored == {r.task : r \in records}
Stops(m) == \* what a manager forgets when it stops
  /\ range' = [range EXCEPT ![m] = 0]
  /\ next' = [next EXCEPT ![m] = 0]
  /\ read' = [read EXCEPT ![m] = 0]
  /\ ack' = [ack EXCEPT ![m] = 0]
  /\ unfinished' = [unfinished EXCEPT ![m] = {}]
  /\ claims' = [claims EXCEPT ![m] = {}]
  /\ reads' = [reads EXCEPT ![m] = {}]
Told(c, outcome) == [c EXCEPT !.outcome = outcome]

-----------------------------------------------------------------------------
(* Client actions *)

Write(t, h, q) == \* a task gets the next id of the block, and its write begins
  LET m == <<h, q>>
  IN  /\ added[t] = "none"
      /\ writes[t] = {}
      /\ t \notin finished \cup Stored
      /\ range[m] > 0
      /\ next[m] <= LastId(range[m])
      /\ claims[m] = {}
      /\ writes' = [writes EXCEPT ![t] = {[host |-> h, partition |-> q, range |-> range[m], id |-> next[m], outcome |-> "flying"]}]
      /\ next' = [next EXCEPT ![m] = @ + 1]
      /\ UNCHANGED <<durable, range, read, ack, unfinished, claims, reads, saves, deletes, added, finished>>

-----------------------------------------------------------------------------
(* Internal actions: the lease *)

Claim(h, q) == \* a manager reads the lease and asks for the next range id: it begins, or its block has run out
  LET m == <<h, q>>
  IN  /\ claims[m] = {}
      /\ saves[m] = {}
      /\ \/ range[m] = 0
         \/ next[m] > LastId(range[m]) /\ Waits(m) = {}
      /\ claims' = [claims EXCEPT ![m] =
           {[seen |-> IF range[m] = 0 THEN lease[q] ELSE range[m], floor |-> 0, outcome |-> "flying"]}]
      /\ UNCHANGED <<durable, levels, reads, saves, writes, deletes, added, finished>>

TakeLease(h, q) == \* the claim takes effect, unless the lease was taken since; the saved ack level is read in the same moment
  \E c \in claims[h, q] :
    /\ c.outcome = "flying"
    /\ IF lease[q] = c.seen
       THEN /\ c.seen + 1 \in Range
            /\ lease' = [lease EXCEPT ![q] = c.seen + 1]
            /\ claims' = [claims EXCEPT ![h, q] = {[c EXCEPT !.floor = floor[q], !.outcome = "done"]}]
       ELSE /\ claims' = [claims EXCEPT ![h, q] = {Told(c, "fenced")}]
            /\ UNCHANGED lease
    /\ UNCHANGED <<floor, records, levels, reads, saves, writes, deletes, added, finished>>

Lead(h, q) == \* the manager learns that the lease is its own: it writes to the new block
  LET m == <<h, q>>
  IN  \E c \in claims[m] :
        /\ c.outcome = "done"
        /\ range' = [range EXCEPT ![m] = c.seen + 1]
        /\ next' = [next EXCEPT ![m] = LastId(c.seen) + 1]
        /\ IF range[m] = 0
           THEN read' = [read EXCEPT ![m] = c.floor] /\ ack' = [ack EXCEPT ![m] = c.floor]
           ELSE UNCHANGED <<read, ack>>
        /\ claims' = [claims EXCEPT ![m] = {}]
        /\ UNCHANGED <<durable, unfinished, reads, saves, writes, deletes, added, finished>>

LoseLease(h, q) == \* the manager learns that somebody else holds the lease: it stops; or it has not begun, and tries again
  LET m == <<h, q>>
  IN  /\ \/ \E c \in claims[m] : c.outcome = "fenced"
         \/ \E s \in saves[m] : s.outcome = "fenced" /\ s.range = range[m]
         \/ \E w \in Waits(m) : w.outcome = "fenced"
      /\ Stops(m)
      /\ saves' = [saves EXCEPT ![m] = {s \in @ : s.outcome # "fenced"}]
      /\ UNCHANGED <<durable, writes, deletes, added, finished>>

ClaimAgain(h, q) == \* the manager cannot tell whether its claim took effect
  /\ \E c \in claims[h, q] : c.outcome = "unknown"
  /\ claims' = [claims EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<durable, levels, reads, saves, writes, deletes, added, finished>>

-----------------------------------------------------------------------------
(* Internal actions: writes *)

CommitWrite(t) == \* the write takes effect, unless the lease was taken since
  \E w \in writes[t] :
    /\ w.outcome = "flying"
    /\ IF lease[w.partition] = w.range
       THEN /\ records' = records \cup {[partition |-> w.partition, id |-> w.id, task |-> t]}
            /\ writes' = [writes EXCEPT ![t] = {Told(w, "done")}]
       ELSE /\ writes' = [writes EXCEPT ![t] = {Told(w, "fenced")}]
            /\ UNCHANGED records
    /\ UNCHANGED <<lease, floor, levels, claims, reads, saves, deletes, added, finished>>

AnswerAdd(t, a) == \* the call of add returns, as its write was answered; a manager that still waits learns it too
  \E w \in writes[t] :
    /\ \/ a = "accepted" /\ w.outcome = "done"
       \/ a = "refused" /\ w.outcome \in {"fenced", "unknown"}
    /\ w.outcome = "fenced" => w \notin Waits(<<w.host, w.partition>>)
    /\ writes' = [writes EXCEPT ![t] = {}]
    /\ added' = [added EXCEPT ![t] = a]
    /\ UNCHANGED <<durable, levels, claims, reads, saves, deletes, finished>>

-----------------------------------------------------------------------------
(* Internal actions: levels *)

Fetch(h, q) == \* a manager reads what lies behind its read level
  LET m == <<h, q>>
  IN  /\ range[m] > 0
      /\ reads[m] = {}
      /\ read[m] < Top(m)
      /\ reads' = [reads EXCEPT ![m] =
           {[upto |-> Top(m), found |-> {<<r.id, r.task>> : r \in {s \in records : s.partition = q /\ s.id > read[m] /\ s.id <= Top(m)}}]}]
      /\ UNCHANGED <<durable, levels, claims, saves, writes, deletes, added, finished>>

Load(h, q) == \* what a read found is in memory; a gap is jumped
  LET m == <<h, q>>
  IN  \E c \in reads[m] :
        /\ unfinished' = [unfinished EXCEPT ![m] = @ \cup c.found]
        /\ read' = [read EXCEPT ![m] = c.upto]
        /\ ack' = [ack EXCEPT ![m] = Leading(unfinished[m] \cup c.found, c.upto)]
        /\ reads' = [reads EXCEPT ![m] = {}]
        /\ UNCHANGED <<durable, range, next, claims, saves, writes, deletes, added, finished>>

Finish(t, h, q) == \* a task in memory is handed over, or dropped for cause; the ack level moves over what is finished
  LET m == <<h, q>>
  IN  \E x \in unfinished[m] :
        /\ x[2] = t
        /\ unfinished' = [unfinished EXCEPT ![m] = @ \ {x}]
        /\ ack' = [ack EXCEPT ![m] = Leading(unfinished[m] \ {x}, read[m])]
        /\ finished' = finished \cup {t}
        /\ UNCHANGED <<durable, range, next, read, claims, reads, saves, writes, deletes, added>>

SaveLevel(h, q) == \* a manager begins to save its ack level
  LET m == <<h, q>>
  IN  /\ range[m] > 0
      /\ claims[m] = {}
      /\ saves[m] = {}
      /\ ack[m] # floor[q]
      /\ saves' = [saves EXCEPT ![m] = {[range |-> range[m], level |-> ack[m], outcome |-> "flying"]}]
      /\ UNCHANGED <<durable, levels, claims, reads, writes, deletes, added, finished>>

CommitSave(h, q) == \* the ack level is saved, unless the lease was taken since
  \E s \in saves[h, q] :
    /\ s.outcome = "flying"
    /\ IF lease[q] = s.range
       THEN /\ floor' = [floor EXCEPT ![q] = s.level]
            /\ saves' = [saves EXCEPT ![h, q] = {Told(s, "done")}]
       ELSE /\ saves' = [saves EXCEPT ![h, q] = {Told(s, "fenced")}]
            /\ UNCHANGED floor
    /\ UNCHANGED <<lease, records, levels, claims, reads, writes, deletes, added, finished>>

EndSave(h, q) == \* the saving is over; what is not known to be saved is saved again
  /\ \E s \in saves[h, q] : s.outcome \in {"done", "unknown"} \/ (s.outcome = "fenced" /\ s.range # range[h, q])
  /\ saves' = [saves EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<durable, levels, claims, reads, writes, deletes, added, finished>>

Delete(h, q, i) == \* a manager begins to delete a record that it has finished
  LET m == <<h, q>>
  IN  /\ range[m] > 0
      /\ i <= ack[m]
      /\ \E r \in records : r.partition = q /\ r.id = i
      /\ <<q, i>> \notin deletes
      /\ deletes' = deletes \cup {<<q, i>>}
      /\ UNCHANGED <<durable, levels, claims, reads, saves, writes, added, finished>>

CommitDelete(q, i) == \* the record is gone, whoever holds the lease
  /\ <<q, i>> \in deletes
  /\ deletes' = deletes \ {<<q, i>>}
  /\ records' = {r \in records : r.partition # q \/ r.id # i}
  /\ UNCHANGED <<lease, floor, levels, claims, reads, saves, writes, added, finished>>

-----------------------------------------------------------------------------
(* Environment actions *)

LoseAnswer(h, q) == \* the answer to a claim or a saving is lost, or it never took effect
  \/ /\ \E c \in claims[h, q] : c.outcome # "unknown" /\ claims' = [claims EXCEPT ![h, q] = {Told(c, "unknown")}]
     /\ UNCHANGED saves
     /\ UNCHANGED <<durable, levels, reads, writes, deletes, added, finished>>
  \/ /\ \E s \in saves[h, q] : s.outcome # "unknown" /\ saves' = [saves EXCEPT ![h, q] = {Told(s, "unknown")}]
     /\ UNCHANGED claims
     /\ UNCHANGED <<durable, levels, reads, writes, deletes, added, finished>>

LoseWrite(t) == \* the answer to a write is lost, or it never took effect
  \E w \in writes[t] :
    /\ w.outcome # "unknown"
    /\ writes' = [writes EXCEPT ![t] = {Told(w, "unknown")}]
    /\ UNCHANGED <<durable, levels, claims, reads, saves, deletes, added, finished>>

FailRead(h, q) == \* a read fails
  /\ reads[h, q] # {}
  /\ reads' = [reads EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<durable, levels, claims, saves, writes, deletes, added, finished>>

FailDelete(q, i) == \* a delete never takes effect
  /\ <<q, i>> \in deletes
  /\ deletes' = deletes \ {<<q, i>>}
  /\ UNCHANGED <<durable, levels, claims, reads, saves, writes, added, finished>>

Stop(h, q) == \* a manager is unloaded, or its host crashes; what it asked of the store may still take effect
  /\ range[h, q] > 0 \/ claims[h, q] # {}
  /\ Stops(<<h, q>>)
  /\ UNCHANGED <<durable, saves, writes, deletes, added, finished>>

Forget(t) == \* the add has its answer and nothing refers to the task: the slot may hold another one
  /\ added[t] # "none"
  /\ t \notin Stored
  /\ \A m \in Manager : /\ \A x \in unfinished[m] : x[2] # t
                        /\ \A c \in reads[m] : \A x \in c.found : x[2] # t
  /\ added' = [added EXCEPT ![t] = "none"]
  /\ finished' = finished \ {t}
  /\ UNCHANGED <<durable, levels, claims, reads, saves, writes, deletes>>

-----------------------------------------------------------------------------

Next ==
  \/ \E t \in Task, h \in Host, q \in Partition : Write(t, h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
  \/ \E h \in Host, q \in Partition : ClaimAgain(h, q)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task, a \in AddAnswer : AnswerAdd(t, a)
  \/ \E h \in Host, q \in Partition : Fetch(h, q)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E t \in Task, h \in Host, q \in Partition : Finish(t, h, q)
  \/ \E h \in Host, q \in Partition : SaveLevel(h, q)
  \/ \E h \in Host, q \in Partition : CommitSave(h, q)
  \/ \E h \in Host, q \in Partition : EndSave(h, q)
  \/ \E h \in Host, q \in Partition, i \in Id : Delete(h, q, i)
  \/ \E q \in Partition, i \in Id : CommitDelete(q, i)
  \/ \E h \in Host, q \in Partition : LoseAnswer(h, q)
  \/ \E t \in Task : LoseWrite(t)
  \/ \E h \in Host, q \in Partition : FailRead(h, q)
  \/ \E q \in Partition, i \in Id : FailDelete(q, i)
  \/ \E h \in Host, q \in Partition : Stop(h, q)
  \/ \E t \in Task : Forget(t)

Fairness == \* what a manager and its store owe; no failure, no stop and no takeover of a lease that is held is owed
  /\ \A t \in Task : WF_vars(CommitWrite(t))
  /\ \A t \in Task : WF_vars(\E a \in AddAnswer : AnswerAdd(t, a))
  /\ \A h \in Host, q \in Partition : WF_vars(Lead(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(LoseLease(h, q))
  /\ \A h \in Host, q \in Partition : SF_vars(Fetch(h, q))
  /\ \A h \in Host, q \in Partition : SF_vars(Load(h, q))
  /\ \A t \in Task, h \in Host, q \in Partition : WF_vars(Finish(t, h, q))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

Leads(m) == range[m] > 0 /\ range[m] = lease[m[2]] \* the manager's writes take effect

OneWriterInv == \* at most one manager of a queue can write: B1
  \A m, o \in Manager : m[2] = o[2] /\ Leads(m) /\ Leads(o) => m = o

UniqueInv == \* no two tasks of a queue bear one id, stored or on their way: B1
  LET given == {<<r.partition, r.id, r.task>> : r \in records}
                 \cup UNION {{<<w.partition, w.id, t>> : w \in writes[t]} : t \in Task}
  IN  \A x, y \in given : x[1] = y[1] /\ x[2] = y[2] => x[3] = y[3]

LevelsInv == \* ack is not above read, nor read above what was written: B2
  \A m \in Manager : range[m] > 0 => ack[m] <= read[m] /\ read[m] <= Top(m)

FinishedInv == \* no ack level, in memory or saved, has passed a task that is not finished: a reload may offer again, and loses nothing: B2
  \A r \in records :
    /\ r.id <= floor[r.partition] => r.task \in finished
    /\ \A h \in Host : range[h, r.partition] > 0 /\ r.id <= ack[h, r.partition] => r.task \in finished

SeenInv == \* what the writer has read is in its memory until it is finished: no record is skipped: B2
  \A m \in Manager : Leads(m) =>
    \A r \in records : r.partition = m[2] /\ r.id <= read[m] => r.task \in finished \/ <<r.id, r.task>> \in unfinished[m]

AcceptedInv == \* an accepted task is stored, or finished, whatever calls failed: B3
  \A t \in Task : added[t] = "accepted" => t \in finished \cup Stored

-----------------------------------------------------------------------------
(* Step properties *)

FencedProp == \* a record appears only under the range id that holds the lease, above all that was stored before: B1
  [][\A r \in records' \ records : /\ r.id > LastId(lease[r.partition] - 1)
                                   /\ r.id <= LastId(lease[r.partition])]_vars

SavedProp == \* an ack level is saved only under the range id that holds the lease, and never falls: B1, B2
  [][\A q \in Partition : floor[q] # floor'[q] =>
       /\ floor'[q] > floor[q]
       /\ \E h \in Host : \E s \in saves[h, q] : s.range = lease[q] /\ s.level = floor'[q]]_vars

LevelsGrowProp == \* no level of a manager falls while it runs, nor does a lease: B2
  [][/\ \A q \in Partition : lease'[q] >= lease[q]
     /\ \A m \in Manager : range[m] > 0 /\ range'[m] > 0 =>
          /\ range'[m] >= range[m]
          /\ next'[m] >= next[m]
          /\ read'[m] >= read[m]
          /\ ack'[m] >= ack[m]]_vars

RecordKeptProp == \* a record goes only when its task is finished: B3
  [][\A r \in records \ records' : r.task \in finished]_vars

-----------------------------------------------------------------------------
(* Liveness *)

ServedProp == \* what is stored is read and finished, if one manager keeps the lease from some time on
  \A m \in Manager, t \in Task : (<>[]Leads(m)) => (\E r \in records : r.partition = m[2] /\ r.task = t) ~> t \in finished

THEOREM Spec => []TypeOK
THEOREM Spec => [](OneWriterInv /\ UniqueInv /\ LevelsInv /\ FinishedInv /\ SeenInv /\ AcceptedInv)
THEOREM Spec => FencedProp /\ SavedProp /\ LevelsGrowProp /\ RecordKeptProp
THEOREM Spec => ServedProp
=============================================================================
