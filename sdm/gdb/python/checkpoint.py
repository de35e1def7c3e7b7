# Checkpoints, as gdb has to take part in them (sdm/gdb/gdb_checkpoint.c).  DVM_CR has the functions of mpir/gdb/dvm_checkpoint.py.
# These commands may set the program running, after which gdb does not say when they are done: 'cr_answer' tells it, as the next command.
import os
import re

DVM_CR = {}
DVM_CR_KEPT = {"answer": None, "saved": None, "pcs": {}, "selected": 0}
DVM_CR_STRINGS = ("checkpoint_command", "restart_command", "checkpoint_listing_command", "controller_hostname")
DVM_CR_PLACES = ("checkpoint_served", "debug_with_checkpoint", "checkpoint_debug_gate", "checkpoint_debugger_pid")


def dvm_cr_address(name):
    return int(gdb.parse_and_eval("(long)&MPIR_" + name))


def dvm_cr_command(function):
    def run(args):
        DVM_CR_KEPT["answer"] = {"error": "gdb has not come back"}
        try:
            DVM_CR_KEPT["answer"] = function(args)
        except (gdb.error, gdb.GdbError, gdb.MemoryError, RuntimeError, ValueError, LookupError, OSError, TypeError, AttributeError) as e:
            DVM_CR_KEPT["answer"] = {"error": str(e) or type(e).__name__}
    DVM_COMMANDS[function.__name__[4:]] = run
    return run


@dvm_command
def dvm_cr_answer(args):
    return DVM_CR_KEPT["answer"]


def dvm_cr_facts():
    """What is to be known of a program that can be saved, for the time when gdb has left it."""
    facts = {name: DVM_CR["string"]("MPIR_" + name) for name in DVM_CR_STRINGS}
    facts.update({name: dvm_cr_address(name) for name in DVM_CR_PLACES})
    facts["pid"] = gdb.selected_inferior().pid
    try:
        facts["handle"] = DVM_CR["string"]("MPIR_checkpoint_last")
    except gdb.error:
        facts["handle"] = ""
    return facts


def dvm_cr_place():
    """Where the selected thread stands, in MI's words."""
    frame = gdb.newest_frame()
    place = {"thread": gdb.selected_thread().num, "func": frame.name() or "??", "addr": "0x%016x" % frame.pc()}
    where = frame.find_sal()
    if where.symtab and where.line:
        place.update(file=where.symtab.filename, fullname=where.symtab.fullname(), line=str(where.line))
    else:
        place["from"] = gdb.solib_name(frame.pc()) or ""
    return place


def dvm_cr_select(tid):
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            thread.switch()
            gdb.newest_frame().select()


@dvm_cr_command
def dvm_cr_arm(args):
    """gdb has the program: its own signals go through, it knows its debugger, and no thread waits in the gate."""
    selected = gdb.selected_thread().ptid[1]
    came = DVM_CR["come_in"](gdb.selected_inferior().pid) if args.get("come_in") else 0
    if not args.get("come_in"):
        DVM_CR["pass_signals"]()
        DVM_CR["tell_number"](gdb.selected_inferior().pid)
        DVM_CR["set_variable"]("MPIR_debug_with_checkpoint", 1)
    if not came:
        dvm_cr_select(selected)
    facts = dvm_cr_facts()
    facts.update(released=came, place=dvm_cr_place())
    return facts


@dvm_cr_command
def dvm_cr_hold(args):
    """Every thread but the checkpointer's own is on its way into the gate, and gdb has left."""
    inferior = DVM_CR["check_checkpointable"]()
    DVM_CR_KEPT["selected"] = gdb.selected_thread().ptid[1]
    DVM_CR_KEPT["saved"] = DVM_CR["save_breakpoints"](args.get("leave_out", ()))
    DVM_CR_KEPT["saved"]["selected"] = DVM_CR_KEPT["selected"]
    DVM_CR_KEPT["pcs"] = DVM_CR["positions"](inferior)
    served = DVM_CR["variable"]("MPIR_checkpoint_served")
    DVM_CR["hold_and_detach"]()
    return {"served": served, "saved": DVM_CR_KEPT["saved"]}


def dvm_cr_same(before, after):
    """A system call that was broken off is made again: from the instruction, or behind it."""
    if after is None or abs(after - before) not in (0, 2):
        return False
    return after == before or bytes(gdb.selected_inferior().read_memory(min(before, after), 2)) == b"\x0f\x05"


def dvm_cr_is_asked(helper):
    """Does the checkpointer's thread stand where it says that it is to be left?  It came there while the others were led out."""
    selected = gdb.selected_thread()
    asked = False
    for thread in gdb.selected_inferior().threads():
        if thread.num == helper:
            thread.switch()
            asked = gdb.newest_frame().name() == "MPIR_checkpoint_debugger_detach"
    selected.switch()
    gdb.newest_frame().select()
    return asked


@dvm_cr_command
def dvm_cr_come_back(args):
    """The same process, after its checkpoint: every thread where it was."""
    gdb.execute("attach %d" % args["pid"], to_string=True)
    DVM_CR["come_in"](args["pid"])
    after = DVM_CR["positions"](gdb.selected_inferior())
    moved = [tid for tid, pc in DVM_CR_KEPT["pcs"].items() if not dvm_cr_same(pc, after.get(tid))]
    dvm_cr_select(DVM_CR_KEPT["selected"])
    numbers = DVM_CR["set_breakpoints"](DVM_CR_KEPT["saved"], lost_only=True)  # gdb has dropped those of locals when it left
    dvm_cr_select(DVM_CR_KEPT["selected"])
    facts = dvm_cr_facts()
    facts.update(numbers={str(k): str(v) for k, v in numbers.items()}, moved=moved, place=dvm_cr_place(),
                 helper=next((t.num for t in gdb.selected_inferior().threads()
                              if t.ptid[1] == DVM_CR["variable"]("MPIR_checkpoint_helper_tid")), 0))
    facts["asked"] = dvm_cr_is_asked(facts["helper"])
    return facts


@dvm_cr_command
def dvm_cr_take_up(args):
    """A process that was restarted: 'points' is the file with what was set when it was saved."""
    DVM_CR["attach_and_release"](args["pid"])
    inferior = gdb.selected_inferior()
    for pid in args.get("others", []):  # of a set: they run without the debugger
        number = int(re.search(r"inferior (\d+)", gdb.execute("add-inferior", to_string=True)).group(1))
        gdb.execute("inferior %d" % number, to_string=True)
        gdb.execute("attach %d" % pid, to_string=True)
        DVM_CR["set_variable"]("MPIR_debug_with_checkpoint", 0)
        DVM_CR["set_variable"]("MPIR_checkpoint_debug_gate", 1)  # they go out by themselves
        gdb.execute("detach", to_string=True)
        gdb.execute("inferior %d" % inferior.num, to_string=True)
        gdb.execute("remove-inferiors %d" % number, to_string=True)
    saved = DVM_CR["read_breakpoints"](args["points"])
    numbers = DVM_CR["set_breakpoints"](saved, lost_only=True) if "breakpoints" in saved else {}
    dvm_cr_select(saved.get("selected", 0))
    facts = dvm_cr_facts()
    facts.update(numbers={str(k): str(v) for k, v in numbers.items()}, saved=saved, place=dvm_cr_place())
    return facts


def dvm_cr_reap(pid):
    """A child of gdb that has ended while gdb had left it."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except OSError:
        pass
