"""Every request that the adapter says it can do, with a C++ program: what variables hold, memory, machine code, exceptions."""
import base64
import os
import subprocess
import time
import unittest

import sdm
from dap import Client

HANDLER = os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_handler")
VALUES = os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_values")
SOURCE = os.path.join(sdm.SOURCE, "values.cc")
WAITS = os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_mpi_waits")


def line(text):
    return sdm.line_of(text, "values.cc")


class Requests(unittest.TestCase):
    def start(self, *args, ranks=2, filters=("signals",), breakpoints=(), functions=()):
        self.process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end, self.process)
        c = Client(self.process.stdout, self.process.stdin)
        self.can = c.ask("initialize", adapterID="dvm")["body"]
        self.good(c, "launch", program=VALUES, args=list(args), ranks=ranks, launcher="local")
        self.set = self.good(c, "setBreakpoints", source={"path": SOURCE}, breakpoints=list(breakpoints))["breakpoints"]
        if functions:
            self.good(c, "setFunctionBreakpoints", breakpoints=[{"name": f} for f in functions])
        self.good(c, "setExceptionBreakpoints", filters=list(filters))
        self.good(c, "configurationDone")
        return c

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def good(self, c, command, **args):
        r = c.ask(command, **args)
        self.assertTrue(r["success"], (command, args, r))
        return r.get("body", {})

    def bad(self, c, command, **args):
        r = c.ask(command, **args)
        self.assertFalse(r["success"], (command, args, r))
        return r["message"]

    def stopped(self, c, reason, ranks=(0, 1)):
        """All ranks have stopped for this reason."""
        return [c.expect({"event": "stopped", "body": {"reason": reason, "threadId": 1000 * r + 1}})["body"] for r in ranks]

    def frame(self, c, thread=1, level=0):
        return self.good(c, "stackTrace", threadId=thread)["stackFrames"][level]

    def scope(self, c, frame, name):
        return {s["name"]: s["variablesReference"] for s in self.good(c, "scopes", frameId=frame["id"])["scopes"]}[name]

    def parts(self, c, reference, **page):
        return {v["name"]: v for v in self.good(c, "variables", variablesReference=reference, **page)["variables"]}

    def unfold(self, c, v, *names):
        for name in names:
            v = self.parts(c, v["variablesReference"])[name]
        return v

    def at_values(self):
        c = self.start(breakpoints=[{"line": line("all are there")}])
        self.stopped(c, "breakpoint")
        frame = self.frame(c, 1001)
        return c, frame, self.parts(c, self.scope(c, frame, "Locals"))

    def test_values(self):
        c, frame, v = self.at_values()
        self.assertEqual(v["d"]["type"], "Derived")
        self.assertEqual(self.unfold(c, v["d"], "<Base>", "id")["value"], "7")  # the part, not the object again
        self.assertEqual(self.unfold(c, v["d"], "<Other>", "weight")["value"], "2.5")
        self.assertEqual(self.unfold(c, v["d"], "grid", "[1]", "[2]")["value"], "6")
        self.assertEqual(self.unfold(c, v["d"], "grid", "[1]", "[2]")["evaluateName"], "d.grid[1][2]")
        self.assertEqual(self.unfold(c, v["b"], "grid", "[0]")["value"], "{1, 2, 3}")  # as the class that it is of
        self.assertEqual(self.unfold(c, v["r"], "name")["value"], '"derived"')
        self.assertEqual([p["value"] for p in self.parts(c, v["v"]["variablesReference"]).values()], ["10", "20", "30"])
        self.assertEqual((v["v"]["indexedVariables"], v["m"]["indexedVariables"]), (3, 2))
        self.assertEqual(self.unfold(c, v["m"], '["two"]', "[1]")["value"], "3.5")
        self.assertEqual(self.unfold(c, v["owner"], "get()", "<Other>", "weight")["value"], "2.5")
        self.assertEqual([p["value"] for p in self.parts(c, v["l"]["variablesReference"]).values()], ["1", "2"])
        self.assertEqual(self.unfold(c, v["ppx"], "*ppx", "**ppx")["value"], "5")
        self.assertEqual((v["text"]["variablesReference"], v["text"]["type"]), (0, "const char *"))
        self.assertIn('"hello"', v["text"]["value"])

    def test_large_array(self):
        c, frame, _ = self.at_values()
        big = self.parts(c, self.scope(c, frame, "Globals of the file"))["big"]
        self.assertEqual(big["indexedVariables"], 1 << 20)
        page = self.parts(c, big["variablesReference"], filter="indexed", start=999999, count=3)
        self.assertEqual([(p["name"], p["value"]) for p in page.values()], [("[999999]", "0"), ("[1000000]", "42"), ("[1000001]", "0")])
        self.assertEqual(self.parts(c, big["variablesReference"], filter="indexed", start=1 << 20, count=100), {})
        self.assertEqual(self.good(c, "setVariable", variablesReference=big["variablesReference"], name="[1000000]", value="x + 1")["value"],
                         "6")
        self.assertEqual(self.good(c, "evaluate", expression="big[1000000]", frameId=frame["id"])["result"], "6")
        data = self.good(c, "readMemory", memoryReference=big["memoryReference"], offset=0, count=8 << 20)["data"]
        self.assertEqual(len(base64.b64decode(data)), 8 << 20)

    def test_setting(self):
        c, frame, v = self.at_values()
        self.assertEqual(self.good(c, "setVariable", variablesReference=v["d"]["variablesReference"], name="low", value="2")["value"], "2")
        self.assertEqual(self.unfold(c, v["d"], "high")["value"], "9")  # the neighbour in the same word
        m = self.unfold(c, v["m"], '["two"]')
        self.good(c, "setVariable", variablesReference=m["variablesReference"], name="[0]", value="9.25")
        self.assertEqual(self.unfold(c, v["m"], '["two"]', "[0]")["value"], "9.25")
        self.assertEqual(self.good(c, "setExpression", expression="d.grid[1][2]", value="10 * x", frameId=frame["id"])["value"], "50")
        self.assertIn("no variable", self.bad(c, "setVariable", variablesReference=v["d"]["variablesReference"], name="none", value="2"))
        other = self.frame(c, 1)
        self.assertEqual(self.good(c, "evaluate", expression="d.grid[1][2]", frameId=other["id"])["result"], "6")  # on that rank alone
        shown = self.good(c, "evaluate", expression="x", frameId=frame["id"], format={"hex": True})
        self.assertEqual(shown["result"], "0x5")

    def test_registers(self):
        c, frame, _ = self.at_values()
        registers = self.parts(c, self.scope(c, frame, "Registers"))
        self.assertEqual(int(registers["rip"]["memoryReference"].partition(":")[2] or "0", 16) if "memoryReference" in registers["rip"]
                         else int(self.good(c, "evaluate", expression="(unsigned long)$rip", frameId=frame["id"])["result"]),
                         int(frame["instructionPointerReference"].partition(":")[2], 16))
        self.good(c, "setVariable", variablesReference=self.scope(c, frame, "Registers"), name="rbx", value="0x1234")
        self.assertEqual(self.good(c, "evaluate", expression="$rbx", frameId=frame["id"])["result"], "4660")

    def test_memory(self):
        c, frame, v = self.at_values()
        data = self.good(c, "readMemory", memoryReference=v["x"]["memoryReference"], count=4)["data"]
        self.assertEqual(int.from_bytes(base64.b64decode(data), "little"), 5)
        written = self.good(c, "writeMemory", memoryReference=v["x"]["memoryReference"], data=base64.b64encode((77).to_bytes(4, "little")).decode())
        self.assertEqual(written["bytesWritten"], 4)
        self.assertEqual(self.good(c, "evaluate", expression="x", frameId=frame["id"])["result"], "77")
        self.assertEqual(self.good(c, "evaluate", expression="x", frameId=self.frame(c, 1)["id"])["result"], "5")
        self.bad(c, "writeMemory", memoryReference=v["x"]["memoryReference"], data="?!")
        nothing = self.good(c, "readMemory", memoryReference="0x10", count=4)
        self.assertEqual((nothing["data"], nothing["unreadableBytes"]), ("", 4))

    def test_machine_code(self):
        c, frame, _ = self.at_values()
        at = frame["instructionPointerReference"]
        code = self.good(c, "disassemble", memoryReference=at, instructionOffset=-2, instructionCount=5)["instructions"]
        self.assertEqual(len(code), 5)
        self.assertEqual(int(code[2]["address"], 16), int(at.partition(":")[2], 16))
        self.assertEqual((code[2]["line"], code[2]["location"]["path"]), (line("all are there"), SOURCE))
        for first, second in zip(code, code[1:]):
            self.assertEqual(int(first["address"], 16) + len(first["instructionBytes"].split()), int(second["address"], 16))
        self.good(c, "next", threadId=1001, granularity="instruction")
        self.stopped(c, "step")
        self.assertEqual(int(self.frame(c, 1001)["instructionPointerReference"].partition(":")[2], 16), int(code[3]["address"], 16))
        self.good(c, "setInstructionBreakpoints", breakpoints=[{"instructionReference": code[4]["address"]}])
        self.good(c, "continue", threadId=1)
        self.stopped(c, "breakpoint")
        self.assertEqual(int(self.frame(c, 1)["instructionPointerReference"].partition(":")[2], 16), int(code[4]["address"], 16))
        self.good(c, "stepIn", threadId=1, granularity="instruction")
        self.stopped(c, "step")

    def test_exceptions(self):
        c = self.start("throw", filters=["throw"], breakpoints=[])
        stop = self.stopped(c, "exception")[0]
        self.assertEqual(stop["text"], "C++ throw")
        info = self.good(c, "exceptionInfo", threadId=1)
        self.assertEqual(info["exceptionId"], "throw")
        names = [f["name"] for f in self.good(c, "stackTrace", threadId=1)["stackFrames"]]
        self.assertIn("complain", names)
        self.good(c, "setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": "catch"}])
        self.good(c, "continue", threadId=1)
        self.assertEqual(self.stopped(c, "exception")[0]["text"], "C++ catch")
        self.good(c, "setExceptionBreakpoints", filters=[])
        self.good(c, "continue", threadId=1)
        c.expect({"event": "terminated"})

    def test_signals(self):
        c = self.start("crash", ranks=1)
        self.assertEqual(self.stopped(c, "exception", [0])[0]["text"], "SIGABRT")
        self.assertEqual(self.good(c, "exceptionInfo", threadId=1)["exceptionId"], "SIGABRT")
        c.ask("disconnect")
        c = self.start("crash", ranks=1, filters=[])  # it dies of it unasked
        self.assertEqual(c.expect({"event": "exited"})["body"]["exitCode"], 128)

    def test_log_points(self):
        c = self.start(breakpoints=[{"line": line("// passed"), "logMessage": "i is {i} of {count}", "condition": "i > 0"},
                                    {"line": line("return 0;")}])
        self.assertEqual([b["verified"] for b in self.set], [True, True])
        self.stopped(c, "breakpoint")
        said = {}
        for m in c.waiting:  # each rank's in its order
            if " i is " in m.get("body", {}).get("output", ""):
                for r in sdm.ranks(m["body"]["data"]["ranks"]):
                    said.setdefault(r, []).append(m["body"]["output"].partition("] ")[2])
        self.assertEqual(said, {r: ["i is 1 of 3\n", "i is 2 of 3\n"] for r in (0, 1)})
        self.good(c, "setBreakpoints", source={"path": SOURCE}, breakpoints=[])

    def test_program(self):
        c, frame, _ = self.at_values()
        modules = {m["name"]: m for m in self.good(c, "modules")["modules"]}
        self.assertEqual(modules["sdm_values"]["symbolStatus"], "with debug information")
        self.assertTrue([m for m in modules.values() if m["symbolStatus"] == "without debug information" and m["addressRange"]], modules)
        self.assertIn(SOURCE, [s["path"] for s in self.good(c, "loadedSources")["sources"]])
        lines = [b["line"] for b in self.good(c, "breakpointLocations", source={"path": SOURCE}, line=line("static int fill"),
                                              endLine=line("static void complain"))["breakpoints"]]
        self.assertIn(line("// passed"), lines)
        self.assertNotIn(line("static void complain") - 1, lines)  # an empty line

    def test_completions(self):
        c, frame, _ = self.at_values()

        def complete(text):
            found = self.good(c, "completions", text=text, column=len(text) + 1, frameId=frame["id"])["targets"]
            return {text[:t["start"]] + t["label"] + text[t["start"] + t["length"]:] for t in found}
        self.assertEqual(complete("x + d.gr"), {"x + d.grid"})
        self.assertEqual(complete("`contin"), {"`continue"})
        self.assertEqual(complete("`p1 print own"), {"`p1 print owner"})
        self.assertIn("`[stopped", complete("`[st"))
        self.assertEqual(complete("`info break"), {"`info breakpoints"})

    def test_prefix(self):
        """Without a sign a line is an expression, though it may look like a command."""
        c, frame, _ = self.at_values()
        self.assertEqual(self.good(c, "evaluate", expression="x", context="repl", frameId=frame["id"])["result"], "5")
        self.assertEqual(self.good(c, "evaluate", expression="`print x", context="repl")["result"], "{0-1} 2  5")
        self.assertEqual(self.good(c, "evaluate", expression="-exec print x", context="repl")["result"], "{0-1} 2  5")
        self.assertIn("No symbol", self.bad(c, "evaluate", expression="info locals", context="repl", frameId=frame["id"]))

    def test_restart(self):
        c, _, _ = self.at_values()
        self.good(c, "restart")
        self.stopped(c, "breakpoint")
        self.good(c, "setBreakpoints", source={"path": SOURCE}, breakpoints=[])
        self.good(c, "continue", threadId=1)
        c.expect({"event": "terminated"})
        self.good(c, "restart")  # also of what has ended
        c.expect({"event": "exited"})

    def test_reattach(self):
        """The adapter is killed; another takes up its session, and the editor's breakpoints are not there twice."""
        with sdm.Folder() as f:
            file = f.path("session")
            p = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(self.end, p)
            c = Client(p.stdout, p.stdin)
            c.ask("initialize", adapterID="dvm")
            self.good(c, "launch", program=VALUES, ranks=2, launcher="local", session=file, orphan=60)
            at = [{"line": line("all are there")}, {"line": line("return 0;")}]
            self.good(c, "setBreakpoints", source={"path": SOURCE}, breakpoints=at)
            self.good(c, "configurationDone")
            self.stopped(c, "breakpoint")
            p.kill()
            p.wait()
            p = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(self.end, p)
            c = Client(p.stdout, p.stdin)
            c.ask("initialize", adapterID="dvm")
            self.good(c, "attach", reattach=file)
            self.good(c, "setBreakpoints", source={"path": SOURCE}, breakpoints=at[1:])
            self.good(c, "configurationDone")
            self.stopped(c, "breakpoint")
            self.assertEqual(self.frame(c, 1001)["line"], line("all are there"))
            listed = self.good(c, "evaluate", expression="`gdb info breakpoints", context="repl")["result"]
            self.assertEqual(listed.count("values.cc:"), 1, listed)
            self.good(c, "continue", threadId=1)
            self.stopped(c, "breakpoint")
            self.assertEqual(self.frame(c, 1)["line"], line("return 0;"))
            self.good(c, "continue", threadId=1)
            c.expect({"event": "terminated"})
            self.good(c, "disconnect")
            p.wait(sdm.LIMIT)
            self.assertFalse(os.path.exists(file))

    def test_cancel(self):
        """A call that never ends is given up, and what waits behind it is not begun."""
        c, frame, _ = self.at_values()
        c.send({"command": "evaluate", "arguments": {"expression": "(int)sleep(1000)", "frameId": frame["id"]}})
        first = c.seq
        c.send({"command": "evaluate", "arguments": {"expression": "x", "frameId": frame["id"]}})
        second = c.seq
        c.send({"command": "cancel", "arguments": {"requestId": second}})
        c.send({"command": "cancel", "arguments": {"requestId": first}})
        for seq in (first, second):
            self.assertEqual(c.expect({"type": "response", "request_seq": seq})["message"], "cancelled")
        c.expect({"type": "response", "command": "cancel", "success": True})
        self.good(c, "disconnect")

    def test_stack_page_by_page(self):
        """As VS Code asks: the innermost frame, then the rest, of which there may be none."""
        c, _, _ = self.at_values()
        frames = self.good(c, "stackTrace", threadId=1)["stackFrames"]
        first = self.good(c, "stackTrace", threadId=1, startFrame=0, levels=len(frames))
        self.assertEqual(first["totalFrames"], len(frames))  # else it offers to load more
        if len(frames) > 1:
            part = self.good(c, "stackTrace", threadId=1, startFrame=0, levels=1)
            self.assertEqual((len(part["stackFrames"]), part["totalFrames"]), (1, 2))
        self.assertEqual([f["name"] for f in self.good(c, "stackTrace", threadId=1, startFrame=1, levels=19)["stackFrames"]],
                         [f["name"] for f in frames[1:]])
        self.assertEqual(self.good(c, "stackTrace", threadId=1, startFrame=len(frames), levels=19)["stackFrames"], [])

    def test_everything_named_is_there(self):
        """No capability without its request."""
        requests = {"supportsSetExpression": "setExpression", "supportsRestartRequest": "restart", "supportsModulesRequest": "modules",
                    "supportsLoadedSourcesRequest": "loadedSources", "supportsCompletionsRequest": "completions",
                    "supportsExceptionInfoRequest": "exceptionInfo", "supportsBreakpointLocationsRequest": "breakpointLocations",
                    "supportsCancelRequest": "cancel", "supportsWriteMemoryRequest": "writeMemory", "supportsReadMemoryRequest": "readMemory",
                    "supportsDisassembleRequest": "disassemble", "supportsInstructionBreakpoints": "setInstructionBreakpoints",
                    "supportsSetVariable": "setVariable", "supportsDataBreakpoints": "setDataBreakpoints",
                    "supportsFunctionBreakpoints": "setFunctionBreakpoints", "supportsTerminateRequest": "terminate",
                    "supportsConfigurationDoneRequest": "configurationDone"}
        c, _, _ = self.at_values()
        for capability, request in requests.items():
            self.assertTrue(self.can[capability], capability)
            self.assertNotIn("is not supported", c.ask(request).get("message", ""), request)

class StopAll(unittest.TestCase):
    """When one has stopped the others that were set going with it are stopped too."""

    def start(self, program, breakpoint, ranks=2, mpi=None, **more):
        """'mpi': the filter of its errors; True, or its condition."""
        process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(Requests.end, process)
        c = Client(process.stdout, process.stdin)
        c.ask("initialize", adapterID="dvm")
        self.assertTrue(c.ask("launch", program=program, ranks=ranks, **more)["success"])
        c.ask("setFunctionBreakpoints", breakpoints=[breakpoint])
        if mpi:
            one = {"filters": ["mpi"]} if mpi is True else {"filters": [], "filterOptions": [{"filterId": "mpi", "condition": mpi}]}
            self.assertTrue(c.ask("setExceptionBreakpoints", **one)["success"])
        self.assertTrue(c.ask("configurationDone")["success"])
        return c

    def test_asked_for(self):
        """Rank 1 alone stops in 'add'; rank 0 goes on to its loop, for ever."""
        c = self.start(sdm.RING, {"name": "add", "condition": "b == 2"}, launcher="local", args=["hang", "0"], stopAll=True)
        c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1001}})
        c.expect({"event": "stopped", "body": {"reason": "pause", "threadId": 1}})

    def test_of_mpi(self):
        """It is the default for MPI programs."""
        if not os.path.exists(WAITS):
            self.skipTest("no MPI here")
        c = self.start(WAITS, {"name": "compute"}, ranks=4, args=["outside"])
        c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1001, "preserveFocusHint": False}})
        for rank in (0, 2, 3):  # the editor stays at the one that is the reason
            c.expect({"event": "stopped", "body": {"reason": "pause", "threadId": 1000 * rank + 1, "preserveFocusHint": True}})
        self.assertIn("launch it again", c.ask("restart")["message"])
        c.expect({"event": "capabilities", "body": {"capabilities": {"supportsRestartRequest": False}}})

    def bare(self, **launch):
        process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(Requests.end, process)
        c = Client(process.stdout, process.stdin)
        c.ask("initialize", adapterID="dvm")
        c.send({"command": "launch", "arguments": launch})
        return c, c.expect({"type": "response", "command": "launch"})

    def test_words_of_the_launcher(self):
        """They are the client's to see: when it starts nothing, and while the session lasts."""
        c, answer = self.bare(program=sdm.RING, ranks=2, command=["sh", "-c", "echo no slots for you >&2; exit 1", "sh"])
        self.assertFalse(answer["success"])
        told = [m for m in c.waiting if m.get("event") == "output"]
        self.assertEqual([m["body"] for m in told], [{"category": "stderr", "output": "no slots for you\n"}])
        self.assertLess(told[0]["seq"], answer["seq"])
        script = "echo it begins >&2; PMI_RANK=0 \"$@\"; echo it is over >&2"
        c, answer = self.bare(program=sdm.RING, ranks=1, command=["sh", "-c", script, "sh"])
        self.assertTrue(answer["success"], answer)
        c.expect({"event": "output", "body": {"category": "stderr", "output": "it begins\n"}})
        c.ask("configurationDone")
        c.expect({"event": "terminated"})

    def test_many_lines(self):
        """An editor needs far longer for an event than we for a line."""
        n = 20000
        c, answer = self.bare(program="/usr/bin/seq", args=[str(n)], ranks=2, launcher="local")
        self.assertTrue(answer["success"], answer)
        c.ask("configurationDone")
        c.expect({"event": "terminated"})
        told = [m["body"] for m in c.waiting if m.get("event") == "output" and m["body"]["category"] == "stdout"]
        for rank in "01":
            lines = [x.split("] ")[1] for t in told for x in t["output"].splitlines() if rank in (t["data"]["ranks"].split("-"))]
            self.assertEqual(lines, [str(i + 1) for i in range(n)])
        self.assertLess(len(told), n / 5)

    def test_configurations_that_are_wrong(self):
        """What cannot be meant is not taken for nothing."""
        for request, more, why in (("launch", {"ranks": "two"}, "'ranks' takes a number of at least 1, not \"two\""),
                                   ("launch", {"stopOnEntry": 1}, "'stopOnEntry' takes true or false, not 1"),
                                   ("launch", {"args": "a b"}, "'args' takes a list, not \"a b\""),
                                   ("attach", {"pid": 1, "ranks": 3}, "'ranks' takes a set"), ("attach", {}, "'pid', 'core', "),
                                   ("launch", {"program": SOURCE}, "not executable, but a source")):
            process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(Requests.end, process)
            c = Client(process.stdout, process.stdin)
            c.ask("initialize", adapterID="dvm")
            answer = c.ask(request, **{**({"program": sdm.RING} if request == "launch" else {}), **more})
            self.assertFalse(answer["success"])
            self.assertIn(why, answer["message"])

    def test_focus_of_a_step(self):
        """Those that take a step together: the editor follows the thread that was stepped, in whatever order they stop."""
        c = self.start(sdm.RING, {"name": "add"}, ranks=4, launcher="local")
        for rank in range(4):
            c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1000 * rank + 1}})
        for thread in (2001, 1):
            c.ask("stepOut", threadId=thread)
            for rank in range(4):
                c.expect({"event": "stopped", "body": {"reason": "step", "threadId": 1000 * rank + 1,
                                                       "preserveFocusHint": 1000 * rank + 1 != thread}})
            c.ask("continue", threadId=1)
            for rank in range(4):
                c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1000 * rank + 1}})

    def test_errors_of_mpi(self):
        """The filter stops the rank whose call is wrong, before MPI ends the job, and only if it is on and its condition holds."""
        if not os.path.exists(sdm.MPI_RING):
            self.skipTest("no MPI here")
        for condition in (None, "1 == 1"):
            c = self.start(sdm.MPI_RING, {"name": "nowhere"}, ranks=2, args=["wrong", "1"], mpi=condition or True)
            stop = c.expect({"event": "stopped", "body": {"reason": "exception", "threadId": 1001}})["body"]
            text = f"MPI_Send at mpi_ring.c:{sdm.line_of('MPI_Send(&rank', 'mpi_ring.c')}: MPI_ERR_RANK, there is no such rank"
            self.assertEqual(stop["text"], text)
            info = c.ask("exceptionInfo", threadId=1001)["body"]
            self.assertEqual(info["description"], text)
            frames = c.ask("stackTrace", threadId=1001)["body"]["stackFrames"]
            self.assertTrue([f for f in frames if f["name"] == "main" and f["line"] == sdm.line_of("MPI_Send(&rank", "mpi_ring.c")], frames)
            c.ask("disconnect")
        c = self.start(sdm.MPI_RING, {"name": "nowhere"}, ranks=2, args=["wrong", "1"], mpi="1 == 2")
        c.expect({"event": "terminated"})
        self.assertEqual([m for m in c.waiting if m.get("event") == "stopped"], [])

    def test_signals_that_are_shown(self):
        c = self.start(HANDLER, {"name": "main"}, launcher="local", ranks=1)
        c.expect({"event": "stopped", "body": {"threadId": 1}})
        for line in ("handle SIGUSR1 nostop print", "handle SIGINT SIGTERM SIGSEGV nostop noprint pass"):
            self.assertTrue(c.ask("evaluate", expression="-exec " + line, context="repl")["success"])
        c.ask("continue", threadId=1)
        c.expect({"event": "output", "body": {"category": "console", "output": "[0] received SIGUSR1, still running\n"}})
        c.expect({"event": "exited", "body": {"exitCode": 0}})

    def test_one_alone(self):
        """A thread that is stepped alone stops alone."""
        c = self.start(sdm.RING, {"name": "add"}, launcher="local", args=["hang", "0"], stopAll=True)
        for thread in (1, 1001):
            c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": thread}})
        c.ask("setFunctionBreakpoints", breakpoints=[])
        c.ask("continue", threadId=1, singleThread=True)
        c.ask("next", threadId=1001, singleThread=True)
        c.expect({"event": "stopped", "body": {"reason": "step", "threadId": 1001}})
        time.sleep(2.5)  # longer than the moment; nothing can be seen to happen meanwhile
        c.ask("threads")
        self.assertEqual([m for m in c.waiting if m.get("event") == "stopped"], [])

    def test_focus_of_continue(self):
        """Who goes on is said: the focus and the rank that was asked for, no others."""
        def stopped(*ranks):
            for rank in ranks:
                c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1000 * rank + 1}})
        c = self.start(sdm.RING, {"name": "add"}, ranks=4, launcher="local", stopAll=False)
        stopped(0, 1, 2, 3)
        self.assertTrue(c.ask("dvm/focus", set="2-3")["success"])
        self.assertFalse(c.ask("continue", threadId=1)["body"]["allThreadsContinued"])
        stopped(0, 2, 3)
        told = {m["body"]["threadId"] for m in c.waiting if m.get("event") == "continued"}
        self.assertEqual(told, {2001, 3001})
        self.assertEqual([m for m in c.waiting if m.get("event") == "stopped"], [])
        self.assertTrue(c.ask("dvm/focus", set="all")["success"])
        self.assertTrue(c.ask("continue", threadId=1)["body"]["allThreadsContinued"])
        stopped(0, 1, 2, 3)


if __name__ == "__main__":
    sdm.main()
