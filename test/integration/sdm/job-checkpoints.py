"""Checkpoints of whole jobs of 'dvm run -n' from the debugger: all ranks or some of them are debugged, before and after; breakpoints and
watchpoints of every rank come back, also in another session."""
import os
import re
import subprocess
import unittest

from sdm import BUILD, DEBUG, LIMIT, SOURCE, Debugger, Folder, line_of, main, need, ranks, wait_until

RUN, CHECKPOINT, RESTART = (os.path.join(BUILD, "mpir", "dvm-" + w) for w in ("run", "checkpoint", "restart"))
EXCHANGE = "../mpi/exchange.c"
N = 3
LONG = "100000000"

need("gdb", "mpicc")
if not all(os.access(p, os.X_OK) for p in (RUN, CHECKPOINT, RESTART)):
    print("skipped: the checkpointer is not built")
    raise SystemExit(77)
if subprocess.run(["unshare", "-Urpf", "true"], stderr=subprocess.DEVNULL).returncode and not any(
        int(l.split()[1], 16) >> 40 & 1 for l in open("/proc/self/status") if l.startswith("CapEff")):
    print("skipped: nobody may choose process numbers here")
    raise SystemExit(77)


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder(prefix="dvm-jobs")
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run(["mpicc", "-g", "-O0", os.path.join(SOURCE, EXCHANGE), "-o", cls.folder.path("exchange")], check=True)

    def setUp(self):
        self.images = Folder(prefix="dvm-jobs")
        self.addCleanup(self.images.cleanup)
        self.env = {"DVMCR_DIR": self.images.name}

    def job(self):
        p = subprocess.Popen([RUN, "--checkpointable", "-n", str(N), self.folder.path("exchange"), LONG], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **self.env})
        self.addCleanup(self.end, p)
        while "step" not in p.stdout.readline():
            pass
        return p

    @staticmethod
    def end(p):
        p.kill()
        p.wait()
        p.stdout.close()

    def debug(self, *words):
        d = Debugger(*words, env=self.env)
        self.addCleanup(d.close)
        return d

    def attach(self, p, *words, of=frozenset(range(N))):
        d = self.debug("--attach", str(p.pid), *words)
        wait_until(lambda: d.status()["stopped"] == of, "all stand")
        return d

    def to_line(self, d):
        """One stands in a line of its loop, where each comes again and again; the others where they were then."""
        line = line_of(STEP_LINE, EXCHANGE)
        d.do(f"break exchange.c:{line}")
        self.go_on(d)

    def go_on(self, d):
        """Until one stands there; the others are stopped then, since it is MPI."""
        d.do("continue")
        self.assertEqual(d.status()["running"], set())
        self.assertIn(line_of(STEP_LINE, EXCHANGE), {line for _, line in self.where(d).values()})

    def where(self, d):
        return {r: (f["frames"][0]["func"], f["frames"][0].get("line")) for who, f in d.answer("bt 1")[0].items() for r in who}

    def steps(self, d):
        return {r: v["value"] for who, v in d.answer(f"print {COUNTER}")[0].items() for r in who}

    def test_all_ranks(self):
        d = self.attach(self.job())
        self.to_line(d)
        d.do("p1 watch long_out[1]")
        places, steps = self.where(d), self.steps(d)
        got, missing = d.answer("checkpoint")
        self.assertEqual((list(got), missing), ([frozenset(range(N))], {}), got)
        result = got[frozenset(range(N))]
        self.assertEqual(result["checkpoint"], 1)
        folder = result["handle"]
        self.assertTrue(os.path.exists(os.path.join(folder, "job")), result)
        self.assertEqual((self.where(d), self.steps(d)), (places, steps))
        self.assertEqual({j["ranks"] for j in d.do("checkpoint list") if j.get("checkpoint") == 1}, set("012"))
        d.do("delete 2")
        self.go_on(d)
        self.go_on(d)
        self.assertNotEqual(self.steps(d), steps)
        error = [j for j in d.do("p0 restart") if "error" in j]
        self.assertIn("all its ranks go back together", error[0]["error"])
        said = d.do("restart")
        self.assertFalse([c for j in said for c in j.get("classes", ()) if "error" in c], said)
        self.assertEqual(d.status()["stopped"], set(range(N)), (d.status(), said))
        self.assertEqual((self.where(d), self.steps(d)), (places, steps))
        listed = {j["breakpoint"]: ranks(j["ranks"]) for j in d.do("info breakpoints") if "breakpoint" in j}
        self.assertEqual(listed, {1: set(range(N)), 2: {1}})  # the watchpoint is set again
        d.do("delete 2")
        self.go_on(d)  # the breakpoint is there as it was, and the job goes on
        self.assertNotEqual(self.steps(d), steps)
        self.assertEqual(d.close(), 0)
        # another session
        again = self.debug("--restart", folder)
        wait_until(lambda: again.status()["stopped"] == set(range(N)), "all stand")
        self.assertEqual((self.where(again), self.steps(again)), (places, steps))
        listed = {j["breakpoint"]: ranks(j["ranks"]) for j in again.do("info breakpoints") if "breakpoint" in j}
        self.assertEqual(listed, {1: set(range(N)), 2: {1}})

    def test_job_that_the_debugger_starts(self):
        """Stopped in main, saved and gone back as one that was there before; it ends with the session."""
        d = self.debug("--", RUN, "--checkpointable", "-n", str(N), self.folder.path("exchange"), LONG)
        wait_until(lambda: d.status()["stopped"] == set(range(N)), "all stand")
        self.assertEqual({func for func, _ in self.where(d).values()}, {"main"})
        pids = {v["value"] for v in d.answer("print (int)getpid()")[0].values()}
        self.to_line(d)
        steps = self.steps(d)
        got, _ = d.answer("checkpoint")
        self.assertEqual(list(got), [frozenset(range(N))], got)
        self.go_on(d)
        self.assertNotEqual(self.steps(d), steps)
        d.do("restart")
        self.assertEqual((d.status()["stopped"], self.steps(d)), (set(range(N)), steps))
        self.go_on(d)
        self.assertEqual(d.close(), 0)
        wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), "the job has ended")

    def test_words_of_such_jobs(self):
        for words, why in ((("--checkpointable", "/bin/true"), "is not told how many ranks"), (("--checkpointable", "-n", "0", "/bin/true"), "is not told"),
                           (("--checkpointable", "-n", "2", "--no-such-option", "/bin/true"), "has started 0 of 2 ranks")):
            p = subprocess.run([DEBUG, "--", RUN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False)
            self.assertEqual((p.returncode, why in p.stderr), (2, True), p)

    def test_some_ranks(self):
        """One is debugged, the others run: before and after."""
        p = self.job()
        d = self.attach(p, "--ranks", "1", of={1})
        self.to_line(d)
        steps = self.steps(d)
        got, _ = d.answer("checkpoint")
        folder = got[frozenset({1})]["handle"]
        self.assertEqual(self.steps(d), steps)
        self.go_on(d)
        self.assertNotEqual(self.steps(d), steps)
        d.do("restart 1")
        self.assertEqual(d.status()["stopped"], {1})
        self.assertEqual(self.steps(d), steps)
        for _ in range(3):  # the others take part in each step: they do not wait for a debugger
            before = self.steps(d)
            self.go_on(d)
            self.assertNotEqual(self.steps(d), before)
        d.close()
        r = subprocess.Popen([RESTART, folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env={**os.environ, **self.env})  # and none is debugged
        self.addCleanup(self.end, r)
        self.assertIn("step", r.stdout.readline())

    def test_asked_for_from_outside(self):
        p = self.job()
        d = self.attach(p)
        self.to_line(d)
        places = self.where(d)
        done = subprocess.run([CHECKPOINT, str(p.pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100,
                              env={**os.environ, **self.env}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = set()
        while told != set(range(N)):
            told |= ranks(d.wait(lambda j: j.get("event") == "saved" and j.get("job"), "the news")["ranks"])
        self.assertEqual(self.where(d), places)
        said = d.do("restart " + done.stdout.strip())
        self.assertFalse([c for j in said for c in j.get("classes", ()) if "error" in c], said)
        self.assertEqual(self.where(d), places)


STEP_LINE, COUNTER = "long_out[step % LONG] += 3;", "(char *)out[0]"
main()
