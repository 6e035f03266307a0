------------------------------- MODULE Alone -------------------------------
(***************************************************************************)
(* A module that writes out what others leave to operators: a lossy        *)
(* channel between two counters, with parameters that hide one another.    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

VARIABLES channel, sent, got, mode

Top == 2
Modes == {"open", "closed"}
Message == [kind : {"data", "mark"}, number : 0..Top]

Init ==
  \E start \in Modes :
    /\ mode = start
    /\ channel = <<>>
    /\ \/ sent = 0
       \/ sent = 1
    /\ got = {}

Room == Len(channel) < 2
Change(x, to) == x' = to
Rest(kept) == UNCHANGED kept

Send(k) ==
  LET message == [kind |-> k, number |-> sent]
      Next(n) == (n + 1) % (Top + 1)
  IN /\ Room
     /\ mode = "open"
     /\ channel' = Append(channel, message)
     /\ Change(sent, Next(sent))
     /\ Rest(<<got, mode>>)

Receive ==
  /\ channel # <<>>
  /\ LET m == Head(channel)
     IN CASE m.kind = "data" /\ m.number \notin got -> got' = got \cup {m.number}
          [] m.kind = "mark" -> got' \in {{}, got}
          [] OTHER -> UNCHANGED got
  /\ channel' = Tail(channel)
  /\ Rest(<<sent, mode>>)

Lose(i) ==
  /\ i \in DOMAIN channel
  /\ channel' = [j \in 1..(Len(channel) - 1) |-> IF j < i THEN channel[j] ELSE channel[j + 1]]
  /\ Rest(<<sent, got, mode>>)

Switch ==
  /\ \/ mode = "open" /\ mode' = "closed"
     \/ /\ mode = "closed"
        /\ IF Cardinality(got) > 1 THEN mode' \in Modes ELSE mode' = "open"
  /\ UNCHANGED <<channel, sent>>
  /\ got' = got \ {CHOOSE n \in got \cup {Top} : \A k \in got : n <= k}

Next ==
  \/ \E k \in {"data", "mark"} : Send(k)
  \/ Receive
  \/ \E i \in 1..2 : Lose(i)
  \/ Switch
=============================================================================
