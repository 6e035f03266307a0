------------------------------ MODULE MCBacklog ------------------------------
(***************************************************************************)
(* Bounds, symmetry, parts of Next and situations for Backlog.  A situation*)
(* that must be reachable is a state predicate Never...: its model is      *)
(* violated.                                                               *)
(***************************************************************************)
EXTENDS Backlog, TLC

Slots == Permutations(Host) \cup Permutations(Task)
Ranges1 == 0..1
Ranges2 == 0..2
Ids1 == 1..1
Ids2 == 1..2
Ids4 == 1..4

NextUndeleted == Next /\ UNCHANGED <<deletes, adrift>> \* nothing is deleted, and no manager stops while it claims
NextUnsaved == Next /\ UNCHANGED saves \* no ack level is saved
NextUnread == \* what is written is not read
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
  \/ \E h \in Host, q \in Partition : LoseClaim(h, q)
  \/ \E q \in Partition, r \in Range : TakeAdrift(q, r)
  \/ \E q \in Partition, r \in Range : EndAdrift(q, r)
  \/ \E t \in Task : FailWrite(t)
  \/ \E t \in Task : LoseWrite(t)
  \/ \E h \in Host, q \in Partition : Stop(h, q)
  \/ \E t \in Task : Forget(t)
NextCalm == \* no manager stops by itself, and no call fails
  \/ \E t \in Task, h \in Host, q \in Partition : Write(t, h, q)
  \/ \E h \in Host, q \in Partition : Claim(h, q)
  \/ \E h \in Host, q \in Partition : TakeLease(h, q)
  \/ \E h \in Host, q \in Partition : FenceClaim(h, q)
  \/ \E h \in Host, q \in Partition : Lead(h, q)
  \/ \E h \in Host, q \in Partition : LoseLease(h, q)
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
  \/ \E t \in Task : Forget(t)

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
