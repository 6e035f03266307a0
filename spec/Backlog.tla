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
(*           the approximate count.                                        *)
(* Refines   what PollRegistration calls `backlog`, joined in Matching.    *)
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
  BlockSize,   \* how many ids belong to one range id
  Number       \* numbers of alike takeovers that nobody waits for; finite in models, Nat in the judge

ASSUME HostAssumption == Host # {}                                       \* there is a host
ASSUME PartitionAssumption == Partition # {}                             \* there is a partition
ASSUME RangeAssumption == 0 \in Range /\ Range \subseteq Nat             \* range id 0 is "taken by nobody"
ASSUME IdAssumption == Id \subseteq Nat                                  \* an id is a number
ASSUME BlockAssumption == BlockSize \in Nat /\ BlockSize > 0             \* a block has an id
ASSUME NumberAssumption == 0 \in Number /\ Number \subseteq Nat           \* the first of its like bears 0

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
  adrift,      \* SUBSET (Partition \X Range \X Number): takeovers under way whose manager has stopped, those that are alike numbered
  reads,       \* [Manager -> SUBSET ReadCall]: its read under way
  saves,       \* [Manager -> SUBSET SaveCall]: its savings of the ack level under way, one for each range id at most
  writes,      \* [Task -> SUBSET WriteCall]: the write of a task under way
  confirmed,   \* SUBSET Task: tasks of which a manager was told that they are stored
  deletes,     \* SUBSET (Partition \X Range \X Nat): deletes under way, by the range id of who asks, each of all records up to an id
  finished     \* SUBSET Task: tasks that were handed over, or dropped for cause

durable == <<lease, floor, records>>
levels == <<range, next, read, ack, unfinished>>
vars == <<lease, floor, records, range, next, read, ack, unfinished,
          claims, adrift, reads, saves, writes, confirmed, deletes, finished>>

Manager == Host \X Partition

-----------------------------------------------------------------------------
(* Shapes *)

Entry == Nat \X Task \* a record in memory: its id, and its task
Record == [partition : Partition, id : Nat, task : Task] \* a stored task
Outcome == {"flying", "done", "fenced", "unknown"} \* where a call of the store stands; the last three are answers, and the last tells nothing
ClaimCall == [seen : Range, won : Range, floor : Nat, outcome : Outcome] \* a takeover, conditional on the range id that was seen, or on none (0); done, it tells the new range id and the saved ack level
ReadCall == [upto : Nat, found : SUBSET Entry] \* what a read found, and up to which id it looked
SaveCall == [range : Range, level : Nat, outcome : Outcome] \* an ack level to be saved, conditional on the range id
WriteCall == [host : Host, partition : Partition, range : Range, id : Nat, outcome : Outcome] \* a task to be stored, conditional on the range id

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
  /\ adrift \subseteq Partition \X Range \X Number
  /\ \A m \in Manager : \A c \in reads[m] : c.upto \in Nat /\ c.found \subseteq Entry
  /\ \A m \in Manager : saves[m] \subseteq SaveCall
  /\ \A t \in Task : writes[t] \subseteq WriteCall
  /\ confirmed \subseteq Task
  /\ deletes \subseteq Partition \X Range \X Nat
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
  /\ adrift = {}
  /\ reads = [m \in Manager |-> {}]
  /\ saves = [m \in Manager |-> {}]
  /\ writes = [t \in Task |-> {}]
  /\ confirmed = {}
  /\ deletes = {}
  /\ finished = {}

-----------------------------------------------------------------------------
(* Words used by the actions *)

LastId(r) == r * BlockSize \* the last id of a range's block; the first is that after the last of the range before
Min(ids) == CHOOSE i \in ids : \A j \in ids : i <= j
Waits(m) == {w \in UNION {writes[t] : t \in Task} : <<w.host, w.partition>> = m /\ w.range = range[m]} \* writes whose answers the manager waits for
Top(m) == IF Waits(m) = {} THEN next[m] - 1 ELSE Min({w.id : w \in Waits(m)}) - 1 \* up to which id nothing can appear any more
Saving(m) == {s \in saves[m] : s.range = range[m]} \* the saving whose answer the manager waits for
Fenced(m) == \* an answer tells the manager that somebody else has taken the lease
  \/ \E c \in claims[m] : c.outcome = "fenced"
  \/ \E s \in Saving(m) : s.outcome = "fenced"
  \/ \E w \in Waits(m) : w.outcome = "fenced"
Upto(q, i) == {r \in records : r.partition = q /\ r.id <= i}
Leading(entries, level) == IF entries = {} THEN level ELSE Min({x[1] : x \in entries}) - 1 \* up to which id every record is finished
Stored == {r.task : r \in records}
Alike(q, r) == Cardinality({x \in adrift : x[1] = q /\ x[2] = r}) \* how many such takeovers are adrift
Stops(m) == \* what a manager forgets when it stops
  /\ \A c \in claims[m] : c.outcome = "flying" => Alike(m[2], c.seen) \in Number
  /\ range' = [range EXCEPT ![m] = 0]
  /\ next' = [next EXCEPT ![m] = 0]
  /\ read' = [read EXCEPT ![m] = 0]
  /\ ack' = [ack EXCEPT ![m] = 0]
  /\ unfinished' = [unfinished EXCEPT ![m] = {}]
  /\ claims' = [claims EXCEPT ![m] = {}]
  /\ adrift' = adrift \cup {<<m[2], c.seen, Alike(m[2], c.seen)>> : c \in {d \in claims[m] : d.outcome = "flying"}}
  /\ reads' = [reads EXCEPT ![m] = {}]
Told(c, outcome) == [c EXCEPT !.outcome = outcome]

-----------------------------------------------------------------------------
(* Client actions *)

Write(t, h, q) == \* a task gets the next id of the block, and its write begins
  LET m == <<h, q>>
  IN  /\ writes[t] = {}
      /\ t \notin finished \cup confirmed \cup Stored
      /\ range[m] > 0
      /\ next[m] <= LastId(range[m])
      /\ claims[m] = {}
      /\ writes' = [writes EXCEPT ![t] = {[host |-> h, partition |-> q, range |-> range[m], id |-> next[m], outcome |-> "flying"]}]
      /\ next' = [next EXCEPT ![m] = @ + 1]
      /\ UNCHANGED <<durable, range, read, ack, unfinished, claims, adrift, reads, saves, confirmed, deletes, finished>>

-----------------------------------------------------------------------------
(* Internal actions: the lease *)

Claim(h, q) == \* a manager asks for the next range id: it begins, or its block has run out
  LET m == <<h, q>>
  IN  /\ claims[m] = {}
      /\ \/ range[m] = 0
         \/ next[m] > LastId(range[m]) /\ Waits(m) = {} /\ Saving(m) = {}
      /\ claims' = [claims EXCEPT ![m] = {[seen |-> range[m], won |-> 0, floor |-> 0, outcome |-> "flying"]}]
      /\ UNCHANGED <<durable, levels, adrift, reads, saves, writes, confirmed, deletes, finished>>

TakeLease(h, q) == \* the claim takes effect; the saved ack level is read in the same moment
  \E c \in claims[h, q] :
    /\ c.outcome = "flying"
    /\ c.seen \in {0, lease[q]}
    /\ lease[q] + 1 \in Range
    /\ lease' = [lease EXCEPT ![q] = @ + 1]
    /\ claims' = [claims EXCEPT ![h, q] = {[c EXCEPT !.won = lease[q] + 1, !.floor = floor[q], !.outcome = "done"]}]
    /\ UNCHANGED <<floor, records, levels, adrift, reads, saves, writes, confirmed, deletes, finished>>

FenceClaim(h, q) == \* the claim has no effect: the lease was taken since
  \E c \in claims[h, q] :
    /\ c.outcome = "flying"
    /\ c.seen \notin {0, lease[q]}
    /\ claims' = [claims EXCEPT ![h, q] = {Told(c, "fenced")}]
    /\ UNCHANGED <<durable, levels, adrift, reads, saves, writes, confirmed, deletes, finished>>

Lead(h, q) == \* the manager learns that the lease is its own: it writes to the new block
  LET m == <<h, q>>
  IN  \E c \in claims[m] :
        /\ c.outcome = "done"
        /\ range' = [range EXCEPT ![m] = c.won]
        /\ next' = [next EXCEPT ![m] = LastId(c.won - 1) + 1]
        /\ IF range[m] = 0
           THEN read' = [read EXCEPT ![m] = c.floor] /\ ack' = [ack EXCEPT ![m] = c.floor]
           ELSE UNCHANGED <<read, ack>>
        /\ claims' = [claims EXCEPT ![m] = {}]
        /\ UNCHANGED <<durable, unfinished, adrift, reads, saves, writes, confirmed, deletes, finished>>

LoseLease(h, q) == \* the manager learns that somebody else holds the lease, and stops
  /\ Fenced(<<h, q>>)
  /\ Stops(<<h, q>>)
  /\ UNCHANGED <<durable, saves, writes, confirmed, deletes, finished>>

ClaimAgain(h, q) == \* the manager cannot tell whether its claim took effect
  /\ \E c \in claims[h, q] : c.outcome = "unknown"
  /\ claims' = [claims EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<durable, levels, adrift, reads, saves, writes, confirmed, deletes, finished>>

-----------------------------------------------------------------------------
(* Internal actions: writes *)

CommitWrite(t) == \* the write takes effect
  \E w \in writes[t] :
    /\ w.outcome = "flying"
    /\ lease[w.partition] = w.range
    /\ records' = records \cup {[partition |-> w.partition, id |-> w.id, task |-> t]}
    /\ writes' = [writes EXCEPT ![t] = {Told(w, "done")}]
    /\ UNCHANGED <<lease, floor, levels, claims, adrift, reads, saves, confirmed, deletes, finished>>

FenceWrite(t) == \* the write has no effect: the lease was taken since
  \E w \in writes[t] :
    /\ w.outcome = "flying"
    /\ lease[w.partition] # w.range
    /\ writes' = [writes EXCEPT ![t] = {Told(w, "fenced")}]
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, confirmed, deletes, finished>>

EndWrite(t) == \* whoever waits for the write learns what became of it; one that was fenced ends its manager first
  \E w \in writes[t] :
    /\ w.outcome # "flying"
    /\ w.outcome = "fenced" => w \notin Waits(<<w.host, w.partition>>)
    /\ writes' = [writes EXCEPT ![t] = {}]
    /\ confirmed' = IF w.outcome = "done" THEN confirmed \cup {t} ELSE confirmed
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, deletes, finished>>

-----------------------------------------------------------------------------
(* Internal actions: levels *)

Fetch(h, q, u) == \* a manager's read is served: what lies behind its read level, up to an id below which nothing can appear any more
  LET m == <<h, q>>
  IN  /\ range[m] > 0
      /\ reads[m] = {}
      /\ read[m] < u
      /\ u <= Top(m)
      /\ reads' = [reads EXCEPT ![m] =
           {[upto |-> u, found |-> {<<r.id, r.task>> : r \in {s \in records : s.partition = q /\ s.id > read[m] /\ s.id <= u}}]}]
      /\ UNCHANGED <<durable, levels, claims, adrift, saves, writes, confirmed, deletes, finished>>

Load(h, q) == \* what a read found is in memory; a gap is jumped
  LET m == <<h, q>>
  IN  \E c \in reads[m] :
        /\ unfinished' = [unfinished EXCEPT ![m] = @ \cup c.found]
        /\ read' = [read EXCEPT ![m] = c.upto]
        /\ ack' = [ack EXCEPT ![m] = Leading(unfinished[m] \cup c.found, c.upto)]
        /\ reads' = [reads EXCEPT ![m] = {}]
        /\ UNCHANGED <<durable, range, next, claims, adrift, saves, writes, confirmed, deletes, finished>>

Finish(t, h, q) == \* a task in memory is handed over, or dropped for cause; the ack level moves over what is finished
  LET m == <<h, q>>
  IN  \E x \in unfinished[m] :
        /\ x[2] = t
        /\ unfinished' = [unfinished EXCEPT ![m] = @ \ {x}]
        /\ ack' = [ack EXCEPT ![m] = Leading(unfinished[m] \ {x}, read[m])]
        /\ finished' = finished \cup {t}
        /\ UNCHANGED <<durable, range, next, read, claims, adrift, reads, saves, writes, confirmed, deletes>>

SaveLevel(h, q) == \* a manager begins to save its ack level, also where it has not moved: so it learns that the lease was taken
  LET m == <<h, q>>
  IN  /\ range[m] > 0
      /\ claims[m] = {}
      /\ Saving(m) = {}
      /\ saves' = [saves EXCEPT ![m] = @ \cup {[range |-> range[m], level |-> ack[m], outcome |-> "flying"]}]
      /\ UNCHANGED <<durable, levels, claims, adrift, reads, writes, confirmed, deletes, finished>>

CommitSave(h, q, r) == \* the ack level is saved
  \E s \in saves[h, q] :
    /\ s.range = r
    /\ s.outcome = "flying"
    /\ lease[q] = r
    /\ floor' = [floor EXCEPT ![q] = s.level]
    /\ saves' = [saves EXCEPT ![h, q] = (@ \ {s}) \cup {Told(s, "done")}]
    /\ UNCHANGED <<lease, records, levels, claims, adrift, reads, writes, confirmed, deletes, finished>>

FenceSave(h, q, r) == \* the ack level is not saved: the lease was taken since
  \E s \in saves[h, q] :
    /\ s.range = r
    /\ s.outcome = "flying"
    /\ lease[q] # r
    /\ saves' = [saves EXCEPT ![h, q] = (@ \ {s}) \cup {Told(s, "fenced")}]
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, writes, confirmed, deletes, finished>>

EndSave(h, q, r) == \* the saving is over; one that was fenced ends its manager first
  \E s \in saves[h, q] :
    /\ s.range = r
    /\ s.outcome # "flying"
    /\ s.outcome = "fenced" => r # range[h, q]
    /\ saves' = [saves EXCEPT ![h, q] = @ \ {s}]
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, writes, confirmed, deletes, finished>>

Delete(h, q) == \* a manager begins to delete the records up to its ack level
  LET m == <<h, q>>
  IN  /\ range[m] > 0
      /\ ack[m] > 0
      /\ deletes' = deletes \cup {<<q, range[m], ack[m]>>}
      /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, writes, confirmed, finished>>

CommitDelete(q, r, i) == \* the records up to that id are gone, whoever holds the lease
  /\ <<q, r, i>> \in deletes
  /\ records' = records \ Upto(q, i)
  /\ UNCHANGED <<lease, floor, levels, claims, adrift, reads, saves, writes, confirmed, deletes, finished>>

EndDelete(q, r, i) == \* the delete is answered, or never takes effect
  /\ <<q, r, i>> \in deletes
  /\ deletes' = deletes \ {<<q, r, i>>}
  /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, writes, confirmed, finished>>

-----------------------------------------------------------------------------
(* Environment actions *)

LoseClaim(h, q) == \* the answer to a claim is lost, or it never took effect
  \E c \in claims[h, q] :
    /\ c.outcome # "unknown"
    /\ claims' = [claims EXCEPT ![h, q] = {Told(c, "unknown")}]
    /\ UNCHANGED <<durable, levels, adrift, reads, saves, writes, confirmed, deletes, finished>>

TakeAdrift(q, r) == \* a claim of a manager that has stopped takes effect all the same
  /\ Alike(q, r) > 0
  /\ r \in {0, lease[q]}
  /\ lease[q] + 1 \in Range
  /\ lease' = [lease EXCEPT ![q] = @ + 1]
  /\ adrift' = adrift \ {<<q, r, Alike(q, r) - 1>>}
  /\ UNCHANGED <<floor, records, levels, claims, reads, saves, writes, confirmed, deletes, finished>>

EndAdrift(q, r) == \* a claim of a manager that has stopped never takes effect
  /\ Alike(q, r) > 0
  /\ adrift' = adrift \ {<<q, r, Alike(q, r) - 1>>}
  /\ UNCHANGED <<durable, levels, claims, reads, saves, writes, confirmed, deletes, finished>>

LoseSave(h, q, r) == \* the answer to a saving is lost, or it never took effect
  \E s \in saves[h, q] :
    /\ s.range = r
    /\ s.outcome # "unknown"
    /\ saves' = [saves EXCEPT ![h, q] = (@ \ {s}) \cup {Told(s, "unknown")}]
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, writes, confirmed, deletes, finished>>

FailWrite(t) == \* the write never takes effect
  \E w \in writes[t] :
    /\ w.outcome = "flying"
    /\ writes' = [writes EXCEPT ![t] = {Told(w, "unknown")}]
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, confirmed, deletes, finished>>

LoseWrite(t) == \* the answer to a write that was decided is lost
  \E w \in writes[t] :
    /\ w.outcome \in {"done", "fenced"}
    /\ writes' = [writes EXCEPT ![t] = {Told(w, "unknown")}]
    /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, confirmed, deletes, finished>>

FailRead(h, q) == \* a read that was served is not answered
  /\ reads[h, q] # {}
  /\ reads' = [reads EXCEPT ![h, q] = {}]
  /\ UNCHANGED <<durable, levels, claims, adrift, saves, writes, confirmed, deletes, finished>>

Stop(h, q) == \* a manager is unloaded, or its host crashes; what it asked of the store may still take effect
  /\ range[h, q] > 0 \/ claims[h, q] # {}
  /\ Stops(<<h, q>>)
  /\ UNCHANGED <<durable, saves, writes, confirmed, deletes, finished>>

Forget(t) == \* nothing refers to the task any more: the slot may hold another one
  /\ writes[t] = {}
  /\ t \notin Stored
  /\ \A m \in Manager : /\ \A x \in unfinished[m] : x[2] # t
                        /\ \A c \in reads[m] : \A x \in c.found : x[2] # t
  /\ confirmed' = confirmed \ {t}
  /\ finished' = finished \ {t}
  /\ UNCHANGED <<durable, levels, claims, adrift, reads, saves, writes, deletes>>

-----------------------------------------------------------------------------

Next ==
  \/ \E t \in Task, h \in Host, q \in Partition : Write(t, h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E h \in Host, q \in Partition : FenceClaim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
  \/ \E h \in Host, q \in Partition : ClaimAgain(h, q)
  \/ \E t \in Task : CommitWrite(t)
  \/ \E t \in Task : FenceWrite(t)
  \/ \E t \in Task : EndWrite(t)
  \/ \E h \in Host, q \in Partition, u \in Id : Fetch(h, q, u)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E t \in Task, h \in Host, q \in Partition : Finish(t, h, q)
  \/ \E h \in Host, q \in Partition : SaveLevel(h, q)
  \/ \E h \in Host, q \in Partition, r \in Range : CommitSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : FenceSave(h, q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : EndSave(h, q, r)
  \/ \E h \in Host, q \in Partition : Delete(h, q)
  \/ \E q \in Partition, r \in Range, i \in Id : CommitDelete(q, r, i)
  \/ \E q \in Partition, r \in Range, i \in Id : EndDelete(q, r, i)
  \/ \E h \in Host, q \in Partition : LoseClaim(h, q)
  \/ \E q \in Partition, r \in Range : TakeAdrift(q, r)
  \/ \E q \in Partition, r \in Range : EndAdrift(q, r)
  \/ \E h \in Host, q \in Partition, r \in Range : LoseSave(h, q, r)
  \/ \E t \in Task : FailWrite(t)
  \/ \E t \in Task : LoseWrite(t)
  \/ \E h \in Host, q \in Partition : FailRead(h, q)
  \/ \E h \in Host, q \in Partition : Stop(h, q)
  \/ \E t \in Task : Forget(t)

Fairness == \* what a manager and its store owe; no failure, no stop and no takeover of a lease that is held is owed
  /\ \A t \in Task : WF_vars(CommitWrite(t) \/ FenceWrite(t) \/ FailWrite(t))
  /\ \A t \in Task : WF_vars(EndWrite(t))
  /\ \A h \in Host, q \in Partition : WF_vars(Lead(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(LoseLease(h, q))
  /\ \A h \in Host, q \in Partition : SF_vars(\E u \in Id : u = Top(<<h, q>>) /\ Fetch(h, q, u))
  /\ \A h \in Host, q \in Partition : SF_vars(Load(h, q))
  /\ \A t \in Task, h \in Host, q \in Partition : WF_vars(Finish(t, h, q))

SafetySpec == Init /\ [][Next]_vars \* what may happen
Spec == SafetySpec /\ Fairness \* what may happen, and what must

-----------------------------------------------------------------------------
(* Invariants *)

Leads(m) == range[m] > 0 /\ range[m] = lease[m[2]] \* the manager's writes take effect

OneWriterInv == \* at most one manager of a queue can write
  \A m, o \in Manager : m[2] = o[2] /\ Leads(m) /\ Leads(o) => m = o

UniqueInv == \* no two tasks of a queue bear one id, stored or on their way
  LET given == {<<r.partition, r.id, r.task>> : r \in records}
                 \cup UNION {{<<w.partition, w.id, t>> : w \in writes[t]} : t \in Task}
  IN  \A x, y \in given : x[1] = y[1] /\ x[2] = y[2] => x[3] = y[3]

LevelsInv == \* ack is not above read, nor read above what was written
  \A m \in Manager : range[m] > 0 => ack[m] <= read[m] /\ read[m] <= Top(m)

FinishedInv == \* no ack level, in memory or saved, has passed a task that is not finished: a reload may offer again, and loses nothing
  \A r \in records :
    /\ r.id <= floor[r.partition] => r.task \in finished
    /\ \A h \in Host : range[h, r.partition] > 0 /\ r.id <= ack[h, r.partition] => r.task \in finished

SeenInv == \* what the writer has read is in its memory until it is finished: no record is skipped
  \A m \in Manager : Leads(m) =>
    \A r \in records : r.partition = m[2] /\ r.id <= read[m] => r.task \in finished \/ <<r.id, r.task>> \in unfinished[m]

ConfirmedInv == \* a task that is confirmed to be stored is stored, or finished, whatever calls failed
  confirmed \subseteq finished \cup Stored

-----------------------------------------------------------------------------
(* Step properties *)

FencedProp == \* a record appears only under the range id that holds the lease, above all that was stored before
  [][\A r \in records' \ records : /\ r.id > LastId(lease[r.partition] - 1)
                                   /\ r.id <= LastId(lease[r.partition])]_vars

SavedProp == \* an ack level is saved only under the range id that holds the lease, and never falls
  [][\A q \in Partition : floor[q] # floor'[q] =>
       /\ floor'[q] > floor[q]
       /\ \E h \in Host : \E s \in saves[h, q] : s.range = lease[q] /\ s.level = floor'[q]]_vars

LevelsGrowProp == \* no level of a manager falls while it runs, nor does a lease
  [][/\ \A q \in Partition : lease'[q] >= lease[q]
     /\ \A m \in Manager : range[m] > 0 /\ range'[m] > 0 =>
          /\ range'[m] >= range[m]
          /\ next'[m] >= next[m]
          /\ read'[m] >= read[m]
          /\ ack'[m] >= ack[m]]_vars

RecordKeptProp == \* a record goes only when its task is finished
  [][\A r \in records \ records' : r.task \in finished]_vars

-----------------------------------------------------------------------------
(* Liveness *)

ServedProp == \* what is stored is read and finished, if one manager keeps the lease from some time on
  \A m \in Manager, t \in Task : (<>[]Leads(m)) => (\E r \in records : r.partition = m[2] /\ r.task = t) ~> t \in finished

THEOREM Spec => []TypeOK
THEOREM Spec => [](OneWriterInv /\ UniqueInv /\ LevelsInv /\ FinishedInv /\ SeenInv /\ ConfirmedInv)
THEOREM Spec => FencedProp /\ SavedProp /\ LevelsGrowProp /\ RecordKeptProp
THEOREM Spec => ServedProp
=============================================================================
