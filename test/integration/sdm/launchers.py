"""Any launcher and any rank: several programs in one job, values of options that are called like programs, hydra, hosts of a process
table, single ranks, lists of processes, ssh; and the session's secret, which reaches servers everywhere and nobody else."""
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

import sdm

TABLE = os.path.join(os.path.dirname(sdm.RING), "sdm_table")

# As rsh: HOST COMMAND; the command gets no environment but its own.
# A host has a folder for temporary files of its own: two daemons of Open MPI that share one can crash while both make its folders.
AGENT = """#!/bin/sh
echo "$1" >>"$0.hosts"
mkdir -p "$0.$1"
export TMPDIR="$0.$1"
shift
exec env -i PATH="$PATH" HOME="$HOME" TMPDIR="$TMPDIR" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 sh -c "$*"
"""


def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as f:
            return f.read()
    except OSError:
        return b""


def words(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read()
    except OSError:
        return b""


class Launchers(unittest.TestCase):
    def setUp(self):
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)

    def enter(self, what):
        self.addCleanup(what.__exit__, None, None, None)
        return what.__enter__()

    def session(self, *args, **more):
        d = self.enter(sdm.Debugger(*args, **more))
        d.wait(lambda j: j.get("event") == "stopped", "the first stop")
        return d

    def places(self, d, who):
        """{file: ranks} of those who stand in main."""
        sdm.wait_until(lambda: d.status()["stopped"] == who, "all have stopped")
        classes, missing = d.answer("bt")
        self.assertEqual(missing, {})
        found = {}
        for ranks, stack in classes.items():
            found.setdefault(stack["frames"][-1]["file"], set()).update(ranks)
        return found

    def secret_is_kept(self, d):
        """It stands on no command line, and only in the environment of those who hand it on."""
        programs = [p for p in sdm.descendants(d.process.pid)]
        secret = next(w[11:] for p in programs for w in environment(p).split(b"\0") if w.startswith(b"SDM_SECRET=") and w[11:].strip(b"\0"))
        self.assertEqual(len(secret), 64)
        seen = set()
        for p in [d.process.pid, *programs]:
            self.assertNotIn(secret, words(p))
            name = os.path.basename(words(p).split(b"\0")[0])
            seen.add(name)
            if name in (b"sdm-server", b"gdb", b"sdm_ring", b"sdm_threads"):
                self.assertNotIn(secret, environment(p), name)
        self.assertLessEqual({b"sdm-server", b"gdb", b"sdm_ring"}, seen)

    def test_several_programs(self):
        sdm.need("mpirun")
        d = self.session("--", "mpirun", "--map-by", "node", "-n", "2", sdm.RING, "hang", "1", ":", "-n", "1", sdm.THREADS)
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1}, "threads.c": {2}})
        self.assertEqual(d.values("argc", "[0-1]"), {"3": {0, 1}})  # its arguments end at the ':'
        self.assertEqual(d.values("argc", "[2]"), {"1": {2}})
        d.do("[0] kill")
        d.do("[0] run")
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1}, "threads.c": {2}})

    def test_options_that_are_called_like_programs(self):
        """'test', 'node': values of options, and programs in PATH as well."""
        sdm.need("mpirun")
        self.folder.write("node", "#!/bin/sh\necho the wrong program\n", 0o755)
        path = {"PATH": self.folder.name + ":" + os.environ["PATH"]}
        d = self.session("--", "mpirun", "--map-by", "node", "-x", "test", "-n", "2", sdm.RING, env=path)
        self.assertEqual(self.places(d, {0, 1}), {"ring.c": {0, 1}})

    def test_hydra(self):
        sdm.need("mpiexec.hydra")
        d = self.session("--", "mpiexec.hydra", "-genvlist", "PATH", "-n", "2", sdm.RING, "hang", "1", ":", "-n", "1", sdm.THREADS)
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1}, "threads.c": {2}})
        self.secret_is_kept(d)

    def test_programs_in_a_file(self):
        """Each rank has its own, and the arguments that are made for it."""
        conf = self.folder.write("conf", f"# tasks\n0,2 {sdm.RING} task%t place%o 'two words'\n* {sdm.THREADS}\n")
        srun = self.folder.write("srun", '#!/bin/sh\nshift 2\nfor r in 0 1 2 3; do SLURM_PROCID=$r SLURM_NTASKS=4 "$@" & done\nwait\n', 0o755)
        d = self.session("--", srun, "-n", "4", "--multi-prog", conf)
        self.assertEqual(self.places(d, {0, 1, 2, 3}), {"ring.c": {0, 2}, "threads.c": {1, 3}})
        for expression, words in (("argv[1]", ("task0", "task2")), ("argv[2]", ("place0", "place1")), ("argv[3]", ("two words",) * 2)):
            for rank, word in zip((0, 2), words):
                self.assertIn(f'"{word}"', list(d.values(expression, f"p{rank}"))[0])
        few = self.folder.write("few", f"0-1 {sdm.RING}\n")
        d = self.enter(sdm.Debugger("--", srun, "-n", "4", "--multi-prog", few))
        start = d.wait(lambda j: j.get("answer") == "start", "the refusal")
        self.assertIn({"error": "the launcher's file names no program for this rank", "ranks": "2-3"}, start["classes"])
        sdm.need("mpirun")
        app = self.folder.write("app", f"-n 1 {sdm.RING}\n-n 2 {sdm.THREADS}\n")
        self.assertEqual(self.places(self.session("--", "mpirun", "--app", app), {0, 1, 2}), {"ring.c": {0}, "threads.c": {1, 2}})

    def test_attach_to_hydra(self):
        """It has no process table that could be read, and proxies between itself and its ranks."""
        sdm.need("mpiexec.hydra")
        program = self.folder.write("prog", f"#!/bin/sh\nexport SDM_RANK=$PMI_RANK\nexec {sdm.RING} hang $PMI_RANK\n", 0o755)
        p = self.enter(sdm.Program("mpiexec.hydra", "-n", "3", program))
        sdm.wait_until(lambda: len([c for c in sdm.descendants(p.pid) if sdm.waits(c)]) == 3, "three ranks sleep")
        d = self.session("--attach", str(p.pid))
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1, 2}})
        self.assertEqual(d.values("gate"), {"1": {0, 1, 2}})
        d.do("set var gate = 0")
        d.do("continue")
        d.close()
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_secret_reaches_other_hosts(self):
        """Open MPI hands on only what it is told to; its daemons there have an environment of their own."""
        sdm.need("mpirun")
        agent = self.folder.write("agent", AGENT, 0o755)
        d = self.session("--", "mpirun", "--mca", "plm_rsh_agent", agent, "--host", "elsewhere:2,other:1", "-n", "2", sdm.RING, "hang", "0",
                         ":", "-n", "1", sdm.RING, "hang", "2")
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1, 2}})
        with open(agent + ".hosts") as f:
            self.assertEqual(set(f.read().split()), {"elsewhere", "other"})
        self.secret_is_kept(d)

    def test_secret_of_own_servers(self):
        d = self.session("-n", "2", "--launcher", "local", sdm.RING, "hang", "0")
        for p in sdm.descendants(d.process.pid):
            self.assertNotRegex(environment(p), rb"SDM_SECRET=[0-9a-f]")

    def mpi_job(self, n):
        sdm.need("mpirun", "mpicc")
        p = self.enter(sdm.Program("mpirun", "-q", "-n", str(n), sdm.MPI_RING, "2"))
        sdm.wait_until(lambda: any(sdm.waits(c) for c in sdm.children(p.pid)), "rank 2 sleeps in its loop")
        return p

    def rank_pid(self, p, rank):
        return next(c for c in sdm.children(p.pid) if b"OMPI_COMM_WORLD_RANK=%d\0" % rank in environment(c))

    def is_in(self, d, rank, function):
        """If not, it is let go on a little."""
        stack, _ = d.answer("bt")
        if function in [f["func"] for f in stack[frozenset({rank})]["frames"]]:
            return True
        d.do("continue &")
        d.do("interrupt")
        return False

    def test_one_rank(self):
        """A rank maps the launcher's library, but is none; it keeps its number."""
        p = self.mpi_job(3)
        d = self.session("--attach", str(self.rank_pid(p, 2)))
        sdm.wait_until(lambda: self.is_in(d, 2, "compute"), "rank 2 is in its loop")
        d.do("set var gate = 0")
        d.close()
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_some_ranks(self):
        p = self.mpi_job(4)
        d = self.session("--attach", str(p.pid), "--ranks", "1-2")
        sdm.wait_until(lambda: d.status()["stopped"] == {1, 2}, "both have stopped")
        self.assertFalse(sdm.traced(self.rank_pid(p, 0)))
        self.assertTrue(sdm.traced(self.rank_pid(p, 1)))
        d.do("[2] set var gate = 0")
        d.close()
        self.assertEqual(p.wait(sdm.LIMIT), 0)
        r = subprocess.run([sdm.DEBUG, "--attach", str(os.getpid()), "--ranks", "7"], capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 2)
        self.assertIn("the job has no rank 7", r.stderr)

    def test_list_of_processes(self):
        programs = [self.enter(sdm.Program(sdm.RING, "hang", "0")) for _ in range(3)]
        for p in programs:
            sdm.wait_until(lambda p=p: sdm.waits(p.pid), "the program sleeps")
        d = self.session("--attach", f"{programs[0].pid},{programs[1].pid}", "--attach", str(programs[2].pid))
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1, 2}})
        for i, p in enumerate(programs):
            self.assertIn(str(p.pid), str(d.do(f"[{i}] gdb info inferiors")))
        d.do("set var gate = 0")
        d.close()
        for p in programs:
            self.assertEqual(p.wait(sdm.LIMIT), 0)
        for bad in ("", "0", "1,", "x", "1,,2", "-4", "99999999999"):
            r = subprocess.run([sdm.DEBUG, "--attach=" + bad], capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual(r.returncode, 2, bad)

    def job(self, *hosts):
        """A launcher and its waiting ranks, by rank."""
        p = self.enter(sdm.Program(TABLE, *hosts, "--", "/bin/sleep", "1000"))
        sdm.wait_until(lambda: [w[:1] for w in sdm.children(p.pid).values()] == [["/bin/sleep"]] * len(hosts), "the ranks run")
        pids = sorted(sdm.children(p.pid), key=lambda c: int(environment(c).split(b"SDM_RANK=")[1].split(b"\0")[0]))
        self.addCleanup(lambda: [os.kill(c, signal.SIGKILL) for c in sdm.children(p.pid)])
        return p, pids

    def test_hosts_of_the_table(self):
        """A rank of another host is looked for there, by ssh; its number is not that of a process here."""
        p, pids = self.job("localhost", "far1", "far1", socket.gethostname())
        ssh = self.folder.write("ssh", AGENT, 0o755)
        d = self.session("--attach", str(p.pid), "--ssh", ssh, "--host", "127.0.0.1")
        sdm.wait_until(lambda: d.status()["stopped"] == {0, 1, 2, 3}, "all have stopped")
        with open(ssh + ".hosts") as f:
            self.assertEqual(f.read(), "far1\n")  # once a host
        for rank, pid in enumerate(pids):
            self.assertIn(str(pid), str(d.do(f"[{rank}] gdb info inferiors")))
        d.close()
        r = subprocess.run([sdm.DEBUG, "--attach", str(p.pid), "--ssh", "false", "--host", "127.0.0.1", "--start-timeout", "20"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 1)
        self.assertIn("ranks 1-2", r.stderr)
        self.assertFalse(any(map(sdm.traced, pids)))

    def sshd(self):
        """A real one, for this user, at a port of its own; hosts n1 and n2 lead there."""
        sdm.need("ssh", "ssh-keygen")
        sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
        if not sshd:
            self.skipTest("no sshd here")
        f, port = self.folder, sdm.free_port()
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f.path(key)], check=True)
        if not os.geteuid():
            os.makedirs("/run/sshd", exist_ok=True)
        config = f.write("sshd_config", f"Port {port}\nListenAddress 127.0.0.1\nHostKey {f.path('host')}\nPidFile none\nStrictModes no\n"
                         f"AuthorizedKeysFile {f.path('user.pub')}\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n")
        self.enter(sdm.Program(sshd, "-D", "-e", "-f", config))
        client = f.write("config", f"Host n1 n2\n HostName 127.0.0.1\n Port {port}\n User {getpass.getuser()}\n IdentityFile {f.path('user')}\n"
                         "IdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\nBatchMode yes\n")
        words = ["ssh", "-F", client]
        sdm.wait_until(lambda: subprocess.run([*words, "n1", "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0,
                       "sshd lets us in")
        return words

    def test_hosts_of_hydra(self):
        """Its ranks on other hosts are below a proxy there, which no process of ours is above; a host that cannot be asked is named."""
        sdm.need("mpiexec.hydra")
        words_ = self.sshd()
        agent = self.folder.write("agent", "#!/bin/sh\nexec " + " ".join(words_) + ' "$@"\n', 0o755)
        program = self.folder.write("prog", f"#!/bin/sh\nexport SDM_RANK=$PMI_RANK JOB={agent}\nexec {sdm.RING} hang $PMI_RANK\n", 0o755)
        p = self.enter(sdm.Program("mpiexec.hydra", "-launcher-exec", agent, "-hosts", "n1:2,n2:1", "-n", "3", program))
        ranks = lambda: [int(c) for c in os.listdir("/proc") if c.isdigit() and b"JOB=" + agent.encode() in environment(c)
                         and words(c).startswith(sdm.RING.encode() + b"\0hang")]
        sdm.wait_until(lambda: len([c for c in ranks() if sdm.waits(c)]) == 3, "three ranks sleep")
        self.assertFalse(set(ranks()) & set(sdm.descendants(p.pid)))
        r = subprocess.run([sdm.DEBUG, "--attach", str(p.pid), "--ssh", "false"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=sdm.LIMIT)
        self.assertEqual(r.returncode, 2)
        self.assertRegex(r.stderr, "cannot run a command on host 'n[12]'")
        d = self.session("--attach", str(p.pid), "--ssh", " ".join(words_), "--host", "127.0.0.1")
        self.assertEqual(self.places(d, {0, 1, 2}), {"ring.c": {0, 1, 2}})
        for pid in ranks():
            rank = re.search(rb"PMI_RANK=(\d+)", environment(pid))[1].decode()
            self.assertIn(str(pid), str(d.do(f"[{rank}] gdb info inferiors")))
        d.do("set var gate = 0")
        d.do("continue")
        d.close()
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_ssh(self):
        """Own launch on hosts without a launcher, here through a real sshd."""
        words_ = self.sshd()
        d = self.session("--hosts", "n1:2,localhost,n2", "--ssh", " ".join(words_), "--host", "127.0.0.1", sdm.RING, "hang", "3")
        self.assertEqual(self.places(d, {0, 1, 2, 3}), {"ring.c": {0, 1, 2, 3}})
        parents = [words(p) for p in sdm.descendants(d.process.pid)]
        self.assertEqual(len([w for w in parents if w.startswith(b"ssh\0")]), 2)
        d.do("continue &")
        sdm.wait_until(lambda: d.status()["exited"] == {0, 1, 2}, "the others end")
        d.do("interrupt")
        self.assertEqual(d.output()[3], b"hello from everybody\n")
        servers = [int(p) for p in os.listdir("/proc") if p.isdigit() and words(p).startswith(sdm.SERVER.encode() + b"\0")]
        self.assertFalse([p for p in servers if re.search(rb"SDM_SECRET=[0-9a-f]", environment(p))])
        d.send("quit")
        self.assertEqual(d.close(), 0)


if __name__ == "__main__":
    sdm.main()
