"""Checkpoints of the program being debugged, for gdb 13 and later.

  checkpoint-save [OPTION...]      take a checkpoint; every thread stays where it is
  checkpoint-restart HANDLE        run an image again under this gdb, at the same places
  checkpoint-list                  list images

The program must run under 'dvm run --checkpointable' or be linked with libdvmcr.  The protocol is told in
docs/checkpoint-debugging.md; other front ends run this text under the name dvm_checkpoint, which defines no commands, and call
hold_and_detach(), take(), start(), and attach_and_release().
"""
import ctypes
import json
import os
import re
import select
import shlex
import subprocess
import tempfile
import threading
import time

import gdb

SYS_TGKILL = 234  # x86-64
COMPANY_MAX = 100  # threads that come to a breakpoint while another is led out of the gate
WAITPOINT = "MPIR_checkpoint_debugger_waitpoint"
HANDLE = "MPIR_checkpoint_handle) "
INFO = "MPIR_debug_info) "
WATCHPOINTS = {gdb.BP_WATCHPOINT: "watch", gdb.BP_HARDWARE_WATCHPOINT: "watch", gdb.BP_READ_WATCHPOINT: "rwatch",
               gdb.BP_ACCESS_WATCHPOINT: "awatch"}
libc = ctypes.CDLL(None, use_errno=True)
default_commands = {"restart": "dvm restart --crdebug", "list": "dvm checkpoint -l --crdebug"}


def fail(text):
    raise gdb.GdbError(text)


def quiet(command):
    return gdb.execute(command, to_string=True)


def variable(name):
    return int(gdb.parse_and_eval("*(volatile int *)&" + name))


def set_variable(name, value):
    quiet("set variable *(volatile int *)&%s = %d" % (name, value))


def string(name):
    return gdb.parse_and_eval("*(char **)&" + name).string()


def check_checkpointable():
    inferior = gdb.selected_inferior()
    if not inferior.pid:
        fail("The program is not being run.")
    try:
        if variable("MPIR_checkpointable") != 1:
            raise gdb.error("not set")
    except gdb.error:
        fail("The program is not checkpointable (start it with 'dvm run --checkpointable').")
    return inferior


def pass_signals():
    """Our signals must reach the program unseen, in every gdb that is attached."""
    for name in ("MPIR_checkpoint_stop_signal", "MPIR_checkpoint_hold_signal"):
        quiet("handle SIG%d nostop noprint pass" % variable(name))


def tell_number(pid):
    """Should this gdb end while the threads wait for it, they are let go.  Numbers mean nothing across pid namespaces."""
    if os.readlink("/proc/self/ns/pid") == os.readlink("/proc/%d/ns/pid" % pid):
        set_variable("MPIR_checkpoint_debugger_pid", os.getpid())


def program_threads(inferior):
    helper = variable("MPIR_checkpoint_helper_tid")
    return sorted((t for t in inferior.threads() if t.ptid[1] != helper), key=lambda t: t.ptid[1])


def positions(inferior):
    """Thread number -> program counter, of the program's own threads."""
    selected = gdb.selected_thread()
    result = {}
    for thread in program_threads(inferior):
        thread.switch()
        result[thread.ptid[1]] = int(gdb.newest_frame().pc())
    if selected:
        selected.switch()
    return result


def hold_and_detach():
    """Leaves the program with every thread on its way into the waitpoint: the signal is queued while the thread is in
    its ptrace stop, so that the kernel delivers it before the first instruction.  Returns the process number."""
    inferior = check_checkpointable()
    pid = inferior.pid
    hold = variable("MPIR_checkpoint_hold_signal")
    pass_signals()
    tell_number(pid)
    set_variable("MPIR_debug_with_checkpoint", 1)
    set_variable("MPIR_checkpoint_debug_gate", 0)
    tids = [t.ptid[1] for t in program_threads(inferior)]
    set_variable("MPIR_checkpoint_held_threads", len(tids))
    for tid in tids:
        if libc.syscall(SYS_TGKILL, pid, tid, hold):
            fail("cannot hold thread %d: %s" % (tid, os.strerror(ctypes.get_errno())))
    quiet("detach")
    return pid


def waitpoint_exit(thread):
    """The frame to which the thread goes back from the waitpoint: beyond the signal frame that is next above it.  None if
    it does not wait."""
    thread.switch()
    frame = gdb.newest_frame()
    while frame and frame.name() != WAITPOINT:
        frame = frame.older()
    while frame and frame.type() != gdb.SIGTRAMP_FRAME:
        frame = frame.older()
    return frame.older() if frame else None


def breakpoints_at(pcs):
    """The user's own that are enabled and lie where a thread comes out: it has met them already, or will meet them when it goes on."""
    return [b for b in gdb.breakpoints() if b.number > 0 and b.enabled and b.type == gdb.BP_BREAKPOINT and not b.pending and
            any(l.enabled and l.address in pcs for l in b.locations)]


def release_thread(thread):
    frame = waitpoint_exit(thread)
    if frame is None:
        return
    pc, sp = int(frame.pc()), int(frame.read_register("rsp"))
    # The stack pointer tells this return from another pass over the same address.
    stop = gdb.Breakpoint("*%#x" % pc, temporary=True, internal=True)
    stop.silent = True
    stop.thread = thread.global_num  # not the number in its process: there may be several
    stop.condition = "$rsp == %#x" % sp
    set_variable("MPIR_checkpoint_debug_gate", 1)
    for _ in range(COMPANY_MAX):
        quiet("continue")
        if gdb.selected_thread() is None or gdb.selected_thread().global_num == thread.global_num:
            break
        thread.switch()  # a thread that is new has come to a breakpoint: the checkpointer's, which is asked for the next checkpoint
    if stop.is_valid():
        stop.delete()
    if int(gdb.newest_frame().pc()) != pc:
        fail("thread %d left the waitpoint at %#x, not at %#x" % (thread.num, int(gdb.newest_frame().pc()), pc))


def release_all(inferior):
    """Steps every thread out through the gate, one at a time, then closes it.  Returns how many there were."""
    lock = gdb.parameter("scheduler-locking")
    selected = min(program_threads(inferior), key=lambda t: t.ptid[1] != inferior.pid)
    exits = {}
    for thread in program_threads(inferior):
        frame = waitpoint_exit(thread)
        if frame:
            exits[thread] = int(frame.pc())
    aside = breakpoints_at(set(exits.values()))
    quiet("set scheduler-locking on")
    try:
        for bp in aside:
            bp.enabled = False
        for thread in exits:
            release_thread(thread)
    finally:
        set_variable("MPIR_checkpoint_debug_gate", 0)
        quiet("set scheduler-locking " + lock)
        for bp in aside:
            bp.enabled = True
    selected.switch()
    return len(exits)


def come_in(pid):
    """For a gdb that has attached to the process: lets it out of a checkpoint that is under way, tells that there is a debugger, and
    leads threads that wait for one out of the gate.  Returns how many did."""
    pass_signals()
    for _ in range(1000):
        if not variable("MPIR_checkpoint_busy"):
            break
        quiet("detach")  # another checkpoint has the threads parked: they stand in the waitpoint when it is over
        time.sleep(0.01)
        quiet("attach %d" % pid)
    waits = variable("MPIR_debug_with_checkpoint") and not variable("MPIR_checkpoint_debug_gate")
    tell_number(pid)
    set_variable("MPIR_debug_with_checkpoint", 1)
    return release_all(gdb.selected_inferior()) if waits else 0


def attach_and_release(pid):
    quiet("attach %d" % pid)
    return come_in(pid)


def run(command):
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False)
    return done.returncode, done.stdout, done.stderr


def take(command):
    """Runs the program's checkpoint command; returns the handle, as the restart command reads it."""
    code, out, err = run(command)
    for line in (err + out).splitlines():
        if line.startswith(HANDLE):
            return line[len(HANDLE):].strip()
    fail("no checkpoint (%s, status %d): %s" % (command, code, err.strip()))


def breakpoints_file(handle):
    return shlex.split(handle)[0] + ".breakpoints"


def frame_of_locals(expression):
    """The frame of the selected thread, innermost first, in which the expression means something: its number from the outermost, its function,
    and the thread.  None where it needs no frame."""
    thread = gdb.selected_thread()
    selected = gdb.selected_frame()
    frames = []
    frame = gdb.newest_frame()
    while frame:
        frames.append(frame)
        frame = frame.older()
    for n, frame in enumerate(frames):
        if is_local(frame, expression):
            selected.select()
            return {"thread": thread.ptid[1], "outer": len(frames) - n, "function": frame.name()}
    selected.select()
    return None


def names_of(expression):
    return set(re.findall(r"[A-Za-z_]\w*", expression))


def is_local(frame, expression):
    try:
        block = frame.block()
    except RuntimeError:
        return False
    while block and not (block.is_global or block.is_static):
        for symbol in block:
            if symbol.name in names_of(expression):
                return True
        if block.function:
            return False
        block = block.superblock
    return False


def describe(bp):
    """All that makes a breakpoint, as plain data."""
    data = {"number": bp.number, "type": bp.type, "location": bp.location, "condition": bp.condition, "commands": bp.commands, "enabled": bp.enabled,
            "ignore": bp.ignore_count, "silent": bp.silent, "thread": None, "temporary": bp.temporary}
    if bp.thread is not None:
        data["thread"] = next((t.ptid[1] for t in gdb.selected_inferior().threads() if t.num == bp.thread), None)
    if bp.type in WATCHPOINTS:
        data["expression"] = bp.expression
        if not bp.expression.startswith("-location"):
            data["frame"] = frame_of_locals(bp.expression)
    return data


def catchpoints():
    """Those that gdb does not show to its scripts: as it would write them itself."""
    if not gdb.breakpoints() and "No breakpoints" in quiet("info breakpoints"):
        return []
    with tempfile.TemporaryDirectory(prefix="dvm-breakpoints") as folder:
        path = os.path.join(folder, "saved")
        try:
            quiet("save breakpoints " + path)
            with open(path) as f:
                lines = f.read().splitlines()
        except (gdb.error, OSError):
            return []
    return [l for l in lines if l.startswith(("catch ", "tcatch "))]


def save_breakpoints(leave_out=()):
    """Breakpoints are no part of an image; they lie beside it."""
    selected = gdb.selected_thread()
    listed = [describe(bp) for bp in sorted(gdb.breakpoints(), key=lambda b: b.number)
              if bp.visible and bp.number > 0 and bp.number not in leave_out]
    if selected:
        selected.switch()
    return {"breakpoints": [d for d in listed if d["type"] in WATCHPOINTS or d["location"]], "catch": catchpoints()}


def select_frame(place):
    """Goes to where a watched local lives; False if that is no more."""
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] != place["thread"]:
            continue
        thread.switch()
        frames = []
        frame = gdb.newest_frame()
        while frame:
            frames.append(frame)
            frame = frame.older()
        n = len(frames) - place["outer"]
        if 0 <= n < len(frames) and frames[n].name() == place["function"]:
            frames[n].select()
            return True
    return False


def set_again(data):
    thread = next((t.num for t in gdb.selected_inferior().threads() if t.ptid[1] == data["thread"]), None)
    if data["type"] in WATCHPOINTS:
        if data.get("frame") and not select_frame(data["frame"]):
            raise gdb.error("its frame no longer exists")
        before = {b.number for b in gdb.breakpoints()}
        quiet("%s %s" % (WATCHPOINTS[data["type"]], data["expression"]))
        bp = next(b for b in gdb.breakpoints() if b.number not in before)
    else:
        bp = gdb.Breakpoint(data["location"], type=data["type"], temporary=data["temporary"])
    if data["condition"]:
        bp.condition = data["condition"]
    if thread is not None:
        bp.thread = thread
    if data["commands"]:
        bp.commands = data["commands"]
    bp.silent = data["silent"]
    bp.ignore_count = data["ignore"]
    bp.enabled = data["enabled"]
    return bp


def set_breakpoints(saved, lost_only=False):
    """Each on its own: one that cannot be set again does not keep the others from it.  'lost_only': what is still there stays, and only
    watchpoints are looked at.  Returns {number then: number now}."""
    numbers = {}
    selected = gdb.selected_thread()
    there = {b.expression for b in gdb.breakpoints() if b.type in WATCHPOINTS} if lost_only else set()
    for bp in gdb.breakpoints():
        if bp.visible and bp.number > 0 and not lost_only:
            bp.delete()
    for data in saved["breakpoints"]:
        if lost_only and (data["type"] not in WATCHPOINTS or data["expression"] in there):
            continue
        try:
            bp = set_again(data)
            numbers[data.get("number")] = bp.number
        except (gdb.error, RuntimeError, StopIteration, LookupError, TypeError, AttributeError) as e:
            gdb.write("warning: '%s' was not set again: %s\n" % (data.get("expression") or data.get("location"), e))
    for command in [] if lost_only else saved["catch"]:
        try:
            quiet(command)
        except gdb.error as e:
            gdb.write("warning: '%s' was not set again: %s\n" % (command, e))
    if selected:
        selected.switch()
        gdb.newest_frame().select()
    return numbers


def read_breakpoints(path):
    """What lies beside an image; {} if there is nothing.  Breakpoints have commands, which gdb runs: others must not have written them."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return {}
    with open(fd) as f:
        about = os.fstat(fd)
        if about.st_uid not in (os.geteuid(), 0) or about.st_mode & 0o022:
            gdb.write("warning: the breakpoints in '%s' were not set: others may have written them\n" % path)
            return {}
        try:
            saved = json.load(f)
        except ValueError:
            saved = None
    if not isinstance(saved, dict) or not isinstance(saved.get("breakpoints"), list):
        gdb.write("warning: '%s' contains no breakpoints\n" % path)
        return {}
    saved["catch"] = [c for c in saved.get("catch", []) if isinstance(c, str) and c.startswith(("catch ", "tcatch "))]
    return saved


def restore_breakpoints(handle):
    saved = read_breakpoints(breakpoints_file(handle))
    if saved:
        set_breakpoints(saved)


class Save(gdb.Command):
    """Take a checkpoint of the program; options are those of 'dvm checkpoint'.

The program stays stopped, every thread where it was."""

    def __init__(self):
        super().__init__("checkpoint-save", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        check_checkpointable()
        command = string("MPIR_checkpoint_command") + (" " + argument if argument else "")
        default_commands["restart"] = string("MPIR_restart_command")
        default_commands["list"] = string("MPIR_checkpoint_listing_command")
        selected = gdb.selected_thread().ptid[1]
        before = positions(gdb.selected_inferior())
        saved = save_breakpoints()
        pid = hold_and_detach()
        try:
            handle = take(command)
        finally:
            attach_and_release(pid)
        with open(breakpoints_file(handle), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            json.dump(saved, f, indent=1)
        after = positions(gdb.selected_inferior())
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == selected:
                thread.switch()
        if after != before:
            gdb.write("warning: threads have moved: %s\n" % ", ".join(
                "%d" % tid for tid in before if after.get(tid) != before[tid]))
        set_breakpoints(saved, lost_only=True)  # gdb has dropped those of locals when it detached
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == selected:
                thread.switch()
        gdb.write("%s%s\n" % (HANDLE, handle))


def show_rest(stream):
    for line in stream:
        os.write(2, line.encode())


def start(command):
    """Runs a restart command in the background; returns the numbers of the processes that it announces."""
    process = subprocess.Popen(command, shell=True, stderr=subprocess.PIPE, universal_newlines=True, bufsize=1,
                               start_new_session=True)
    seen, pids = [], []
    for line in process.stderr:
        if not line.startswith(INFO):
            seen.append(line)
            continue
        pids.append(int(line.rsplit(":", 1)[1]))
        while select.select([process.stderr], [], [], 0.5)[0]:  # the command tells of all its processes at once
            line = process.stderr.readline()
            if line.startswith(INFO):
                pids.append(int(line.rsplit(":", 1)[1]))
            elif not line:
                break
            else:
                os.write(2, line.encode())
        threading.Thread(target=show_rest, args=(process.stderr,), daemon=True).start()
        return pids
    fail("no restart (%s): %s" % (command, "".join(seen).strip()))


class Restart(gdb.Command):
    """Restart a checkpoint HANDLE under this gdb, with the breakpoints that it was saved with."""

    def __init__(self):
        super().__init__("checkpoint-restart", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if not argument:
            fail("checkpoint-restart needs a handle (checkpoint-list shows them)")
        if gdb.selected_inferior().pid:
            if variable("MPIR_checkpointable") == 1:
                default_commands["restart"] = string("MPIR_restart_command")
            quiet("kill")
        pids = start(default_commands["restart"] + " " + argument)
        attach_and_release(pids[0])
        first = gdb.selected_inferior()
        for pid in pids[1:]:  # each is an inferior of its own
            number = int(re.search(r"inferior (\d+)", quiet("add-inferior")).group(1))
            quiet("inferior %d" % number)
            attach_and_release(pid)
        quiet("inferior %d" % first.num)
        restore_breakpoints(argument)
        for pid in pids:
            gdb.write("process %d restarted from %s\n" % (pid, argument))


class List(gdb.Command):
    """List the images of 'dvm checkpoint', one handle per line."""

    def __init__(self):
        super().__init__("checkpoint-list", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if gdb.selected_inferior().pid:
            default_commands["list"] = string("MPIR_checkpoint_listing_command")
        command = default_commands["list"]
        if argument:  # another folder than the process's own, which stands quoted at the end
            command = command.split(" '")[0] + " " + argument
        _, out, err = run(command)
        gdb.write(out + err)


if __name__ != "dvm_checkpoint":  # else another front end has it, with commands of its own
    Save()
    Restart()
    List()
