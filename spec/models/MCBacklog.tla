------------------------------ MODULE MCBacklog ------------------------------
(***************************************************************************)
(* Bounds, symmetry and situations for Backlog.  A situation that must be  *)
(* reachable is a state predicate Never...: its model is violated.         *)
(***************************************************************************)
EXTENDS Backlog, TLC

Slots == Permutations(Host) \cup Permutations(Task)
Ranges1 == 0..1
Ranges2 == 0..2
Ids1 == 1..1
Ids2 == 1..2
Ids4 == 1..4

NeverTwoManagers == \* a manager goes on although another one has taken the lease
  \A m, o \in Manager : m[2] = o[2] /\ range[m] > 0 /\ range[o] > 0 => m = o
NeverFencedWrite == \* a write comes too late: the lease was taken
  \A t \in Task : \A w \in writes[t] : w.outcome # "fenced"
NeverUnknownButStored == \* a write takes effect and its answer is lost
  \A t \in Task : \A w \in writes[t] : w.outcome = "unknown" => t \notin Stored
NeverReadByBoth == \* a task is in the memory of two managers
  \A m, o \in Manager : unfinished[m] \cap unfinished[o] # {} => m = o
NeverOfferedAgain == \* a task that is finished is in memory again, after a reload or a takeover
  \A m \in Manager : \A x \in unfinished[m] : x[2] \notin finished
NeverOutOfOrder == \* a task is finished while one before it is not
  \A m \in Manager : \A r \in records : r.partition = m[2] /\ r.id > ack[m] /\ r.id <= read[m] /\ range[m] > 0 => r.task \notin finished
NeverGap == \* an ack level passes an id that no record ever had
  \A m \in Manager : ack[m] <= Cardinality(finished)
=============================================================================
