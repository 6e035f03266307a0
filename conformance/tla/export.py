"""SANY's XML into the compact tree of `conformance.tla.tree`.

Three rules:

1. A definition of a standard module that is evaluated natively loses its body:
   the bodies in the standard modules are stubs.  A copy that INSTANCE made is
   recognised by the place of the INSTANCE statement.
2. A reference to a part of a definition, as ``A!1!2`` is, is that part, with its LETs around it.
3. The copy that stands below every ``@`` is dropped; it doubles the tree at
   every level of EXCEPT.
"""

from __future__ import annotations

import io
from typing import Any, Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from conformance.tla.errors import Location, SpecError
from conformance.tla.selected import surround
from conformance.tla.tree import FORMAT

__all__ = ["NATIVE_MODULES", "read_export"]

_GREATEST: Final = 2**31 - 1
NATIVE_MODULES = frozenset({"Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "TLC", "TLCExt"})


def read_export(xml: str, root: str) -> dict[str, Any]:
    """The tree as a JSON document."""
    return _Reader(root).read(xml)


class _Reader:
    def __init__(self, root: str) -> None:
        self.root = root
        self.modules: list[str] = []
        self.module_index: dict[str, int] = {}
        self.builtins: dict[int, str] = {}
        self.declarations: list[list[Any]] = []
        self.formals: list[list[Any]] = []
        self.definitions: list[list[Any]] = []
        self.assumptions: dict[int, list[Any]] = {}
        self.module_nodes: list[tuple[str, list[int], list[int]]] = []
        self.instances: dict[tuple[int, ...], str] = {}
        self.pending: list[list[Any]] = []

    def read(self, xml: str) -> dict[str, Any]:
        for _, element in ElementTree.iterparse(io.StringIO(xml)):
            if element.tag == "entry":
                self.entry(element)
                element.clear()
        for node in self.pending:
            node[2] = self.builtins[node[2]]
            if node[2] == "$Nop":
                node[:] = node[3][0]
        surround(self.definitions)
        natives, kept = [], []
        for row in self.definitions:
            module = self.standard_module(row)
            if module is None:
                kept.append(row)
            else:
                natives.append([row[0], row[1], row[2], len(row[3]), module])
        names = {row[0]: row[1] for row in self.definitions}
        by_module = []
        assumptions: list[list[Any]] = []
        root_declarations: set[int] = set()
        for module, uids, others in self.module_nodes:
            by_module += [[module, names[uid], uid] for uid in uids if uid in names]
            if module == self.root:
                assumptions = [self.assumptions[uid] for uid in sorted(others) if uid in self.assumptions]
                root_declarations.update(others)
        return {
            "format": FORMAT,
            "root": self.root,
            "modules": self.modules,
            "declarations": [row for row in self.declarations if row[0] in root_declarations],
            "definitions": kept,
            "natives": natives,
            "formals": self.formals,
            "assumptions": assumptions,
            "by_module": by_module,
        }

    def standard_module(self, row: list[Any]) -> str | None:
        module: str = self.modules[row[2][0]]
        if module in NATIVE_MODULES:
            return module
        instance = self.instances.get(tuple(row[2]))
        if instance is None or instance not in NATIVE_MODULES:
            return None
        return str(instance)

    def entry(self, element: Element) -> None:
        uid = int(element.findtext("UID", "0"))
        item = element[1]
        kind = item.tag
        if kind == "UserDefinedOpKind":
            body = item.find("body")
            params = [int(e.text or 0) for e in item.iterfind("params/leibnizparam/FormalParamNodeRef/UID")]
            if body is None or not len(body):
                raise SpecError(f"the definition {item.findtext('uniquename')} has no body")
            recursive = item.find("recursive") is not None
            self.definitions.append(
                [uid, item.findtext("uniquename"), self.where(item), params, self.node(body[0]), recursive]
            )
        elif kind == "BuiltInKind":
            self.builtins[uid] = item.findtext("uniquename", "")
        elif kind == "OpDeclNode":
            arity = int(item.findtext("arity", "0"))
            is_variable = item.findtext("kind") == "3"
            self.declarations.append([uid, item.findtext("uniquename"), arity, is_variable, self.where(item)])
        elif kind == "FormalParamNode":
            self.formals.append([uid, item.findtext("uniquename"), int(item.findtext("arity", "0"))])
        elif kind in ("AssumeDef", "TheoremDefNode"):
            self.named(uid, item)
        elif kind == "AssumeNode":
            self.assume(uid, item)
        elif kind == "ModuleNode":
            self.module(item)

    def named(self, uid: int, item: Element) -> None:
        """A named assumption or theorem, which an expression may use as it does a definition."""
        # It stands last; what is no expression, as ASSUME ... PROVE, is a node that names its kind.
        body = item[-1]
        self.definitions.append([uid, item.findtext("uniquename"), self.where(item), [], self.node(body), False])

    def assume(self, uid: int, item: Element) -> None:
        for child in item:
            body = child[0] if child.tag in ("body", "definition") and len(child) else child
            if body.tag in _EXPRESSIONS:
                self.assumptions[uid] = [item.findtext("uniquename"), self.where(item), self.node(body)]
                return

    def module(self, item: Element) -> None:
        name = item.findtext("uniquename", "")
        definitions, others = [], []
        for child in item:
            if child.tag == "UserDefinedOpKindRef":
                definitions.append(int(child.findtext("UID", "0")))
            elif child.tag.endswith("Ref"):
                others.append(int(child.findtext("UID", "0")))
            elif child.tag == "InstanceNode":
                self.instances[tuple(self.where(child))] = child.findtext("module", "")
        self.module_nodes.append((name, definitions, others))

    def where(self, item: Element) -> list[int]:
        location = item.find("location")
        if location is None:
            return [self.index("--"), 0, 0, 0, 0]
        column, line = location.find("column"), location.find("line")
        assert column is not None and line is not None
        return [
            self.index(location.findtext("filename", "--").strip()),
            int(line.findtext("begin", "0")),
            int(column.findtext("begin", "0")),
            int(line.findtext("end", "0")),
            int(column.findtext("end", "0")),
        ]

    def index(self, module: str) -> int:
        found = self.module_index.get(module)
        if found is None:
            found = self.module_index[module] = len(self.modules)
            self.modules.append(module)
        return found

    def node(self, item: Element) -> list[Any]:
        where = self.where(item)
        tag = item.tag
        if tag == "OpApplNode":
            return self.application(item, where)
        if tag == "NumeralNode":
            value = item.findtext("IntValue") or item.findtext("BigIntValue") or "0"
            if int(value) > _GREATEST:
                place = Location(self.modules[where[0]], *where[1:])
                raise SpecError(f"the number {value} is beyond 32 bits, and TLC does not begin with it", place)
            return ["n", where, int(value)]
        if tag == "StringNode":
            text = item.findtext("StringValue")
            # OTHER comes as a string node without a value of its own.
            return ["o", where] if item.find("StringValue") is None else ["s", where, text or ""]
        if tag == "AtNode":
            return ["at", where]
        if tag == "LetInNode":
            uids = [int(e.text or 0) for e in item.iterfind("opDefs/UserDefinedOpKindRef/UID")]
            body = item.find("body")
            assert body is not None
            return ["let", where, uids, self.node(body[0])]
        if tag in _INSTANCES:
            return self.substitution(item, where)
        if tag == "OpArgNode":
            reference = item.find("argument")
            assert reference is not None
            return self.reference("op", where, reference[0])
        if tag == "LabelNode":
            body = item.find("body")
            assert body is not None
            return self.node(body[0])
        return ["u", where, tag]

    def reference(self, head: str, where: list[int], item: Element) -> list[Any]:
        uid = int(item.findtext("UID", "0"))
        node = [head, where, _KINDS.get(item.tag, "?"), uid]
        if item.tag == "BuiltInKindRef":
            cell: list[Any] = ["cell", where, uid]
            self.pending.append(cell)
            node[3] = cell
        return node

    def substitution(self, item: Element, where: list[int]) -> list[Any]:
        pairs = []
        substs = item.find("substs")
        for subst in substs if substs is not None else ():
            uid = int(subst[0].findtext("UID", "0"))
            pairs.append([uid, self.node(subst[1])])
        body = item.find("body")
        assert body is not None
        return ["sub", where, pairs, self.node(body[0])]

    def application(self, item: Element, where: list[int]) -> list[Any]:
        operator = item.find("operator")
        operands = item.find("operands")
        assert operator is not None
        reference = operator[0]
        uid = int(reference.findtext("UID", "0"))
        arguments = [self.node(child) for child in operands] if operands is not None else []
        head = _KINDS.get(reference.tag)
        if head is None:
            return ["u", where, reference.tag]
        if head != "b":
            return [head, where, uid, arguments]
        bounds = None
        symbols = item.find("boundSymbols")
        if symbols is not None:
            bounds = [self.bound(child) for child in symbols]
        node = ["b", where, uid, arguments, bounds]
        self.pending.append(node)
        return node

    def bound(self, item: Element) -> list[Any]:
        uids, is_tuple, domain = [], False, None
        for child in item:
            if child.tag == "FormalParamNodeRef":
                uids.append(int(child.findtext("UID", "0")))
            elif child.tag == "tuple":
                is_tuple = True
            else:
                domain = self.node(child)
        return [uids, is_tuple, domain]


_KINDS = {
    "BuiltInKindRef": "b",
    "UserDefinedOpKindRef": "d",
    "OpDeclNodeRef": "v",
    "FormalParamNodeRef": "f",
    "AssumeDefRef": "d",
    "TheoremDefRef": "d",
}
_INSTANCES = ("SubstInNode", "APSubstInNode")
"""INSTANCE around an expression, and around a theorem."""
_EXPRESSIONS = frozenset(
    {"OpApplNode", "NumeralNode", "StringNode", "AtNode", "LetInNode", "SubstInNode", "LabelNode", "DecimalNode"}
)
