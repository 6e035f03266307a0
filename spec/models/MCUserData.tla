----------------------------- MODULE MCUserData -----------------------------
(***************************************************************************)
(* Bounds and situations for UserData.  Partitions are numbers: 0 is the   *)
(* owner, the root of the workflow type; 1 its child, 2 a child of that;   *)
(* 10 is the root of the activity type, 11 a child of that.  Updates come  *)
(* in their order.  A situation that must be reachable is a predicate      *)
(* Never...: its model is violated.                                        *)
(***************************************************************************)
EXTENDS UserData

UpTo0 == 0..0
UpTo1 == 0..1
UpTo2 == 0..2
UpTo3 == 0..3
OneFamily == [q \in Partition |-> 0]
Types == [q \in Partition |-> IF q < 10 THEN "workflow" ELSE "activity"]
Above == \* whom each partition asks
  [q \in Partition |-> CASE q \in {1, 10} -> {0} [] q = 2 -> {1} [] q = 11 -> {10} [] OTHER -> {}]

InitLoaded == \* every partition is loaded everywhere, and has been read once
  /\ running = [m \in Manager |-> TRUE]
  /\ generation = [m \in Manager |-> 1]
  /\ doubtful = {}
  /\ DataInit
InitApart == \* the same, where each partition has a host of its own
  LET first == CHOOSE h \in Host : TRUE
  IN  /\ running = [m \in Manager |-> m[1] = first <=> m[2] = 0]
      /\ generation = [m \in Manager |-> IF m[1] = first <=> m[2] = 0 THEN 1 ELSE 0]
      /\ doubtful = {}
      /\ DataInit

InOrder == \* updates and slots are taken in their order: 1, 2, 3
  /\ \A u \in Update : updates[u] = {} /\ updates'[u] # {} => \A o \in Update : o < u => updates[o] # {}
  /\ \A g \in Get : gets[g] = {} /\ gets'[g] # {} => \A o \in Get : o < g => gets[o] # {}
Stepwise == \A m \in Manager : Counted(m) # FigureIn(figures'[m]) /\ Leads(m[2]) /\ running'[m] => FigureIn(figures'[m]) = Counted(m) + 1 \* figures go up by one
Awake == UNCHANGED running \* no manager is loaded or unloaded
OwnerStays == \A h \in Host : running'[h, 0] = running[h, 0] \* the owner is neither loaded nor unloaded
Sure == \A u \in Update : \A c \in updates'[u] : c.stage \notin {"lost", "over"} \* the store answers every write, and no answer is lost
Sound == \A m \in Manager : refreshes[m] # {} /\ refreshes'[m] = {} => m \notin doubtful' \/ m \in doubtful \* no answer to a read is lost
Heard == \A g \in Get : \A c \in gets[g] : gets'[g] = {} => c.answered \* no question is lost
Knowing == \A u \in Update : updates[u] = {} => \A c \in updates'[u] : c.expected = Newest(c.partition) \* an operator knows what is stored
NoUpdate == \A u \in Update : updates'[u] = updates[u] \* nobody writes

NextAwake == Next /\ Awake
LiveSpec == InitLoaded /\ [][Next /\ InOrder /\ Awake /\ Knowing]_vars /\ Fairness \* managers stay loaded
OwnersSpec == Init /\ [][Next /\ InOrder]_vars /\ Fairness \* owners come and go

NeverConflict == \* the store refuses what the manager had found right
  \A u \in Update : \A c \in updates[u] : c.stage # "denied"
NeverStaleOwner == \* a manager that believes to own the family knows less than the store holds, and has no doubt
  \A m \in Manager : running[m] /\ Owns(m[2]) /\ ~Busy(m) /\ m \notin doubtful => Known(m) = Newest(m[2])
NeverLateWrite == \* a write takes effect after its manager has gone, and another has read
  [][\A u \in Update : \A c \in updates[u] :
       rows' # rows /\ c.stage = "flying" /\ ~Alive(c.host, c.partition, c.generation)
         => \A d \in updates'[u] : d.stage = "done" => \A m \in Manager : running[m] => m \in doubtful]_vars
NeverLostButStored == \* a caller is told that nobody knows, and its update is stored
  \A u \in Update : <<"unavailable">> \in replies[u] => \A r \in rows : r.update # u
NeverAfterAll == \* an update is stored after its caller was told that nobody knows
  [][\A r \in rows' \ rows : replies[r.update] = {}]_vars
NeverBehind == \* an owner is asked for more than it knows
  [][\A g \in Get, m \in Manager : \A c \in gets[g] :
       c.at = {} /\ m \in doubtful' \ doubtful => \A d \in gets'[g] : d.at = {}]_vars
NeverLag == \* a cache knows an older version than its source
  \A m \in Manager : \A s \in Source[m[2]], h \in Host : cached[m] # {} => Known(m) >= Known(<<h, s>>)
NeverJump == \* a cache passes over a version that it never knew
  [][\A m \in Manager : Source[m[2]] # {} => VersionIn(cached'[m]) <= Known(m) + 1]_vars
NeverBackAgain == \* a cache that is loaded again takes less than it knew before
  [][\A m \in Manager : cached[m] # {} /\ ~running'[m] => Source[m[2]] = {} \/ \A h \in Host, s \in Source[m[2]] : running[h, s] => Known(<<h, s>>) >= Known(m)]_vars
NeverNoChange == \* who asks is told "no change", since its source goes
  [][\A g \in Get : \A c \in gets[g] : running' # running => gets'[g] = {} \/ \A d \in gets'[g] : d.answered = c.answered]_vars
=============================================================================
