"""What generated source calls of integers, and of the patterns that take tuples apart.

One rule: TLC's integers have 32 bits, and what does not fit is refused.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from conformance.tla.compile.runtime import fail, shown

__all__ = ["add", "div", "le", "lt", "mod", "mul", "neg", "pattern", "power", "size", "sub"]

INT_MAX: Final = 2**31 - 1
INT_MIN: Final = -(2**31)


def _ints(operator: str, a: Any, b: Any, loc: int) -> NoReturn:
    wrong = a if a.__class__ is not int else b
    fail(f"{operator} needs integers, and {shown(wrong)} is not one", loc)


def _checked(value: int, loc: int) -> int:
    if INT_MIN <= value <= INT_MAX:
        return value
    fail(f"the result {value} is beyond 32 bits, where TLC stops", loc)


def add(a: Any, b: Any, loc: int) -> int:
    if a.__class__ is int and b.__class__ is int:
        value: int = a + b
        return value if INT_MIN <= value <= INT_MAX else _checked(value, loc)
    _ints("+", a, b, loc)


def sub(a: Any, b: Any, loc: int) -> int:
    if a.__class__ is int and b.__class__ is int:
        value: int = a - b
        return value if INT_MIN <= value <= INT_MAX else _checked(value, loc)
    _ints("-", a, b, loc)


def mul(a: Any, b: Any, loc: int) -> int:
    if a.__class__ is int and b.__class__ is int:
        return _checked(a * b, loc)
    _ints("*", a, b, loc)


def neg(a: Any, loc: int) -> int:
    if a.__class__ is int:
        return _checked(-a, loc)
    _ints("-", a, a, loc)


def div(a: Any, b: Any, loc: int) -> int:
    if a.__class__ is int and b.__class__ is int:
        if b == 0:
            fail("the second argument of \\div is 0", loc)
        return _checked(a // b, loc)
    _ints("\\div", a, b, loc)


def mod(a: Any, b: Any, loc: int) -> int:
    if a.__class__ is int and b.__class__ is int:
        if b <= 0:
            fail(f"the second argument of % is {b}; it must be positive", loc)
        return int(a % b)
    _ints("%", a, b, loc)


def power(a: Any, b: Any, loc: int) -> int:
    if a.__class__ is int and b.__class__ is int:
        if b < 0:
            fail(f"{a}^{b} has a negative exponent", loc)
        if a == 0 and b == 0:
            fail("0^0 is undefined", loc)
        if abs(a) > 1 and b > 31:
            fail(f"the result of {a}^{b} is beyond 32 bits, where TLC stops", loc)
        return _checked(a**b, loc) if abs(a) > 1 else int(a ** (b % 2 + 2))
    _ints("^", a, b, loc)


def lt(a: Any, b: Any, loc: int) -> bool:
    if a.__class__ is int and b.__class__ is int:
        return bool(a < b)
    _ints("<", a, b, loc)


def le(a: Any, b: Any, loc: int) -> bool:
    if a.__class__ is int and b.__class__ is int:
        return bool(a <= b)
    _ints("<=", a, b, loc)


def size(count: int, loc: int) -> int:
    """The size of a set, as an integer of TLC's."""
    return _checked(count, loc)


def pattern(value: Any, size: int, loc: int) -> Any:
    """The components that a tuple pattern takes apart."""
    if value.__class__ is tuple and len(value) == size:
        return value
    fail(f"the pattern has {size} names, and the element is {shown(value)}", loc)
