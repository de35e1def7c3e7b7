"""The DAP adapter: a recorded conversation over standard input and output, the same over TCP, hostile bytes, classes of
ranks instead of threads."""
import json
import os
import re
import socket
import subprocess
import unittest

import sdm
from dap import Client


def filled(node, names):
    if isinstance(node, dict):
        return {k: filled(v, names) for k, v in node.items()}
    if isinstance(node, list):
        return [filled(v, names) for v in node]
    if isinstance(node, str):
        line = re.fullmatch(r"LINE\((.*)\)", node)
        return sdm.line_of(line[1]) if line else names.get(node, node)
    return node


def play(client):
    fixed = {"PROGRAM": sdm.RING, "SOURCE": os.path.join(sdm.SOURCE, "ring.c")}
    with open(os.path.join(sdm.SOURCE, "dap.conversation")) as f:
        for number, line in enumerate(f, 1):
            if line[0] == ">":
                client.send(filled(json.loads(line[1:]), {**fixed, **client.names}))
            elif line[0] == "<":
                client.expect(filled(json.loads(line[1:]), fixed), f"line {number}")


class Dap(unittest.TestCase):
    def adapter(self, *words):
        p = subprocess.Popen([sdm.DEBUG, "--dap", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        self.addCleanup(lambda: (p.poll() is None and p.kill(), p.wait(), p.stdin.close(), p.stdout.close(), p.stderr.close()))
        return p

    def test_conversation(self):
        p = self.adapter()
        play(Client(p.stdout, p.stdin))
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_tcp_and_attach(self):
        p = self.adapter("--listen", "0")
        port, token = re.search(r":(\d+), token (\w+)", p.stderr.readline().decode()).groups()
        with sdm.Program(sdm.RING, "hang", "0") as program, socket.create_connection(("127.0.0.1", port)) as s:
            sdm.wait_until(lambda: sdm.waits(program.pid), "the program sleeps in its loop")
            c = Client(s.makefile("rb"), s.makefile("wb"))
            self.assertTrue(c.ask("initialize")["success"])
            self.assertFalse(c.ask("attach", pid=0, token=token)["success"])
            self.assertTrue(c.ask("attach", pid=program.pid, token=token)["success"])
            c.expect({"event": "stopped"})
            frames = c.ask("stackTrace", threadId=1)["body"]["stackFrames"]
            self.assertEqual([f["name"] for f in frames][-2:], ["wait_here", "main"])
            self.assertEqual(c.ask("evaluate", expression="gate", frameId=frames[-1]["id"])["body"]["result"], "1")
            self.assertTrue(c.ask("evaluate", expression="`set var gate = 0", context="repl")["success"])
            c.ask("disconnect")
            self.assertEqual(program.wait(sdm.LIMIT), 0)
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_core(self):
        """A core says its program, which signal it was and where; what cannot be opened is refused."""
        with sdm.Folder() as f:
            core = f.path("core")
            subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", "run", "-ex", f"generate-core-file {core}", "--args", sdm.RING, "crash", "0"],
                           check=True, capture_output=True)
            for program, named in ((None, True), ("/bin/true", False)):
                p = self.adapter()
                c = Client(p.stdout, p.stdin)
                c.ask("initialize")
                self.assertTrue(c.ask("attach", core=[core], **({"program": program} if program else {}))["success"])
                c.expect({"event": "stopped", "body": {"reason": "exception", "text": "SIGABRT", "threadId": 1}})
                if not named:
                    c.expect({"event": "output", "body": {"category": "important", "output": "[0] warning: the core file may be from a different "
                              "program, or from this one before it was rebuilt\n"}})
                c.ask("configurationDone")
                frames = c.ask("stackTrace", threadId=1)["body"]["stackFrames"]
                self.assertEqual("main" in [x["name"] for x in frames], named, frames)
                c.ask("disconnect")
                self.assertEqual(p.wait(sdm.LIMIT), 0)
            p = self.adapter()
            c = Client(p.stdout, p.stdin)
            c.ask("initialize")
            refused = c.ask("attach", core=[__file__])
            self.assertEqual((refused["success"], "not a core dump" in refused["message"]), (False, True), refused)
            c.ask("disconnect")
            self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_checked_program(self):
        """A program of dvmcc: diagnostics as exceptions, and a scope of what its run-time library knows."""
        dvmcc = os.path.join(sdm.BUILD, "driver", "dvmcc")
        if not os.path.exists(dvmcc):
            self.skipTest("no dvmcc in this build")
        folder = sdm.Folder()
        self.addCleanup(folder.cleanup)
        program = folder.path("checked")
        subprocess.run([dvmcc, "-g", os.path.join(sdm.SOURCE, "checked.c"), "-o", program], check=True)
        p = self.adapter()
        c = Client(p.stdout, p.stdin)
        self.assertIn("dvm", [f["filter"] for f in c.ask("initialize")["body"]["exceptionBreakpointFilters"]])
        self.assertTrue(c.ask("launch", program=program, ranks=2, launcher="local")["success"])
        self.assertTrue(c.ask("setExceptionBreakpoints", filters=["dvm", "signals"])["success"])
        c.ask("configurationDone")
        stop = c.expect({"event": "stopped", "body": {"reason": "exception", "threadId": 1}})["body"]
        self.assertIn("'A[0][0]' is read from the shadow edge", stop["text"])
        frame = c.ask("stackTrace", threadId=1)["body"]["stackFrames"][0]
        self.assertEqual(frame["name"], "main")
        scopes = {s["name"]: s["variablesReference"] for s in c.ask("scopes", frameId=frame["id"])["body"]["scopes"]}
        facts = self.parts(c, scopes["DVM"])
        self.assertEqual(set(facts), {"construct", "arrays", "shadow", "diagnostics", "stats"})
        arrays = self.parts(c, facts["arrays"]["variablesReference"])
        self.assertTrue(arrays["A"]["value"].startswith("double align([i][j] with T[i][j]) [1:1][1:1]"), arrays["A"])
        loop = self.parts(c, self.parts(c, facts["construct"]["variablesReference"])["[0]"]["variablesReference"])
        self.assertEqual(self.parts(c, loop["indices"]["variablesReference"])["i"]["value"], "1")
        self.assertEqual(self.parts(c, self.parts(c, facts["shadow"]["variablesReference"])["B"]["variablesReference"])["state"]["value"],
                         "renewed")
        self.assertTrue(c.ask("setExceptionBreakpoints", filters=[])["success"])
        c.ask("terminate")
        c.ask("disconnect")
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def parts(self, c, reference):
        return {v["name"]: v for v in c.ask("variables", variablesReference=reference)["body"]["variables"]}

    def test_classes(self):
        """Above the limit a thread is a class of ranks at one place."""
        p = self.adapter()
        c = Client(p.stdout, p.stdin)
        c.ask("initialize")
        self.assertTrue(c.ask("launch", program=sdm.RING, args=["hang", "4"], ranks=6, launcher="local", classLimit=4,
                              stopOnEntry=True)["success"])
        c.ask("configurationDone")
        main = f"6 ranks 0-5: main at ring.c:{sdm.line_of('getenv')}"
        sdm.wait_until(lambda: [t["name"] for t in c.ask("threads")["body"]["threads"]] == [main], "all are in main")
        c.ask("setFunctionBreakpoints", breakpoints=[{"name": "wait_here"}])
        end = sdm.line_of("return 0;")
        c.ask("setBreakpoints", source={"path": os.path.join(sdm.SOURCE, "ring.c")}, breakpoints=[{"line": end}])
        self.assertTrue(c.ask("continue", threadId=1)["success"])
        c.expect({"event": "stopped", "body": {"threadId": 4001, "dvmRanks": "4"}})
        sdm.wait_until(lambda: [t["id"] for t in c.ask("threads")["body"]["threads"]] == [1, 4001], "two classes")
        c.ask("disconnect")
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_hostile_bytes(self):
        for text in (b"\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b"A" * 100000,
                     b"Content-Length: 4\r\n\r\n[1]x", b"Content-Length: -1\r\n\r\n"):
            p = self.adapter()
            out, _ = p.communicate(text, timeout=sdm.LIMIT)
            self.assertEqual((p.returncode, out), (0, b""), text[:40])
        p = self.adapter()  # what is an object but no request is passed over
        out, _ = p.communicate(b'Content-Length: 2\r\n\r\n{}Content-Length: 42\r\n\r\n{"seq":1,"type":"request","command":"x"}   ')
        self.assertIn(b"is not supported", out)


if __name__ == "__main__":
    sdm.main()
