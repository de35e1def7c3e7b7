"""Signals of the program, ^C at the terminal, functions that do not come back, and what is left running."""
import os
import pty
import select
import signal
import subprocess
import time
import unittest

import sdm

HANDLER = os.path.join(os.path.dirname(sdm.RING), "sdm_handler")


def batch(*words):
    return subprocess.run([sdm.DEBUG, "--batch", "--timeout", "50", "--launcher", "local", "-n", "2", *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=2 * sdm.LIMIT)


class Signals(unittest.TestCase):
    def enter(self, what):
        self.addCleanup(what.__exit__, None, None, None)
        return what.__enter__()

    def test_handled_in_a_batch_run(self):
        r = batch(HANDLER)
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        self.assertEqual({line.split("] ")[1] for line in r.stdout.splitlines()}, {"22 signals"})

    def test_not_handled_any_more(self):
        r = batch(HANDLER, "crash")
        self.assertEqual(r.returncode, 1)
        self.assertIn("== stopped by a signal", r.stdout)
        line = [i for i, x in enumerate(open(os.path.join(sdm.SOURCE, "handler.c")), 1) if "= 1;" in x and "argc" in x][1]
        self.assertRegex(r.stdout, rf"\{{0-1\}} 2  got SIGSEGV in main at handler.c:{line}")

    def test_handle_in_a_batch_run(self):
        """What the user says counts: this one is to be seen."""
        r = batch("-ex", "handle SIGUSR1 stop print", HANDLER)
        self.assertEqual(r.returncode, 1)
        self.assertIn("got SIGUSR1", r.stdout)
        r = batch("-ex", "handle 10 stop", HANDLER)  # by number
        self.assertEqual(r.returncode, 1 if signal.SIGUSR1 == 10 else 0)
        r = batch("-ex", "nonsense", HANDLER)
        self.assertEqual(r.returncode, 1)
        self.assertNotIn("22 signals", r.stdout)

    def test_handle_for_who_only_looks(self):
        """Shown, and passed on or not, without a stop."""
        for words in ((), ("--batch",)):
            lines = ("handle SIGUSR1 nostop print", "handle SIGINT nostop noprint pass", "handle SIGTERM SIGSEGV nostop noprint")
            r = subprocess.run([sdm.DEBUG, *words, "--launcher", "local", "-n", "1", *[x for one in lines for x in ("-ex", one)],
                                *([] if words else ["-ex", "continue"]), HANDLER], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=2 * sdm.LIMIT)
            self.assertEqual(r.returncode, 0, r.stdout + r.stderr)
            self.assertIn("{0} received SIGUSR1, still running\n", r.stdout)
            self.assertNotIn("SIGINT, runs", r.stdout)
            self.assertNotIn("stopped by", r.stdout)
            self.assertIn("[0] 22 signals\n", r.stdout)
        r = batch("-ex", "handle SIGUSR1 nostop nopass", HANDLER)
        self.assertIn(" 2 signals\n", r.stdout)

    def test_killed_while_it_stands(self):
        """By others, as the kernel does when memory runs out: told at once, and not taken for one that runs."""
        d = self.enter(sdm.Debugger("-n", "3", "--launcher", "local", sdm.RING))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("break add")
        programs = {r: [p for p in sdm.descendants(s) if sdm.traced(p)][0] for r, s in d.servers().items()}
        os.kill(programs[1], signal.SIGKILL)
        ended = d.wait(lambda j: j.get("event") == "exited", "its end")
        self.assertEqual((ended["ranks"], ended["reason"], ended["signal"]), ("1", "exited-signalled", "SIGKILL"))
        sdm.wait_until(lambda: not os.path.exists(f"/proc/{programs[1]}"), "gdb has waited for it")
        self.assertEqual(d.status()["exited"], {1})
        d.send("[1] run")  # its breakpoint has stayed
        d.wait(lambda j: j.get("event") == "stopped" and j.get("ranks") == "1" and j["func"] == "main", "its main again")
        os.kill(programs[0], signal.SIGKILL)
        os.kill(programs[2], signal.SIGKILL)
        d.send("continue")  # may come before the news, and after it
        def said(event):
            return {r for j in d.said for r in sdm.ranks(j.get("ranks", "")) if j.get("event") == event and j.get("func", "add") == "add"}

        while not (said("exited") >= {0, 1, 2} and 1 in said("stopped")):
            d.wait(lambda j: "event" in j, "their ends, and the stop of the other")

    def test_killed_while_its_threads_stand(self):
        """Of several threads the kernel tells no end before each has been waited for."""
        d = self.enter(sdm.Debugger("-n", "2", "--launcher", "local", sdm.THREADS))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("break bump")
        d.do("continue")
        programs = {r: [p for p in sdm.descendants(s) if sdm.traced(p)][0] for r, s in d.servers().items()}
        os.kill(programs[1], signal.SIGKILL)
        ended = d.wait(lambda j: j.get("event") == "exited", "its end")
        self.assertEqual((ended["ranks"], ended["reason"], ended["signal"]), ("1", "exited-signalled", "SIGKILL"))
        self.assertEqual(d.status()["stopped"], {0})
        os.kill(programs[0], signal.SIGKILL)
        d.send("continue")
        d.wait(lambda j: j.get("event") == "exited" and j["ranks"] == "0", "the other's end, whatever gdb waits for")

    def test_killed_while_gdb_hangs_on_it(self):
        """gdb sets a program running that has just been killed, and would wait for ever."""
        d = self.enter(sdm.Debugger("-n", "1", "--launcher", "local", sdm.RING))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        server = d.servers()[0]
        program = [p for p in sdm.descendants(server) if sdm.traced(p)][0]
        os.kill(server, signal.SIGSTOP)
        d.send("continue")
        os.kill(program, signal.SIGKILL)
        os.kill(server, signal.SIGCONT)
        ended = d.wait(lambda j: j.get("event") == "exited", "its end")
        self.assertEqual((ended["reason"], ended["signal"]), ("exited-signalled", "SIGKILL"))
        self.assertEqual(d.status()["running"], set())

    def test_an_interruption_that_comes_late(self):
        """A rank has stopped by itself before gdb hears of it, and is interrupted: the signal of that does not stop it again."""
        d = self.enter(sdm.Debugger("-n", "1", "--launcher", "local", sdm.RING, "hang", "0"))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("handle SIGUSR1 stop print nopass")
        server = d.servers()[0]
        program = [p for p in sdm.descendants(server) if sdm.traced(p)][0]
        gdb = [p for p in sdm.descendants(server) if program in sdm.children(p)][0]
        d.do("continue &")
        sdm.wait_until(lambda: sdm.waits(program), "it is in its loop")
        os.kill(gdb, signal.SIGSTOP)
        os.kill(program, signal.SIGUSR1)
        sdm.wait_until(lambda: sdm.state(program) == "t", "the program stands, gdb does not know it yet")
        d.send("interrupt")
        sdm.wait_until(lambda: sdm.unread(gdb), "gdb is asked to interrupt it")
        os.kill(gdb, signal.SIGCONT)
        stop = d.wait(lambda j: j.get("event") == "stopped" and j.get("reason") != "start", "a stop")
        if stop.get("signal") == "SIGUSR1":
            d.do("set var gate = 0")
            d.do("continue")
        else:
            d.do("set var gate = 0")
            for _ in range(2):
                d.do("continue")
        self.assertEqual(d.status()["exited"], {0})

    def calls(self, end):
        d = self.enter(sdm.Debugger("-n", "2", "--launcher", "local", HANDLER))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("set timeout 600")
        d.do("set var gate = 1")
        programs = [p for s in d.servers().values() for p in sdm.descendants(s) if sdm.traced(p)]
        before = d.values("came")
        d.send("print spin()")
        sdm.wait_until(lambda: all(map(sdm.waits, programs)), "both are in the loop of spin")
        end(d)
        return d, programs, before

    def test_call_that_does_not_come_back(self):
        if not self.gdb_can_call():
            self.skipTest("gdb cannot call functions on this processor")
        d, programs, before = self.calls(lambda d: d.process.send_signal(signal.SIGINT))
        answer = d.wait(lambda j: j.get("answer") == "evaluate" or "classes" in j, "the answer")
        self.assertIn("signaled while in a function called from GDB", str(answer))
        self.assertEqual(d.status()["stopped"], {0, 1})
        self.assertEqual(d.values("came"), before)
        stack, _ = d.answer("bt")
        self.assertEqual({s["frames"][0]["func"] for s in stack.values()}, {"main"})
        d.do("set timeout 0.2")
        for line, state in (("interrupt", "stopped"), ("kill", "exited")):
            d.do("print spin()")  # no answer yet; they are at it
            sdm.wait_until(lambda: all(map(sdm.waits, programs)), "both are in the loop of spin")
            d.do(line)
            sdm.wait_until(lambda: d.status()[state] == {0, 1}, line)

    def gdb_can_call(self):
        with sdm.Debugger("-n", "1", "--launcher", "local", HANDLER) as d:
            d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
            classes, _ = d.answer("print (int)getpid()")
            return isinstance(classes[frozenset({0})], dict)

    def terminal(self, *words):
        home = self.enter(sdm.Folder())
        pid, fd = pty.fork()
        if not pid:
            os.environ.update(HOME=home.name, TERM="xterm")
            os.environ.pop("XDG_STATE_HOME", None)
            os.execv(sdm.DEBUG, [sdm.DEBUG, *words])
        self.addCleanup(lambda: os.close(fd))
        self.unread = b""
        return pid, fd, home

    def until(self, fd, *texts):
        """What is said to the end of the last of these, one after another; what follows is for the next call."""
        said, at, end = self.unread, 0, time.monotonic() + sdm.LIMIT
        for text in texts:
            while text not in said[at:]:
                self.assertGreater(end, time.monotonic(), (text, said))
                if select.select([fd], [], [], 0.1)[0]:
                    said += os.read(fd, 65536)
            at = said.index(text, at) + len(text)
        self.unread = said[at:]
        return said[:at]

    def test_interrupt_at_the_prompt(self):
        """The line is dropped, not run; the next one is read as ever, and the terminal is left as it was."""
        import termios
        pid, fd, home = self.terminal("-n", "1", "--launcher", "local", sdm.RING)
        self.until(fd, b"]> ")
        os.write(fd, b"kill")
        self.until(fd, b"kill")
        os.write(fd, b"\x03")
        self.until(fd, b"^C\r\n", b"]> ")
        os.write(fd, b"echo still $here\n")
        self.until(fd, b"\r\nstill $here\r\n", b"]> ")  # the answer, not the line as it was typed
        os.write(fd, b"\x03")
        self.until(fd, b"^C\r\n", b"]> ")
        os.write(fd, b"status\n")
        self.assertIn(b"main", self.until(fd, b"]> "))
        os.write(fd, b"quit\n")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        after = termios.tcgetattr(fd)
        usual = termios.ICANON | termios.ECHO | termios.ISIG
        self.assertEqual(after[3] & usual, usual)

    def left(self, *words):
        """Detached, then quit: the programs run on, to their end."""
        d = self.enter(sdm.Debugger(*words, "--no-stop", sdm.RING, "hang", "0"))
        programs = []
        sdm.wait_until(lambda: [programs.append(p) for p in sdm.descendants(d.process.pid) if sdm.waits(p) and sdm.traced(p)] or programs, "rank 0 waits")
        d.do("[0] interrupt")
        d.do("detach")
        d.send("quit")
        self.assertEqual(d.process.wait(sdm.LIMIT), 0)
        program = programs[0]
        self.addCleanup(lambda: sdm.gone(program) or os.kill(program, signal.SIGKILL))
        self.assertFalse(sdm.traced(program))
        sdm.wait_until(lambda: sdm.waits(program), "it is where it was")
        with sdm.Debugger("--attach", str(program)) as d:
            d.do("set var gate = 0")
        sdm.wait_until(lambda: sdm.gone(program), "it ends")

    def test_detach_and_quit(self):
        self.left("-n", "2", "--launcher", "local")

    def test_detach_and_quit_under_mpirun(self):
        sdm.need("mpirun")
        self.left("-n", "2")

    def test_killed_debugger_leaves_nothing(self):
        """Without a word its launcher, servers and programs end with it."""
        for words in (("-n", "2", "--launcher", "local"), ("-n", "2")):
            d = sdm.Debugger(*words, sdm.RING, "hang", "0")
            d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
            below = sdm.descendants(d.process.pid)
            d.process.kill()
            d.process.wait()
            sdm.wait_until(lambda: all(map(sdm.gone, below)), "all of them end")


if __name__ == "__main__":
    sdm.main()
