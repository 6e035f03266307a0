"""What tables the service has in a database, and whether those that are found there are its own.

Two rules:

1. A column has values of one type, and what is read of another is an error of the database, since SQLite stores in a
   column whatever it is given.
2. Tables of these names that are otherwise than they should be belong to somebody else, or to another version: they
   are neither used nor changed.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

__all__ = ["SCHEMA", "Number", "Words", "difference", "missing_tables", "try_writing"]

SCHEMA = sa.MetaData()
"""Every table of the service."""


class WrongValueError(SQLAlchemyError):
    """A row has a value of another type than its column's."""


class _Checked(sa.types.TypeDecorator[Any]):
    """A type of which every value that is read is looked at."""

    impl: type[sa.types.TypeEngine[Any]] = sa.Text
    kind: type = str

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:
        if value is not None and value.__class__ is not self.kind:
            raise WrongValueError(f"a row has {value!r:.60} where a value of type {self.impl} belongs")
        return value


class Words(_Checked):
    """Text."""

    cache_ok = True


class Number(_Checked):
    """Whole numbers of 64 bits."""

    impl = sa.BigInteger
    kind = int
    cache_ok = True


def missing_tables(connection: sa.Connection) -> list[str]:
    """The tables of the service that are not there."""
    return sorted(SCHEMA.tables.keys() - set(sa.inspect(connection).get_table_names()))


def difference(connection: sa.Connection) -> str | None:
    """What is otherwise than the service has it in the tables that are there; None where nothing is."""
    inspector = sa.inspect(connection)
    for name in inspector.get_table_names():
        if name in SCHEMA.tables:
            found, own = _found_columns(inspector, name), _own_columns(name, connection.dialect)
            for column in sorted(found.keys() | own.keys()):
                if found.get(column) != own.get(column):
                    has, wanted = found.get(column, "no such column"), own.get(column, "no such column")
                    return f"in table {name}, {column} is {has}, and the service has {wanted}"
    return None


def try_writing(connection: sa.Connection) -> None:
    """Ask for everything that the service does to its tables, of no row.

    Raises:
        SQLAlchemyError: some of it may not be done.
    """
    for table in SCHEMA.sorted_tables:
        nothing = sa.select(*table.c).where(sa.false())
        connection.execute(sa.insert(table).from_select(table.c.keys(), nothing))
        connection.execute(sa.update(table).values({column: column for column in table.c}).where(sa.false()))
        connection.execute(sa.delete(table).where(sa.false()))


def _found_columns(inspector: sa.Inspector, table: str) -> dict[str, str]:
    keys = inspector.get_pk_constraint(table)["constrained_columns"]
    dialect = inspector.dialect
    return {
        each["name"]: _told(each["type"].compile(dialect), is_key=each["name"] in keys, nullable=each["nullable"])
        for each in inspector.get_columns(table)
    }


def _own_columns(table: str, dialect: sa.Dialect) -> dict[str, str]:
    return {
        each.name: _told(each.type.compile(dialect), is_key=each.primary_key, nullable=bool(each.nullable))
        for each in SCHEMA.tables[table].c
    }


def _told(kind: str, *, is_key: bool, nullable: bool) -> str:
    return f"{kind} in the key" if is_key else f"{kind} or NULL" if nullable else kind
