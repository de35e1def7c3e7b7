"""Commands of the console that the session under mpirun does not use: threads, watchpoints, ignore counts, until, barrier
points, scripts, input by the launcher, command lines that are wrong."""
import os
import pty
import select
import subprocess
import time
import unittest

import sdm


def stops(said):
    return [j for j in said if j.get("event") == "stopped"]


def local(*words, n=2):
    return sdm.Debugger("-n", str(n), "--launcher", "local", *words)


def run(*words, stdin=""):
    return subprocess.run([sdm.DEBUG, *words], input=stdin, capture_output=True, text=True, timeout=2 * sdm.LIMIT)


class Console(unittest.TestCase):
    def test_threads(self):
        with local(sdm.THREADS) as d:
            d.do("break bump")
            d.do("continue")
            threads, _ = d.answer("info threads")
            self.assertEqual({tuple(sorted(t["id"] for t in r["threads"])) for r in threads.values()}, {(1, 2)})
            functions = [f["func"] for r in d.answer("p0.t2 bt")[0].values() for f in r["frames"]]
            self.assertTrue("helper" in functions or "clone3" in functions, functions)
            functions = [f["func"] for r in d.answer("p0-1 bt")[0].values() for f in r["frames"]]
            self.assertEqual(functions, ["bump", "main"])  # thread 1 again, both ranks alike

    def test_counts_and_watchpoints(self):
        with local(sdm.THREADS, "count") as d:
            d.do("break bump")
            d.do("ignore 1 3")
            d.do("continue")
            self.assertEqual(d.values("by"), {"3": {0, 1}})
            d.do("condition 1 by == 7")
            d.do("continue")
            self.assertEqual(d.values("by"), {"7": {0, 1}})
            d.do("disable 1")
            d.do("[1] watch counter")
            said = stops(d.do("continue"))
            hit = [j for j in said if j.get("expression") == "counter"]
            self.assertEqual([(j["ranks"], j["old"], j["new"]) for j in hit], [("1", "21", "28")])
            d.do("[1] until main")
            d.do("[1] delete 2")
            d.do("[1] continue")
            self.assertEqual(d.status()["exited"], {0, 1})
            self.assertEqual(d.output(), {r: b"counted to 45\n" for r in (0, 1)})

    def listed(self, d, line):
        """Numbers of the lines shown to all, which must be those of the file."""
        (ranks, r), = d.answer(line)[0].items()
        self.assertEqual(ranks, {0, 1})
        if isinstance(r, str):
            return r
        with open(os.path.join(sdm.SOURCE, "ring.c")) as f:
            source = f.read().split("\n")
        rows = [row.partition("\t") for row in r["text"].split("\n")]
        self.assertEqual([text for _, _, text in rows], [source[int(n) - 1] for n, _, _ in rows])
        return [int(rows[0][0]), int(rows[-1][0])]

    def test_list(self):
        """Around the frame where one stands, wherever the last listing was; then onwards, or back; or around a place."""
        with local(sdm.RING) as d:
            d.do("break add")
            d.do("continue")
            here, caller = sdm.line_of("int sum = a + b;"), sdm.line_of("total = add(")
            self.assertEqual(self.listed(d, "list"), [here - 5, here + 4])
            self.assertEqual(self.listed(d, "l"), [here + 5, here + 14])
            d.do("up")
            self.assertEqual(self.listed(d, "list"), [caller - 5, caller + 4])
            d.do("down")
            self.assertEqual(self.listed(d, "list -"), [here - 15, here - 6])
            main = sdm.line_of("int main(")
            first = self.listed(d, "list main")
            self.assertTrue(first[0] < main < first[1], first)
            self.assertEqual(self.listed(d, "list"), [first[1] + 1, first[1] + 10])
            self.assertEqual(self.listed(d, "list 3,5"), [3, 5])
            self.assertEqual(self.listed(d, "list nosuch"), 'Function "nosuch" not defined.')
            self.assertEqual(self.listed(d, "list"), [here - 5, here + 4])
            d.do("next")
            self.assertEqual(self.listed(d, "list"), [here - 4, here + 5])
            self.assertIn("out of range", self.listed(d, "list 9999"))

    def test_list_without_source(self):
        with local("--no-stop", "/bin/sleep", "1000") as d:
            d.do("interrupt")
            for r in d.answer("list")[0].values():
                self.assertRegex(r, "^there is no source")

    def test_barrier_names_who_does_not_come(self):
        with local(sdm.RING, "hang", "1", n=3) as d:
            self.assertEqual(d.do("barrier work")[-1].get("error"), None)
            d.do("set timeout 3")
            said = d.do(f"barrier ring.c:{sdm.line_of('return 0;')}")
            self.assertIn("{1}", [j["error"] for j in said if "error" in j][-1])
            d.do("interrupt")
            self.assertEqual(d.status()["stopped"], {0, 1, 2})

    def test_run_again(self):
        with local(sdm.RING) as d:
            d.do("break add")
            d.do("continue")
            d.do("run")
            self.assertEqual({j["func"] for j in stops(d.do("continue"))}, {"add"})  # the breakpoint is still there

    def test_scripts(self):
        with sdm.Folder() as f:
            inner = f.write("inner", "# a comment\nprint rank\n")
            script = f.write("script", f"tbreak work\ncontinue\nsource {inner}\nquit\n")
            r = run("-n", "2", "--launcher", "local", "-x", script, sdm.RING)
            self.assertEqual((r.returncode, r.stdout.splitlines()[-2:]), (0, ["{0} 0", "{1} 1"]))
            bad = f.write("bad", "no_such_command\nprint rank\n")
            r = run("-n", "1", "--launcher", "local", "-x", bad, sdm.RING)
            self.assertEqual((r.returncode, r.stdout.splitlines()[-2]), (1, "error: there is no command 'no_such_command'; 'help' lists them"))
            self.assertIn("bad:1: the script ends here", r.stdout.splitlines()[-1])
            loop = f.write("loop", f"source {f.path('loop')}\n")
            self.assertIn("nested too deep", run("-n", "1", "--launcher", "local", "-x", loop, sdm.RING).stdout)

    def test_sets_that_are_wrong(self):
        with local(sdm.RING) as d:
            for text in ("focus 0-", "focus nobody", "[0-1 print 1", "focus (0", "focus at(", "define x", "focus 0,,1", "p9 bt",
                         "focus value(", "delete 99", "set timeout none"):
                self.assertTrue(any("error" in j for j in d.do(text)), text)
            d.do("define me = me2")
            self.assertTrue(any("error" in j for j in d.do("focus me")))

    def test_launcher_carries_input_and_output(self):
        sdm.need("mpirun")
        r = run("--io", "oob", "--json", "--no-stop", "-ex", "wait", "-ex", "quit", "--", "mpirun", "-q", "-n", "2", sdm.RING)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(r.stdout.count("hello from everybody"), 2)  # plain, as mpirun gives it
        self.assertNotIn('"output"', r.stdout)
        self.assertIn("rank 1 has 20", r.stderr)

    def test_launcher_with_its_own_words(self):
        sdm.need("mpirun")
        with sdm.Debugger("--", "mpirun", "-q", "--map-by", ":OVERSUBSCRIBE", "-np", "3", sdm.RING, "a", "b c") as d:
            d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
            d.do("wait")
            self.assertEqual(d.values("argc"), {"3": {0, 1, 2}})
            self.assertEqual(list(d.values("argv[2]"))[0].split(" ", 1)[1], '"b c"')

    def test_spread_over_ranks(self):
        with local(sdm.RING, n=6) as d:
            d.do("break add")
            d.do("continue")
            h = [j for j in d.do("print -h 4 a + b") if "histogram" in j][0]  # b is rank + rank % 2, a still 0
            self.assertEqual((h["low"], h["high"]), (0, 6))
            self.assertEqual([sdm.ranks(b["ranks"]) for b in h["bins"]], [{0}, {1, 2}, {3, 4}, {5}])
            for line, values in (("print -t 3 b", [(5, 6), (3, 4), (4, 4)]), ("print -t -2 b", [(0, 0), (1, 2)]),
                                 ("[1-2] print -t b", [(1, 2), (2, 2)])):
                top = [j for j in d.do(line) if "top" in j][0]
                self.assertEqual([(v["rank"], v["value"]) for v in top["values"]], values, line)
            large = 2**53 + 1  # b is 0, 2, 2, 4, 4, 6: no double holds these sums
            top, = (j for j in d.do(f"print -t 2 {large}ll + b") if "top" in j)
            self.assertEqual([v["value"] for v in top["values"]], [large + 6, large + 4])
            stats, = (j for j in d.do(f"print -s {large}ll + b") if "statistics" in j)
            self.assertEqual((stats["min"], stats["max"], round(stats["deviation"], 3)), (large, large + 6, 1.915))
            bins, = (j for j in d.do(f"print -h 2 {large}ll + b") if "histogram" in j)
            self.assertEqual([b["count"] for b in bins["bins"]], [3, 3])
            stats, = (j for j in d.do("print -s ~(unsigned long long)b") if "statistics" in j)
            self.assertEqual((stats["min"], stats["max"]), (str(2**64 - 7), str(2**64 - 1)))
            self.assertEqual([j["count"] for j in d.do("print -h b * 0") if "statistics" in j], [6])  # no interval

    def test_watch_on_any(self):
        """Rank 0 never changes it, and ends; the other one does: nobody runs any more."""
        with local(sdm.RING, n=3) as d:
            said = stops(d.do("[0-1] watch -any total"))
            self.assertEqual([(j["ranks"], j["old"], j["new"]) for j in said if j.get("expression")], [("1", "0", "2")])
            status = d.status()
            self.assertEqual((status["running"], status["stopped"] | status["exited"]), (set(), {0, 1, 2}))
            self.assertEqual([j for j in d.do("info breakpoints") if j.get("breakpoint") and j["ranks"]], [])

    def test_history(self):
        """A line of the session before comes back by arrow; the file is private."""
        with sdm.Folder() as folder:
            for keys, seen in ((b"viewset 0\n", b"{0}"), (b"\x1b[A\x1b[A\n", b"{0}")):
                pid, fd = self.terminal(folder.name)
                self.until(fd, b"[all]> ")
                os.write(fd, keys)
                self.until(fd, seen)
                self.until(fd, b"[all]> ")
                os.write(fd, b"quit\n")
                self.drain(fd)
                self.assertEqual(os.waitpid(pid, 0)[1], 0)
                os.close(fd)
            kept = os.path.join(folder.name, "state", "dvm", "debug-history")
            self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)

    def terminal(self, home):
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm", XDG_STATE_HOME=os.path.join(home, "state"))
            os.execv(sdm.DEBUG, [sdm.DEBUG, "-n", "1", "--launcher", "local", "--backend", "stub", "--no-stop", "/bin/true"])
        return pid, fd

    def until(self, fd, text):
        seen, end = b"", time.monotonic() + sdm.LIMIT
        while text not in seen:
            self.assertLess(time.monotonic(), end, (text, seen[-500:]))
            if select.select([fd], [], [], 0.1)[0]:
                seen += os.read(fd, 1)

    def drain(self, fd):
        try:
            while os.read(fd, 4096):
                pass
        except OSError:
            pass

    def test_terminal(self):
        """A person's terminal: the prompt, completion by tab, the line before by arrow, and ^C."""
        state = sdm.Folder()
        self.addCleanup(state.cleanup)
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm", XDG_STATE_HOME=state.name)
            os.execv(sdm.DEBUG, [sdm.DEBUG, "-n", "2", "--launcher", "local", sdm.RING, "hang", "1"])
        seen = [b""]

        def until(text):
            end = time.monotonic() + sdm.LIMIT
            while text not in seen[0]:
                self.assertLess(time.monotonic(), end, (text, seen[0][-500:]))
                if select.select([fd], [], [], 0.1)[0]:
                    seen[0] += os.read(fd, 4096)
            seen[0] = seen[0].split(text, 1)[1]
        until(b"[all]> ")
        os.write(fd, b"views\t\n")
        until(b"{0-1} 2")
        until(b"[all]> ")
        os.write(fd, b"\x1b[A\n")  # the same once more
        until(b"{0-1} 2")
        until(b"[all]> ")
        os.write(fd, b"continue\n")
        until(b"hello from everybody")
        sdm.wait_until(lambda: any(sdm.waits(p) for p in sdm.descendants(pid)), "rank 1 sleeps in its loop")
        os.write(fd, b"\x03")
        until(b"{1} stopped (interrupted) in ")
        until(b"[all]> ")
        os.write(fd, b"quit\n")
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        os.close(fd)

    def test_one_stops_and_others_run_on(self):
        """What has happened is told while the console still waits for the rest."""
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", XDG_STATE_HOME=self.folder())
            os.execv(sdm.DEBUG, [sdm.DEBUG, "-n", "2", "--launcher", "local", sdm.RING, "hang", "1"])
        self.until(fd, b"[all]> ")
        os.write(fd, b"continue\n")
        self.until(fd, b"{0} exited with status 0")
        self.until(fd, b"{1} still running; ^C stops them")
        os.write(fd, b"\x03")
        self.until(fd, b"{1} stopped (interrupted) in ")
        self.until(fd, b"[all]> ")
        os.write(fd, b"[dead] print 1\n")
        self.until(fd, b"error: this set is empty now")
        os.write(fd, b"brek add\n")
        self.until(fd, b"did you mean 'break'?")
        os.write(fd, b"quit\n")
        self.drain(fd)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        os.close(fd)

    def test_no_main(self):
        """A program without symbols does not stop in main: that is said, and ^C works."""
        stripped = os.path.join(self.folder(), "ring")
        subprocess.run(["strip", "-o", stripped, sdm.RING], check=True)
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", XDG_STATE_HOME=self.folder())
            os.execv(sdm.DEBUG, [sdm.DEBUG, "-n", "1", "--launcher", "local", stripped, "hang", "0"])
        self.until(fd, b"has no debug information")
        self.until(fd, b"{0} has not stopped yet; a program without symbols (-g) does not stop in main; ^C stops it")
        os.write(fd, b"\x03")
        self.until(fd, b"{0} stopped (interrupted)")
        self.until(fd, b"[all]> ")
        os.write(fd, b"quit\n")
        self.drain(fd)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        os.close(fd)

    def folder(self):
        state = sdm.Folder()
        self.addCleanup(state.cleanup)
        return state.name

    def test_names_of_programs(self):
        """As people name them: a file of this folder without a path, a source, a folder; '-np' as for mpirun."""
        folder = self.folder()
        os.symlink(sdm.RING, os.path.join(folder, "own_ring"))
        with open(os.path.join(folder, "own.c"), "w"):
            pass
        r = subprocess.run([sdm.DEBUG, "-np", "1", "--launcher", "local", "-ex", "print 40 + 2", "-ex", "kill", "-ex", "quit", "own_ring", "-np", "3"],
                           cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertIn("{0} 42", r.stdout, r.stderr)
        self.assertNotIn("no debug information", r.stderr)
        for name, why in (("own.c", "'own.c' is not executable, but a source file: compile it"), (".", "'.' is a folder"), ("none", "there is no program 'none'")):
            r = subprocess.run([sdm.DEBUG, "-n", "2", "--launcher", "local", name], cwd=folder, capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual(r.returncode, 2)
            self.assertIn(why, r.stderr)

    def test_wrong_calls(self):
        for words, why in ((["-n", "2"], "no program was given"), (["--no-such"], "unknown option '--no-such'"), (["-n", "2", "/does/not/exist"], "there is no program"),
                           (["--", "/does/not/exist", "-n", "2", "x"], "there is no program"),
                           (["--shape", "star", "--launcher", "local", sdm.RING], "shape"),
                           (["--servers", "/does/not/exist", sdm.RING], "/does/not/exist")):
            r = run(*words)
            self.assertNotEqual(r.returncode, 0, words)
            self.assertIn(why, r.stderr, words)

    def test_a_gdb_that_does_not_start(self):
        r = run("-n", "2", "--launcher", "local", "--backend-path", "/does/not/exist", sdm.RING)
        self.assertEqual(r.returncode, 1)
        self.assertIn("there is no '/does/not/exist' on this host", r.stdout)

    def test_a_program_that_does_not_start(self):
        with sdm.Folder() as f:
            script = f.write("script", "#!/does/not/exist\n", 0o755)
            r = run("-n", "2", "--launcher", "local", "--timeout", "20", "--batch", script)
            self.assertEqual(r.returncode, 1)


if __name__ == "__main__":
    sdm.main()
