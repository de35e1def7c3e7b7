"""Start-up: servers that call back, servers found by base port and increments, servers of a routing file; each also
when some do not come: the failed start names their ranks and why, and ends."""
import os
import shutil
import socket
import subprocess
import unittest

import sdm
from sdm import free_ports, listening

SECRET = "5a" * 32


class StartUp(unittest.TestCase):
    def setUp(self):
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)
        self.secret = self.folder.write("secret", SECRET + "\n", 0o600)

    def server(self, rank, *more, secret=None, env=None):
        words = ["--host", "127.0.0.1", "--secret-file", secret or self.secret, "--backend", "stub", *more]
        if rank is not None:
            words += ["--rank", str(rank)]
        p = subprocess.Popen([sdm.SERVER, *words], stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        self.addCleanup(lambda: (p.poll() is None and p.kill(), p.wait()))
        sdm.wait_until(lambda: p.poll() is not None or listening(p.pid), "the server listens")
        return p

    def table(self, rows):
        return self.folder.write("servers", "# rank host port\n" + "".join(f"{r} {h} {p}\n" for r, h, p in rows))

    def debug(self, *words):
        return sdm.Debugger("--secret-file", self.secret, "--no-stop", *words, "/bin/true")

    def failed(self, *words, **env):
        r = subprocess.run([sdm.DEBUG, *words, "/bin/true"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=sdm.LIMIT, env={**os.environ, **env})
        self.assertEqual(r.returncode, 1, r.stderr)
        return r.stderr

    def test_base_port(self):
        """The default of the PTP design.  The base port is taken by a stranger, the next one by a server of another session with
        another secret: everybody still finds its own children."""
        base = free_ports(12)
        stranger = socket.create_server(("127.0.0.1", base))
        self.addCleanup(stranger.close)
        other = self.folder.write("other", "77" * 32 + "\n", 0o600)
        strange = self.server(0, "--port", str(base), secret=other)
        own = [self.server(r, "--port", str(base)) for r in (3, 1, 0, 2)]
        self.assertEqual(sorted(p for s in [strange, *own] for p in listening(s.pid)), list(range(base + 1, base + 6)))
        with self.debug("--servers", self.table((r, "127.0.0.1", 0) for r in range(4)), "--port", str(base)) as d:
            self.assertEqual(set(d.answer("print 1")[0]), {frozenset(range(4))})
        for p in own:
            self.assertEqual(p.wait(sdm.LIMIT), 0)  # told goodbye
        self.assertIsNone(strange.poll())

    def test_routing_file(self):
        servers = {r: self.server(r) for r in range(5)}
        rows = [(r, "127.0.0.1", listening(p.pid)[0]) for r, p in servers.items()]
        for shape in ("flat",):
            with self.debug("--servers", self.table(rows), "--shape", shape) as d:
                self.assertEqual(set(d.answer("print 1")[0]), {frozenset(range(5))})

    def test_routing_file_names_who_is_not_there(self):
        servers = {r: self.server(r) for r in (0, 1, 3)}
        dead = free_ports(1)
        rows = [(r, "127.0.0.1", listening(servers[r].pid)[0] if r in servers else dead) for r in range(4)]
        text = self.failed("--servers", self.table(rows), "--secret-file", self.secret, "--start-timeout", "20")
        self.assertIn("1 server missing: ranks 2", text)
        self.assertIn(f"no server 2 at 127.0.0.1:{dead}: Connection refused", text)

    def test_wrong_server_at_a_port(self):
        servers = {r: self.server(r) for r in (0, 1)}
        ports = {r: listening(p.pid)[0] for r, p in servers.items()}
        rows = [(0, "127.0.0.1", ports[0]), (1, "127.0.0.1", ports[1]), (2, "127.0.0.1", ports[1])]
        text = self.failed("--servers", self.table(rows), "--secret-file", self.secret, "--start-timeout", "20")
        self.assertIn("1 server missing: ranks 2", text)
        self.assertRegex(text, r"no server 2 at 127\.0\.0\.1:\d+: a different server")

    def test_wrong_secret(self):
        server = self.server(0)
        other = self.folder.write("other", "77" * 32 + "\n", 0o600)
        text = self.failed("--servers", self.table([(0, "127.0.0.1", listening(server.pid)[0])]), "--secret-file", other,
                           "--start-timeout", "20")
        self.assertIn("1 server missing: ranks 0", text)
        self.assertIn("another session is served here", text)
        self.assertIsNone(server.poll())  # it waits for the right one

    def test_secret_that_others_can_read(self):
        os.chmod(self.secret, 0o644)
        text = self.failed("--servers", self.table([(0, "127.0.0.1", 1)]), "--secret-file", self.secret)
        self.assertIn("secret", text)

    def test_rendezvous_names_who_is_not_there(self):
        wrapper = self.folder.write("server", f"""#!/bin/sh
case "$*" in *"--rank 2") exit 3;; esac
exec {sdm.SERVER} "$@"
""", 0o755)
        text = self.failed("-n", "4", "--launcher", "local", "--backend", "stub", "--start-timeout", "20", SDM_SERVER=wrapper)
        self.assertIn("ranks", text)
        self.assertRegex(text, r"missing: ranks 2: the launcher has ended")
        with sdm.Debugger("-n", "4", "--launcher", "local", "--backend", "stub", "--partial", "--start-timeout", "3",
                          "/bin/true", env={"SDM_SERVER": wrapper}) as d:
            sources = set().union(*d.answer("print 1")[0])
            self.assertTrue(sources and 2 not in sources)
            self.assertIn("warning", "".join(d.errors))

    def test_launcher_that_fails(self):
        """Why it has started nothing is what it says itself."""
        launcher = self.folder.write("launcher", "#!/bin/sh\necho there is no room for $2 >&2\nexit 1\n", 0o755)
        for words in (("--launcher", launcher, "-n", "3"), ("--", launcher, "-n", "3")):
            text = self.failed(*words)
            self.assertIn("there is no room for 3\n", text)
            self.assertIn(f"help: the launcher '{launcher} -n 3' or its servers gave the reason above", text)
        text = self.failed("--launcher", launcher, "-n", "3", "--io", "oob")  # the programs would write there too
        self.assertIn("there is no room for 3\n", text)

    def test_launcher_after_the_end(self):
        """What it says while the session lasts is shown, its advice on the end is not."""
        launcher = self.folder.write("launcher", "#!/bin/sh\necho welcome >&2\nshift 2\nPMI_RANK=0 \"$@\"\n"
                                     "echo a process has died improperly >&2\n", 0o755)
        r = subprocess.run([sdm.DEBUG, "--launcher", launcher, "-n", "1", "--backend", "stub", "--no-stop", "-ex", "status",
                            "-ex", "quit", "/bin/true"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=sdm.LIMIT)
        self.assertEqual((r.returncode, r.stderr), (0, "welcome\n"))

    def test_wrong_command_lines(self):
        """Status 2 and one line that names the word, before anything is started."""
        for words, text in (
                (("--bach", "/bin/true"), "unknown option '--bach'; did you mean '--batch'?"),
                (("-n", "0", "/bin/true"), "'-n' takes a number from 1 to 1048576, not '0'"),
                (("-n", "2x", "/bin/true"), "not '2x'"),
                (("--timeout", "x", "/bin/true"), "'--timeout' takes a number"),
                (("--ping", "0", "/bin/true"), "'--ping' takes seconds"),
                (("--io", "both", "/bin/true"), "'--io' takes tree or oob, not 'both'"),
                (("--orphan-do", "stay", "/bin/true"), "not 'stay'"),
                (("--dap", "--listen", "x"), "'--listen' takes PORT, HOST:PORT or a path, not 'x'"),
                (("--attach", "x"), "'--attach' takes the number of a process"),
                (("--json=1", "/bin/true"), "'--json' takes no value"),
                (("-x", "/does/not/exist", "/bin/true"), "'/does/not/exist': No such file"),
                (("--launcher", "/does/not/exist", "-n", "2", "/bin/true"), "there is no launcher '/does/not/exist'"),
                (("--core",), "option '--core' needs a value"),
                (("--batch",), "no program was given")):
            r = subprocess.run([sdm.DEBUG, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual((r.returncode, r.stdout, r.stderr.count("\n")), (2, "", 1), r.stderr)
            self.assertIn(text, r.stderr)

    def test_rank_of_the_launcher(self):
        """Each launcher's variable is understood; two that disagree are refused."""
        for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "FLUX_TASK_RANK", "PALS_RANKID"):
            server = self.server(None, env={name: "6"})
            with self.debug("--servers", self.table([(6, "127.0.0.1", listening(server.pid)[0])])) as d:
                self.assertEqual(set(d.answer("print 1")[0]), {frozenset({6})})
        for env, why in (({"PMIX_RANK": "1", "SLURM_PROCID": "2"}, "PMIX_RANK says rank 1, SLURM_PROCID says rank 2"),
                         ({"PMI_RANK": "x"}, "PMI_RANK=x is not a rank"), ({}, "no launcher told")):
            r = subprocess.run([sdm.SERVER, "--secret-file", self.secret, "--backend", "stub"], capture_output=True,
                               text=True, timeout=sdm.LIMIT, env={"PATH": os.environ["PATH"], **env})
            self.assertEqual(r.returncode, 1)
            self.assertIn(why, r.stderr)

    def test_unix_sockets(self):
        """The other transport: a folder in place of a host."""
        servers = [subprocess.Popen([sdm.SERVER, "--host", self.folder.name, "--port", "1", "--secret-file", self.secret,
                                     "--backend", "stub", "--rank", str(r)]) for r in range(3)]
        self.addCleanup(lambda: [(p.poll() is None and p.kill(), p.wait()) for p in servers])
        with self.debug("--servers", self.table((r, self.folder.name, 0) for r in range(3)), "--port", "1") as d:
            self.assertEqual(set(d.answer("print 1")[0]), {frozenset(range(3))})

    def test_missing_programs(self):
        """What is missing is named, with what to do; a program that wants MPI is not started without it unasked."""
        environment = {**os.environ, "PATH": "/nowhere"}
        for words, status, why in (
                (("/bin/true",), 1, "{0} error: there is no 'gdb' on this host: install the package gdb, or name one with '--backend-path PATH'\n"),
                (("--backend-path", "/no/gdb", "/bin/true"), 1, "{0} error: there is no '/no/gdb' on this host"),
                (("-n", "2", "/bin/true"), 2, "there is no launcher 'mpirun': install the package openmpi-bin, or name another with '--launcher WORDS'"),
                (("-n", "2", "--launcher", "local", "/bin/true"), 1, "{0-1} 2  error: there is no 'gdb' on this host")):
            r = subprocess.run([sdm.DEBUG, "-ex", "quit", *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               timeout=sdm.LIMIT)
            self.assertEqual(r.returncode, status, words)
            self.assertIn(why, r.stdout + r.stderr)
            self.assertNotIn("died", r.stdout + r.stderr)

    def test_names_that_cannot_be_taken(self):
        with sdm.Folder() as f:
            shutil.copy("/bin/true", os.fsencode(f.path("")) + b"no\xffutf")
            for words, status, why in (
                    ((os.fsencode(f.path("")) + b"no\xffutf",), 2, "is not valid UTF-8"),
                    (("/bin/true", b"\xff"), 2, "is not valid UTF-8"),
                    (("--core", b"\xff"), 2, "is not valid UTF-8"),
                    (("/bin/echo", "a\n-gdb-exit"), 1, "{0} error: gdb cannot start a program whose path or arguments contain line breaks")):
                r = subprocess.run([sdm.DEBUG, "-ex", "quit", *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=sdm.LIMIT)
                self.assertEqual(r.returncode, status, words)
                self.assertIn(why, (r.stdout + r.stderr).decode(errors="replace"))


class IndexCache(unittest.TestCase):
    def test_kept_and_cleared(self):
        """What gdb has found in debug information is there for the next session; what is old goes; an empty name means none."""
        with sdm.Folder() as folder:
            cache = folder.path("cache")
            os.mkdir(cache)
            old = folder.write("cache/0123.gdb-index", "")
            other = folder.write("cache/other", "")
            for path in (old, other):
                os.utime(path, (1, 1))
            home = {"HOME": folder.name, "XDG_CACHE_HOME": ""}
            for name, found in ((cache, True), ("", False)):
                with sdm.Debugger("-n", "2", "--launcher", "local", sdm.RING, env={**home, "SDM_INDEX_CACHE": name}) as d:
                    self.assertEqual(d.values("argc"), {"1": {0, 1}})
                self.assertEqual(any(f.endswith(".gdb-index") for f in os.listdir(cache)), found)
                for f in os.listdir(cache):
                    os.remove(os.path.join(cache, f)) if f.endswith(".gdb-index") else self.assertEqual(f, "other")
            self.assertEqual(os.path.exists(folder.path(".cache")), False)

if __name__ == "__main__":
    sdm.main()
