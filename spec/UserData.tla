------------------------------ MODULE UserData ------------------------------
(***************************************************************************)
(* What operators configure for a family of task queues: one durable row   *)
(* with a version, which the root of the family owns, and caches of it in  *)
(* the other partitions' managers, which move only when they ask.          *)
(*                                                                         *)
(* Models    writes with an expected version, checked by the manager and   *)
(*           again, with its effect, by the store; writes that take effect *)
(*           late, or whose answer is lost; two managers that both believe *)
(*           to own the family; reads by the owner, now and then and when  *)
(*           it has cause for doubt; caches that ask their source and wait *)
(*           there; figures of one task type that are never stored;        *)
(*           unloads.                                                      *)
(* Omits     what the data say (here: which update wrote them); who loads  *)
(*           and unloads (PartitionLifetime; here a manager may do so at   *)
(*           any time); a caller that leaves its write, whose effect is    *)
(*           the same; a store that forgets what it stored.                *)
(* Refines   nothing; joined in Matching.                                  *)
(* Source    the texts on user data and on its owner; temporal:            *)
(*           service/matching/user_data_manager.go,                        *)
(*           matching_engine.go (UpdateTaskQueueUserData)                  *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Host,        \* hosts that can load partition managers
  Partition,   \* partitions of task queues
  Type,        \* task types
  TypeOf,      \* [Partition -> Type]: the task type of a partition
  Root,        \* [Partition -> STRING, or a partition]: the partition that owns the user data of the family; it stands for the family
  Source,      \* [Partition -> SUBSET Partition]: whom a partition asks for user data; an owner asks nobody
  Update,      \* updates: an update is one call of an operator, and never another one
  Get,         \* slots of calls by which a manager asks its source
  DataVersion, \* versions of user data, 0 where there are none; finite in models, Nat in the judge
  Figure,      \* numbers of figures that are never stored, 0 where there are none; finite in models, Nat in the judge
  Generation   \* numbers of loads; finite in models, Nat in the judge

ASSUME HostAssumption == Host # {}                                              \* there is a host
ASSUME PartitionAssumption == Partition # {}                                    \* there is a partition
ASSUME TypeAssumption == \A q \in Partition : TypeOf[q] \in Type                \* a partition has a type
ASSUME RootAssumption == \A q \in Partition : Root[q] \in Partition => Root[Root[q]] = Root[q] \* an owner owns its own
ASSUME SourceAssumption == \A q \in Partition : Source[q] \subseteq Partition \ {q} /\ \A s \in Source[q] : Root[s] = Root[q] \* it is asked within the family
ASSUME OwnerAssumption == \A q \in Partition : Root[q] = q => Source[q] = {}    \* an owner asks nobody
ASSUME VersionAssumption == 0 \in DataVersion /\ DataVersion \subseteq Nat      \* version 0 is "none"
ASSUME FigureAssumption == 0 \in Figure /\ Figure \subseteq Nat                 \* figure 0 is "none"
ASSUME GenerationAssumption == 0 \in Generation /\ Generation \subseteq Nat     \* generation 0 is before the first load

VARIABLES
  running,     \* [Manager -> BOOLEAN]: is the manager loaded?
  generation,  \* [Manager -> Generation]: how often it was loaded
  rows,        \* SUBSET Row: durable: every version that was ever stored; the newest of a family is what the store holds
  cached,      \* [Manager -> SUBSET Data]: the user data that a manager knows, if any
  figures,     \* [Manager -> SUBSET Statistic]: the figures of its task type that it knows, if any; never stored
  doubtful,    \* SUBSET Manager: owners that have cause to read the store before they write or refuse
  refreshes,   \* [Manager -> SUBSET (SUBSET Data)]: what the store has answered to the owner's read under way
  updates,     \* [Update -> SUBSET UpdateCall]: the update, once it has come
  since,       \* [Update -> DataVersion]: what the store held when the update came
  replies,     \* [Update -> SUBSET Reply]: what its caller was told
  gets         \* [Get -> SUBSET GetCall]: the call that the slot holds

managers == <<running, generation>>
memory == <<cached, figures>>
vars == <<running, generation, rows, cached, figures, doubtful, refreshes, updates, since, replies, gets>>

Manager == Host \X Partition

-----------------------------------------------------------------------------
(* Shapes *)

Row == [root : {Root[q] : q \in Partition}, version : DataVersion \ {0}, update : Update, base : DataVersion] \* a version of a family's data, who wrote it, and from which version its writer began
Data == [version : DataVersion \ {0}, update : Update] \* a version, and what it says
Statistic == [type : Type, figure : Figure \ {0}] \* a figure of a task type
Stage == {"asked", "flying", "done", "denied", "lost", "over"} \* where an update stands: with the manager; with the store; stored, or refused, the manager to be told; given up by the manager, while it may yet take effect; ended, with nothing told
UpdateCall == [host : Host, partition : Partition, generation : Generation, expected : DataVersion, stage : Stage, found : DataVersion] \* the version that it names, and the one that the store found instead
Reply == ({"stored"} \X DataVersion) \cup ({"conflict"} \X DataVersion) \cup {<<"unavailable">>} \* it is stored, as this version; another version was found, this one; nobody can tell
GetCall == \* who asks, and what it knows; where it waits; once there is an answer, what that brings
  [host : Host, partition : Partition, generation : Generation, version : DataVersion, figure : Figure,
   at : SUBSET (Host \X Generation), answered : BOOLEAN, data : SUBSET Data, figures : SUBSET Statistic]

TypeOK == \* every variable has its shape
  /\ running \in [Manager -> BOOLEAN]
  /\ generation \in [Manager -> Generation]
  /\ rows \subseteq Row
  /\ \A m \in Manager : cached[m] \subseteq Data /\ Cardinality(cached[m]) <= 1
  /\ \A m \in Manager : figures[m] \subseteq Statistic /\ Cardinality(figures[m]) <= 1
  /\ doubtful \subseteq Manager
  /\ \A m \in Manager : \A s \in refreshes[m] : s \subseteq Data /\ Cardinality(s) <= 1
  /\ \A u \in Update : updates[u] \subseteq UpdateCall /\ Cardinality(updates[u]) <= 1
  /\ since \in [Update -> DataVersion]
  /\ \A u \in Update : replies[u] \subseteq Reply /\ Cardinality(replies[u]) <= 1
  /\ \A g \in Get : gets[g] \subseteq GetCall /\ Cardinality(gets[g]) <= 1

DataInit == \* nothing is configured, and nobody knows anything
  /\ rows = {}
  /\ cached = [m \in Manager |-> {}]
  /\ figures = [m \in Manager |-> {}]
  /\ refreshes = [m \in Manager |-> {}]
  /\ updates = [u \in Update |-> {}]
  /\ since = [u \in Update |-> 0]
  /\ replies = [u \in Update |-> {}]
  /\ gets = [g \in Get |-> {}]
Init == \* nothing is configured, and nobody runs
  /\ running = [m \in Manager |-> FALSE]
  /\ generation = [m \in Manager |-> 0]
  /\ doubtful = {}
  /\ DataInit

-----------------------------------------------------------------------------
(* Words used by the actions *)

Owns(q) == Root[q] = q \* the partition's managers write the family's row
Leads(q) == \A s \in Source[q] : TypeOf[s] # TypeOf[q] \* nobody above is of its task type: its managers count for the type
Alive(h, q, n) == running[h, q] /\ generation[h, q] = n
RowsOf(f) == {r \in rows : r.root = f}
Newest(f) == IF RowsOf(f) = {} THEN 0 ELSE (CHOOSE r \in RowsOf(f) : \A o \in RowsOf(f) : o.version <= r.version).version \* the version that the store holds
Snapshot(f) == {[version |-> r.version, update |-> r.update] : r \in {o \in RowsOf(f) : o.version = Newest(f)}} \* what a read finds
VersionIn(data) == IF data = {} THEN 0 ELSE (CHOOSE d \in data : TRUE).version
FigureIn(statistics) == IF statistics = {} THEN 0 ELSE (CHOOSE s \in statistics : TRUE).figure
Known(m) == VersionIn(cached[m])
Counted(m) == FigureIn(figures[m])
On(m, c) == c.host = m[1] /\ c.partition = m[2] /\ c.generation = generation[m]
Writing(m) == \E u \in Update : \E c \in updates[u] : On(m, c) /\ replies[u] = {} /\ c.stage # "asked" \* a write of the manager is under way
Busy(m) == Writing(m) \/ refreshes[m] # {} \* it reads or writes: one after the other
Asking(m) == {g \in Get : \E c \in gets[g] : On(m, c)} \* the call whose answer the manager waits for
Put(u, c, stage) == updates' = [updates EXCEPT ![u] = {[c EXCEPT !.stage = stage]}]

-----------------------------------------------------------------------------
(* Client actions *)

RequestUpdate(u, h, q, v) == \* an operator writes new data where it believes version v to be: an owner that knows less will read first
  LET m == <<h, q>>
  IN  /\ updates[u] = {}
      /\ Owns(q) /\ running[m]
      /\ updates' = [updates EXCEPT ![u] = {[host |-> h, partition |-> q, generation |-> generation[m], expected |-> v, stage |-> "asked", found |-> 0]}]
      /\ since' = [since EXCEPT ![u] = Newest(q)]
      /\ doubtful' = IF v > Known(m) THEN doubtful \cup {m} ELSE doubtful
      /\ UNCHANGED <<managers, rows, memory, refreshes, replies, gets>>
Count(h, q, f) == \* a manager that leads its task type has a new figure, which is nobody else's and is stored nowhere
  LET m == <<h, q>>
  IN  /\ running[m] /\ Leads(q)
      /\ f > Counted(m)
      /\ figures' = [figures EXCEPT ![m] = {[type |-> TypeOf[q], figure |-> f]}]
      /\ UNCHANGED <<managers, rows, cached, doubtful, refreshes, updates, since, replies, gets>>

-----------------------------------------------------------------------------
(* Internal actions: the owner *)

RejectUpdate(u) == \* the manager knows another version than the update names, and has no cause for doubt: it refuses
  \E c \in updates[u] :
    LET m == <<c.host, c.partition>>
    IN  /\ c.stage = "asked" /\ replies[u] = {}
        /\ Alive(c.host, c.partition, c.generation)
        /\ m \notin doubtful /\ ~Busy(m)
        /\ c.expected # Known(m)
        /\ replies' = [replies EXCEPT ![u] = {<<"conflict", Known(m)>>}]
        /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, gets>>
CloseUpdate(u) == \* the manager goes before it has sent the update to the store: nothing is written
  \E c \in updates[u] :
    /\ c.stage = "asked" /\ replies[u] = {}
    /\ ~Alive(c.host, c.partition, c.generation)
    /\ replies' = [replies EXCEPT ![u] = {<<"unavailable">>}]
    /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, gets>>
DeferUpdate(u) == \* the manager could not read what it must know: nothing is written
  \E c \in updates[u] :
    /\ c.stage = "asked" /\ replies[u] = {}
    /\ <<c.host, c.partition>> \in doubtful
    /\ replies' = [replies EXCEPT ![u] = {<<"unavailable">>}]
    /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, gets>>
SendUpdate(u) == \* the manager knows the very version that the update names: it asks the store to write the next
  \E c \in updates[u] :
    LET m == <<c.host, c.partition>>
    IN  /\ c.stage = "asked" /\ replies[u] = {}
        /\ Alive(c.host, c.partition, c.generation)
        /\ m \notin doubtful /\ ~Busy(m)
        /\ c.expected = Known(m)
        /\ Put(u, c, "flying")
        /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, since, replies, gets>>
AnswerUpdate(u) == \* the store's answer arrives, or none does: the manager, where it still is, knows what it wrote, or that it must read
  \E c \in updates[u] :
    LET m == <<c.host, c.partition>>
        here == Alive(c.host, c.partition, c.generation)
    IN  /\ c.stage \in {"done", "denied", "lost", "over"} /\ replies[u] = {}
        /\ cached' = IF here /\ c.stage = "done" THEN [cached EXCEPT ![m] = {[version |-> c.expected + 1, update |-> u]}] ELSE cached
        /\ doubtful' = IF here /\ c.stage # "done" THEN doubtful \cup {m} ELSE doubtful
        /\ replies' = [replies EXCEPT ![u] = {CASE c.stage = "done" -> <<"stored", c.expected + 1>>
                                               [] c.stage = "denied" -> <<"conflict", c.found>>
                                               [] OTHER -> <<"unavailable">>}]
        /\ UNCHANGED <<managers, rows, figures, refreshes, updates, since, gets>>
Refresh(h, q) == \* the store's answer to the owner's read arrives: it knows what the store held
  LET m == <<h, q>>
  IN  \E s \in refreshes[m] :
        /\ cached' = [cached EXCEPT ![m] = s]
        /\ refreshes' = [refreshes EXCEPT ![m] = {}]
        /\ UNCHANGED <<managers, rows, figures, doubtful, updates, since, replies, gets>>

-----------------------------------------------------------------------------
(* Internal actions: the caches *)

RequestData(g, h, q) == \* a manager asks its source, and says what it knows
  LET m == <<h, q>>
  IN  /\ gets[g] = {}
      /\ running[m] /\ Source[q] # {}
      /\ Asking(m) = {}
      /\ gets' = [gets EXCEPT ![g] = {[host |-> h, partition |-> q, generation |-> generation[m], version |-> Known(m), figure |-> Counted(m),
                                       at |-> {}, answered |-> FALSE, data |-> {}, figures |-> {}]}]
      /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, replies>>
ArriveGet(g, o) == \* the question arrives at a manager of the source, and waits there; an owner that is asked for more than it knows will read
  \E c \in gets[g] : \E s \in Source[c.partition] :
    /\ c.at = {} /\ ~c.answered
    /\ running[o, s]
    /\ gets' = [gets EXCEPT ![g] = {[c EXCEPT !.at = {<<o, generation[o, s]>>}]}]
    /\ doubtful' = IF Owns(s) /\ c.version > Known(<<o, s>>) THEN doubtful \cup {<<o, s>>} ELSE doubtful
    /\ UNCHANGED <<managers, rows, memory, refreshes, updates, since, replies>>
SameType(c, s) == TypeOf[s] = TypeOf[c.partition]
Fresher(c, o, s) == \* what the source knows and the asker does not
  /\ \/ Known(<<o, s>>) > c.version
     \/ SameType(c, s) /\ Counted(<<o, s>>) > c.figure
AnswerGet(g) == \* the source knows more than who asks: it answers with what it knows, and with figures to its own task type only
  \E c \in gets[g] : \E w \in c.at, s \in Source[c.partition] :
    LET o == <<w[1], s>>
    IN  /\ ~c.answered
        /\ Alive(w[1], s, w[2])
        /\ Fresher(c, w[1], s)
        /\ gets' = [gets EXCEPT ![g] = {[c EXCEPT !.at = {}, !.answered = TRUE,
                                          !.data = IF Known(o) > c.version THEN cached[o] ELSE {},
                                          !.figures = IF SameType(c, s) /\ Counted(o) > c.figure THEN figures[o] ELSE {}]}]
        /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, replies>>
EndGet(g) == \* the source has waited long enough, or goes: it answers "no change", which is no error
  \E c \in gets[g] :
    /\ ~c.answered /\ c.at # {}
    /\ gets' = [gets EXCEPT ![g] = {[c EXCEPT !.at = {}, !.answered = TRUE]}]
    /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, replies>>
TakeData(g) == \* the answer arrives: who asked, and is still there, knows what it brings
  \E c \in gets[g] :
    LET m == <<c.host, c.partition>>
        here == Alive(c.host, c.partition, c.generation)
    IN  /\ c.answered
        /\ cached' = IF here /\ c.data # {} THEN [cached EXCEPT ![m] = c.data] ELSE cached
        /\ figures' = IF here /\ c.figures # {} THEN [figures EXCEPT ![m] = c.figures] ELSE figures
        /\ gets' = [gets EXCEPT ![g] = {}]
        /\ UNCHANGED <<managers, rows, doubtful, refreshes, updates, since, replies>>

-----------------------------------------------------------------------------
(* Environment actions: managers *)

Loads(h, q) == \* what an owner has to do first: it must read before it writes
  /\ doubtful' = IF Owns(q) THEN doubtful \cup {<<h, q>>} ELSE doubtful
  /\ UNCHANGED <<rows, memory, refreshes, updates, since, replies, gets>>
Forgets(h, q) == \* what goes with a manager: all that it knew, its read, and the wait of who asks it, to whom nothing is new
  LET m == <<h, q>>
  IN  /\ cached' = [cached EXCEPT ![m] = {}]
      /\ figures' = [figures EXCEPT ![m] = {}]
      /\ doubtful' = doubtful \ {m}
      /\ refreshes' = [refreshes EXCEPT ![m] = {}]
      /\ gets' = [g \in Get |->
                    {IF \E w \in c.at, s \in Source[c.partition] : w[1] = h /\ s = q THEN [c EXCEPT !.at = {}, !.answered = TRUE] ELSE c : c \in gets[g]}]
      /\ UNCHANGED <<rows, updates, since, replies>>
Load(h, q) == \* a host loads a manager, which knows nothing yet
  /\ ~running[h, q]
  /\ generation[h, q] + 1 \in Generation
  /\ running' = [running EXCEPT ![h, q] = TRUE]
  /\ generation' = [generation EXCEPT ![h, q] = @ + 1]
  /\ Loads(h, q)
Unload(h, q) == \* a host unloads a manager, whose caches go
  /\ running[h, q]
  /\ running' = [running EXCEPT ![h, q] = FALSE]
  /\ UNCHANGED generation
  /\ Forgets(h, q)

-----------------------------------------------------------------------------
(* Environment actions: the store *)

CommitUpdate(u) == \* the store holds the very version that the update names: it stores the next, in the same moment
  \E c \in updates[u] :
    /\ c.stage \in {"flying", "lost"}
    /\ c.expected = Newest(c.partition)
    /\ c.expected + 1 \in DataVersion
    /\ rows' = rows \cup {[root |-> c.partition, version |-> c.expected + 1, update |-> u, base |-> c.expected]}
    /\ Put(u, c, IF c.stage = "flying" THEN "done" ELSE "over")
    /\ UNCHANGED <<managers, memory, doubtful, refreshes, since, replies, gets>>
DenyUpdate(u) == \* the store holds another version: it writes nothing, and names the one that it found
  \E c \in updates[u] :
    /\ c.stage \in {"flying", "lost"}
    /\ c.expected # Newest(c.partition)
    /\ updates' = [updates EXCEPT ![u] =
                     {IF c.stage = "flying" THEN [c EXCEPT !.stage = "denied", !.found = Newest(c.partition)] ELSE [c EXCEPT !.stage = "over"]}]
    /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, since, replies, gets>>
FailUpdate(u) == \* the store writes nothing, and never will
  \E c \in updates[u] :
    /\ c.stage \in {"flying", "lost"}
    /\ Put(u, c, "over")
    /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, since, replies, gets>>
LoseUpdate(u) == \* the store's answer is lost, whatever it was, or the manager waits no longer for what may yet take effect
  \E c \in updates[u] :
    /\ c.stage \in {"flying", "done", "denied"} /\ replies[u] = {}
    /\ Put(u, c, IF c.stage = "flying" THEN "lost" ELSE "over")
    /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, since, replies, gets>>
ServeRefresh(h, q) == \* the store answers a read of the owner, which has no cause for doubt then but what comes later
  LET m == <<h, q>>
  IN  /\ running[m] /\ Owns(q)
      /\ ~Busy(m)
      /\ refreshes' = [refreshes EXCEPT ![m] = {Snapshot(q)}]
      /\ doubtful' = doubtful \ {m}
      /\ UNCHANGED <<managers, rows, memory, updates, since, replies, gets>>
FailRefresh(h, q) == \* the answer to a read of the owner is lost: there is cause to read again
  LET m == <<h, q>>
  IN  /\ refreshes[m] # {}
      /\ refreshes' = [refreshes EXCEPT ![m] = {}]
      /\ doubtful' = doubtful \cup {m}
      /\ UNCHANGED <<managers, rows, memory, updates, since, replies, gets>>

-----------------------------------------------------------------------------
(* Environment actions: messages *)

LoseGet(g) == \* a question or its answer is lost, or nobody waits for it: who asked may ask again
  /\ gets[g] # {}
  /\ gets' = [gets EXCEPT ![g] = {}]
  /\ UNCHANGED <<managers, rows, memory, doubtful, refreshes, updates, since, replies>>

Next == \* every step of the system
  \/ \E u \in Update, h \in Host, q \in Partition, v \in DataVersion : RequestUpdate(u, h, q, v)
  \/ \E h \in Host, q \in Partition, f \in Figure : Count(h, q, f)
  \/ \E u \in Update : RejectUpdate(u)
  \/ \E u \in Update : CloseUpdate(u)
  \/ \E u \in Update : DeferUpdate(u)
  \/ \E u \in Update : SendUpdate(u)
  \/ \E u \in Update : AnswerUpdate(u)
  \/ \E h \in Host, q \in Partition : Refresh(h, q)
  \/ \E g \in Get, h \in Host, q \in Partition : RequestData(g, h, q)
  \/ \E g \in Get, o \in Host : ArriveGet(g, o)
  \/ \E g \in Get : AnswerGet(g)
  \/ \E g \in Get : EndGet(g)
  \/ \E g \in Get : TakeData(g)
  \/ \E h \in Host, q \in Partition : Load(h, q)
  \/ \E h \in Host, q \in Partition : Unload(h, q)
  \/ \E u \in Update : CommitUpdate(u)
  \/ \E u \in Update : DenyUpdate(u)
  \/ \E u \in Update : FailUpdate(u)
  \/ \E u \in Update : LoseUpdate(u)
  \/ \E h \in Host, q \in Partition : ServeRefresh(h, q)
  \/ \E h \in Host, q \in Partition : FailRefresh(h, q)
  \/ \E g \in Get : LoseGet(g)

Fairness == \* the service does what it can, the store and the network answer in the end, news among the answers, and an owner reads now and then
  /\ \A u \in Update : SF_vars(RejectUpdate(u) \/ CloseUpdate(u) \/ SendUpdate(u))
  /\ \A u \in Update : WF_vars(AnswerUpdate(u))
  /\ \A u \in Update : WF_vars(CommitUpdate(u) \/ DenyUpdate(u) \/ FailUpdate(u))
  /\ \A h \in Host, q \in Partition : SF_vars(ServeRefresh(h, q))
  /\ \A h \in Host, q \in Partition : SF_vars(Refresh(h, q))
  /\ \A h \in Host, q \in Partition : WF_vars(\E g \in Get : RequestData(g, h, q))
  /\ \A g \in Get, o \in Host : SF_vars(ArriveGet(g, o))
  /\ \A g \in Get : SF_vars(AnswerGet(g))
  /\ \A g \in Get : WF_vars(TakeData(g))
  /\ \A g \in Get : SF_vars((\E c \in gets[g] : c.data # {}) /\ TakeData(g))

Spec == Init /\ [][Next]_vars /\ Fairness \* the specification

-----------------------------------------------------------------------------
(* Invariants *)

WrittenOnceInv == \* a version of a family is written once
  \A r, o \in rows : r.root = o.root /\ r.version = o.version => r = o
BasedInv == \* what is stored was made from the version just before it, and by an update that named that very version
  \A r \in rows :
    /\ r.version = r.base + 1
    /\ r.base = 0 \/ \E o \in rows : o.root = r.root /\ o.version = r.base
    /\ \E c \in updates[r.update] : c.expected = r.base
Exists(f, d) == \E r \in rows : r.root = f /\ r.version = d.version /\ r.update = d.update
KnownInv == \* what anybody knows, or is told, was stored: no cache is ahead of the store, or has what was never there
  /\ \A m \in Manager : \A d \in cached[m] : Exists(Root[m[2]], d)
  /\ \A m \in Manager : \A s \in refreshes[m] : \A d \in s : Exists(m[2], d)
  /\ \A g \in Get : \A c \in gets[g] : \A d \in c.data : Exists(Root[c.partition], d)
TruthInv == \* what a caller is told is true: it is stored as that version; or another version was there meanwhile, and it is not stored
  \A u \in Update : \A c \in updates[u], a \in replies[u] :
    /\ a[1] = "stored" => \E r \in rows : r.update = u /\ r.root = c.partition /\ r.version = a[2]
    /\ a[1] = "conflict" =>
         /\ a[2] # c.expected
         /\ since[u] <= a[2] \/ c.expected < a[2]
         /\ a[2] <= Newest(c.partition)
         /\ \A r \in rows : r.update # u
OneAtATimeInv == \* an owner reads and writes one after the other, and a cache asks once at a time
  \A m \in Manager :
    /\ running[m] => Cardinality({u \in Update : \E c \in updates[u] : On(m, c) /\ replies[u] = {} /\ c.stage # "asked"}) + Cardinality(refreshes[m]) <= 1
    /\ running[m] => Cardinality(Asking(m)) <= 1
TypesInv == \* figures of a task type are nowhere but with partitions of that type
  /\ \A m \in Manager : \A s \in figures[m] : s.type = TypeOf[m[2]]
  /\ \A g \in Get : \A c \in gets[g] : \A s \in c.figures : s.type = TypeOf[c.partition]
NewsInv == \* an answer brings only what is newer than what its asker said to know
  \A g \in Get : \A c \in gets[g] :
    /\ \A d \in c.data : d.version > c.version
    /\ \A s \in c.figures : s.figure > c.figure
GoneInv == \* a manager that was unloaded knows nothing, and nobody waits for it
  /\ \A m \in Manager : ~running[m] => cached[m] = {} /\ figures[m] = {} /\ refreshes[m] = {} /\ m \notin doubtful
  /\ \A g \in Get : \A c \in gets[g] : \A w \in c.at, s \in Source[c.partition] : Alive(w[1], s, w[2])

-----------------------------------------------------------------------------
(* Step properties *)

AnsweredOnceProp == \* a caller is told one thing, once
  [][\A u \in Update : replies[u] # {} => replies'[u] = replies[u]]_vars
Stays(m) == running[m] /\ running'[m] /\ generation'[m] = generation[m]
ForwardProp == \* within one generation no manager's version moves back, nor its figure
  [][\A m \in Manager : Stays(m) => VersionIn(cached'[m]) >= Known(m) /\ FigureIn(figures'[m]) >= Counted(m)]_vars
AskedProp == \* a cache changes only by an answer to what it asked itself
  [][\A m \in Manager : Stays(m) /\ Source[m[2]] # {} /\ cached'[m] # cached[m] =>
       \E g \in Asking(m) : \E c \in gets[g] : c.answered /\ cached'[m] = c.data /\ gets'[g] = {}]_vars
GrowsProp == \* what was stored stays, and each step stores one version at most, the next
  [][/\ rows \subseteq rows'
     /\ Cardinality(rows' \ rows) <= 1
     /\ \A r \in rows' \ rows : r.version = Newest(r.root) + 1]_vars
CheckedProp == \* a write is sent to the store only by a manager that knows the version which the update names, and has no doubt
  [][\A u \in Update : \A c \in updates[u] : \A d \in updates'[u] :
       c.stage = "asked" /\ d.stage # "asked" => d.stage = "flying" /\ c.expected = Known(<<c.host, c.partition>>) /\ <<c.host, c.partition>> \notin doubtful]_vars
LearnsProp == \* a manager that does not hear that its write was stored has cause to read
  [][\A u \in Update : \A c \in updates[u] :
       LET m == <<c.host, c.partition>>
       IN  /\ c.stage # "asked" /\ replies[u] = {} /\ replies'[u] # {} /\ Alive(c.host, c.partition, c.generation)
           /\ \A a \in replies'[u] : a[1] # "stored"
           => m \in doubtful']_vars

-----------------------------------------------------------------------------
(* Liveness *)

OwnerLearnsProp == \* an owner that stays, however stale, comes to know what the store holds
  \A m \in Manager : Owns(m[2]) => \A v \in DataVersion : Newest(m[2]) >= v ~> ~running[m] \/ Known(m) >= v
AllLearnProp == \* every loaded manager of a family whose sources stay comes to know what the store holds
  \A m \in Manager : \A v \in DataVersion :
    Newest(Root[m[2]]) >= v ~> Known(m) >= v \/ ~running[m] \/ \E q \in Partition : Root[q] = Root[m[2]] /\ \A h \in Host : ~running[h, q]
UpdateAnsweredProp == \* a caller is told in the end
  \A u \in Update : updates[u] # {} ~> replies[u] # {}

THEOREM Spec => [](TypeOK /\ WrittenOnceInv /\ BasedInv /\ KnownInv /\ TruthInv /\ OneAtATimeInv /\ TypesInv /\ NewsInv /\ GoneInv)
THEOREM Spec => AnsweredOnceProp /\ ForwardProp /\ AskedProp /\ GrowsProp /\ CheckedProp /\ LearnsProp
THEOREM Spec => OwnerLearnsProp /\ AllLearnProp /\ UpdateAnsweredProp
=============================================================================
