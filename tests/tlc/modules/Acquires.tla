------------------------------ MODULE Acquires ------------------------------
(* Steps of an instance, under the instance's name, and of a guarded disjunction. *)
EXTENDS Naturals

VARIABLE x

Inner == INSTANCE Stops WITH x <- x, y <- x
Init == x = 0
First == x' = 1
Second == x' = 2
Guarded == x < 2 /\ (First \/ Second)
Plain == x = 2 /\ x' = 2
Next == Guarded \/ Plain \/ Inner!Step
=============================================================================
