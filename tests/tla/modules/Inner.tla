------------------------------- MODULE Inner -------------------------------
(*****************************************************************************)
(* A place that is moved about, to be instantiated: its own names are local. *)
(*****************************************************************************)
LOCAL INSTANCE Naturals
CONSTANTS Size, Move(_)
VARIABLE place
LOCAL Wrap(n) == n % Size
Start == place = 0
Go == place' = Wrap(Move(place))
Back(n) == place >= n /\ place' = place - n
AtEnd == place = Size - 1
=============================================================================
