"""Programs that are executed in parallel under 'dvm debug': arrays by global index across ranks, who has an element, diagnostics at their place."""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "sdm"))
import sdm
from dap import Client

DVMCC = os.path.join(sdm.BUILD, "driver", "dvmcc")
HEAT = os.path.join(HERE, "heat.c")
WRONG = """#include <stdio.h>
#include <stdlib.h>
#define N 8192
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0;
  double s = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i; /* filled */
  if (which == 3 && *getenv("OMPI_COMM_WORLD_RANK") == '1')
    return 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s)) /* the last loop */
  for (int i = 1; i < N - 1; i++)
    s += which == 1 ? a[i - 1] : which == 2 ? a[N - 1 - i] : 1; /* read */
  printf("%g\\n", s);
  return 0;
}
"""


def line_of(path, text):
    with open(path) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


def used(pid):
    """Seconds of processor time."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Parallel(unittest.TestCase):
    def setUp(self):
        sdm.need("mpirun")
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)

    def compile(self, source, level="-O0"):
        program = self.folder.path("program")
        subprocess.run([DVMCC, "-fdvm=parallel", "-g", level, source, "-o", program], check=True)
        return program

    def start(self, n, *program, **options):
        d = sdm.Debugger("-n", str(n), *program, env={"DVM_OPTIONS": ":".join(f"{k}={v}" for k, v in options.items())})
        d.__enter__()
        self.addCleanup(d.close)
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        return d

    def by_rank(self, d, command):
        answer, missing = d.answer(command)
        self.assertEqual(missing, {})
        return {r: v for who, v in answer.items() for r in who}

    def to_loop(self):
        d = self.start(4, self.compile(HEAT), "1", grid="2x2")
        d.do(f"break {line_of(HEAT, 'b[i][j] = (a')}")
        d.do("continue")
        return d

    def test_arrays(self):
        d = self.to_loop()
        own = ["[0..47][0..39]", "[0..47][40..79]", "[48..95][0..39]", "[48..95][40..79]"]
        held = ["[0..48][0..40]", "[0..48][39..79]", "[47..95][0..40]", "[47..95][39..79]"]
        for r, answer in self.by_rank(d, "dvm arrays").items():
            a, b = answer["arrays"]
            self.assertEqual((a["name"], a["type"], a["extents"], a["distribution"], a["shadow"], a["line"]),
                             ("a", "double", [96, 80], "distribute[block][block]", "[1:1][1:1]", line_of(HEAT, "#pragma dvm array distribute")))
            self.assertEqual((a["rank"], a["own"], a["held"], a["grid"], a["place"]), (r, own[r], held[r], [2, 2], [r // 2, r % 2]))
            self.assertEqual((b["name"], b["distribution"], b["own"], b["held"]), ("b", "align([i][j] with a[i][j])", own[r], own[r]))
        for r, answer in self.by_rank(d, "dvm construct").items():
            loop, = answer["constructs"]
            self.assertEqual((loop["kind"], loop["line"]), ("parallel", line_of(HEAT, "parallel([i][j] on b")))
            parts = own[r][1:-1].split("][")
            self.assertEqual(loop["indices"], [{"name": n, "part": f"[{p}]"} for n, p in zip("ij", parts)])
        self.assertIn("executed in parallel", self.by_rank(d, "dvm shadow")[0])
        self.assertEqual({v["value"] for v in self.by_rank(d, "print i * 100 + j").values()}, {"101", "140", "4801", "4840"})

    def test_elements(self):
        d = self.to_loop()
        where = self.by_rank(d, "dvm owner a[40][40]")
        self.assertEqual({r: (v["element"], v["owners"], v["here"]) for r, v in where.items()},
                         {0: ("a[40][40]", "1", "edge"), 1: ("a[40][40]", "1", "own"), 2: ("a[40][40]", "1", "no"), 3: ("a[40][40]", "1", "no")})
        value = (40 * 7 + 40 * 3) % 11
        got = self.by_rank(d, "print a[40][40]")
        self.assertEqual(got[1], {"value": str(value)})
        self.assertEqual(got[0], {"value": f"{value} (edge; rank 1 has it)"})  # renewed by this loop
        self.assertEqual((got[2], got[3]), ("rank 1 has 'a[40][40]': 'p1 print a[40][40]'",) * 2)
        # By variables, each rank's own; what is no element of a distributed array is no matter.
        self.assertEqual({v["element"] for v in self.by_rank(d, "dvm owner a[i][j]").values()}, {"a[1][1]", "a[1][40]", "a[48][1]", "a[48][40]"})
        self.assertEqual(self.by_rank(d, "dvm owner change")[0], "it is not an element of a distributed array")
        self.assertTrue(all("value" in v for v in self.by_rank(d, "print a[i][j]").values()))
        self.assertEqual(self.by_rank(d, "print &a[40][40] == &a[0][0]")[2], {"value": "0"})
        self.assertIn("expected: dvm owner", [j for j in d.do("dvm owner") if "error" in j][0]["error"])
        # For people: one line.
        text = subprocess.run([sdm.DEBUG, "-n", "2", self.folder.path("program"), "1"], input="tbreak save\ntbreak step\ncontinue\ndvm arrays\n"
                              "dvm owner a[40][4]\nquit\n", capture_output=True, text=True, timeout=sdm.LIMIT).stdout
        self.assertIn("grid 2x1: 0 [0..47][0..79], 1 [48..95][0..79]\n", text)
        self.assertIn("a[40][4]: rank 0 has it\n", text)

    def test_layouts(self):
        """Owners are those that the run-time library goes by: of each element, the ranks whose own part has it."""
        d = self.start(3, self.compile(os.path.join(HERE, "layouts_debug.c")))
        d.do("break stop")
        d.do("continue")
        arrays = {r: {a["name"]: a for a in v["arrays"]} for r, v in self.by_rank(d, "dvm arrays").items()}
        own = {n: [arrays[r][n]["own"] for r in range(3)] for n in arrays[0]}
        self.assertEqual(own, {"T": ["[0..7][0..5]", "[8..15][0..5]", "[16..23][0..5]"], "odd": ["[0..3]", "[4..7]", "[8..11]"],
                               "at4": ["[0..5]", "nothing", "nothing"], "all": ["[0..4]"] * 3,
                               "ind": ["[0,2,6,9..10]", "[1,3,7,11]", "[4..5,8]"], "gen": ["[0..1]", "[2..8]", "[9..11]"]})
        for element, owners, here in (("odd[3]", "0", ["own", "no", "no"]), ("odd[8]", "2", ["no", "edge", "own"]), ("at4[2]", "0", ["own", "no", "no"]),
                                      ("all[1]", "0-2", ["own"] * 3), ("ind[4]", "2", ["no", "edge", "own"]), ("gen[2]", "1", ["edge", "own", "no"])):
            got = self.by_rank(d, f"dvm owner {element}")
            self.assertEqual([(got[r]["element"], got[r]["owners"], got[r]["here"]) for r in range(3)], [(element, owners, h) for h in here])
        self.assertEqual(self.by_rank(d, "dvm owner map[1]")[0], "it is not an element of a distributed array")
        turns = {r: (v["constructs"][0]["turn"], v["constructs"][0]["turns"]) for r, v in self.by_rank(d, "dvm").items()}
        self.assertEqual(turns, {0: (1, 4), 1: (1, 4), 2: (1, 2)})

    def diagnostic(self, which, identity, who, place, **options):
        source = self.folder.write("wrong.c", WRONG)
        d = self.start(2, self.compile(source, "-O2"), str(which), **options)
        d.do("dvm break-on-diagnostic")
        d.do("continue")
        if which == 2:  # a guarded page: a signal first, where it is read
            self.assertEqual({j["signal"] for j in d.said if "signal" in j}, {"SIGSEGV"})
            for _ in range(2):  # each rank's own
                d.do("continue") if not any(j.get("reason") == "diagnostic" for j in d.said) else None
        stops = [j for j in d.said if j.get("reason") == "diagnostic"]
        self.assertTrue(stops)
        for j in stops:
            self.assertTrue(sdm.ranks(j["ranks"]) <= who, j)
            self.assertEqual((j["id"], os.path.basename(j["file"]), j["line"]), (identity, "wrong.c", line_of(source, place)))
        rank = min(sdm.ranks(stops[0]["ranks"]))
        one, = self.by_rank(d, f"p{rank} dvm diagnostics")[rank]["diagnostics"]
        self.assertEqual((one["id"], one["severity"], one["line"], one["count"]), (identity, "error", line_of(source, place), 1))

    def test_poison(self):
        self.diagnostic(1, "dvm-shadow-stale", {1}, "/* read */", poison=1)

    def test_guard(self):
        self.diagnostic(2, "dvm-nonlocal-access", {0, 1}, "/* read */")

    def test_divergence(self):
        self.diagnostic(3, "dvm-divergence", {0}, "/* the last loop */", patience=0.5)

    def test_patience(self):
        """Others wait for a rank that stands at a breakpoint for as long as it stands there."""
        source = self.folder.write("wrong.c", WRONG)
        d = self.start(2, self.compile(source), "0", patience=0.3)
        pids = {r: int(v["value"]) for r, v in self.by_rank(d, "print (int)getpid()").items()}
        d.do("set stop-all off")
        d.do(f"p1 break {line_of(source, '/* filled */')}")
        d.do("continue &")
        d.wait(lambda j: j.get("event") == "stopped" and j["ranks"] == "1", "the breakpoint of rank 1")
        begin = used(pids[0])
        while used(pids[0]) < begin + 1:  # it tests, and waits
            self.assertFalse(sdm.gone(pids[0]))
        d.do("p1 delete 1")
        d.do("p1 continue")
        while 0 not in d.status().get("exited", ()):
            d.wait(lambda j: j.get("event") == "exited", "the end")
        self.assertEqual(d.output()[0], b"8190\n")
        self.assertNotIn(b"diverged", d.output("stderr").get(0, b""))

    def test_adapter(self):
        process = subprocess.Popen([sdm.DEBUG, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "DVM_OPTIONS": ""})
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdin.close(), process.stdout.close()))
        c = Client(process.stdout, process.stdin)

        def good(command, **args):
            r = c.ask(command, **args)
            self.assertTrue(r["success"], (command, args, r))
            return r.get("body", {})

        def parts(reference):
            return {v["name"]: v for v in good("variables", variablesReference=reference)["variables"]}

        good("initialize", adapterID="dvm")
        good("launch", program=self.compile(HEAT), args=["1"], ranks=2)
        good("setBreakpoints", source={"path": HEAT}, breakpoints=[{"line": line_of(HEAT, "b[i][j] = (a")}])
        good("configurationDone")
        for r in (0, 1):
            c.expect({"event": "stopped", "body": {"reason": "breakpoint", "threadId": 1000 * r + 1}})
        frame = good("stackTrace", threadId=1001)["stackFrames"][0]["id"]
        scopes = {s["name"]: s["variablesReference"] for s in good("scopes", frameId=frame)["scopes"]}
        facts = parts(scopes["DVM"])
        self.assertEqual(set(facts), {"construct", "arrays", "diagnostics"})
        a = parts(parts(facts["arrays"]["variablesReference"])["a"]["variablesReference"])
        self.assertEqual((a["own"]["value"], a["held"]["value"]), ("[48..95][0..79]", "[47..95][0..79]"))
        r = c.ask("evaluate", expression="a[1][1]", frameId=frame, context="watch")
        self.assertIn("rank 0 has 'a[1][1]'", r.get("message", "") + str(r.get("body", "")))


if __name__ == "__main__":
    sdm.main()
