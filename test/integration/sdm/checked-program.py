"""A program compiled by dvmcc under real gdbs: what its run-time library knows at a stop, in a core file, under mpirun."""
import os
import subprocess
import unittest

import sdm

DVMCC = os.path.join(sdm.BUILD, "driver", "dvmcc")
SOURCE = os.path.join(sdm.SOURCE, "checked.c")


def line_of(text):
    with open(SOURCE) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


class Checked(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(DVMCC):
            self.skipTest("no dvmcc in this build")
        self.folder = self.enter(sdm.Folder())
        self.program = self.folder.path("checked")
        subprocess.run([DVMCC, "-g", SOURCE, "-o", self.program], check=True)

    def facts(self, d, what, who):
        """The one answer of all of 'who'."""
        answer, missing = d.answer(f"dvm {what}")
        self.assertEqual((set(answer), missing), ({frozenset(who)}, {}), answer)
        return answer[frozenset(who)]

    def to(self, d, where, who):
        """Runs on to the call stop(where): one stop of all of 'who'."""
        d.do("continue")
        said = d.values("where")
        self.assertEqual(set().union(*said.values()), who, said)
        self.assertTrue(all(f'"{where}"' in v for v in said), (where, said))

    def edges(self, d, who):
        return {e["name"]: (e["state"], e["renewed"]) for e in self.facts(d, "shadow", who)["edges"]}

    def start(self, *args):
        d = self.enter(sdm.Debugger(*args, self.program))
        d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
        d.do("break stop")
        return d

    def enter(self, what):
        what.__enter__()
        self.addCleanup(what.__exit__, None, None, None)
        return what

    def test_line_at_several_places(self):
        """A breakpoint says where it is also if it is at two places: a function that is inlined in two others, a loop with two bodies."""
        source = self.folder.write("twice.c", """volatile int x;
__attribute__((always_inline)) static inline void add(void) {
  x++;
}
int once(void) {
  add();
  return x;
}
int main(void) {
  add();
  return once();
}
""")
        subprocess.run([DVMCC, "-fdvm=off", "-g", source, "-o", self.program], check=True)
        d = self.enter(sdm.Debugger("-n", "1", "--launcher", "local", self.program))
        answer, _ = d.answer("break 3")
        result = answer[frozenset({0})]
        self.assertEqual((result["line"], result["places"]), (3, 2), result)

    def test_stops(self):
        d, who = self.start("-n", "2", "--launcher", "local"), {0, 1}
        self.to(d, "stop first", who)
        self.assertEqual(self.facts(d, "construct", who), {"constructs": []})
        arrays = {a["name"]: a for a in self.facts(d, "arrays", who)["arrays"]}
        self.assertEqual({n: (a["type"], a["extents"], a["distribution"], a.get("shadow"), a.get("dynamic", False)) for n, a in arrays.items()},
                         {"T": ("template", [12, 12], "distribute[block][block]", None, False),
                          "A": ("double", [12, 12], "align([i][j] with T[i][j])", "[1:1][1:1]", False),
                          "B": ("float", [12], "align([i] with T[i][0])", "[1:2]", False),
                          "C": ("int", [12], "distribute[block]", "[1:1]", True)})
        self.assertEqual((arrays["B"]["file"].split("/")[-1], arrays["B"]["line"]), ("checked.c", line_of("align([i] with")))

        self.to(d, "stop in the loop", who)
        loop, = self.facts(d, "construct", who)["constructs"]
        self.assertEqual((loop["kind"], loop["line"], loop["iteration"], loop["indices"]),
                         ("parallel", line_of("#pragma dvm parallel([i] on B[i])"), 4, [{"name": "i", "value": 3}]))
        b = [e for e in self.facts(d, "shadow", who)["edges"] if e["name"] == "B"][0]
        self.assertTrue(b["dirty"])
        self.assertEqual((b["written"]["line"], b["written"]["in"]["line"]), (line_of("B[i] = i;"), loop["line"]))

        self.to(d, "stop exchange under way", who)
        a = [e for e in self.facts(d, "shadow", who)["edges"] if e["name"] == "A"][0]
        self.assertEqual((a["state"], a["pending"]), ("pending", [{"group": "edges", "edge": "[1:1][1:1]"}]))
        self.to(d, "stop renewed", who)
        self.assertEqual(self.edges(d, who)["A"], ("renewed", ["[1:1][1:1]"]))
        self.to(d, "stop stale", who)
        self.assertEqual(self.edges(d, who), {"A": ("stale", []), "B": ("renewed", ["[0:1]"]), "C": ("never renewed", [])})

        self.diagnostic(d, who)
        self.to(d, "stop last", who)
        one, = self.facts(d, "diagnostics", who)["diagnostics"]
        self.assertEqual((one["id"], one["severity"], one["line"], one["what"], one["count"], one["clause"]),
                         ("dvm-shadow-stale", "error", line_of("/* the diagnostic"), "A", 121, "shadow_renew(A[1:0][1:0](corner))"))
        loops = self.facts(d, "stats", who)["loops"]
        self.assertEqual([(n["entries"], n["iterations"]) for n in loops], [(1, 144), (1, 12), (1, 10), (1, 132), (1, 121)])
        self.assertEqual([n["proved"] for n in loops][:2], [1, 0])  # the second calls what nobody can see into
        d.do("continue")
        self.assertEqual(d.status()["exited"], who)

    def diagnostic(self, d, who):
        """Stops at the next diagnostic, in the user's frame; once for all its occurrences."""
        self.assertEqual(self.facts(d, "diagnostics", who), {"diagnostics": []})
        answer, missing = d.answer("dvm break-on-diagnostic")
        self.assertEqual((list(answer.values())[0]["stops"], missing), ("at each new diagnostic", {}))
        stops = [j for j in d.do("continue") if j.get("event") == "stopped"]
        self.assertEqual(set().union(*(sdm.ranks(j["ranks"]) for j in stops)), who)
        for j in stops:
            self.assertEqual((j["reason"], j["id"], j["func"], j["line"]), ("diagnostic", "dvm-shadow-stale", "main", line_of("/* the diagnostic")))
            self.assertTrue(j["diagnostic"].startswith("'A[0][0]' is read from the shadow edge"), j)
        self.assertEqual(set(d.values("i * 100 + j")), {"101"})  # variables of the user's frame
        self.assertEqual(self.facts(d, "construct", who)["constructs"][0]["indices"],
                         [{"name": "i", "value": 1}, {"name": "j", "value": 1}])
        d.do("next")
        self.assertEqual(d.status()["stopped"], who)
        d.do("dvm break-on-diagnostic off")

    def test_under_mpirun(self):
        """Three ranks of a launcher, two of which stay behind."""
        sdm.need("mpirun")
        d = self.start("-n", "3")
        self.to(d, "stop first", {0, 1, 2})
        d.do("p1 continue")
        answer, missing = d.answer("dvm construct")
        self.assertEqual({who: len(r["constructs"]) for who, r in answer.items()}, {frozenset({0, 2}): 0, frozenset({1}): 1})
        self.assertEqual(missing, {})
        d.do("delete 1")
        d.do("dvm break-on-diagnostic")
        d.do("continue")
        self.assertEqual({p for s in d.do("status") if s.get("reason") == "diagnostic" for p in sdm.ranks(s["ranks"])}, {0, 1, 2})
        self.assertEqual(self.facts(d, "diagnostics", {0, 1, 2})["diagnostics"][0]["id"], "dvm-shadow-stale")

    def test_core(self):
        """The run-time library's own tables are in a core file, its words for the program's data are not needed."""
        core = self.folder.path("core")
        d = self.start("-n", "1", "--launcher", "local")
        d.do("tbreak exit")
        d.do("delete 1")
        d.do("continue")
        d.do(f"gdb generate-core-file {core}")
        with sdm.Debugger("--core", core, self.program) as c:
            one, = self.facts(c, "diagnostics", {0})["diagnostics"]
            self.assertEqual((one["id"], one["count"]), ("dvm-shadow-stale", 121))
            self.assertEqual([a["name"] for a in self.facts(c, "arrays", {0})["arrays"]], ["T", "A", "B", "C"])

    def test_not_checked(self):
        """Another program, and one that has not begun: said so."""
        with sdm.Debugger("-n", "1", "--launcher", "local", sdm.RING) as d:
            d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
            answer, _ = d.answer("dvm arrays")
            self.assertIn("not compiled by dvmcc", list(answer.values())[0])
            wrong = [j for j in d.do("dvm nonsense") if "error" in j]
            self.assertIn("expected: dvm construct", wrong[0]["error"])


if __name__ == "__main__":
    sdm.main()
