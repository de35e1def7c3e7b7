"""Checkpoints in the debugger: asked for here or from outside, while the program stands or runs; restarted with its breakpoints; the four
scenarios of a debugger before and after (docs/checkpoint-debugging.md); and what goes wrong in between."""
import glob
import json
import os
import re
import signal
import subprocess
import time
import unittest

from sdm import BUILD, LIMIT, Debugger, Folder, gone, line_of, main, need, ranks, wait_until

STEPS = os.path.join(BUILD, "test", "integration", "mpir", "mpir_steps")
REFUSE = os.path.join(BUILD, "test", "integration", "mpir", "mpir_refuse")
RUN, CHECKPOINT, RESTART = (os.path.join(BUILD, "mpir", "dvm-" + w) for w in ("run", "checkpoint", "restart"))
COMMANDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../mpir/gdb/dvm_checkpoint.py")
STEP = line_of("void step(unsigned self)", "../mpir/steps.c")
LIMIT = 3000000  # steps of a thread

need("gdb", "setpriv")
if not all(os.access(p, os.X_OK) for p in (STEPS, REFUSE, RUN, CHECKPOINT, RESTART)):
    print("skipped: the checkpointer is not built")
    raise SystemExit(77)
if subprocess.run(["unshare", "-Urpf", "true"], stderr=subprocess.DEVNULL).returncode and not any(
        int(l.split()[1], 16) >> 40 & 1 for l in open("/proc/self/status") if l.startswith("CapEff")):
    print("skipped: nobody may choose process numbers here")
    raise SystemExit(77)


def value(d, expression):
    found = d.values(expression)
    assert len(found) == 1, found
    return next(iter(found))


def stands(d):
    return d.wait(lambda j: j.get("event") == "stopped", "a stop")


def place(d):
    """Where the program's threads stand, by number, and what they have counted."""
    classes, _ = d.answer("gdb thread apply all print $pc")
    found = re.findall(r"LWP (\d+)\)[^\n]*\n\$\d+ = [^\n]*?(0x[0-9a-f]+)", next(iter(classes.values()))["text"])
    helper = value(d, "(int)MPIR_checkpoint_helper_tid")
    threads = {tid: pc for tid, pc in found if tid != helper}  # the helper is there only where the program has threads
    assert threads, classes
    return threads, value(d, "counts")


def processes(folder):
    """Running test programs of this test: they have its folder in their environment."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            pid = int(path.split("/")[2])
            with open(path, "rb") as f, open(f"/proc/{pid}/comm") as name:
                if f"DVMCR_DIR={folder.name}".encode() in f.read() and name.read().strip() == "mpir_steps" and not gone(pid):
                    found.append(pid)
        except OSError:
            pass
    return found


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Folder(prefix="dvm-checkpoints")
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.end_programs)
        self.env = {"DVMCR_DIR": self.folder.name, "TMPDIR": self.folder.name}
        self.started = []

    def end_programs(self):
        for pid in processes(self.folder):
            os.kill(pid, signal.SIGKILL)
        for p in self.started:
            p.kill()
            p.wait()
            p.stdout.close()
            p.stderr.close()

    def debug(self, *args, threads=3, pause=20000, program=True):
        words = [STEPS, str(threads), str(LIMIT), str(pause)] if program else []
        d = Debugger(*args, *words, env=self.env)
        self.addCleanup(d.close)
        return d

    def run_program(self, *words, env=None):
        p = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, **self.env, **(env or {})})
        self.started.append(p)
        return p

    def to_breakpoint(self, d, threads=3):
        """All threads are under way (libc has all signals blocked while it makes one), and one stands at a breakpoint with a condition."""
        stands(d)
        d.do(f"break steps.c:{STEP} if self == {threads - 1} && " + " && ".join(f"counts[{i}] > 3" for i in range(threads)))
        d.do("continue")
        return place(d)

    def checkpoint(self, pid, *options):
        return subprocess.run([CHECKPOINT, *options, str(pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=100, env={**os.environ, **self.env}, check=False)

    def pid_of(self, d):
        return int(re.search(r"process (\d+)", next(iter(d.answer("gdb info inferiors")[0].values()))["text"]).group(1))

    def right_end(self, d, threads=3):
        d.do("delete 1")
        os.kill(self.pid_of(d), signal.SIGUSR1)  # it need not be slow any more
        d.do("handle SIGUSR1 nostop noprint pass")
        d.do("continue")
        self.assertIn(f"sum {threads * LIMIT}", d.output()[0].decode())


class Here(Case):
    def saved_and_restarted(self, threads):
        d = self.debug("--checkpointable", threads=threads)
        before = self.to_breakpoint(d, threads)
        got, _ = d.answer("checkpoint")
        result = got[frozenset({0})]
        self.assertEqual(result["checkpoint"], 1)
        self.assertNotIn("moved", result)
        self.assertTrue(os.path.exists(result["handle"]))
        self.assertEqual(place(d), before)
        d.do("continue")  # the breakpoint is there as it was
        self.assertNotEqual(place(d), before)
        self.assertEqual([j["func"] for j in d.do("restart") if j.get("reason") == "restarted"], ["step"])  # the thread that stood there
        self.assertEqual(place(d), before)
        self.assertEqual([j["where"].split(" ")[0] for j in d.do("info breakpoints") if "breakpoint" in j], [f"steps.c:{STEP}"])
        stop = [j for j in d.do("continue") if j.get("event") == "stopped"]
        self.assertEqual(stop[-1].get("bp"), 1, stop)
        self.right_end(d, threads)
        d.do("restart 1")  # of a program that has ended
        self.assertEqual(place(d), before)

    def test_one_thread(self):
        self.saved_and_restarted(1)

    def test_three_threads(self):
        self.saved_and_restarted(3)

    def test_eight_threads(self):
        self.saved_and_restarted(8)

    def test_while_it_runs(self):
        d = self.debug("--checkpointable")
        stands(d)
        d.do("continue &")
        got, _ = d.answer("checkpoint")
        self.assertIn("handle", got[frozenset({0})])
        self.assertEqual(d.status()["running"], {0})
        self.assertFalse([j for j in d.said if j.get("event") == "stopped" and j.get("reason") != "breakpoint-hit"])
        d.do("interrupt")
        self.right_end(d)

    def test_watchpoints_and_commands(self):
        d = self.debug("--checkpointable")
        self.to_breakpoint(d)
        d.do("watch counts[1]")
        for line in ("commands 1", "print counts[2]", "end"):
            d.send(line)
        d.do("tbreak main")
        got, _ = d.answer("checkpoint")
        handle = got[frozenset({0})]["handle"]
        d.do("delete 1")
        d.do("delete 2")
        got, _ = d.answer("restart")
        self.assertEqual({b["id"] for b in got[frozenset({0})]["breakpoints"]}, {1, 2})
        d.do("disable 1")
        stop = [j for j in d.do("continue") if j.get("event") == "stopped"]
        self.assertEqual(stop[-1].get("bp"), 2, stop)
        d.do("delete 2")
        d.do("enable 1")
        self.assertTrue([j for j in d.do("continue") if j.get("answer") == "evaluate"], "the commands of the breakpoint are gone")
        d.close()
        # a new session, days later
        again = self.debug("--restart", handle, program=False)
        stands(again)
        found = {j["breakpoint"]: j["where"] for j in again.do("info breakpoints") if "breakpoint" in j}
        self.assertEqual(found[2], "counts[1]")
        self.assertTrue(found[1].startswith(f"steps.c:{STEP}"))
        again.do("delete 2")
        self.right_end(again)

    def test_several_processes(self):
        d = self.debug("--checkpointable", "-n", "2", "--launcher", "local")
        stands(d)
        d.do(f"tbreak steps.c:{STEP} if self == 2 && counts[0] > 3 && counts[1] > 3 && counts[2] > 3")
        d.do("continue")
        before = d.answer("print counts")[0]
        got, _ = d.answer("checkpoint")
        self.assertEqual({r for who in got for r in who}, {0, 1})
        self.assertEqual({r["checkpoint"] for r in got.values()}, {1})
        listed = [j for j in d.do("checkpoint list") if j.get("checkpoint") == 1]
        self.assertEqual({j["ranks"] for j in listed}, {"0", "1"})
        d.do("tbreak on_user")
        d.do("restart")
        self.assertEqual(d.answer("print counts")[0], before)
        self.assertEqual(d.status()["stopped"], {0, 1})
        error = [j for j in d.do("restart " + listed[0]["handle"]) if "error" in j]
        self.assertIn("an image restores one process", error[0]["error"])


    def test_all_of_a_set(self):
        """'--restart' of processes that were saved together has each of them, where it stood; they end with the session."""
        p = self.run_program(RUN, "--checkpointable", "/bin/sh", "-c", f"{STEPS} 1 {LIMIT} 20000 & {STEPS} 1 {LIMIT} 20000 & wait")
        wait_until(lambda: len(processes(self.folder)) == 2, "two programs run")
        r = self.checkpoint(p.pid, "--kill")
        self.assertEqual(r.returncode, 0, r.stderr)
        wait_until(lambda: not processes(self.folder), "they were saved and ended")
        d = self.debug("--restart", r.stdout.strip(), program=False)
        wait_until(lambda: d.status()["stopped"] == {0, 1, 2}, "all three stand")
        self.assertEqual({r for j in d.said if j.get("reason") == "restarted" for r in ranks(j["ranks"])}, {0, 1, 2})
        counted = {r for who, v in d.answer("print (unsigned long)counts[0]")[0].items() if isinstance(v, dict) for r in who}
        self.assertEqual(len(counted), 2)
        self.assertEqual(d.close(), 0)
        wait_until(lambda: not processes(self.folder), "nothing is left")


class Outside(Case):
    def test_while_it_stands(self):
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        done = self.checkpoint(self.pid_of(d))
        self.assertEqual(done.returncode, 0, done.stderr)
        saved = d.wait(lambda j: j.get("event") == "saved", "the news")
        self.assertEqual(saved["handle"], done.stdout.strip())
        self.assertTrue(saved["outside"])
        self.assertEqual(place(d), before)
        self.assertEqual(self.checkpoint(self.pid_of(d)).returncode, 0)  # and again
        d.wait(lambda j: j.get("event") == "saved", "the news")
        self.assertEqual(place(d), before)
        d.do("restart 1")
        self.assertEqual(place(d), before)
        self.right_end(d)

    def test_while_it_runs(self):
        d = self.debug("--checkpointable")
        stands(d)
        pid = self.pid_of(d)
        d.do("continue &")
        for _ in range(12):  # some come while gdb is on its way back from the one before
            done = self.checkpoint(pid)
            self.assertEqual(done.returncode, 0, done.stderr)
        saved = d.wait(lambda j: j.get("event") == "saved" and "-12.ckpt" in j.get("handle", ""), "the news")
        self.assertNotIn("moved", saved)
        self.assertEqual(d.status()["running"], {0})
        d.do("interrupt")
        self.right_end(d)

    def test_a_slow_debugger(self):
        """It is still on its way back from another checkpoint, say; for others the limit is 5 seconds."""
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        server = d.servers()[0]
        pid = self.pid_of(d)
        os.kill(server, signal.SIGSTOP)
        asked = self.run_program(CHECKPOINT, str(pid))
        try:
            asked.wait(6)
        except subprocess.TimeoutExpired:
            pass
        os.kill(server, signal.SIGCONT)
        _, errors = asked.communicate(timeout=100)
        self.assertEqual(asked.returncode, 0, errors)
        end = time.monotonic() + LIMIT
        while d.status().get("stopped") != {0} and time.monotonic() < end:  # the news is lost where the server counted as silent meanwhile
            time.sleep(0.1)
        self.assertEqual(place(d), before)

    def test_periodic(self):
        d = self.debug("--checkpoint-every", "1")
        stands(d)
        d.do("continue &")
        d.wait(lambda j: j.get("event") == "saved" and j.get("handle"), "a checkpoint that nobody asked for")
        d.do("interrupt")
        d.do("restart")
        self.assertEqual(d.status()["stopped"], {0})

    def test_attached(self):
        p = self.run_program(RUN, "--checkpointable", STEPS, "3", str(LIMIT), "20000")
        p.stderr.readline()
        d = self.debug("--attach", str(p.pid), program=False)
        stands(d)
        before = place(d)
        self.assertEqual(value(d, "(int)MPIR_debug_with_checkpoint"), "1")
        done = self.checkpoint(p.pid)
        self.assertEqual(done.returncode, 0, done.stderr)
        d.wait(lambda j: j.get("event") == "saved", "the news")
        self.assertEqual(place(d), before)
        self.assertEqual(d.close(), 0)  # it runs on, and waits for nobody
        self.assertEqual(self.checkpoint(p.pid).returncode, 0)
        os.kill(p.pid, signal.SIGUSR1)
        self.assertIn(f"sum {3 * LIMIT}", p.communicate(timeout=100)[0])


class Scenarios(Case):
    """Before and after: rows of table 5.2 in Hursey's thesis, for processes of three threads."""

    def table(self, d):
        return [value(d, "(int)MPIR_" + n) for n in ("checkpointable", "debug_with_checkpoint", "checkpoint_debug_gate")]

    def image_table(self, image):
        done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", STEPS, image] +
                              [w for n in ("checkpointable", "debug_with_checkpoint", "checkpoint_debug_gate")
                               for w in ("-ex", f"print *(int *)&MPIR_{n}")] + ["-ex", "thread apply all bt"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False)
        return re.findall(r"^\$\d+ = (\d+)", done.stdout, re.M), done.stdout.count("in MPIR_checkpoint_debugger_waitpoint")

    def without_debugger(self, image):
        p = self.run_program(RESTART, image)
        wait_until(lambda: processes(self.folder), "a restarted process")
        os.kill(processes(self.folder)[0], signal.SIGUSR1)
        out, err = p.communicate(timeout=100)
        self.assertEqual(p.returncode, 0, err)
        return out

    def test_without_before(self):
        p = self.run_program(RUN, "--checkpointable", STEPS, "3", str(LIMIT), "20000")
        p.stderr.readline()
        done = self.checkpoint(p.pid, "--kill")
        image = done.stdout.strip()
        p.communicate(timeout=100)
        self.assertEqual(self.image_table(image), (["1", "0", "0"], 0))  # 1 and 2, before
        self.assertIn(f"sum {3 * LIMIT}", self.without_debugger(image))  # 1, after: nobody waits
        d = self.debug("--restart", image, program=False)
        stands(d)
        self.assertEqual(self.table(d), ["1", "1", "0"])  # 2, after; the threads were led out of the gate
        os.kill(self.pid_of(d), signal.SIGUSR1)
        d.do("handle SIGUSR1 nostop noprint pass")
        d.do("continue")
        self.assertIn(f"sum {3 * LIMIT}", d.output()[0].decode())

    def test_with_before(self):
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        self.assertEqual(self.table(d)[:2], ["1", "1"])
        got, _ = d.answer("checkpoint --all-files")
        image = got[frozenset({0})]["handle"]
        self.assertEqual(self.image_table(image), (["1", "1", "0"], 3))  # 3 and 4, before: all wait
        d.do("restart")
        self.assertEqual(self.table(d), ["1", "1", "0"])  # 3, after
        self.assertEqual(place(d), before)
        d.close()
        self.assertIn(f"sum {3 * LIMIT}", self.without_debugger(image))  # 4, after

    def test_a_process_that_waits(self):
        """One that somebody else has restarted for a debugger."""
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        image = d.answer("checkpoint")[0][frozenset({0})]["handle"]
        d.do("kill")
        d.close()
        p = self.run_program(RESTART, "--debug", image)
        info = p.stderr.readline()
        pid = int(re.search(r"MPIR_debug_info\) .*:(\d+)", info).group(1))
        again = self.debug("--attach", str(pid), program=False)
        self.assertEqual(stands(again).get("reason"), "restarted")
        self.assertEqual(place(again), before)
        os.kill(pid, signal.SIGUSR1)
        again.close()
        self.assertIn(f"sum {3 * LIMIT}", p.communicate(timeout=100)[0])


class Failures(Case):
    def attach_to_slow(self):
        """A program whose checkpoint command waits until it is let: the debugger is away for so long."""
        tools = os.path.join(self.folder.name, "bin")
        os.mkdir(tools)
        os.mkfifo(self.folder.path("here"))
        os.mkfifo(self.folder.path("go"))
        self.folder.write("bin/dvm-checkpoint", f"#!/bin/sh\necho here >{self.folder.path('here')}\nread x <{self.folder.path('go')}\n"
                          f"exec {CHECKPOINT} \"$@\"\n", 0o755)
        library = os.path.join(BUILD, "mpir", "libdvmcr.so")
        p = self.run_program(STEPS, "3", str(LIMIT), "20000", env={"LD_PRELOAD": library, "DVMCR_BINDIR": tools})
        p.stderr.readline()
        self.addCleanup(self.let_go)
        d = self.debug("--attach", str(p.pid), program=False)
        stands(d)
        d.send("checkpoint")
        with open(self.folder.path("here")) as f:
            f.read()
        return p, d

    def go(self):
        with open(self.folder.path("go"), "w") as f:
            f.write("go\n")

    def let_go(self):
        """A command that still waits when whoever had begun it was killed."""
        try:
            fd = os.open(self.folder.path("go"), os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return  # nobody does
        os.write(fd, b"go\n")
        os.close(fd)

    def test_refused_images(self):
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        got, _ = d.answer(f"checkpoint -o {self.folder.name}/no/such/folder/x.ckpt")
        self.assertIn("there is no such folder", got[frozenset({0})])
        self.assertEqual(place(d), before)
        got, _ = d.answer("restart " + self.folder.name + "/none.ckpt")
        self.assertIn("none.ckpt", str(got))
        self.assertEqual(place(d), before)  # the present process is still there
        self.folder.write("damaged.ckpt", "this is no image", 0o600)
        got, _ = d.answer("restart " + self.folder.name + "/damaged.ckpt")
        self.assertIn("damaged.ckpt", str(got))
        self.assertEqual(d.status()["exited"], {0})

    def test_breakpoints_of_others(self):
        """What lies beside an image is run by gdb: not if others may have written it, and no other words than breakpoints."""
        d = self.debug("--checkpointable")
        self.to_breakpoint(d)
        handle = d.answer("checkpoint")[0][frozenset({0})]["handle"]
        d.close()
        mark, points = self.folder.path("mark"), handle + ".breakpoints"
        with open(points) as f:
            saved = json.load(f)
        saved["session"].append({"cmd": "raw", "id": 7, "text": f"shell touch {mark}"})
        saved["catch"] = [f"shell touch {mark}"]
        for mode in (0o600, 0o622):
            with open(points, "w") as f:
                json.dump(saved, f)
            os.chmod(points, mode)
            again = self.debug("--restart", handle, program=False)
            stands(again)
            self.assertEqual(bool([j for j in again.do("info breakpoints") if "breakpoint" in j]), mode == 0o600)
            again.close()
            self.assertFalse(os.path.exists(mark))

    def test_disk_full(self):
        small = os.path.join(self.folder.name, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], capture_output=True, check=False).returncode:
            self.skipTest("cannot mount")
        self.addCleanup(lambda: subprocess.run(["umount", small], check=False))
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        got, _ = d.answer(f"checkpoint -o {small}/")
        self.assertIn("the disk is full", got[frozenset({0})])
        self.assertEqual(place(d), before)
        self.right_end(d)

    def test_not_checkpointable(self):
        d = self.debug()
        stands(d)
        got, _ = d.answer("checkpoint")
        self.assertIn("--checkpointable", got[frozenset({0})])

    def test_killed_while_away(self):
        p, d = self.attach_to_slow()
        p.kill()
        self.go()
        answer = d.wait(lambda j: j.get("answer") == "checkpoint", "the answer")
        self.assertIn("error", answer["classes"][0])
        ended = d.wait(lambda j: j.get("event") == "exited", "its end")
        self.assertEqual(ended.get("signal"), "SIGKILL")
        self.assertEqual(d.status()["exited"], {0})

    def test_debugger_killed_while_away(self):
        p, d = self.attach_to_slow()
        for pid in d.servers().values():
            os.kill(pid, signal.SIGKILL)
        d.wait(lambda j: "lost" in j, "the loss")
        os.kill(p.pid, signal.SIGUSR1)
        self.assertIn(f"sum {3 * LIMIT}", p.communicate(timeout=100)[0])  # nobody waits in the gate

    def test_commands_wait_while_away(self):
        p, d = self.attach_to_slow()
        d.send("print 1")
        self.go()
        d.wait(lambda j: j.get("answer") == "checkpoint", "the answer")
        d.wait(lambda j: j.get("answer") == "evaluate" and "result" in j["classes"][0], "the command that waited")

    def test_interrupted(self):
        p, d = self.attach_to_slow()
        d.process.send_signal(signal.SIGINT)
        answer = d.wait(lambda j: j.get("answer") == "checkpoint", "the answer")
        self.assertIn("interrupted", answer["classes"][0]["error"])
        self.assertEqual(d.status()["stopped"], {0})
        self.assertTrue(value(d, "counts"))

    def test_another_user(self):
        if os.geteuid():
            self.skipTest("needs root")
        d = self.debug("--checkpointable")
        before = self.to_breakpoint(d)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", CHECKPOINT, str(self.pid_of(d))],
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "Permission denied|another user")
        self.assertEqual(place(d), before)

    def test_other_tracers(self):
        p = self.run_program(RUN, "--checkpointable", STEPS, "1", str(LIMIT), "20000")
        p.stderr.readline()
        done = subprocess.run([REFUSE, "trace", str(p.pid), CHECKPOINT, str(p.pid)], capture_output=True, text=True, timeout=100, check=False)
        self.assertIn("'mpir_refuse'", done.stderr)
        os.mkfifo(self.folder.path("held"))
        gdb = subprocess.Popen(["gdb", "-nx", "-q", "-p", str(p.pid), "-ex", f"shell echo >{self.folder.path('held')}"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.folder.path("held")) as f:
            f.read()
        done = self.checkpoint(p.pid)
        gdb.stdin.close()
        gdb.wait()
        self.assertRegex(done.stderr, r"held by its debugger 'gdb' \(process \d+\)")
        self.assertEqual(self.checkpoint(p.pid).returncode, 0)  # what was asked for is not done later
        self.assertEqual(len(glob.glob(self.folder.path("*.ckpt"))), 1)

    def test_many_breakpoints(self):
        d = self.debug("--checkpointable")
        stands(d)
        self.folder.write("many.py", "import gdb\nfor i in range(60): gdb.Breakpoint('steps.c:%d' % (20 + i % 4))\n")
        d.do("set timeout 100")
        d.do(f"gdb source {self.folder.path('many.py')}")
        before = place(d)
        got, _ = d.answer("checkpoint")
        self.assertIn("handle", got[frozenset({0})])
        self.assertEqual(place(d), before)
        d.do("restart")
        self.assertEqual(place(d), before)
        classes, _ = d.answer("gdb python print(len(gdb.breakpoints()) > 60)")
        self.assertIn("True", str(classes))


main()
