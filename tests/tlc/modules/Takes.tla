-------------------------------- MODULE Takes --------------------------------
(* Constants that a cfg cannot say. *)
EXTENDS Integers

CONSTANTS Foo, Pair, Range, Names, Quoted, Rich
VARIABLE x

Init == x = 0
Spec == Init /\ [][UNCHANGED x]_x
GivenInv == Foo = -42 /\ Pair = <<1, 2>> /\ Range = 0..3 /\ Names = {"q-1", "q_2"} /\ Quoted = {"a\"b", "a\\b", "plain"}
            /\ Rich.size = -1
=============================================================================
