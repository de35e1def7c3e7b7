"""What the debugger's tests share: a debugger driven by its JSON lines, servers, processes.

A test waits for events, never for a time; LIMIT only ends one that would wait for ever."""
import fcntl
import json
import os
import queue
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

LIMIT = 60
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
DEBUG = os.path.join(BUILD, "sdm", "dvm-debug")
SERVER = os.path.join(BUILD, "sdm", "sdm-server")
RING = os.path.join(BUILD, "test", "integration", "sdm", "sdm_ring")
THREADS = os.path.join(BUILD, "test", "integration", "sdm", "sdm_threads")
MPI_RING = os.path.join(BUILD, "test", "integration", "sdm", "sdm_mpi_ring")
SOURCE = os.path.dirname(os.path.abspath(__file__))

# Open MPI as root, on fewer processors than ranks, without its advice on debuggers.
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                  OMPI_DO_NOT_WARN="1", OMPI_MPIR_DO_NOT_WARN="1", OMPI_MCA_plm_rsh_agent="sh",
                  SDM_INDEX_CACHE=os.path.join(BUILD, "sdm", "gdb-index"))


def need(*programs):
    """Leaves the test out where a program is not installed."""
    for name in programs:
        if not any(os.access(os.path.join(p, name), os.X_OK) for p in os.environ["PATH"].split(":")):
            print(f"skipped: no {name} here")
            sys.exit(77)


def ranks(text):
    """'0-3,7,10-14/2' as a set of numbers."""
    found = set()
    for part in filter(None, text.split(",")):
        span, _, step = part.partition("/")
        low, _, high = span.partition("-")
        found.update(range(int(low), int(high or low) + 1, int(step or 1)))
    return found


def children(pid):
    """Direct children of a process: {pid: command line}."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
            if parent == pid:
                with open(f"/proc/{name}/cmdline", "rb") as f:
                    found[int(name)] = f.read().decode().split("\0")[:-1]
        except (OSError, IndexError):
            pass
    return found


def descendants(pid):
    below = list(children(pid))
    return below + [d for c in below for d in descendants(c)]


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def state(pid):
    """As the kernel writes it: R, S, t, .."""
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def unread(pid):
    """Bytes that its standard input, a pipe, holds."""
    fd = os.open(f"/proc/{pid}/fd/0", os.O_RDONLY | os.O_NONBLOCK)
    try:
        return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"    "))[0]
    finally:
        os.close(fd)


def waits(pid):
    """It sleeps: in the tests' program, in the loop of wait_here."""
    try:
        with open(f"/proc/{pid}/wchan") as f:
            return "nanosleep" in f.read()
    except OSError:
        return False


def traced(pid):
    with open(f"/proc/{pid}/status") as f:
        return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in f)


def memory(pid):
    """Resident bytes."""
    try:
        with open(f"/proc/{pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def listening(pid):
    """TCP ports that a process listens on."""
    sockets = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{fd}")
            if target.startswith("socket:["):
                sockets.add(target[8:-1])
    except OSError:
        return []
    with open("/proc/net/tcp") as f:
        rows = [line.split() for line in f.readlines()[1:]]
    return [int(r[1].split(":")[1], 16) for r in rows if r[3] == "0A" and r[9] in sockets]


def free_ports(n):
    """A stretch of n ports that nobody uses now."""
    for base in range(21000 + os.getpid() % 400 * 20, 60000, n):
        held = []
        try:
            for i in range(n):
                s = socket.socket()
                held.append(s)
                s.bind(("127.0.0.1", base + i))
            return base
        except OSError:
            pass
        finally:
            for s in held:
                s.close()
    raise AssertionError("no ports")


def free_port():
    return free_ports(1)


def wait_until(what, why):
    end = time.monotonic() + LIMIT
    while not what():
        if time.monotonic() > end:
            raise AssertionError(f"waited {LIMIT} s in vain: {why}")
        time.sleep(0.02)


class Debugger:
    """`dvm debug --json`.  Everything it says is kept in 'said'; 'do' runs a command and returns what it led to."""

    def __init__(self, *args, env=None, prefix=()):
        self.process = subprocess.Popen([*prefix, DEBUG, "--json", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.lines, self.said, self.errors, self.marks = queue.Queue(), [], [], 0
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def wait(self, fits, why="an event"):
        """The next thing said that fits."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                one = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"waited {LIMIT} s in vain for {why}; last: {self.said[-5:]}")
            if one is None:
                raise AssertionError(f"the debugger ended while waiting for {why}: {''.join(self.errors)} {self.said[-5:]}")
            self.said.append(one)
            if fits(one):
                return one

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def do(self, line):
        self.marks += 1
        start = len(self.said)
        self.send(line)
        self.send(f"echo mark {self.marks}")
        self.wait(lambda j: j.get("echo") == f"mark {self.marks}", f"the end of '{line}'")
        return self.said[start:-1]

    def answer(self, line):
        """{set of ranks: result or error} and the missing, of the one answer of a command."""
        got = [j for j in self.do(line) if j.get("answer", "start") != "start"]
        assert len(got) == 1, (line, got)
        return ({frozenset(ranks(c["ranks"])): c.get("result", c.get("error")) for c in got[0]["classes"]},
                {k: ranks(v) for k, v in got[0]["missing"].items()})

    def values(self, expression, prefix=""):
        """{value: ranks}"""
        classes, _ = self.answer(f"{prefix} print {expression}")
        return {r["value"]: set(who) for who, r in classes.items()}

    def status(self):
        got = [j for j in self.do("status") if "status" in j][-1]["status"]
        return {k: ranks(v) for k, v in got.items()}

    def output(self, stream="stdout"):
        """{rank: all that it wrote}"""
        found = {}
        for j in self.said:
            if j.get("output") == stream:
                data = bytes.fromhex(j["hex"]) if "hex" in j else j["text"].encode()
                for r in ranks(j["ranks"]):
                    found[r] = found.get(r, b"") + data
        return found

    def servers(self):
        """{rank: pid} of servers that were started without a launcher."""
        return {int(words[words.index("--rank") + 1]): pid
                for pid, words in children(self.process.pid).items() if "--rank" in words}

    def close(self):
        """Ends it; returns its exit status."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        for stopped in self.servers().values(): # one that a test stopped shall see that it is over
            try:
                os.kill(stopped, signal.SIGCONT)
            except OSError:
                pass
        try:
            status = self.process.wait(LIMIT)
            self.process.stdout.close()
            return status
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the debugger does not end")


def walk(tree):
    """Every node of a merged stack tree."""
    for node in tree:
        yield node
        yield from walk(node["children"])


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        return self

    def path(self, name):
        return os.path.join(self.name, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", opener=lambda p, f: os.open(p, f, mode)) as f:
            f.write(text)
        return self.path(name)


class Program(subprocess.Popen):
    """A process that does not outlive its test."""

    def __init__(self, *words, **more):
        super().__init__(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more)

    def __exit__(self, *_):
        if self.poll() is None:
            self.kill()
        super().__exit__(*_)


def line_of(text, file="ring.c"):
    """Line of a test program that has 'text'."""
    with open(os.path.join(SOURCE, file)) as f:
        for number, line in enumerate(f, 1):
            if text in line:
                return number
    raise AssertionError(text)


def main():
    unittest.main(verbosity=2, warnings="ignore")
