"""What goes wrong with servers while a session runs: killed, stopped, a router lost, gdb killed, the front end killed,
strangers at the door.  Every command is answered, in part if need be, and says who is missing and why."""
import fcntl
import os
import random
import signal
import socket
import subprocess
import sys
import termios
import time
import unittest

import sdm
from sdm import listening

N = 8


def stub(*more, n=N, script=None, folder=None):
    words = ["-n", str(n), "--launcher", "local", "--backend", "stub", "--no-stop", "--ping", "0.4", "--shape", "binomial", *more]
    if script:
        words += ["--backend-path", folder.write("script", script)]
    return sdm.Debugger(*words, "/bin/true")


class Faults(unittest.TestCase):
    def sources(self, d, line="print 1"):
        classes, missing = d.answer(line)
        return set().union(*classes) if classes else set(), missing

    def test_server_killed(self):
        """A leaf and two routers: the dead one alone is missing."""
        for victim in (7, 3, 1):
            with stub() as d:
                d.do("print 1")
                os.kill(d.servers()[victim], signal.SIGKILL)
                d.wait(lambda j: "lost" in j and sdm.ranks(j["ranks"]) == {victim}, "the loss")
                rest = set(range(N)) - {victim}
                self.assertEqual(self.sources(d), (rest, {"dead": {victim}}))
                self.assertEqual(d.status()["dead"], {victim})
                self.assertEqual(self.sources(d, f"[all!{victim}] print 2"), (rest, {}))

    def test_killed_while_it_works(self):
        """The command is under way: it ends at once with the missing named, not at its time limit."""
        script = '[{"cmd": "evaluate", "rank": 3, "delay_ms": 40000, "result": {"value": "late"}}]'
        with sdm.Folder() as folder, stub(script=script, folder=folder) as d:
            d.do("set timeout 50")
            victim = d.servers()[3]
            d.send("print 1")
            sdm.wait_until(lambda: not int.from_bytes(fcntl.ioctl(d.process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder),
                           "the line has been read")
            d.send("echo after")
            os.kill(victim, signal.SIGKILL)
            d.wait(lambda j: "echo" in j, "the answer")
            answer = [j for j in d.said if j.get("answer") == "evaluate"][0]
            self.assertEqual(answer["missing"], {"dead": "3"})

    def test_server_stopped(self):
        """SIGSTOP, for less than the heart-beats allow: an answer in part at the limit, the rest when it goes on."""
        with sdm.Debugger("-n", str(N), "--launcher", "local", "--backend", "stub", "--no-stop", "--ping", "20",
                          "/bin/true") as d:
            d.do("set timeout 3")
            os.kill(d.servers()[7], signal.SIGSTOP)
            self.assertEqual(self.sources(d), (set(range(N)) - {7}, {"timed_out": {7}}))
            os.kill(d.servers()[7], signal.SIGCONT)
            late = d.wait(lambda j: j.get("answer") == "late", "the late answer")
            self.assertEqual([sdm.ranks(c["ranks"]) for c in late["classes"]], [{7}])
            self.assertEqual(self.sources(d), (set(range(N)), {}))

    def test_server_stopped_for_good(self):
        """A router that no longer answers heart-beats is given up; those below it come back."""
        with stub() as d:
            d.do("print 1")
            os.kill(d.servers()[3], signal.SIGSTOP)
            d.wait(lambda j: "lost" in j, "the loss")
            sdm.wait_until(lambda: self.sources(d) == (set(range(N)) - {3}, {"dead": {3}}), "the others are back")

    def test_silent_router_comes_back(self):
        """A router that was given up answers again: it is one of the session again, where it stands is known, and those that it
        led stay where they are."""
        with sdm.Debugger("-n", str(N), "--launcher", "local", "--ping", "0.4", "--shape", "binomial", sdm.RING) as d:
            d.do("bt")
            for victim in (3, 1):
                server = d.servers()[victim]
                os.kill(server, signal.SIGSTOP)
                d.wait(lambda j: "lost" in j, "the loss")
                sdm.wait_until(lambda: self.sources(d) == (set(range(N)) - {victim}, {"dead": {victim}}), "the others are back")
                others = d.do(f"[all!{victim}] next")
                self.assertEqual({j["reason"] for j in others if j.get("event") == "stopped"}, {"end-stepping-range"})
                os.kill(server, signal.SIGCONT)
                d.wait(lambda j: sdm.ranks(j.get("back", "")) == {victim}, "it is back")
                place = d.wait(lambda j: j.get("event") == "stopped" and sdm.ranks(j["ranks"]) == {victim}, "its place")
                self.assertEqual(place["func"], "main")
                self.assertEqual(self.sources(d), (set(range(N)), {}))
                self.assertEqual(d.status()["dead"], set())
                said = d.do(f"[{victim}] next")
                self.assertEqual([sdm.ranks(j["ranks"]) for j in said if j.get("event") == "stopped"], [{victim}])
            self.assertEqual(len({j["ranks"] for j in d.said if "lost" in j}), 2)  # nobody else was lost on the way
            d.do("continue")
            self.assertEqual(d.status()["exited"], set(range(N)))

    def test_many_killed(self):
        with stub(n=24) as d:
            d.do("print 1")
            pids, dead = d.servers(), {1, 2, 8, 16, 17, 23}
            for r in dead:
                os.kill(pids[r], signal.SIGKILL)
            lost = set()
            while lost != dead:
                lost |= sdm.ranks(d.wait(lambda j: "lost" in j, "the losses")["ranks"])
            sdm.wait_until(lambda: self.sources(d) == (set(range(24)) - dead, {"dead": dead}), "the others are back")

    def test_gdb_killed(self):
        """One gdb of three: its rank is told, the others work, and the rank can be started anew."""
        with sdm.Debugger("-n", "3", "--launcher", "local", sdm.RING) as d:
            d.do("break add")
            gdb = next(iter(sdm.children(d.servers()[1])))
            os.kill(gdb, signal.SIGKILL)
            died = d.wait(lambda j: j.get("event") == "debugger-died", "the news")
            self.assertEqual(sdm.ranks(died["ranks"]), {1})
            classes, missing = d.answer("print total")
            self.assertEqual({frozenset(w): type(r) for w, r in classes.items()},
                             {frozenset({0, 2}): dict, frozenset({1}): str})
            said = d.do("[1] run")
            stop = [j for j in said if j.get("event") == "stopped"][-1]
            self.assertEqual((stop["ranks"], stop["func"]), ("1", "main"))
            stop = [j for j in d.do("continue") if j.get("event") == "stopped"]
            self.assertEqual(set().union(*(sdm.ranks(j["ranks"]) for j in stop)), {0, 1, 2})
            self.assertEqual({(j["func"], j["bp"]) for j in stop}, {("add", 1)})  # the breakpoint is there again

    def test_front_end_killed(self):
        """Servers that were started by other means end by themselves, after --orphan."""
        with sdm.Folder() as folder:
            secret = folder.write("secret", "5a" * 32 + "\n", 0o600)
            servers = [sdm.Program(sdm.SERVER, "--host", "127.0.0.1", "--secret-file", secret, "--backend", "stub",
                                   "--rank", str(r), "--orphan", "300", "--ping", "200") for r in range(4)]
            for p in servers:
                self.addCleanup(lambda p=p: p.__exit__(None, None, None))
                sdm.wait_until(lambda: listening(p.pid), "the server listens")
            table = folder.write("servers", "".join(f"{r} 127.0.0.1 {listening(p.pid)[0]}\n"
                                                    for r, p in enumerate(servers)))
            d = sdm.Debugger("--servers", table, "--secret-file", secret, "--no-stop", "/bin/true")
            d.do("print 1")
            d.process.kill()
            d.process.wait()
            for p in servers:
                self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_front_end_of_an_attached_program_killed(self):
        """The program that was attached to runs on as if nobody had been there."""
        with sdm.Program(sdm.RING, "hang", "0") as program:
            sdm.wait_until(lambda: sdm.waits(program.pid), "the program sleeps in its loop")
            d = sdm.Debugger("--attach", str(program.pid), "--orphan", "0.3")
            d.do("bt")
            servers = list(sdm.children(d.process.pid))
            d.process.kill()
            d.process.wait()
            sdm.wait_until(lambda: all(sdm.gone(p) for p in servers), "the server ends")
            sdm.wait_until(lambda: sdm.waits(program.pid), "the program sleeps in its loop again")
            with sdm.Debugger("--attach", str(program.pid)) as d:
                d.do("set var gate = 0")
            self.assertEqual(program.wait(sdm.LIMIT), 0)

    def orphan(self, what, *words):
        """A debugger of a program that waits is killed; its servers end when they have been alone for a while.  What it debugged."""
        d = sdm.Debugger("--orphan", "0.3", "--orphan-do", what, *words)
        d.do("bt")
        server, = sdm.children(d.process.pid)
        program = [p for p in sdm.descendants(server) if sdm.traced(p)]
        d.do("continue &")
        d.process.kill()
        d.process.wait()
        return server, program[0] if program else int(words[words.index("--attach") + 1])

    def test_orphan_policy(self):
        """What was started runs on, its terminal stays; what was attached to is killed; or as one likes it."""
        server, program = self.orphan("detach", "-n", "1", "--launcher", "local", sdm.RING, "hang", "0")
        self.addCleanup(lambda: sdm.gone(program) or os.kill(program, signal.SIGKILL))
        sdm.wait_until(lambda: sdm.waits(program), "the program sleeps in its loop")
        sdm.wait_until(lambda: not sdm.traced(program), "its gdb has left it")
        self.assertFalse(sdm.gone(server))
        self.assertFalse(sdm.gone(program))
        os.kill(program, signal.SIGKILL)
        sdm.wait_until(lambda: sdm.gone(server), "its server ends with it")
        with sdm.Program(sdm.RING, "hang", "0") as p:
            sdm.wait_until(lambda: sdm.waits(p.pid), "the program sleeps in its loop")
            server, _ = self.orphan("kill", "--attach", str(p.pid))
            self.assertEqual(p.wait(sdm.LIMIT), -signal.SIGKILL)
            sdm.wait_until(lambda: sdm.gone(server), "the server ends")

    def test_front_end_stopped(self):
        """A debugger that is suspended, or waits for its pager, far longer than heart-beats allow, finds its session as it was."""
        with stub() as d:
            d.do("print 1")
            os.kill(d.process.pid, signal.SIGSTOP)
            time.sleep(3)  # seven heart-beats; nothing can be seen to happen meanwhile
            os.kill(d.process.pid, signal.SIGCONT)
            self.assertEqual(self.sources(d), (set(range(N)), {}))
            self.assertEqual([j for j in d.said if "lost" in j], [])

    def test_disk_full(self):
        """What cannot be written is not lost in silence, and nobody hangs for it."""
        for words in (["-ex", "print 1"], ["--json", "-ex", "print 1"]):
            with open("/dev/full", "w") as full:
                r = subprocess.run([sdm.DEBUG, "-n", "2", "--launcher", "local", "--backend", "stub", "--no-stop", *words, "-ex", "quit",
                                    "/bin/true"], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=sdm.LIMIT)
            self.assertEqual((r.returncode, r.stderr),
                             (1, "dvm: error: some of the output could not be written; is the disk full?\n"))

    def test_disk_full_for_the_program(self):
        """Route oob: the program's lines go to a full disk; it ends as ever, and the loss is told once."""
        with sdm.Folder() as folder:
            server = folder.write("server", f'#!/bin/sh\nexec "{sdm.SERVER}" "$@" >/dev/full\n', 0o755)
            r = subprocess.run([sdm.DEBUG, "-n", "1", "--launcher", "local", "--io", "oob", "--no-stop", "-ex", "wait", "-ex", "status",
                                "-ex", "quit", "/bin/sh", "-c", "for i in 1 2 3; do echo $i; sleep 0.1; done"], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=sdm.LIMIT, env={**os.environ, "SDM_SERVER": server})
        self.assertEqual((r.returncode, r.stderr), (0, "sdm-server: error: rank 0: output is lost: No space left on device\n"))
        self.assertIn("{0} exited with status 0", r.stdout)

    def test_strangers(self):
        """Garbage, an old version, giants, half a handshake, and many who say nothing, at every door: nothing is
        changed, and a router can still be replaced through the same doors."""
        with stub() as d:
            d.do("print 1")
            rnd = random.Random(7)
            pids = d.servers()
            doors = [p for pid in [*pids.values(), d.process.pid] for p in listening(pid)]
            self.assertEqual(len(doors), N + 1)
            said = [rnd.randbytes(5000), b"\xff\xff\xff\x7f\x01\x01" + bytes(18), b"\x10\0\0\0\x02\x01" + bytes(34),
                    b"GET / HTTP/1.0\r\n\r\n", b"\x63\0\0\0\x01\x01" + bytes(50), b"", bytes(4096)]
            held = []
            for port in doors:
                for text in said:
                    s = socket.create_connection(("127.0.0.1", port))
                    held.append(s)
                    try:
                        s.sendall(text)
                    except OSError:
                        pass
                held += [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
            for s in held:
                s.settimeout(0.01)
                try:
                    answer = s.recv(65536)
                    self.assertLess(len(answer), 700)  # a HELLO and a reason, at most
                except OSError:
                    pass
            self.assertEqual(self.sources(d), (set(range(N)), {}))
            os.kill(pids[3], signal.SIGKILL)
            sdm.wait_until(lambda: self.sources(d) == (set(range(N)) - {3}, {"dead": {3}}), "the others are back")
            for s in held:
                s.close()
            self.assertEqual({p for r, p in pids.items() if r != 3 and sdm.gone(p)}, set())


if __name__ == "__main__":
    sdm.main()
