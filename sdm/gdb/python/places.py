# Machine code, sources, libraries and points that only write, inside gdb.
import mmap


def dvm_place_of(pc):
    """Function, file and line of an address, as far as they are known."""
    found = {}
    sal = gdb.find_pc_line(pc)
    if sal.symtab is not None and sal.line:
        found.update(file=sal.symtab.filename.rsplit("/", 1)[-1], path=sal.symtab.fullname(), line=sal.line)
    words = gdb.execute("info symbol 0x%x" % pc, to_string=True)
    if not words.startswith("No symbol"):
        found["symbol"] = words.split(" in section ")[0].strip()
    return found


def dvm_instructions(architecture, low, count):
    try:
        return architecture.disassemble(low, count=count)
    except gdb.MemoryError:
        out = []
        for _ in range(count):  # up to where memory ends
            try:
                out += architecture.disassemble(out[-1]["addr"] + out[-1]["length"] if out else low, count=1)
            except gdb.MemoryError:
                break
        return out


def dvm_before(architecture, pc, count):
    """Up to 'count' instructions before pc: code can only be read forwards, from where an instruction is known to begin."""
    start = None
    try:
        block = gdb.block_for_pc(pc)
        while block is not None and block.function is None:
            block = block.superblock
        start = block.start if block is not None else None
    except RuntimeError:
        pass
    words = gdb.execute("info symbol 0x%x" % pc, to_string=True).split(" in section ")[0]
    if start is None and not words.startswith("No symbol"):
        start = pc - (int(words.rsplit(" + ", 1)[1]) if " + " in words else 0)
    if start is None or start >= pc:
        return []
    return [i for i in architecture.disassemble(start, pc - 1) if i["addr"] < pc][-count:]


@dvm_command
def dvm_disassemble(args):
    """'count' instructions; the first is 'skip' (may be negative) away from the one at 'address'."""
    pc = int(gdb.parse_and_eval("(unsigned long)(%s)" % args["address"])) + args.get("offset", 0)
    skip, count = args.get("skip", 0), min(args.get("count", 50), 5000)
    try:
        architecture = gdb.selected_frame().architecture()
    except gdb.error:
        architecture = gdb.selected_inferior().architecture()
    before = dvm_before(architecture, pc, -skip) if skip < 0 else []
    missing = max(0, -skip - len(before)) if skip < 0 else 0  # before the function: nothing is known to begin there
    forward = dvm_instructions(architecture, pc, max(0, skip) + count) if count + skip > 0 or skip >= 0 else []
    code = (before + forward)[max(0, skip):]
    out = [{"address": "0x%x" % (pc - missing + k), "asm": "??", "bytes": ""} for k in range(missing)]
    for i in code[:max(0, count - missing)]:
        try:
            data = bytes(gdb.selected_inferior().read_memory(i["addr"], i["length"])).hex(" ")
        except gdb.MemoryError:
            data = ""
        out.append({"address": "0x%x" % i["addr"], "asm": i["asm"], "bytes": data, **dvm_place_of(i["addr"])})
    return {"instructions": out[:count]}


@dvm_command
def dvm_lines(args):
    """Lines from 'line' to 'end' of a source at which a breakpoint stands exactly."""
    wanted, found = args["path"], set()
    gdb.execute('info line "%s":%d' % (wanted, args["line"]), to_string=True)  # reads the symbols
    for symtab in dvm_symtabs(wanted):
        try:
            found.update(n for n in symtab.linetable().source_lines() if args["line"] <= n <= args["end"])
        except (gdb.error, RuntimeError):
            pass
    return {"lines": sorted(found)}


def dvm_symtabs(path):
    """Those of one source: a name may belong to many."""
    out = []
    try:
        for sal in gdb.decode_line('"%s":1' % path)[1] or []:
            if sal.symtab is not None:
                out.append(sal.symtab)
    except gdb.error:
        pass
    return out


def dvm_has_section(path, name):
    try:
        with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
            return m.rfind(name + b"\0") >= 0
    except (OSError, ValueError):
        return False


@dvm_command
def dvm_modules(args):
    """The program and its libraries: where they are and whether their debug information is there."""
    del args
    out, ranges, extra = [], {}, {o.owner.filename for o in gdb.objfiles() if o.owner is not None}
    for row in gdb.execute("info sharedlibrary", to_string=True).splitlines():
        words = row.split(None, 3)
        if len(words) == 4 and words[0].startswith("0x"):
            ranges[words[3].replace("(*)", "").strip()] = words[0] + "-" + words[1]
    for o in gdb.objfiles():
        if not o.is_valid() or o.owner is not None or o.filename is None or not o.filename.startswith("/"):
            continue
        out.append({"path": o.filename, "name": o.filename.rsplit("/", 1)[-1], "build": o.build_id or "",
                    "debug": o.filename in extra or dvm_has_section(o.filename, b".debug_info"),
                    "range": ranges.get(o.filename) or ranges.get(o.username) or ""})
    return {"modules": out}


# ---- points that write a line and let the program go on ----


def dvm_message(template):
    """A text with the values of the expressions that stand in it in braces."""
    out, at = [], 0
    while at < len(template):
        if template[at] == "{":
            depth, end = 1, at + 1
            while end < len(template) and depth:
                depth += {"{": 1, "}": -1}.get(template[end], 0)
                end += 1
            inner = template[at + 1:end - 1]
            try:
                out.append(dvm_text(gdb.parse_and_eval(inner)))
            except (gdb.error, RuntimeError) as e:
                out.append("<%s: %s>" % (inner, e))
            at = end
        else:
            out.append(template[at])
            at += 1
    return "".join(out)


class LogPoint(gdb.Breakpoint):
    """Writes its message, and lets the program go on."""

    def prepare(self, number, message, when, skip):
        self.ours, self.message, self.when, self.skip = number, message, when, skip

    def stop(self):
        try:
            if self.when and not gdb.parse_and_eval(self.when):
                return False
        except gdb.error:
            return True  # as gdb does where a condition cannot be evaluated
        if self.skip > 0:
            self.skip -= 1
            return False
        gdb.write("@dvm-log " + json.dumps({"event": "log", "bp": self.ours, "text": dvm_message(self.message)}) + "\n",
                  gdb.STDLOG)
        return False


@dvm_command
def dvm_logpoint(args):
    point = LogPoint(args["where"])
    point.prepare(args["id"], args["message"], args.get("condition") or "", args.get("ignore", 0))
    found = {"number": str(point.number), "pending": bool(point.pending)}
    for place in [] if point.pending else point.locations:
        found.update(dvm_place_of(place.address))
        found["func"] = place.function or ""
        break
    return found


# ---- stacks ----


@dvm_command
def dvm_stacks(args):
    """The stacks of all threads, outermost frame first."""
    del args
    was, out = gdb.selected_thread(), []
    try:
        for thread in gdb.selected_inferior().threads():
            if thread.name == "dvm-cr":
                continue  # the checkpointer's own
            thread.switch()
            frame, names = gdb.newest_frame(), []
            while frame is not None and len(names) < 100:
                sal, name = frame.find_sal(), frame.name()
                if sal.symtab is not None and sal.line:
                    names.append("%s %s:%d" % (name or "??", sal.symtab.filename.rsplit("/", 1)[-1], sal.line))
                else:
                    library = gdb.solib_name(frame.pc())
                    names.append("%s%s" % (name or "??", " " + library.rsplit("/", 1)[-1] if library else ""))
                frame = frame.older()
            out.append(names[::-1])
    finally:
        if was is not None:
            was.switch()
    return {"stacks": out}


# ---- memory ----


@dvm_command
def dvm_memory(args):
    """As much as can be read from an address on, up to 'count' bytes."""
    at = int(gdb.parse_and_eval("(unsigned long)(%s)" % args["address"]))
    count, inferior, data = args.get("count", 64), gdb.selected_inferior(), b""
    try:
        data = bytes(inferior.read_memory(at, count)) if count else b""
    except gdb.MemoryError:
        while len(data) < count:  # page by page, up to the first that is not there
            part = min(count - len(data), 4096 - (at + len(data)) % 4096)
            try:
                data += bytes(inferior.read_memory(at + len(data), part))
            except gdb.MemoryError:
                break
    return {"address": "0x%x" % at, "bytes": data.hex()}
