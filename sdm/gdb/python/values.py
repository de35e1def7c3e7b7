# Values of a program as trees, inside gdb: what an editor unfolds.  Concatenated with its neighbours by the build and given to gdb as
# one text when it is first needed (sdm/gdb/gdb_python.c); every function that takes 'args' is a command of ours.
import hashlib
import itertools
import json
import os

import gdb

DVM_COMMANDS = {}
DVM_LONGEST = 200    # characters of text and elements of arrays that a line shows
DVM_WHOLE = 16384    # bytes; larger arrays are never read as a whole
DVM_MOST = 2000      # children given at once, when nobody asks for a page
DVM_PIECE = 1 << 22 # bytes of an array read at a time
DVM_BYTES = 600000   # .. and of all their lines: an answer may have a mebibyte


def dvm_command(function):
    DVM_COMMANDS[function.__name__[4:]] = function
    return function


def dvm_say(text):
    """What gdb itself writes into a pipe goes character by character, each by a call of the system: this is one record of its
    interface (console output), whole."""
    gdb.flush()
    record = ('~"%s"\n' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")).encode()
    while record:
        record = record[os.write(1, record):]


def dvm_run(name, coded):
    """Runs a command; its answer is one line of JSON after a mark, its failure one after another.  None: another command tells it."""
    try:
        answer = DVM_COMMANDS[name](json.loads(bytes.fromhex(coded)))
        if answer is not None:
            dvm_say("\n@dvm " + json.dumps(answer) + "\n")
    except (gdb.error, gdb.MemoryError, RuntimeError, ValueError, LookupError, OSError, TypeError, AttributeError) as e:
        dvm_say("\n@dvm! " + json.dumps(str(e) or type(e).__name__) + "\n")


# ---- what a value is ----

AGGREGATES = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


def dvm_stripped(value):
    """Without a reference, and as the class that an object really is of."""
    if value.type.strip_typedefs().code in REFERENCES:
        value = value.referenced_value()
    kind = value.type.strip_typedefs()
    try:
        if kind.code in AGGREGATES and value.address is not None:
            return value.cast(value.dynamic_type)
        if kind.code == gdb.TYPE_CODE_PTR and kind.target().strip_typedefs().code in AGGREGATES and int(value):
            return value.cast(value.dynamic_type)
    except (gdb.error, RuntimeError):
        pass  # no such memory: as it was declared
    return value


def dvm_array_bounds(kind):
    low, high = kind.range()
    return low, max(0, high - low + 1)


def dvm_large(value):
    kind = value.type.strip_typedefs()
    return kind.code == gdb.TYPE_CODE_ARRAY and kind.sizeof > DVM_WHOLE and value.address is not None


def dvm_text(value, hexadecimal=False, exact=False):
    """A line for it."""
    more = {"format": "x"} if hexadecimal else {}
    try:
        value = value if exact else dvm_stripped(value)
        if not dvm_large(value):
            return value.format_string(max_elements=DVM_LONGEST, **more)
        kind = value.type.strip_typedefs()
        element = kind.target()
        few = max(1, min(DVM_LONGEST, dvm_array_bounds(kind)[1], DVM_WHOLE // max(1, element.sizeof)))
        part = value.address.cast(element.array(few - 1).pointer()).dereference()
        if element.strip_typedefs().sizeof > DVM_WHOLE:
            return "{...}"
        shown = part.format_string(max_elements=DVM_LONGEST, **more)
        return shown[:-1] + "...}" if shown.endswith("}") else shown + "..."
    except (gdb.error, gdb.MemoryError, RuntimeError, ValueError) as e:
        return "<%s>" % e


def dvm_is_text(kind):
    """Characters, which are shown as text."""
    target = kind.target().strip_typedefs()
    return target.code == gdb.TYPE_CODE_INT and target.sizeof == 1 and "char" in str(target.unqualified())


# ---- its parts ----

def dvm_printer_length(printer):
    """How many elements a container says that it has; None: it does not say."""
    try:
        shown = printer.to_string()
        words = str(shown if isinstance(shown, str) else shown.format_string() if isinstance(shown, gdb.Value) else "").split()
    except (gdb.error, RuntimeError, AttributeError):
        return None
    for i, word in enumerate(words[:-1]):
        if word == "length" or (word == "with" and i + 2 < len(words) and words[i + 2].startswith("element")):
            number = words[i + 1].rstrip(",")
            if number.isdigit():
                return int(number)
    return None


class Parts:
    """The children of a value: 'named' of them have names, or 'indexed' of them have numbers."""

    def __init__(self, value, expression, exact=False):
        """'exact': it is the part that a base class makes, not the object that this is a part of."""
        self.expression = expression
        self.value = value = value if exact else dvm_stripped(value)
        self.kind = value.type.strip_typedefs()
        self.printer = gdb.default_visualizer(value)
        self.named = self.indexed = 0
        self.form = "none"
        if self.printer is not None:
            self._printed()
        elif self.kind.code == gdb.TYPE_CODE_ARRAY:
            self.form, self.indexed = "array", dvm_array_bounds(self.kind)[1]
        elif self.kind.code in AGGREGATES:
            self.form, self.named = "fields", len(self.kind.fields())
        elif self.kind.code == gdb.TYPE_CODE_PTR:
            self._pointed()

    def _printed(self):
        if not hasattr(self.printer, "children"):
            return
        hint = self.printer.display_hint() if hasattr(self.printer, "display_hint") else None
        self.form = "map" if hint == "map" else "printed"
        n = dvm_printer_length(self.printer)
        if n is None:
            n = sum(1 for _ in itertools.islice(self.printer.children(), 100000))
            n = n // 2 if hint == "map" else n
        if hint in ("map", "array"):
            self.indexed = n
        else:
            self.named = n

    def _pointed(self):
        target = self.kind.target().strip_typedefs()
        if not int(self.value) or target.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC) or dvm_is_text(self.kind):
            return
        inner = Parts(self.value.dereference(), "*(%s)" % self.expression if self.expression else None) \
            if target.code in AGGREGATES else None
        if inner is not None and inner.form == "fields":
            self.form, self.named, self.value, self.kind = "fields", inner.named, inner.value, inner.kind
            if self.expression:
                self.expression = "(*%s)" % self.expression if dvm_is_name(self.expression) else "(*(%s))" % self.expression
        else:
            self.form, self.named = "pointed", 1

    def __len__(self):
        return self.named + self.indexed

    def one(self, k):
        """(name, value, expression or None, exact) of child k."""
        for found in self.page(k, 1):
            return found
        raise LookupError("there is no part %d" % k)

    def page(self, start, count):
        if self.form == "array":
            low, n = dvm_array_bounds(self.kind)
            for k in range(start, min(n, start + count)):
                yield "[%d]" % (low + k), self.value[low + k], self._of("[%d]" % (low + k)), False
        elif self.form == "fields":
            for field in self.kind.fields()[start:start + count]:
                yield self._field(field)
        elif self.form == "pointed":
            if start == 0 and count > 0:
                starred = self.expression and "*" + (self.expression if dvm_is_name(self.expression.lstrip("*")) else
                                                     "(%s)" % self.expression)
                yield starred or "*", self.value.dereference(), starred, False
        elif self.form == "map":
            both = itertools.islice(self.printer.children(), 2 * start, 2 * (start + count))
            for (_, key), (_, value) in zip(both, both):
                yield "[%s]" % (dvm_text(key) if isinstance(key, gdb.Value) else key), value, None, False
        elif self.form == "printed":
            for name, value in itertools.islice(self.printer.children(), start, start + count):
                yield name, value, None, False

    def _of(self, suffix):
        if not self.expression:
            return None
        return (self.expression if dvm_is_name(self.expression) else "(%s)" % self.expression) + suffix

    def _field(self, field):
        if field.is_base_class:
            return "<%s>" % field.name, self.value[field], self.expression and "*(%s *)&%s" % (field.type, self._of("")), True
        name = field.name or "<anonymous %s>" % ("union" if field.type.strip_typedefs().code == gdb.TYPE_CODE_UNION else "struct")
        return name, self.value[field], self._of("." + field.name) if field.name else self.expression, False


def dvm_is_name(text):
    return all(c.isalnum() or c in "_$.:[]" for c in text) or (text.startswith("(") and text.endswith(")") and text.count("(") == 1)


# ---- where values come from ----

def dvm_symbols(kind):
    """Symbols of a scope: 'locals' or 'args' of the frame, 'globals' of its file."""
    frame = gdb.selected_frame()
    try:
        block = frame.block()
    except RuntimeError:
        block = None  # a function without debug information
    found, names = [], set()
    if kind == "globals":
        symtab = frame.find_sal().symtab
        blocks = [symtab.global_block(), symtab.static_block()] if symtab else []
        for b in blocks:
            found += [s for s in b if s.is_variable and s.name not in names and not names.add(s.name)]
        return sorted(found, key=lambda s: s.name)
    while block is not None and not (block.is_global or block.is_static):
        for s in block:
            if s.is_variable and kind == "locals" or s.is_argument and kind == "args":
                if s.name not in names:  # an outer one of the same name cannot be seen from here
                    names.add(s.name)
                    found.append(s)
        if block.function is not None:
            break
        block = block.superblock
    return found


def dvm_scope(kind):
    """[(name, function that gives the value, expression)]"""
    frame = gdb.selected_frame()
    if kind == "registers":
        return [(r.name, lambda n=r.name: frame.read_register(n), "$" + r.name)
                for r in frame.architecture().registers("general")] + \
               [(r.name, lambda n=r.name: frame.read_register(n), "$" + r.name)
                for r in frame.architecture().registers("all")
                if r.name not in {g.name for g in frame.architecture().registers("general")} and r.name]
    return [(s.print_name, lambda s=s: s.value(frame) if s.needs_frame else s.value(), s.print_name) for s in dvm_symbols(kind)]


def dvm_root(args):
    """The value that args name by a scope or an expression and a path of children's numbers; its expression or None, and whether it is exact."""
    path, exact = list(args.get("path", [])), False
    if args.get("scope"):
        name, get, expression = dvm_scope(args["scope"])[path.pop(0)]
        value = get()
    else:
        expression = args["expression"]
        value = gdb.parse_and_eval(expression)
    for k in path:
        _, value, expression, exact = Parts(value, expression, exact).one(k)
    return (value if isinstance(value, gdb.Value) else gdb.Value(value)), expression, exact


def dvm_described(name, value, expression, path, hexadecimal, exact=False):
    """What is told of a variable: its own children are asked for by 'path'."""
    if not isinstance(value, gdb.Value):  # a printer may give text
        value = gdb.Value(value)
    one = {"name": str(name), "value": dvm_text(value, hexadecimal, exact), "type": str(value.type), "path": path}
    try:
        parts = Parts(value, expression, exact)
        one["named"], one["indexed"] = parts.named, parts.indexed
        where = value.referenced_value() if value.type.strip_typedefs().code in REFERENCES else value
        pointer = where.type.strip_typedefs().code == gdb.TYPE_CODE_PTR
        address = int(where) if pointer else int(where.address) if where.address is not None else 0
        if address:
            one["address"] = "0x%x" % (address & (2 ** 64 - 1))
        if str(parts.value.type) != str(value.type) and not pointer and parts.form == "fields":
            one["type"] = "%s (%s)" % (parts.value.type, value.type)
    except (gdb.error, gdb.MemoryError, RuntimeError, ValueError) as e:
        one["named"] = one["indexed"] = 0
        one["value"] = "<%s>" % e if one["value"] in ("", None) else one["value"]
    if expression:
        one["expression"] = expression
    return one


def dvm_full(out):
    return len(out) % 64 == 63 and sum(len(v["value"]) + len(v["type"]) + 200 for v in out) > DVM_BYTES


@dvm_command
def dvm_scope_page(args):
    items = dvm_scope(args["scope"])
    start, count = args.get("start", 0), args.get("count", 0) or DVM_MOST
    out = []
    for k, (name, get, expression) in enumerate(items[start:start + count], start):
        if dvm_full(out):
            break
        try:
            out.append(dvm_described(name, get(), expression, [k], args.get("hex")))
        except (gdb.error, gdb.MemoryError, RuntimeError, ValueError) as e:
            out.append({"name": name, "value": "<%s>" % e, "type": "", "path": [k], "named": 0, "indexed": 0})
    return {"variables": out, "count": len(items)}


@dvm_command
def dvm_parts(args):
    parts = Parts(*dvm_root(args))
    start, count = args.get("start", 0), args.get("count", 0) or DVM_MOST
    out = []
    for k, (name, child, inner, exact) in enumerate(parts.page(start, count), start):
        if dvm_full(out):
            break
        out.append(dvm_described(name, child, inner, list(args.get("path", [])) + [k], args.get("hex"), exact))
    return {"variables": out, "count": len(parts)}


@dvm_command
def dvm_value(args):
    value, expression, exact = dvm_root(args)
    return dvm_described(args.get("expression", ""), value, expression, list(args.get("path", [])), args.get("hex"), exact)


def dvm_part(args):
    """(value, expression) of what args name; with "part", of its part of that name."""
    name = args.get("part")
    if name is None:
        return dvm_root(args)[:2]
    if args.get("scope") and not args.get("path"):
        for found, get, expression in dvm_scope(args["scope"]):
            if found == name:
                return get(), expression
    else:
        parts = Parts(*dvm_root(args))
        number = name[1:-1] if name.startswith("[") else ""
        if parts.form == "array" and number.lstrip("-").isdigit():
            return parts.one(int(number) - dvm_array_bounds(parts.kind)[0])[1:3]
        for found, value, expression, _ in parts.page(0, len(parts)):
            if str(found) == name:
                return value, expression
    raise LookupError("there is no variable '%s'" % name)


@dvm_command
def dvm_assign(args):
    """Gives the variable a new value; says what it is then."""
    value, expression = dvm_part(args)
    if expression:
        gdb.parse_and_eval("%s = (%s)" % (expression, args["value"]))
    elif value.address is not None:
        gdb.set_convenience_variable("dvm_place", value.address)
        gdb.parse_and_eval("*$dvm_place = (%s)" % args["value"])
    else:
        raise gdb.error("this value cannot be changed")
    value, expression = dvm_part(args)
    return dvm_described(args.get("part") or args.get("expression", ""), value, expression, list(args.get("path", [])), args.get("hex"))


# ---- arrays that are compared between ranks ----

NUMBERS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_COMPLEX)


def dvm_flat(expression):
    """An array of numbers: its value, the type of an element, and how many there are in each dimension."""
    value = gdb.parse_and_eval(expression)
    if value.type.strip_typedefs().code in REFERENCES:
        value = value.referenced_value()
    kind, counts = value.type.strip_typedefs(), []
    while kind.code == gdb.TYPE_CODE_ARRAY:
        counts.append(dvm_array_bounds(kind)[1])
        kind = kind.target().strip_typedefs()
    return (value, kind, counts) if counts and kind.code in NUMBERS and value.address is not None else (None, None, [])


@dvm_command
def dvm_elements(args):
    """Of an array of numbers: how many it has, and a digest of those from 'low' to 'high' - 1; or the element 'at'.  No array: {"count": 0}."""
    value, kind, counts = dvm_flat(args["expression"])
    total = 1 if counts else 0
    for n in counts:
        total *= n
    if not total:
        return {"count": 0}
    start, size = int(value.address), kind.sizeof
    if "at" in args:
        at, subscripts = int(args["at"]), ""
        for n in reversed(counts):
            subscripts = "[%d]" % (at % n) + subscripts
            at //= n
        element = gdb.Value(start + int(args["at"]) * size).cast(kind.pointer()).dereference()
        return {"element": subscripts, "value": element.format_string()}
    digest, low, high = hashlib.blake2b(digest_size=16), int(args.get("low", 0)), min(int(args.get("high", total)), total)
    for part in range(low, high, DVM_PIECE // size):
        count = min(DVM_PIECE // size, high - part)
        digest.update(bytes(gdb.selected_inferior().read_memory(start + part * size, count * size)))
    return {"count": total, "dimensions": counts, "type": str(kind), "digest": digest.hexdigest()}
