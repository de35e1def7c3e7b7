"""Checkpoints for DAP clients: requests of their own, typed commands, one from outside; threads and frames are right afterwards."""
import os
import subprocess
import unittest

import sdm
from dap import Client

STEPS = os.path.join(sdm.BUILD, "test", "integration", "mpir", "mpir_steps")
SOURCE = os.path.realpath(os.path.join(sdm.SOURCE, "../mpir/steps.c"))
CHECKPOINT = os.path.join(sdm.BUILD, "mpir", "dvm-checkpoint")
STEP = sdm.line_of("void step(unsigned self)", "../mpir/steps.c")

sdm.need("gdb")
if not os.access(CHECKPOINT, os.X_OK) or subprocess.run(["unshare", "-Urpf", "true"], stderr=subprocess.DEVNULL).returncode:
    print("skipped: nobody may choose process numbers here")
    raise SystemExit(77)


class Checkpoints(unittest.TestCase):
    def setUp(self):
        self.folder = sdm.Folder(prefix="dvm-checkpoints")
        self.addCleanup(self.folder.cleanup)

    def start(self, request, **args):
        process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end, process)
        c = Client(process.stdout, process.stdin)
        c.ask("initialize", adapterID="dvm")
        self.good(c, request, **args)
        return c

    @staticmethod
    def end(process):
        process.stdin.close()
        process.wait()
        process.stdout.close()

    def good(self, c, command, **args):
        r = c.ask(command, **args)
        self.assertTrue(r["success"], (command, args, r))
        return r.get("body", {})

    def threads(self, c):
        return [t["id"] for t in self.good(c, "threads")["threads"]]

    def look(self, c, thread):
        """Where a thread stands and what has been counted."""
        frame = self.good(c, "stackTrace", threadId=thread)["stackFrames"][0]
        counts = self.good(c, "evaluate", expression="counts", frameId=frame["id"], context="watch")["result"]
        return frame["name"], frame["line"], counts

    def test_all(self):
        c = self.start("launch", program=STEPS, args=["3", "3000000", "20000"], checkpointDir=self.folder.name)
        self.good(c, "setBreakpoints", source={"path": SOURCE}, breakpoints=[{"line": STEP, "condition": "self == 2 && counts[self] > 3"}])
        self.good(c, "configurationDone")
        thread = c.expect({"event": "stopped", "body": {"reason": "breakpoint"}})["body"]["threadId"]
        pid = int(self.good(c, "evaluate", expression="(int)getpid()", context="watch")["result"])
        before, ids = self.look(c, thread), self.threads(c)
        self.assertEqual(len(ids), 3)  # the checkpointer's own is none of the program's

        saved = self.good(c, "dvm/checkpoint")["saved"]
        self.assertTrue(os.path.exists(saved[0]["handle"]))
        thread = c.expect({"event": "stopped", "body": {"description": "saved"}})["body"]["threadId"]
        self.assertIn(thread, self.threads(c))
        self.assertEqual(self.look(c, thread), before)

        done = subprocess.run([CHECKPOINT, str(pid)], capture_output=True, text=True, timeout=100, check=False,
                              env={**os.environ, "DVMCR_DIR": self.folder.name})
        self.assertEqual(done.returncode, 0, done.stderr)
        c.expect({"event": "output", "body": {"output": f"[0] saved as checkpoint 2: {done.stdout.strip()}\n"}})
        thread = c.expect({"event": "stopped", "body": {"description": "saved"}})["body"]["threadId"]
        self.assertEqual(self.look(c, thread), before)

        images = self.good(c, "dvm/checkpoints")["images"]
        self.assertEqual([i["checkpoint"] for i in images if "checkpoint" in i], [1, 2])
        self.good(c, "continue", threadId=thread)
        thread = c.expect({"event": "stopped", "body": {"reason": "breakpoint"}})["body"]["threadId"]
        self.assertNotEqual(self.look(c, thread), before)
        self.good(c, "dvm/restart", checkpoint=1)
        thread = c.expect({"event": "stopped", "body": {"reason": "pause"}})["body"]["threadId"]
        self.assertIn(thread, self.threads(c))
        self.assertEqual(self.look(c, thread), before)
        self.good(c, "continue", threadId=thread)
        c.expect({"event": "stopped", "body": {"reason": "breakpoint"}})
        said = self.good(c, "evaluate", expression="`restart 2", context="repl")["result"]
        self.assertIn("restarted from checkpoint 2", said)
        thread = c.expect({"event": "stopped", "body": {"reason": "pause"}})["body"]["threadId"]
        self.assertEqual(self.look(c, thread), before)
        self.assertFalse(c.ask("dvm/restart", checkpoint=7)["success"])
        self.good(c, "disconnect")

        again = self.start("attach", restart=saved[0]["handle"])
        self.good(again, "configurationDone")
        thread = again.expect({"event": "stopped"})["body"]["threadId"]
        self.assertEqual(self.look(again, thread), before)
        self.good(again, "disconnect", terminateDebuggee=True)


sdm.main()
