------------------------------ MODULE MCMatching ------------------------------
(***************************************************************************)
(* Bounds for Matching, the module that judges runs.                       *)
(***************************************************************************)
EXTENDS Matching

Loads1 == 0..1
Loads2 == 0..2
Attempts1 == 0..1
Attempts2 == 0..2
Stamps0 == 0..0
Stamps1 == 0..1
Requests2 == 1..2
Ranges1 == 0..1
Ranges2 == 0..2
Ids1 == 1..1
Ids2 == 1..2
Attempts1 == 0..1
Attempts2 == 0..2
Stamps0 == 0..0
Stamps1 == 0..1
Requests2 == 1..2
Ranges1 == 0..1
Ranges2 == 0..2
Ids1 == 1..1
Ids2 == 1..2
=============================================================================
