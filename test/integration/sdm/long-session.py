"""Sessions of every kind live on after the servers' own limits, start-up and orphanhood, are over: these are for servers without
a parent.  SECONDS_HELD in the environment holds them for so long, with the usual limits (test/soak)."""
import os
import signal
import subprocess
import time
import unittest

import sdm
from dap import Client

HOLD = float(os.environ.get("SECONDS_HELD", 0))
START, ORPHAN = (60, 30) if HOLD else (4, 1)
LIMITS = [] if HOLD else ["--start-timeout", str(START), "--orphan", str(ORPHAN)]
DVMCC = os.path.join(sdm.BUILD, "driver", "dvmcc")


class LongSession(unittest.TestCase):
    """All kinds at once: the time is waited for once."""

    def enter(self, what):
        self.addCleanup(what.__exit__, None, None, None)
        return what.__enter__()

    def console(self, *words):
        d = self.enter(sdm.Debugger(*words, *LIMITS, sdm.RING, "hang", "0"))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        return d

    def attached(self):
        program = self.enter(sdm.Program(sdm.RING, "hang", "0"))
        sdm.wait_until(lambda: sdm.waits(program.pid), "the program sleeps in its loop")
        return self.enter(sdm.Debugger("--attach", str(program.pid), *LIMITS))

    def by_hand(self):
        folder = self.enter(sdm.Folder())
        secret = folder.write("secret", "5a" * 32 + "\n", 0o600)
        limits = [] if HOLD else ["--start-timeout", str(START * 1000), "--orphan", str(ORPHAN * 1000)]
        server = self.enter(sdm.Program(sdm.SERVER, "--host", "127.0.0.1", "--secret-file", secret, "--rank", "0", *limits))
        sdm.wait_until(lambda: sdm.listening(server.pid), "the server listens")
        table = folder.write("servers", f"0 127.0.0.1 {sdm.listening(server.pid)[0]}\n")
        return self.console("--servers", table, "--secret-file", secret)

    def batch(self):
        p = subprocess.Popen([sdm.DEBUG, "--batch", "--timeout", "4000", "-n", "2", "--launcher", "local", *LIMITS, sdm.RING, "hang", "1"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.poll() is None and p.kill(), p.wait(), p.stdout.close()))
        return p

    def inside(self):
        program = self.enter(sdm.Folder()).path("checked")
        subprocess.run([DVMCC, "-g", os.path.join(sdm.SOURCE, "checked.c"), "-o", program], check=True)
        d = self.enter(sdm.Debugger("--inside", "-n", "2", "--launcher", "local", *LIMITS, program))
        d.wait(lambda j: j.get("event") == "stopped", "the stop at the first construct")
        return d

    def adapter(self):
        p = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (p.poll() is None and p.kill(), p.wait(), p.stdin.close(), p.stdout.close()))
        c = Client(p.stdout, p.stdin)
        c.ask("initialize")
        limits = {} if HOLD else {"startTimeout": START, "orphan": ORPHAN}
        self.assertTrue(c.ask("launch", program=sdm.RING, ranks=2, launcher="local", stopOnEntry=True, **limits)["success"])
        c.ask("configurationDone")
        c.expect({"event": "stopped"})
        return p, c

    def test_beyond_all_limits(self):
        sessions = {"launched": self.console("-n", "3", "--launcher", "local"), "attached": self.attached(), "by hand": self.by_hand()}
        if os.path.exists(sdm.MPI_RING):
            sessions["mpirun"] = self.console("-n", "2")
        inside = self.inside() if os.path.exists(DVMCC) else None
        batch = self.batch()
        adapter, client = self.adapter()
        sdm.wait_until(lambda: any(sdm.waits(p) for p in sdm.descendants(batch.pid)), "rank 1 waits in the batch run")
        time.sleep(max(START + ORPHAN + 1, HOLD))  # a timer is what is looked for
        for name, d in sessions.items():
            with self.subTest(name):
                self.assertEqual([j for j in d.said if "lost" in j], [])
                classes, missing = d.answer("print 1")
                self.assertEqual((set(classes), missing), ({frozenset(d.status()["stopped"])}, {}))
                self.assertNotEqual(d.status()["stopped"], set())
                self.assertEqual(d.status()["dead"], set())
        if inside:
            self.assertEqual((inside.answer("dvm construct")[1], inside.status()["stopped"]), ({}, {0, 1}))
        self.assertIsNone(batch.poll(), "the batch run has ended")
        batch.send_signal(signal.SIGINT)
        self.assertIn("== interrupted", batch.communicate(timeout=sdm.LIMIT)[0])
        self.assertEqual(client.ask("evaluate", expression="1 + 1", context="watch", frameId=client.ask(
            "stackTrace", threadId=1)["body"]["stackFrames"][0]["id"])["body"]["result"], "2")
        client.ask("disconnect")
        self.assertEqual(adapter.wait(sdm.LIMIT), 0)


if __name__ == "__main__":
    sdm.main()
