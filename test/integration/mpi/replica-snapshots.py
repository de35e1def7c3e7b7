#!/usr/bin/env python3
"""replica-snapshots.py BUILD SOURCE [TRIALS [SEED]]: jobs whose ranks run twice are saved and restarted, by hand and by themselves; what they print is printed
once.  With TRIALS, so many runs with random deaths instead."""
import fcntl
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

BUILD, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
BIN = os.path.join(BUILD, "mpir")
TRIALS, SEED = (int(x) for x in (sys.argv[3:] + ["0", "1"][len(sys.argv[3:]):])[:2])
RANKS, ROUNDS = 3, 60
LONG = 60  # seconds for what ends within one on an idle machine


def replicas(pid):
    """Processes that are ranks of the job whose command is 'pid': (process, rank)."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as f:
                state, parent = f.read().rsplit(")", 1)[1].split()[:2]
            with open(f"/proc/{name}/environ") as f:
                words = dict(w.split("=", 1) for w in f.read().split("\0") if "=" in w)
        except OSError:
            continue
        if int(parent) == pid and state not in "ZX" and "DVM_MPI_RANK" in words:
            found.append((int(name), int(words["DVM_MPI_RANK"])))
    return sorted(found)


def main_of(pid, rank):
    return min(p for p, r in replicas(pid) if r == rank)


def waiting(pipe):
    """Bytes that nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait_for(what, seconds=LONG):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise AssertionError("nothing came of it")
        time.sleep(0.01)


class Job:
    def __init__(self, folder, options=(), program=(), command=None, stdin=subprocess.DEVNULL):
        self.folder = folder
        self.out, self.err = (os.path.join(folder, n) for n in ("out", "err"))
        paced = [f"{folder}/paced", str(ROUNDS), f"{folder}/gate", *(program or ["5"])]
        words = command or [f"{BIN}/dvm-run", "--replicate", "--checkpointable", "--checkpoint-dir", f"{folder}/saved", *options, "-n", str(RANKS),
                            *([f"{folder}/input"] if stdin == subprocess.PIPE else paced)]
        with open(self.out, "a") as out, open(self.err, "a") as err:
            self.process = subprocess.Popen(words, stdin=stdin, stdout=out, stderr=err, cwd=folder, preexec_fn=lambda: os.closerange(3, 256))

    def text(self, name="out"):
        with open(getattr(self, name)) as f:
            return f.read()

    def say(self, first, last, answered=None):
        """Numbers, one a line; each tenth is answered."""
        self.process.stdin.write("".join(f"{n}\n" for n in range(first, last + 1)).encode())
        self.process.stdin.flush()
        wait_for(lambda: self.process.poll() is not None or str(answered or last // 10 * 10) in self.text().split())

    def stands(self):
        wait_for(lambda: self.process.poll() is not None or all(f"rank {r} round {ROUNDS // 2}:" in self.text() for r in range(RANKS)))

    def has_shadows(self):
        wait_for(lambda: self.process.poll() is not None or len(replicas(self.process.pid)) == 2 * RANKS)

    def has_shadow(self, rank):
        wait_for(lambda: self.process.poll() is not None or sum(r == rank for _, r in replicas(self.process.pid)) == 2)

    def lose(self, rank):
        """Both at once: on a busy machine the second one would make itself a fresh shadow before it is killed, too."""
        lost = [pid for pid, r in replicas(self.process.pid) if r == rank]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in lost:
                kill(pid, number)

    def goes_on(self):
        """Opens the gate, again for each new life."""
        gate = os.path.join(self.folder, "gate")
        end = time.monotonic() + LONG
        while self.process.poll() is None:
            if not os.path.exists(gate):
                open(gate, "w").close()
            if time.monotonic() > end:
                self.end()
                raise AssertionError(f"it does not end: {self.text('err')}")
            time.sleep(0.02)
        return self.process.returncode

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def checkpoint(self, *options):
        r = subprocess.run([f"{BIN}/dvm-checkpoint", *options, str(self.process.pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if r.returncode:
            raise AssertionError(r.stderr)
        return r.stdout.strip()


def told(text):
    return sorted(line for line in text.splitlines() if line.startswith("told"))


class Case(unittest.TestCase):
    def saved(self):
        """Snapshots that are whole: others have names of their own."""
        try:
            return [n for n in os.listdir(f"{self.folder}/saved") if n.endswith(".ckpt")]
        except FileNotFoundError:
            return []

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="dvm-replica-snapshots")
        subprocess.run(["mpicc", "-g", "-O1", f"{SOURCE}/test/integration/mpi/paced.c", "-o", f"{cls.work.name}/paced"], check=True)
        subprocess.run(["mpicc", "-g", "-O1", f"{SOURCE}/test/integration/mpi/input.c", "-o", f"{cls.work.name}/input"], check=True)
        open(f"{cls.work.name}/gate", "w").close()
        r = subprocess.run([f"{BIN}/dvm-run", "-n", str(RANKS), "./paced", str(ROUNDS), "gate", "0"], cwd=cls.work.name, capture_output=True, text=True)
        cls.expected = (sorted(r.stdout.splitlines()), told(r.stderr))

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.work.name)
        os.mkdir(f"{self.folder}/saved")
        for program in ("paced", "input"):
            os.link(f"{self.work.name}/{program}", f"{self.folder}/{program}")

    def start(self, *options, **more):
        job = Job(self.folder, options, **more)
        self.addCleanup(job.end)
        return job

    def assert_same(self, job):
        self.assertEqual((sorted(job.text().splitlines()), told(job.text("err"))), self.expected, job.text("err"))


class Snapshots(Case):
    def test_goes_back_by_itself(self):
        for protocol in ("shared", "receiver-forwarding", "sender-forwarding"):
            with self.subTest(protocol=protocol):
                self.setUp()
                job = self.start("--protocol", protocol)
                job.stands()
                job.checkpoint()
                for rank in (1, 0):
                    job.has_shadows()
                    before = job.text("err").count("goes on from its last snapshot")
                    job.lose(rank)
                    wait_for(lambda: job.text("err").count("goes on from its last snapshot") > before or job.process.poll() is not None)
                self.assertEqual(job.goes_on(), 0, job.text("err"))
                self.assert_same(job)
                self.assertEqual(job.text("err").count("goes on from its last snapshot"), 2)

    def test_shadows_are_there_after_a_restart(self):
        job = self.start("--check")
        job.stands()
        job.checkpoint()
        job.has_shadows()
        job.lose(2)
        wait_for(lambda: "goes on from" in job.text("err"))
        job.has_shadows()
        kill(next(pid for pid, rank in replicas(job.process.pid) if rank == 0))
        wait_for(lambda: "rank 0's main was killed by signal 9 (Killed); its shadow takes over" in job.text("err").split("goes on from")[1])
        self.assertEqual(job.goes_on(), 0, job.text("err"))
        self.assert_same(job)

    def test_saved_and_ended_and_restarted(self):
        job = self.start()
        job.stands()
        image = job.checkpoint("--kill")
        self.assertEqual(job.process.wait(LONG), 128 + signal.SIGKILL)
        self.assertNotIn("its shadow takes over", job.text("err"))
        again = self.start(command=[f"{BIN}/dvm-restart", image])
        self.assertEqual(again.goes_on(), 0, again.text("err"))
        self.assert_same(again)

    def test_in_a_namespace_without_shadows(self):
        job = self.start()
        job.stands()
        image = job.checkpoint("--kill")
        job.process.wait(LONG)
        again = self.start(command=[f"{BIN}/dvm-restart", "--namespace", image])
        self.assertEqual(again.goes_on(), 0, again.text("err"))
        self.assertIn("the ranks go on without shadows", again.text("err"))
        self.assert_same(again)

    def test_a_program_that_crashes_each_time_ends(self):
        job = self.start(program=["2", str(ROUNDS // 2 + 3)])
        job.stands()
        job.checkpoint()
        self.assertEqual(job.goes_on(), 68, job.text("err"))
        self.assertIn("so the program itself is the likely cause", job.text("err"))
        self.assertIn("which is not restarted again", job.text("err"))

    def test_without_a_snapshot(self):
        job = self.start()
        job.stands()
        job.has_shadows()
        job.lose(1)
        self.assertEqual(job.process.wait(LONG), 68)
        self.assertNotIn("goes on from its last snapshot", job.text("err"))

    def test_again_and_again(self):
        job = self.start("--checkpoint-every", "1", "--keep", "2")
        job.stands()
        wait_for(lambda: len(self.saved()) == 2)
        job.has_shadows()
        job.lose(1)
        wait_for(lambda: "goes on from" in job.text("err"))
        known = set(self.saved())
        wait_for(lambda: set(self.saved()) - known)  # the clock goes on, too
        self.assertEqual(job.goes_on(), 0, job.text("err"))
        self.assert_same(job)


class Input(Case):
    """What rank 0 reads of a pipe, each line once."""

    def assert_sum(self, job, n):
        answers = [str(i) for i in range(10, n + 1, 10)]
        self.assertEqual(job.text().splitlines(), answers + [f"{n} lines, {n * (n + 1) // 2 * RANKS * (RANKS + 1) // 2}"], job.text("err"))

    def test_goes_back_by_itself(self):
        job = self.start(stdin=subprocess.PIPE)
        job.say(1, 25)
        job.checkpoint()
        job.say(26, 47)
        job.has_shadows()
        job.lose(0)
        wait_for(lambda: "goes on from" in job.text("err"))
        job.say(48, 61)
        job.has_shadow(1)  # rank 0 only sends now, and makes none
        job.lose(1)
        wait_for(lambda: job.text("err").count("goes on from") == 2)
        job.say(62, 70)
        job.checkpoint()
        job.say(71, 80)
        job.has_shadow(2)
        job.lose(2)
        job.say(81, 99)
        job.process.stdin.close()
        self.assertEqual(job.process.wait(LONG), 0, job.text("err"))
        self.assert_sum(job, 99)

    def test_restarted_with_what_follows(self):
        job = self.start(stdin=subprocess.PIPE)
        job.say(1, 20000, answered=10)
        wait_for(lambda: not waiting(job.process.stdin))
        image = job.checkpoint("--kill")
        self.assertEqual(job.process.wait(LONG), 128 + signal.SIGKILL)
        job.process.stdin.close()
        self.assertNotIn("20000", job.text().split())
        again = self.start(command=[f"{BIN}/dvm-restart", image], stdin=subprocess.PIPE)
        again.say(20001, 20040)
        again.has_shadow(1)
        kill(main_of(again.process.pid, 1))
        again.say(20041, 20050)
        again.process.stdin.close()
        self.assertEqual(again.process.wait(LONG), 0, again.text("err"))
        self.assert_sum(again, 20050)

    def test_much(self):
        job = self.start("--checkpoint-every", "1", stdin=subprocess.PIPE)
        for n in range(1, 300000, 30000):
            job.say(n, n + 29999)
        wait_for(lambda: self.saved())
        job.has_shadows()
        job.lose(0)
        job.process.stdin.close()
        self.assertEqual(job.process.wait(LONG), 0, job.text("err"))
        self.assert_sum(job, 300000)


class Random(Case):
    def test_deaths(self):
        rnd = random.Random(SEED)
        for trial in range(TRIALS):
            self.setUp()
            protocol = rnd.choice(("shared", "receiver-forwarding", "sender-forwarding"))
            job = self.start("--protocol", protocol, "--checkpoint-every", "1", *rnd.choice(((), ("--check",))), program=[str(rnd.randrange(30, 60))])
            wait_for(lambda: self.saved() or job.process.poll() is not None)
            for _ in range(4):
                time.sleep(rnd.uniform(0, 1.5))
                rank, both = rnd.randrange(RANKS), rnd.random() < 0.6
                for pid in [p for p, r in replicas(job.process.pid) if r == rank][:2 if both else 1]:
                    kill(pid)
            status = job.goes_on()
            print(f"trial {trial}: {protocol}, status {status}, {job.text('err').count('goes on from')} times from a snapshot, "
                  f"{job.text('err').count('its shadow takes over')} takeovers", flush=True)
            self.assertEqual(status, 0, job.text("err"))
            self.assert_same(job)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], defaultTest=["Random"] if TRIALS else ["Snapshots", "Input"])
