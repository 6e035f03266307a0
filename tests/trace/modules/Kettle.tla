------------------------------- MODULE Kettle -------------------------------
(***************************************************************************)
(* A kettle is filled, boils and is emptied: properties whose parts are    *)
(* at stake in one kind of state or step only, however they are written.   *)
(***************************************************************************)
VARIABLES
  full, \* BOOLEAN: is there water?
  hot   \* BOOLEAN: does it boil?

vars == <<full, hot>>

Init == \* an empty kettle
  /\ full = FALSE
  /\ hot = FALSE

Fill == \* water comes in
  /\ ~full
  /\ full' = TRUE
  /\ UNCHANGED hot

Boil == \* the water boils
  /\ full
  /\ ~hot
  /\ hot' = TRUE
  /\ UNCHANGED full

Empty == \* the water goes out
  /\ full
  /\ CASE hot -> hot' = FALSE
       [] OTHER -> hot' = hot
  /\ full' = FALSE

Next == Fill \/ Boil \/ Empty

Spec == Init /\ [][Next]_vars

Needs(state, other) == state => other

NeedsInv == \* one definition, two uses
  /\ Needs(full, TRUE)
  /\ Needs(hot, full)

IfInv == \* an implication as an IF
  IF hot THEN full ELSE TRUE

OrInv == \* an implication as a disjunction
  ~hot \/ full

CaseInv == \* an implication as a CASE
  CASE hot -> full
    [] OTHER -> TRUE

CoolsProp == \* asks of steps that change hot alone
  [][full' => hot']_hot
=============================================================================
