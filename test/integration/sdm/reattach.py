"""A session whose front end has died is taken up again: states, breakpoints and output go on where they were."""
import json
import os
import signal
import stat
import subprocess
import unittest

import sdm

ALL = {0, 1, 2}


class Reattach(unittest.TestCase):
    def setUp(self):
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)
        self.file = self.folder.path("session")

    def lose(self, *words):
        """A session that has come to a breakpoint, with two ranks further than the third; its front end is killed."""
        d = sdm.Debugger("--session", self.file, *words, sdm.RING, "hang", "1")
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("break add")
        d.do("tbreak work")
        d.do("continue")
        d.do("delete 2")
        d.do("continue")
        d.do("[0,2] set var b = 100")
        servers = sdm.descendants(d.process.pid)
        d.process.kill()
        d.process.wait()
        return servers

    def take_up(self, *words):
        d = sdm.Debugger("--reattach", self.file, *words)
        self.addCleanup(lambda: d.process.poll() is None and d.close())
        return d

    def goes_on(self, *words):
        servers = self.lose(*words)
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        d = self.take_up()
        self.assertEqual(d.status()["stopped"], ALL)
        self.assertEqual(d.values("b"), {"100": {0, 2}, "2": {1}})
        listed = [(j["breakpoint"], j["where"], sdm.ranks(j["ranks"])) for j in d.do("info breakpoints") if "breakpoint" in j]
        self.assertEqual(listed, [(1, "add", ALL)])
        said = d.do("continue")
        self.assertEqual({j["bp"] for j in said if j.get("event") == "stopped"}, {1})
        d.do("delete 1")
        answer, _ = d.answer("break wait_here")
        self.assertEqual(answer[frozenset(ALL)]["id"], 2)
        d.do("continue")
        self.assertEqual(d.output()[1], b"hello from everybody\n")
        self.assertEqual(d.status(), {"running": set(), "stopped": {1}, "exited": {0, 2}, "dead": set()})
        d.do("delete 2")
        d.do("run")
        self.assertEqual(d.status()["stopped"], ALL)  # in main: the program is known too
        d.send("quit")
        self.assertEqual(d.close(), 0)
        sdm.wait_until(lambda: all(map(sdm.gone, servers)), "all servers, gdbs and programs end")
        self.assertFalse(os.path.exists(self.file))

    def test_what_the_console_knows(self):
        """Conditions, commands and names are the front end's own: they are kept by the servers."""
        d = sdm.Debugger("--session", self.file, "-n", "3", "--launcher", "local", sdm.RING)
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("break add if a == 0")
        for line in ("commands 1", "print b", "end"):
            d.send(line)
        d.do("break work")
        d.do("condition 2 rank == 1")
        d.do("disable 2")
        d.do("define odd = 1")
        d.process.kill()
        d.process.wait()
        d = self.take_up()
        listed = [(j["breakpoint"], j["where"], j["enabled"]) for j in d.do("info breakpoints") if "breakpoint" in j]
        self.assertEqual(listed, [(1, "add if a == 0", True), (2, "work if rank == 1", False)])
        self.assertEqual([j["set"] for j in d.do("viewset odd") if "set" in j], ["1"])
        said = d.do("continue")
        self.assertTrue([j for j in said if j.get("answer") == "evaluate"], said)
        d.send("quit")
        self.assertEqual(d.close(), 0)

    def test_own_servers(self):
        self.goes_on("-n", "3", "--launcher", "local")

    def test_mpirun(self):
        sdm.need("mpirun")
        self.goes_on("-n", "3")

    def test_twice(self):
        """The second front end dies too; and one server with it: the others are taken up, and it is named."""
        self.lose("-n", "3", "--launcher", "local")
        d = self.take_up()
        self.assertEqual(d.values("b"), {"100": {0, 2}, "2": {1}})
        with open(self.file) as f:
            port = {s[0]: s[2] for s in json.load(f)["servers"]}
        lost, = [p for p in map(int, filter(str.isdigit, os.listdir("/proc"))) if port[2] in sdm.listening(p)]
        d.process.kill()
        d.process.wait()
        os.kill(lost, signal.SIGKILL)
        d = self.take_up("--partial", "--start-timeout", "5")
        self.assertEqual(d.values("b", "[0-1]"), {"100": {0}, "2": {1}})
        d.send("quit")
        self.assertEqual(d.close(), 0)

    def refused(self):
        r = subprocess.run([sdm.DEBUG, "--reattach", self.file, "--start-timeout", "2"], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 1)
        return r.stderr

    def test_files_that_are_refused(self):
        self.assertIn("cannot read the session file", self.refused())
        good = {"dvm-session": 1, "secret": "ab" * 32, "shape": [0, 0], "ports": [0, 1], "servers": [[0, "127.0.0.1", sdm.free_port()]]}
        for change, why in (({}, "no server 0"), ({"dvm-session": 2}, "its version is not"), ({"secret": "ab"}, "damaged"),
                            ({"shape": [9, 0]}, "damaged"), ({"servers": []}, "damaged"), ({"servers": [[0, "", 1]]}, "damaged"),
                            ({"servers": [[0, "a", 1], [0, "b", 1]]}, "twice"), ({"servers": 7}, "damaged")):
            self.folder.write("session", json.dumps({**good, **change}), 0o600)
            self.assertIn(why, self.refused(), change)
        self.folder.write("session", "{", 0o600)
        self.assertIn("not a session file", self.refused())
        os.chmod(self.file, 0o640)
        self.assertIn("nobody else can read", self.refused())

    def test_something_else_than_a_file(self):
        """A session file is renamed to its place: a device or a pipe there must not be replaced, nor removed at the end."""
        pipe = self.folder.path("pipe")
        os.mkfifo(pipe)
        r = subprocess.run([sdm.DEBUG, "--session", pipe, "--backend", "stub", "--no-stop", "/bin/true"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 1)
        self.assertIn(f"'{pipe}' is not a regular file", r.stderr)
        self.assertTrue(stat.S_ISFIFO(os.lstat(pipe).st_mode))

    def test_file_that_cannot_be_written(self):
        r = subprocess.run([sdm.DEBUG, "--session", "/dev/full/session", "-n", "1", "--launcher", "local", "--backend", "stub", "/bin/true"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 1)
        self.assertIn("cannot write the session file '/dev/full/session'", r.stderr)


if __name__ == "__main__":
    sdm.main()
