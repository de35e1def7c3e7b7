"""Debugging what runs already: a process, all ranks of an mpirun through its process table, and core files."""
import os
import re
import shutil
import subprocess
import unittest

import sdm


class AttachAndCore(unittest.TestCase):
    def test_process(self):
        """The program is stopped where it is, changed, and runs on when the debugger leaves."""
        with sdm.Program(sdm.RING, "hang", "0") as p:
            sdm.wait_until(lambda: sdm.waits(p.pid), "the program sleeps in its loop")
            with sdm.Debugger("--attach", str(p.pid)) as d:
                stack, _ = d.answer("bt")
                self.assertEqual([f["func"] for f in stack[frozenset({0})]["frames"]][-2:], ["wait_here", "main"])
                d.do("set var gate = 0")
            self.assertEqual(p.wait(sdm.LIMIT), 0)
            self.assertEqual(p.stdout.read(), b"hello from everybody\n")  # not ours: attached programs keep their output

    def where(self, d):
        """Who is in which of the two functions; they are let go on until that is as it should be."""
        tree = [j for j in d.do("bt -m") if "tree" in j][0]["tree"]["children"]
        below = {"compute": set(), "exchange": set()}
        for c in sdm.walk(tree):
            below.get(c["name"].split()[0], set()).update(sdm.ranks(c["ranks"]))
        if below != {"compute": {2}, "exchange": {3}}:
            d.do("continue &")
            d.do("interrupt")
        return below

    def test_mpirun(self):
        """Ranks of an MPI program, by the launcher's process table: one of four never reaches the exchange."""
        sdm.need("mpirun", "mpicc")
        with sdm.Program("mpirun", "-q", "-n", "4", sdm.MPI_RING, "2") as p:
            sdm.wait_until(lambda: any(sdm.waits(c) for c in sdm.children(p.pid)), "rank 2 sleeps in its loop")
            with sdm.Debugger("--attach", str(p.pid)) as d:
                sdm.wait_until(lambda: self.where(d) == {"compute": {2}, "exchange": {3}}, "0 and 1 have what they need")
                d.do("[2] set var gate = 0")
            self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_launcher_of_other_programs(self):
        """Without MPI_Init the table stays empty; the ranks on this host are found by their environment."""
        sdm.need("mpirun")
        with sdm.Program("mpirun", "-q", "-n", "4", sdm.RING, "hang", "2") as p:
            sdm.wait_until(lambda: any("2" in w[-1:] and sdm.waits(c) for c, w in sdm.children(p.pid).items()),
                           "rank 2 sleeps in its loop")
            with sdm.Debugger("--attach", str(p.pid)) as d:
                stack, missing = d.answer("[2] bt")
                self.assertEqual([f["func"] for f in stack[frozenset({2})]["frames"]][-2:], ["wait_here", "main"])
                d.do("[2] set var gate = 0")
            self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_nobody(self):
        p = sdm.Program("true")
        p.wait()
        r = subprocess.run([sdm.DEBUG, "--attach", str(p.pid)], capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 2)
        self.assertIn(f"there is no process {p.pid}", r.stderr)

    def test_held_by_another(self):
        """Who holds the process is named; the others of the session are debugged all the same."""
        with sdm.Program(sdm.RING, "hang", "0") as p, sdm.Program(sdm.RING, "hang", "0") as free:
            for one in (p, free):
                sdm.wait_until(lambda: sdm.waits(one.pid), "the program sleeps in its loop")
            holder = subprocess.Popen(["gdb", "-q", "-nx", "-p", str(p.pid)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            try:
                sdm.wait_until(lambda: f"TracerPid:\t{holder.pid}" in open(f"/proc/{p.pid}/status").read(), "gdb holds it")
                d = subprocess.run([sdm.DEBUG, "--attach", f"{p.pid},{free.pid}", "-ex", "bt", "-ex", "quit"], capture_output=True, text=True,
                                   timeout=sdm.LIMIT, stdin=subprocess.DEVNULL)
                self.assertIn(f"process {p.pid} is held by the debugger 'gdb' (process {holder.pid}): end or detach that first", d.stdout + d.stderr)
                self.assertIn("wait_here", d.stdout)
            finally:
                holder.kill()
                holder.wait()
                holder.stdin.close()

    def test_core(self):
        """Two cores, as two ranks; the second is of another moment."""
        with sdm.Folder() as f:
            cores = [f.path("core of rank 0"), f.path("core.1")]
            for core, stop in zip(cores, ("add", "work")):
                subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", f"break {stop}", "-ex", "run",
                                "-ex", f"generate-core-file {core}", sdm.RING], check=True, capture_output=True)
                self.assertTrue(os.path.exists(core))
            with sdm.Debugger("--core", cores[0], "--core", cores[1], sdm.RING) as d:
                tree = [j for j in d.do("bt -m") if "tree" in j][0]["tree"]["children"]
                self.assertEqual(sum(c["count"] for c in tree), 2)
                stack, _ = d.answer("bt")
                self.assertEqual([[x["func"] for x in stack[frozenset({r})]["frames"]] for r in (0, 1)],
                                 [["add", "work", "main"], ["work", "main"]])
                self.assertEqual(d.values("total"), {"0": {0, 1}})
                refused, _ = d.answer("[0] print add(1, 2)")  # nothing runs there
                self.assertIsInstance(refused[frozenset({0})], str)

    def core_of(self, folder, name, program, *commands):
        core = folder.path(name)
        words = [w for c in (*commands, f"generate-core-file {core}") for w in ("-ex", c)]
        subprocess.run(["gdb", "-q", "-nx", "-batch", *words, "--args", program, "crash", "0"], check=True, capture_output=True)
        self.assertTrue(os.path.exists(core))
        return core

    def opened(self, *words):
        r = subprocess.run([sdm.DEBUG, "-ex", "bt", "-ex", "quit", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=sdm.LIMIT)
        return r.returncode, r.stdout.splitlines(), r.stderr

    def test_core_says_its_program(self):
        """The program is found by the core alone; what ended it, and where, is told; each core has its own program."""
        with sdm.Folder() as f:
            other = f.path("another program's place")
            os.symlink(sdm.RING, other)
            crashed, waiting = self.core_of(f, "core.0", sdm.RING, "run"), self.core_of(f, "core.1", other, "break add", "run")
            status, said, _ = self.opened("--core", crashed, "--core", waiting)
            line = sdm.line_of("abort();")
            self.assertEqual(status, 0)
            self.assertRegex("\n".join(said), r"(?m)^\{0\} got SIGABRT in ")
            self.assertRegex("\n".join(said), r"(?m)^\{1\} got SIGTRAP in add at ring\.c:\d+$")
            self.assertTrue([x for x in said if re.search(rf"main \(.*\) at ring\.c:{line}$", x)], said)
            self.assertFalse([x for x in said if "warning" in x], said)

    def test_core_without_its_program(self):
        with sdm.Folder() as f:
            gone = f.path("gone")
            shutil.copy(sdm.RING, gone)
            core = self.core_of(f, "core.0", gone, "run")
            os.rename(gone, f.path("moved"))
            status, said, _ = self.opened("--core", core)
            self.assertEqual((status, said[0]), (0, f"{{0}} warning: no symbols: the core file is from '{gone}', which cannot be read here "
                                                    "(No such file or directory); name the program: dvm debug --core FILE PROGRAM"))
            self.assertTrue([x for x in said if x.startswith("{0} got SIGABRT in ")], said)
            _, said, _ = self.opened("--core", core, f.path("moved"))
            self.assertTrue([x for x in said if re.search(r"main \(.*\) at ring\.c:", x)], said)
            _, said, _ = self.opened("--core", core, "/bin/true")
            self.assertEqual(said[0], "{0} warning: the core file may be from a different program, or from this one before it was rebuilt")
            _, said, _ = self.opened("--core", core, __file__)
            self.assertRegex(said[0], r"^\{0\} warning: no symbols: .*not in executable format")
            status, said, _ = self.opened("--core", core, f.path("nowhere"))
            self.assertEqual((status, said[0]), (1, f"{{0}} error: cannot read the program '{f.path('nowhere')}': No such file or directory"))
            status, _, err = self.opened("--core", core, gone, "more")
            self.assertEqual(status, 2)
            self.assertIn("expected one program besides the core files, found 'more' after it", err)


if __name__ == "__main__":
    sdm.main()
