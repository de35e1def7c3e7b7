"""The debug server inside a checked program: without a debugger, under mpirun, and in a program that listens for anybody who
has the secret."""
import os
import signal
import subprocess
import unittest

import sdm

DVMCC = os.path.join(sdm.BUILD, "driver", "dvmcc")
SECRET = "5e" * 32


class Inside(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(DVMCC) or not os.path.exists(os.path.join(sdm.BUILD, "runtime", "libdvmsdm.so")):
            self.skipTest("no dvmcc in this build")
        self.folder = self.enter(sdm.Folder())

    def enter(self, what):
        self.addCleanup(what.__exit__, None, None, None)
        return what.__enter__()

    def compile(self, name):
        program = self.folder.path(name)
        subprocess.run([DVMCC, "-g", "-pthread", os.path.join(sdm.SOURCE, name + ".c"), "-o", program], check=True)
        return program

    def facts(self, d, what, who):
        answer, missing = d.answer(f"dvm {what}")
        self.assertEqual((set(answer), missing), ({frozenset(who)}, {}), answer)
        return answer[frozenset(who)]

    def stopped(self, said, reason):
        return {r for j in said if j.get("event") == "stopped" and j["reason"] == reason for r in sdm.ranks(j["ranks"])}

    def session(self, who, *args):
        d = self.enter(sdm.Debugger("--inside", *args, self.compile("checked")))
        d.wait(lambda j: j.get("event") == "stopped", "the stop at the first construct")
        sdm.wait_until(lambda: d.status()["stopped"] == who, "all stop there")
        self.assertEqual([a["name"] for a in self.facts(d, "arrays", who)["arrays"]], ["T", "A", "B", "C"])
        programs = [p for p in sdm.descendants(d.process.pid) if os.path.basename(os.readlink(f"/proc/{p}/exe")) == "checked"]
        self.assertEqual(len(programs), len(who))
        for p in programs:
            with open(f"/proc/{p}/environ", "rb") as f:
                self.assertNotIn(b"SDM_SECRET", f.read())
            self.assertFalse([fd for fd in os.listdir(f"/proc/{p}/fd") if "sdm-secret" in os.readlink(f"/proc/{p}/fd/{fd}")])
        self.assertEqual(self.facts(d, "construct", who)["constructs"][0]["kind"], "parallel")
        d.do("dvm break-on-diagnostic")
        said = d.do("continue")
        self.assertEqual(self.stopped(said, "diagnostic"), who)
        stop = [j for j in said if j.get("reason") == "diagnostic"][0]
        self.assertEqual((stop["id"], stop["diagnostic"][:9]), ("dvm-shadow-stale", "'A[0][0]'"))
        self.assertEqual(self.facts(d, "construct", who)["constructs"][0]["indices"],
                         [{"name": "i", "value": 1}, {"name": "j", "value": 1}])
        self.assertEqual({e["name"]: e["state"] for e in self.facts(d, "shadow", who)["edges"]},
                         {"A": "stale", "B": "renewed", "C": "never renewed"})
        answer, _ = d.answer("bt")
        self.assertIn("has no 'stack'", answer[frozenset(who)])
        answer, _ = d.answer("break main")
        self.assertIn("need a debugger", answer[frozenset(who)])
        d.do("continue")
        self.assertEqual(d.status()["exited"], who)
        self.assertEqual({j["code"] for j in d.said if j.get("event") == "exited"}, {66})
        self.assertFalse([j for j in d.said if "lost" in j])
        self.assertEqual(d.close(), 0)

    def test_three_ranks_of_mpirun(self):
        sdm.need("mpirun")
        self.session({0, 1, 2}, "-n", "3")

    def test_own_processes(self):
        self.session({0, 1}, "-n", "2", "--launcher", "local")

    def mistakes(self, *words, rounds):
        """Both mistakes of 'helpers' are stopped at, each once, whatever its other threads do meanwhile."""
        program = self.compile("helpers")
        for _ in range(rounds):
            with sdm.Debugger(*words, "-n", "2", "--launcher", "local", program) as d:
                d.wait(lambda j: j.get("event") == "stopped", "the first stop")
                sdm.wait_until(lambda: d.status()["stopped"] == {0, 1}, "all have stopped")
                d.do("dvm break-on-diagnostic")
                for line in ("continue", "continue"):
                    self.assertEqual(self.stopped(d.do(line), "diagnostic"), {0, 1})
                ids = [{x["id"] for x in r["diagnostics"]} for r in d.answer("dvm diagnostics")[0].values()]
                self.assertEqual(ids, [{"dvm-shadow-stale", "dvm-loop-dependence"}])
                d.do("dvm break-on-diagnostic off")
                d.do("continue")
                self.assertEqual(d.status()["exited"], {0, 1})

    def test_threads(self):
        self.mistakes("--inside", rounds=5)

    def test_threads_under_gdb(self):
        self.mistakes(rounds=1)

    def test_quit_ends_what_it_started(self):
        program = self.compile("endless")
        d = self.enter(sdm.Debugger("--inside", "-n", "2", "--launcher", "local", program, "1"))
        d.wait(lambda j: j.get("event") == "stopped", "the stop at the first construct")
        started = sdm.children(d.process.pid)  # and what would end them if the debugger were killed
        self.assertEqual([words[0] for words in started.values()].count(program), 2)
        d.send("quit")
        self.assertEqual(d.close(), 0)
        self.assertTrue(all(map(sdm.gone, started)))

    def listening(self, *more):
        """A program that runs on, with a server that listens; its debugger's arguments."""
        secret = self.folder.write("secret", SECRET + "\n", 0o600)
        port = sdm.free_port()
        p = self.enter(sdm.Program(self.compile("endless"), *more, env={**os.environ, "DVM_OPTIONS": f"sdm={port},secret={secret}"}))
        sdm.wait_until(lambda: port in sdm.listening(p.pid), "its server listens")
        table = self.folder.write("servers", f"0 127.0.0.1 {port}\n")
        return p, port, ["--inside", "--servers", table, "--secret-file", secret]

    def test_listening(self):
        """One session after another; the program goes on whatever becomes of them."""
        p, _, args = self.listening("1")
        for end in ("quit", "kill"):
            with sdm.Debugger(*args) as d:
                self.assertEqual(d.status()["running"], {0})
                d.do("interrupt")
                sdm.wait_until(lambda: d.status()["stopped"] == {0}, "it stops at a safe point")
                where = self.facts(d, "construct", {0})["constructs"]
                self.assertEqual(self.facts(d, "construct", {0})["constructs"], where)  # it stands still
                if end == "quit":
                    d.send("quit")
                    self.assertEqual(d.close(), 0)
                else:
                    os.kill(d.process.pid, signal.SIGKILL)
            self.assertFalse(sdm.gone(p.pid))
        with sdm.Debugger(*args, "--start-timeout", "50") as d:  # when the lost session has been given up
            d.do("interrupt")
            before = self.facts(d, "stats", {0})["loops"][0]["entries"]
            d.do("continue &")
            sdm.wait_until(lambda: self.facts(d, "stats", {0})["loops"][0]["entries"] > before, "it runs again")
            d.do("kill")
        sdm.wait_until(lambda: sdm.gone(p.pid), "it was killed")

    def test_wrong_secret(self):
        p, _, args = self.listening("1")
        args[-1] = self.folder.write("another", "ab" * 32 + "\n", 0o600)
        r = subprocess.run([sdm.DEBUG, *args, "--start-timeout", "2"], capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 1)
        self.assertIn("another session is served here", r.stderr)
        self.assertFalse(sdm.gone(p.pid))

    def test_off_unless_asked(self):
        """No thread, no port; and what cannot be is said before main."""
        p = self.enter(sdm.Program(self.compile("endless"), "1"))
        sdm.wait_until(lambda: sdm.waits(p.pid), "it is in its loop")
        self.assertEqual(os.listdir(f"/proc/{p.pid}/task"), [str(p.pid)])
        self.assertEqual(sdm.listening(p.pid), [])
        for value, why in (("x", "expected HOST"), ("1,rank=-1", "not one of hold"), (str(sdm.free_port()), "no session secret"),
                           (f"{sdm.free_port()},secret=/nowhere", "/nowhere")):
            r = subprocess.run([self.folder.path("endless"), "1"], env={**os.environ, "DVM_OPTIONS": f"sdm={value}"},
                               capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual((r.returncode, r.stdout), (2, ""))
            self.assertIn(why, r.stderr)

    def test_nobody_there(self):
        """The program does not wait for a debugger that does not come, and ends as ever."""
        r = subprocess.run([self.compile("endless"), "0"], capture_output=True, text=True, timeout=sdm.LIMIT,
                           env={**os.environ, "DVM_OPTIONS": f"sdm=127.0.0.1\\:{sdm.free_port()}", "SDM_SECRET": SECRET})
        self.assertEqual((r.returncode, r.stdout), (0, "child 7\n"))

    def test_descriptors_that_are_closed(self):
        """A program that closes all it finds open and goes on: nothing of ours gets into its files, and nothing spins."""
        data = self.folder.path("data")
        p, _, args = self.listening("close", data)
        with sdm.Debugger(*args) as d:
            self.facts(d, "stats", {0})
            os.kill(p.pid, signal.SIGUSR1)
            sdm.wait_until(lambda: os.path.exists(data) and os.path.getsize(data) > 20, "it writes to its file")
        sdm.wait_until(lambda: len(os.listdir(f"/proc/{p.pid}/task")) == 1, "the server's thread has ended")
        os.kill(p.pid, signal.SIGUSR1)
        self.assertEqual(p.wait(sdm.LIMIT), 0)
        with open(data, "rb") as f:
            self.assertEqual(set(f.read()), {ord("x")})

    def test_fork(self):
        """A child has no server, and none of its parent's connections."""
        p, port, args = self.listening("fork")
        with sdm.Debugger(*args) as d:
            self.assertEqual(d.status()["running"], {0})
            os.kill(p.pid, signal.SIGUSR1)
            sdm.wait_until(lambda: sdm.children(p.pid), "it has a child")
            child, = sdm.children(p.pid)
            sdm.wait_until(lambda: port not in sdm.listening(child), "which has closed what it had")
            self.assertEqual(os.listdir(f"/proc/{child}/task"), [str(child)])
            d.do("dvm break-on-diagnostic")
            self.facts(d, "stats", {0})
            os.kill(child, signal.SIGKILL)
            d.do("kill")


if __name__ == "__main__":
    sdm.main()
