"""`dvm debug --batch`: silent about a good run, a report with merged stacks for a hang, a crash, a bad exit."""
import json
import os
import signal
import subprocess
import unittest

import sdm


def batch(*words, json_lines=False, timeout="20"):
    r = subprocess.run([sdm.DEBUG, "--batch", "--timeout", timeout, "--launcher", "local", "-n", "3",
                        *(["--json"] if json_lines else []), sdm.RING, *words],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * sdm.LIMIT)
    report = [line for line in r.stdout.splitlines() if not line.startswith("[")]  # without the program's output
    return r.returncode, [json.loads(j) for j in r.stdout.splitlines()] if json_lines else report


class Batch(unittest.TestCase):
    def test_good(self):
        self.assertEqual(batch(), (0, []))

    def test_hang(self):
        status, report = batch("hang", "1", timeout="2")
        self.assertEqual(status, 3)
        line = sdm.line_of("wait_here();")
        self.assertEqual(report[:2], ["== still running at the time limit", "{0,2} 2  exited with status 0"])
        self.assertRegex(report[2], r"^\{1\} stopped \(interrupted\) in ")
        self.assertEqual(report[3:5], ["== merged stacks", f"main ring.c:{line}  {{1}} 1"])
        self.assertRegex(report[5], r"^  wait_here ring\.c:\d+  \{1\} 1$")

    def test_crash(self):
        status, report = batch("crash", "0")
        self.assertEqual(status, 1)
        self.assertEqual(report[0], "== stopped by a signal")
        self.assertTrue(any(line.startswith("{0} got SIGABRT in ") for line in report), report)
        at = report.index("== local variables, innermost frame with source")
        self.assertIn("  rank = 0", report[at:])

    def test_abort(self):
        """Open MPI kills all servers when a program aborts: it has to be stopped before."""
        if not os.path.exists(sdm.MPI_RING):
            self.skipTest("no MPI here")
        for how, line in (("abort", "MPI_Abort(MPI_COMM_WORLD, 4);"), ("wrong", "MPI_Send(&rank")):
            r = subprocess.run([sdm.DEBUG, "--batch", "--timeout", "50", "-n", "2", sdm.MPI_RING, how, "1"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * sdm.LIMIT)
            report = r.stdout.splitlines()
            self.assertEqual((r.returncode, [x for x in report if x.startswith("==")][0]), (1, "== ended by MPI_Abort"), r.stdout)
            number = sdm.line_of(line, "mpi_ring.c")
            self.assertIn(f"main mpi_ring.c:{number}  {{1}} 1", report)

    def test_others_wait(self):
        """Who waits for a rank that has ended badly would wait for the whole time limit."""
        if not os.path.exists(sdm.MPI_RING):
            self.skipTest("no MPI here")
        for how, said in (("leave", "{1} exited with status 3"), ("kill", "{1} killed by SIGKILL")):
            r = subprocess.run([sdm.DEBUG, "--batch", "--timeout", "3000", "-n", "2", sdm.MPI_RING, how, "1"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * sdm.LIMIT)
            report = r.stdout.splitlines()
            self.assertEqual((r.returncode, report[:2]), (1, ["== failed; those that did not end within 5 seconds were stopped", said]))
            self.assertRegex(report[2], r"^\{0\} stopped \(interrupted\) in ")
            number = sdm.line_of("MPI_Sendrecv_replace", "mpi_ring.c")
            self.assertTrue([x for x in report if f"exchange mpi_ring.c:{number}  {{0}} 1" in x], r.stdout)

    def test_interrupt(self):
        """^C ends it at once, with the report; nothing is left."""
        p = subprocess.Popen([sdm.DEBUG, "--batch", "--timeout", "3000", "--launcher", "local", "-n", "2", sdm.RING, "hang", "1"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            said = [p.stdout.readline()]  # they run
            below = sdm.descendants(p.pid)
            self.assertTrue(below)
            p.send_signal(signal.SIGINT)
            said += p.communicate(timeout=sdm.LIMIT)[0].splitlines()
        finally:
            p.kill()
            p.wait()
        self.assertEqual(p.returncode, 130)
        self.assertIn("== interrupted", said)
        self.assertTrue([x for x in said if "1} " in x and "stopped (interrupted) in " in x], said)
        sdm.wait_until(lambda: all(sdm.gone(d) for d in below), "servers, debuggers and programs end")

    def test_json(self):
        status, said = batch("crash", "2", json_lines=True)
        self.assertEqual(status, 1)
        self.assertEqual([j["report"] for j in said if "report" in j], ["stopped by a signal"])
        tree = [j for j in said if "tree" in j][0]["tree"]
        self.assertEqual((tree["ranks"], tree["children"][0]["name"].split()[0]), ("2", "main"))

    def test_exit_status(self):
        status, report = batch("fail", "1")
        self.assertEqual((status, report[0]), (1, "== failed"))
        self.assertIn("{1} exited with status 7", report)
        self.assertIn("{0,2} 2  exited with status 0", report)


if __name__ == "__main__":
    sdm.main()
