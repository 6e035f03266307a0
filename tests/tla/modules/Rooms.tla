-------------------------------- MODULE Rooms --------------------------------
(***************************************************************************)
(* Guests take keys of rooms, form groups, follow each other and wait: the *)
(* same values in functions, sets of sets, pairs, records and sequences.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Guest, Room, Desk, none
VARIABLES keys, groups, follows, line, desk, last

vars == <<keys, groups, follows, line, desk, last>>

Init ==
  /\ keys \in {[g \in Guest |-> {}], [g \in Guest |-> Room]}
  /\ groups = {}
  /\ follows = {}
  /\ line = <<>>
  /\ desk = [d \in Desk |-> none]
  /\ last \in {[who |-> g, what |-> "came"] : g \in Guest}

Take(g, r) ==
  /\ r \notin keys[g] /\ Cardinality(keys[g]) < 1
  /\ keys' = [keys EXCEPT ![g] = @ \cup {r}]
  /\ last' = [who |-> g, what |-> "took"]
  /\ UNCHANGED <<groups, follows, line, desk>>

Group(g, o) ==
  /\ g # o /\ Cardinality(groups) < 2
  /\ groups' = groups \cup {{g, o}}
  /\ UNCHANGED <<keys, follows, line, desk, last>>

Follow(g, o) ==
  /\ g # o /\ {g, o} \in groups /\ follows = {}
  /\ follows' = {<<g, o>>}
  /\ UNCHANGED <<keys, groups, line, desk, last>>

Queue(x) ==
  /\ Len(line) < 2
  /\ line' = Append(line, x)
  /\ UNCHANGED <<keys, groups, follows, desk, last>>

Serve(d) ==
  /\ line # <<>> /\ desk[d] = none
  /\ desk' = [desk EXCEPT ![d] = Head(line)]
  /\ line' = Tail(line)
  /\ UNCHANGED <<keys, groups, follows, last>>

Leave(d) ==
  /\ desk[d] # none /\ desk[d] \in Guest
  /\ desk' = [desk EXCEPT ![d] = none]
  /\ keys' = [keys EXCEPT ![desk[d]] = {}]
  /\ UNCHANGED <<groups, follows, line, last>>

Next ==
  \/ \E g \in Guest, r \in Room : Take(g, r)
  \/ \E g, o \in Guest : Group(g, o) \/ Follow(g, o)
  \/ \E x \in Guest \cup Room : Queue(x)
  \/ \E d \in Desk : Serve(d) \/ Leave(d)

GuestsAlike == Permutations(Guest)
AllAlike == Permutations(Guest) \cup Permutations(Room) \cup Permutations(Desk)
(* One exchange and one turn: what they generate together is every permutation. *)
Generators ==
  LET first == CHOOSE g \in Guest : TRUE IN
  {p \in Permutations(Guest) : \A g \in Guest : p[g] # g} \cup {p \in Permutations(Guest) : p[first] = first}

Shape == <<[g \in Guest |-> Cardinality(keys[g])], Cardinality(groups), line, {d \in Desk : desk[d] = none}>>
Numbers == <<Cardinality(groups), Len(line), Cardinality({g \in Guest : keys[g] = {}}), last.what>>
Small == Len(line) < 2 /\ Cardinality(groups) < 2
(* True of some of the states that count as one. *)
OneWaits == \A g, o \in Guest : keys[g] # {} => (keys[o] = {} \/ g = o \/ Len(line) = 0)
Lopsided == LET first == CHOOSE g \in Guest : TRUE IN keys[first] = {}
NoLeap == last = last' \/ line = <<>>

FewKeys == \A g \in Guest : Cardinality(keys[g]) <= Cardinality(Room)
NeverServed == \E d \in Desk : desk[d] = none
NeverForgets == [][\A g \in Guest : Cardinality(keys[g]) <= Cardinality(keys'[g])]_vars
=============================================================================
