"""A job that is saved as a whole, started by a DAP client: it stops at its breakpoints, what it writes comes, it is saved and taken back, and ends with
the session."""
import os
import subprocess
import unittest

import sdm
from dap import Client

RUN = os.path.join(sdm.BUILD, "mpir", "dvm-run")
SOURCE = os.path.realpath(os.path.join(sdm.SOURCE, "../mpi/exchange.c"))
LINE = sdm.line_of("long_out[step % LONG] += 3;", "../mpi/exchange.c")
N = 3

sdm.need("gdb", "mpicc")
if not os.access(RUN, os.X_OK) or subprocess.run(["unshare", "-Urpf", "true"], stderr=subprocess.DEVNULL).returncode:
    print("skipped: nobody may choose process numbers here")
    raise SystemExit(77)


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = sdm.Folder(prefix="dvm-dap-jobs")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = cls.folder.path("exchange")
        subprocess.run(["mpicc", "-g", "-O0", SOURCE, "-o", cls.program], check=True)

    def setUp(self):
        images = sdm.Folder(prefix="dvm-dap-jobs")
        self.addCleanup(images.cleanup)
        self.process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "DVMCR_DIR": images.name})
        self.addCleanup(self.end)
        self.client = Client(self.process.stdout, self.process.stdin)
        self.client.ask("initialize", adapterID="dvm")

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def good(self, command, **args):
        r = self.client.ask(command, **args)
        self.assertTrue(r["success"], (command, args, r))
        return r.get("body", {})

    def launch(self, **more):
        self.good("launch", program=self.program, launcher=RUN + " --checkpointable", ranks=N, **more)
        self.client.expect({"event": "capabilities", "body": {"capabilities": {"supportsRestartRequest": False}}})

    def numbers(self):
        """Of the processes, by rank."""
        return {t["id"]: int(self.good("evaluate", expression="(int)getpid()", context="watch",
                                       frameId=self.frame(t["id"])["id"])["result"]) for t in self.good("threads")["threads"]}

    def frame(self, thread):
        return self.good("stackTrace", threadId=thread)["stackFrames"][0]

    def step(self, thread):
        """A rank that has stopped meanwhile makes the frames of all others new."""
        while True:
            r = self.client.ask("evaluate", expression="step", frameId=self.frame(thread)["id"], context="watch")
            if r["success"]:
                return r["body"]["result"]
            self.assertIn("has continued since", r["message"])

    def stopped_at_line(self):
        thread = self.client.expect({"event": "stopped", "body": {"reason": "breakpoint"}})["body"]["threadId"]
        self.assertEqual(self.frame(thread)["line"], LINE)
        return thread

    def test_saved_and_taken_back(self):
        self.launch(args=["100000000"])
        self.good("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": LINE, "condition": "step > 2"}])
        self.good("configurationDone")
        thread = self.stopped_at_line()
        self.assertFalse([m for m in self.client.waiting if m.get("event") == "stopped" and m["body"]["reason"] == "entry"])
        before = self.step(thread)
        sdm.wait_until(lambda: len(self.good("threads")["threads"]) == N, "all stand")
        saved = self.good("dvm/checkpoint")["saved"]
        self.assertTrue(all(os.path.exists(s["handle"]) for s in saved), saved)
        self.client.waiting.clear()
        self.good("continue", threadId=thread)
        self.assertNotEqual(self.step(self.stopped_at_line()), before)
        self.good("dvm/restart", checkpoint=1)
        self.client.expect({"event": "stopped", "body": {"reason": "pause"}})
        self.assertEqual(self.step(thread), before)
        self.good("disconnect")

    def test_entry_output_and_end(self):
        self.launch(args=["3"], stopOnEntry=True)
        self.good("configurationDone")
        thread = [self.client.expect({"event": "stopped"})["body"]["threadId"] for _ in range(N)][0]
        self.assertEqual(self.frame(thread)["name"], "main")
        self.good("continue", threadId=thread)
        self.client.expect({"event": "terminated"})
        self.good("disconnect")
        said = "".join(m["body"]["output"] for m in self.client.waiting if m.get("event") == "output" and m["body"].get("category") == "stdout")
        self.assertIn("step", said)

    def test_ends_with_the_session(self):
        self.launch(args=["100000000"])
        self.good("setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": LINE}])
        self.good("configurationDone")
        self.stopped_at_line()
        pids = self.numbers().values()
        self.good("disconnect")
        for pid in pids:
            sdm.wait_until(lambda: not os.path.exists(f"/proc/{pid}/exe"), "the ranks have ended")

    def test_wrong(self):
        for words, why in (({"launcher": RUN + " --checkpointable", "ranks": 0}, "'ranks' takes a number of at least 1"),
                           ({"command": [RUN, "--checkpointable"]}, "'-n RANKS' is missing or wrong"),
                           ({"command": [RUN, "--checkpointable", "--nonsense", "-n", "2"]}, "has started 0 of 2 ranks")):
            self.client.send({"command": "launch", "arguments": {"program": self.program, **words}})
            r = self.client.expect({"type": "response", "command": "launch", "request_seq": self.client.seq})
            self.assertFalse(r["success"])
            self.assertIn(why, r["message"])
        self.client.expect({"event": "output", "body": {"category": "stderr"}})


sdm.main()
