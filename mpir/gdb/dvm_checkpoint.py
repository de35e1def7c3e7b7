"""Checkpoints of the program being debugged, for gdb 13 and later.

  checkpoint-save [OPTION...]      take a checkpoint; every thread stays where it is
  checkpoint-restart HANDLE        run an image again under this gdb, at the same places
  checkpoint-list                  list images

The program must run under 'dvm run --checkpointable' or be linked with libdvmcr.  The protocol is told in
docs/checkpoint-debugging.md; other front ends call hold_and_detach(), take(), start() and attach_and_release().
"""
import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
import threading

import gdb

SYS_TGKILL = 234  # x86-64
WAITPOINT = "MPIR_checkpoint_debugger_waitpoint"
HANDLE = "MPIR_checkpoint_handle) "
INFO = "MPIR_debug_info) "
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


def release_thread(thread):
    frame = waitpoint_exit(thread)
    if frame is None:
        return
    pc, sp = int(frame.pc()), int(frame.read_register("rsp"))
    # The stack pointer tells this return from another pass over the same address.
    stop = gdb.Breakpoint("*%#x" % pc, temporary=True, internal=True)
    stop.silent = True
    stop.thread = thread.num
    stop.condition = "$rsp == %#x" % sp
    set_variable("MPIR_checkpoint_debug_gate", 1)
    quiet("continue")
    if stop.is_valid():
        stop.delete()
    if int(gdb.newest_frame().pc()) != pc:
        fail("thread %d left the waitpoint at %#x, not at %#x" % (thread.num, int(gdb.newest_frame().pc()), pc))


def release_all(inferior):
    """Steps every thread out through the gate, one at a time, then closes it."""
    lock = gdb.parameter("scheduler-locking")
    selected = min(program_threads(inferior), key=lambda t: t.ptid[1] != inferior.pid)
    quiet("set scheduler-locking on")
    try:
        for thread in program_threads(inferior):
            release_thread(thread)
    finally:
        set_variable("MPIR_checkpoint_debug_gate", 0)
        quiet("set scheduler-locking " + lock)
    selected.switch()


def attach_and_release(pid):
    quiet("attach %d" % pid)
    pass_signals()
    tell_number(pid)
    release_all(gdb.selected_inferior())


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


def save_breakpoints():
    """Breakpoints are no part of an image; they lie beside it."""
    if not gdb.breakpoints():
        return None
    fd, path = tempfile.mkstemp(prefix="dvm-breakpoints")
    os.close(fd)
    os.unlink(path)
    quiet("save breakpoints " + path)
    return path


def restore_breakpoints(handle):
    path = breakpoints_file(handle)
    if not os.path.exists(path):
        return
    for old in gdb.breakpoints():
        old.delete()
    quiet("source " + path)


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
        if saved:
            shutil.move(saved, breakpoints_file(handle))
        after = positions(gdb.selected_inferior())
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == selected:
                thread.switch()
        if after != before:
            gdb.write("warning: threads have moved: %s\n" % ", ".join(
                "%d" % tid for tid in before if after.get(tid) != before[tid]))
        gdb.write("%s%s\n" % (HANDLE, handle))


def show_rest(stream):
    for line in stream:
        os.write(2, line.encode())


def start(command):
    """Runs a restart command in the background; returns the process number that it announces."""
    process = subprocess.Popen(command, shell=True, stderr=subprocess.PIPE, universal_newlines=True, bufsize=1,
                               start_new_session=True)
    seen = []
    for line in process.stderr:
        if line.startswith(INFO):
            threading.Thread(target=show_rest, args=(process.stderr,), daemon=True).start()
            return int(line.rsplit(":", 1)[1])
        seen.append(line)
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
        pid = start(default_commands["restart"] + " " + argument)
        attach_and_release(pid)
        restore_breakpoints(argument)
        gdb.write("process %d restarted from %s\n" % (pid, argument))


class List(gdb.Command):
    """List the images of 'dvm checkpoint', one handle a line."""

    def __init__(self):
        super().__init__("checkpoint-list", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if gdb.selected_inferior().pid:
            default_commands["list"] = string("MPIR_checkpoint_listing_command")
        _, out, err = run(default_commands["list"] + (" " + argument if argument else ""))
        gdb.write(out + err)


Save()
Restart()
List()
