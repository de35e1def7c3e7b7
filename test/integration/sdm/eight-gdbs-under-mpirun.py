"""A session with eight real gdbs, started by mpirun: breakpoints, stepping, values, sets, threads, memory, signals."""
import unittest

import sdm

ALL = set(range(8))
EVEN, ODD = {0, 2, 4, 6}, {1, 3, 5, 7}


class EightGdbs(unittest.TestCase):
    def stops(self, said):
        return {frozenset(sdm.ranks(j["ranks"])): j for j in said if j.get("event") == "stopped"}

    def reached(self, line, reason, func):
        """Runs 'line'; all the ranks that stopped did so for this reason in this function.  Returns them."""
        stops = self.stops(self.d.do(line))
        for who, j in stops.items():
            self.assertEqual((j["reason"], j.get("func")), (reason, func), (line, who, j))
        return set().union(*stops)

    def test_session(self):
        sdm.need("mpirun", "gdb")
        with sdm.Debugger("-n", "8", sdm.RING, "hang", "5") as d:
            self.d = d
            d.wait(lambda j: j.get("event") == "stopped", "the stop in main")
            self.breakpoints()
            self.looking()
            self.stepping()
            self.sets()
            self.changing()
            self.the_end()
            d.send("quit")
            self.assertEqual(d.close(), 0)

    def breakpoints(self):
        d = self.d
        self.assertEqual(d.status()["stopped"], ALL)
        where, missing = d.answer("tbreak work")
        self.assertEqual((set(where), missing), ({frozenset(ALL)}, {}))
        self.assertEqual(self.reached("continue", "breakpoint-hit", "work"), ALL)
        d.do("break add if a > 5")  # a is what was added up so far: rank * (i + ...) passes 5 at different steps
        d.do(f"break ring.c:{sdm.line_of('return total;')}")
        stopped = self.stops(d.do("continue"))
        self.assertEqual(set().union(*stopped), ALL)
        at = {j["func"]: set() for j in stopped.values()}
        for who, j in stopped.items():
            at[j["func"]] |= who
        self.assertEqual(at, {"work": {0}, "add": ALL - {0}})  # rank 0 adds nothing but zeros
        self.assertTrue(all(v > 5 for v in map(int, d.values("a", "[at(add)]"))))
        d.do("disable 2")
        self.assertEqual(self.reached("[at(add)] continue", "breakpoint-hit", "work"), ALL - {0})
        d.do("enable 2")
        d.do("delete 2")
        d.do("delete 3")
        self.assertEqual([j for j in d.do("info breakpoints") if "breakpoint" in j and j["ranks"] and j["breakpoint"] > 1], [])

    def looking(self):
        d = self.d
        # ranks 2k and 2k-1 add the same; the merged answer says it once
        self.assertEqual(d.values("total"), {"0": {0}, "20": {1, 2}, "40": {3, 4}, "60": {5, 6}, "80": {7}})
        stack, _ = d.answer("bt")
        self.assertEqual([[f["func"] for f in s["frames"]] for s in stack.values()], [["work", "main"]])
        tree = [j for j in d.do("bt -m") if "tree" in j][0]["tree"]["children"][0]
        self.assertEqual((tree["count"], sdm.ranks(tree["children"][0]["ranks"])), (8, ALL))
        local, _ = d.answer("p3 locals")
        self.assertEqual({v["name"]: v["value"] for v in local[frozenset({3})]["variables"]},
                         {"p": "{x = 3, y = 6}", "kind": "1"})
        args, _ = d.answer("args")
        self.assertEqual(len(args), 8)
        up, _ = d.answer("p0-1 up")
        self.assertEqual([s["frames"][0]["func"] for s in up.values()], ["main"])
        d.do("down")
        text, _ = d.answer("ptype p")
        self.assertEqual([r["text"] for r in text.values()], ["type = struct pair {\n    int x;\n    int y;\n}"])
        memory, _ = d.answer("p7 x/4bu &total")
        self.assertEqual([r["text"].partition("\t")[2] for r in memory.values()], ["80\t0\t0\t0"])
        registers, _ = d.answer("info registers rip")
        self.assertTrue(all("<work+" in r["text"] for r in registers.values()))
        threads, _ = d.answer("info threads")
        self.assertEqual([(t["id"], t["state"]) for r in threads.values() for t in r["threads"]], [(1, "stopped")])
        stats = [j for j in d.do("print -s total") if "statistics" in j][0]
        self.assertEqual((stats["count"], stats["mean"], stats["min"], stats["min_rank"], stats["max"], stats["max_rank"]),
                         (8, 40, 0, 0, 80, 7))
        bad, _ = d.answer("print no_such_name")
        self.assertEqual(list(bad), [frozenset(ALL)])
        self.assertIn("no_such_name", bad[frozenset(ALL)])

    def stepping(self):
        d = self.d
        self.assertEqual(self.reached("finish", "function-finished", "main"), ALL)
        self.assertEqual(self.reached("next", "end-stepping-range", "main"), ALL)
        d.do("tbreak wait_here")
        d.do(f"tbreak ring.c:{sdm.line_of('return 0;')}")
        stops = self.stops(d.do("continue"))
        self.assertEqual({f: w for w, j in stops.items() for f in [j["func"]] if f == "wait_here"},
                         {"wait_here": frozenset({5})})
        self.assertEqual(self.reached("p5 step", "end-stepping-range", "wait_here"), {5})
        self.assertEqual(self.reached("p5 stepi", "end-stepping-range", "wait_here"), {5})

    def sets(self):
        d = self.d
        d.do("define odd = 1-7/2")

        def view(expression):
            return sdm.ranks([j for j in d.do(f"viewset {expression}") if "set" in j][0]["set"])
        self.assertEqual(view("all"), ALL)
        self.assertEqual(view("odd"), ODD)
        self.assertEqual(view("all!odd"), EVEN)
        self.assertEqual(view("odd&0-3"), {1, 3})
        self.assertEqual(view("0-3^2-5"), {0, 1, 4, 5})
        self.assertEqual(view("at(wait_here)"), {5})
        self.assertEqual(view("value(total > 50)"), {5, 6, 7})
        self.assertEqual(view("host(127.0.0.1)"), ALL)
        d.do("focus odd")
        self.assertEqual(set().union(*d.answer("print total")[0]), ODD)
        d.do("focus all")
        self.assertIn("error", d.do("focus 0-99")[-1])  # ranks that are not there

    def changing(self):
        d = self.d
        d.do("p0-3 set var total = 7")
        self.assertEqual(d.values("total")["7"], {0, 1, 2, 3})
        d.do("p5 set var total = 5000")
        far = [j for j in d.do("print -s total") if j.get("answer") == "outliers"][0]
        self.assertEqual([(c["ranks"], c["result"]["value"]) for c in far["classes"]], [("5", "5000")])
        d.do("p5 continue &")
        samples = [j for j in d.do("sample 3 0.05") if "tree" in j][0]
        here = [c for c in sdm.walk(samples["tree"]["children"]) if c["name"].startswith("wait_here")]
        self.assertEqual((samples["samples"], sum(c["count"] for c in here)), (3, 3))
        watch, _ = d.answer("p5 watch gate")
        self.assertEqual([r.get("expression") for r in watch.values()], ["gate"])
        d.do("p5 continue &")
        d.do("p5 interrupt")
        self.assertEqual(d.status()["stopped"], ALL)
        self.assertEqual(d.status()["running"], set())
        handled, _ = d.answer("p5 handle SIGUSR1 nostop noprint pass")
        self.assertIn("SIGUSR1", handled[frozenset({5})]["text"])
        raw, _ = d.answer("p5 gdb show language")
        self.assertIn("c", raw[frozenset({5})]["text"])

    def the_end(self):
        d = self.d
        d.do("p5 delete 6")  # the watchpoint
        d.do("p5 set var gate = 0")
        d.do("p5 continue")
        d.do("continue")
        self.assertEqual(d.status()["exited"], ALL)
        self.assertEqual(d.output(), {r: b"hello from everybody\n" for r in ALL})
        self.assertEqual(d.output("stderr"), {r: f"rank {r} has {10 * (r + r % 2)}\n".encode() for r in ALL})


if __name__ == "__main__":
    sdm.main()
