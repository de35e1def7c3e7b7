"""The words of gdb have gdb's meaning, for all ranks at once; what only gdb knows is passed on, and said so."""
import os
import pty
import select
import subprocess
import time
import unittest

import sdm

VALUES = os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_values")
WAITS = os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_mpi_waits")


def run(*lines, program=(sdm.RING,), n=2, options=("--launcher", "local")):
    """What the lines give, each a list of lines of text."""
    typed = "echo ---\n" + "".join(f"{one}\necho ---\n" for one in lines)
    r = subprocess.run([sdm.DEBUG, "-n", str(n), *options, *program], input=typed, capture_output=True, text=True, timeout=2 * sdm.LIMIT)
    said = [part.splitlines() for part in r.stdout.split("---\n")]
    return dict(zip(lines, said[1:])), said


class Words(unittest.TestCase):
    def test_looking(self):
        said, _ = run("break add", "continue", "continue", "bt", "print/x a + 254", "print/t 5", "x/2dw &total", "up", "info locals", "info args",
                      "list", "call add(1, 1)", "delete 1", "call add(2, 3)", "info line", "info symbol add", "nosuch 1", "info nosuch")
        line, here = sdm.line_of("int sum ="), sdm.line_of("total = add(")
        self.assertEqual(said["continue"][-1], f"{line}\t  int sum = a + b;")
        self.assertIn("  #1  work (rank=0 {0}, 1 {1}, steps=10) at ring.c:%d" % here, said["bt"])
        self.assertEqual(said["print/x a + 254"], ["{0} 0xfe", "{1} 0x100"])
        self.assertEqual(said["print/t 5"], ["{0-1} 2  101"])
        self.assertRegex(said["x/2dw &total"][0], r"^\{0(-1\} 2  |\} )?0x[0-9a-f]+ <total>:\t-?\d+\t0$")
        self.assertIn("  p = {x = 0, y = 0} {0}, {x = 1, y = 2} {1}", said["info locals"])
        self.assertIn("  rank = 0 {0}, 1 {1}", said["info args"])
        self.assertEqual([x for x in said["list"] if x.startswith("->")], [f"-> {here}\t    total = add(total, p.x + kind);"])
        self.assertEqual(said["call add(2, 3)"], ["{0-1} 2  5"])
        self.assertEqual(said["info symbol add"][:2], ["passed to gdb verbatim: info symbol add", "{0-1} 2  add in section .text"
                                                       f" of {sdm.RING}"])
        self.assertEqual(said["nosuch 1"], ["error: there is no command 'nosuch'; 'help' lists them"])
        self.assertIn('Undefined info command: "nosuch"', "".join(said["info nosuch"]))

    def test_list_has_a_mark(self):
        """Also where a place is named, if the frame's line is among the lines; not for an equal number of another file."""
        here = sdm.line_of("struct pair p = {")
        said, _ = run("list work", "tbreak work", "continue", "list add", f"list {here}", "list 1,5", "list printf")
        self.assertFalse([x for x in said["list work"] if x.startswith("->")], said["list work"])  # it stands in main
        self.assertEqual([x for x in said[f"list {here}"] if x.startswith("->")], [f"-> {here}\t  struct pair p = {{ rank, 2 * rank }};"])
        self.assertFalse([x for x in said["list 1,5"] if x.startswith("->")], said["list 1,5"])

    def test_arguments_that_are_structs(self):
        """As in gdb: that there is one; its members are for who asks."""
        said, _ = run("break weigh", "continue", "bt", "info args", program=(VALUES, "throw"))
        self.assertTrue(any("weigh (d=..., n=2)" in x for x in said["bt"]), said["bt"])
        self.assertTrue(any("weight = 2.5" in x for x in said["info args"]), said["info args"])

    def test_stacks_from_outside(self):
        here = sdm.line_of("total = add(")
        said, _ = run("break add", "continue", "bt -1", "p1 bt -2", "bt 1", "bt full 1", "bt some")
        self.assertEqual([x.split("(")[0].split(" at ")[0].strip() for x in said["bt -1"][1:]], ["#2  main"], said)
        self.assertEqual([x.split("(")[0].strip() for x in said["p1 bt -2"][1:]], ["#1  work", "#2  main"])
        self.assertIn(f"ring.c:{here}", said["p1 bt -2"][1])
        self.assertEqual(len(said["bt 1"]), 2)
        self.assertEqual(len([x for x in said["bt full 1"] if x.startswith("        sum = ")]), 2, said)
        self.assertFalse([x for x in said["bt full 1"] if x.startswith("#1")])
        self.assertEqual(said["bt some"], ["error: expected: bt [N], bt -N, bt full [N], bt -m [folded|dot] [all]"])

    def test_here_and_once(self):
        """What each gdb would do by itself: the shell, breakpoints in a file."""
        with sdm.Folder() as folder:
            path = folder.path("points")
            save = f"save breakpoints {path}"
            said, _ = run("break add if a > 2", "p1 tbreak work", "commands 1\nprint a\nend", "disable 1", save, "delete 1", "delete 2",
                          f"source {path}", "info breakpoints", "shell echo hi", "!echo ho", "set logging on")
            self.assertEqual(open(path).read(), "break add if a > 2\ncommands\nprint a\nend\ndisable $bpnum\n[1] tbreak work\n")
            line, work = sdm.line_of("int sum ="), sdm.line_of("struct pair p = {")
            self.assertEqual(said["info breakpoints"], [f"3  add if a > 2  {{0-1}}  at ring.c:{line}  disabled", "        print a",
                                                        f"4  work  {{1}}  at ring.c:{work}  temporary"])
            self.assertEqual((said["shell echo hi"], said["!echo ho"]), (["hi"], ["ho"]))
            self.assertIn("tee FILE", said["set logging on"][0])

    def test_not_behind_our_back(self):
        """What gdb would do with numbers of its own."""
        said, _ = run("break add", "break work", "rwatch total", "dis 1", "info breakpoints", "clear add", "clear nowhere", "hbreak add", "delete",
                      "info b", "delete breakpoints", "watch -l total", "start", "status")
        listed = "".join(said["info breakpoints"])
        if not any("do not stop programs on this machine" in x for x in said["rwatch total"]):
            self.assertIn("total", listed)
        self.assertRegex(listed, "1 .*add.*disabled|1 .*disabled.*add")
        self.assertEqual(said["clear nowhere"], ["error: no breakpoint was set there; 'info breakpoints' lists them, 'delete N' removes one"])
        self.assertIn("'hbreak' is not passed to gdb: 'break' sets", "".join(said["hbreak add"]))
        self.assertFalse([x for x in said["info b"] if "add" in x or "work" in x or "total" in x], said["info b"])
        self.assertFalse([x for x in said["delete breakpoints"] if "error" in x])
        self.assertIn("-l is not there", said["watch -l total"][0])
        self.assertTrue(any(" main at ring.c" in x for x in said["start"] + said["status"]), said)

    def test_frame_that_is_not_there(self):
        """It is not chosen: nothing that follows is asked of it."""
        said, _ = run("break add", "continue", "frame function nosuch", "print a", "bt -m", "frame function work", "print steps", "bt 1")
        self.assertIn("there is no frame of 'nosuch'", said["frame function nosuch"][0])
        self.assertEqual(said["print a"], ["{0-1} 2  0"])
        self.assertEqual([x.split()[0] for x in said["bt -m"]], ["main", "work", "add"])
        self.assertEqual(said["print steps"], ["{0-1} 2  10"])
        self.assertIn("add", "".join(said["bt 1"]))

    def test_counts_of_breakpoints(self):
        said, _ = run("break add", "condition 1 a == 4", "info breakpoints", "continue", "info b")
        self.assertIn("add if a == 4", said["info breakpoints"][0])
        self.assertNotIn("hit", said["info breakpoints"][0])
        self.assertIn("  hit 1 time", said["info b"][0])

    def test_words_that_are_wrong(self):
        with sdm.Folder() as folder:
            path = folder.write("script", "print 1\nnonsense\nprint 2\n")
            said, _ = run("[0-1 bt", "focus value(nosuch == 1)", f"source {path}", "help nosuch", "waits", "interrupt", "sample 2 1")
            self.assertEqual(said["[0-1 bt"], ["error: ']' is missing after the set"])
            self.assertEqual(said["focus value(nosuch == 1)"], ['error: No symbol "nosuch" in current context.'])
            self.assertEqual(said[f"source {path}"][-1], f"error: {path}:2: the script ends here, at 'nonsense'")
            self.assertIn("no command 'nosuch'", said["help nosuch"][0])
            self.assertEqual(said["interrupt"], ["none of them is running"])
            self.assertIn("'continue &' sets them going", said["sample 2 1"][0])

    def test_nothing_is_there(self):
        said, _ = run("delete 3", "break -any add", "delete 1", "kill", "[0-1] bt", "[0-1] info locals", "[0-1] info args")
        for line in ("delete 3", "delete 1"):
            self.assertEqual(said[line], ["error: there is no such breakpoint; 'info breakpoints' lists them"])
        self.assertIn("{0-1} 2  error: No stack.", said["[0-1] bt"])
        self.assertIn("{0-1} 2  error: No frame selected.", said["[0-1] info locals"])
        self.assertIn("{0-1} 2  error: No frame selected.", said["[0-1] info args"])

    def test_catch_with_a_condition(self):
        """Where it is not true nobody stops; one that gdb does not take sets nothing."""
        wrong, right = "catch throw if nosuch > 1", "catch throw if big[1000000] == 42"
        said, _ = run(wrong, "info breakpoints", "catch throw if big[1000000] == 43", "continue", program=(VALUES, "throw"))
        self.assertRegex(said[wrong][0], 'error: No symbol "nosuch"')
        self.assertEqual(said["info breakpoints"], [])
        self.assertIn("{0-1} 2  exited with status 0", said["continue"])
        said, _ = run(right, "continue", "bt", program=(VALUES, "throw"))
        self.assertEqual(said[right], ["{0-1} 2  breakpoint 1: throw"])
        self.assertTrue(any("complain" in x for x in said["bt"]), said["bt"])

    def test_a_stop_inside_of_a_call(self):
        """Whether it goes on or is stepped to its end: then the program stands where it stood, and that is said."""
        where = sdm.line_of("const char *text = getenv")
        back = f"{{0-1}} 2  the function that was called has returned; stopped in main at ring.c:{where}"
        said, parts = run("break add", "call add(1, 2)", "continue", "status", "print add(3, 4)", "finish", "next", "bt", "print 5")
        self.assertIn("stopped at breakpoint 1, add at ring.c", "".join(said["call add(1, 2)"] + said["continue"]))
        self.assertIn(back, said["continue"])
        self.assertEqual(said["status"], [back])
        self.assertRegex(said["bt"][-1], "#0  main")
        self.assertEqual(said["print 5"], ["{0-1} 2  5"])

    def test_state_after_lines_of_gdb(self):
        """What gdb does without a word in MI is known all the same."""
        line = sdm.line_of("int sum =")
        said, parts = run("gdb tbreak add", "gdb continue", "status", "gdb next", "gdb return", "info frame", "gdb start", "gdb kill", "gdb run",
                          "gdb jump 1", "gdb detach")
        self.assertEqual(said["status"][0], f"{{0-1}} 2  stopped in add at ring.c:{line}")
        self.assertIn(f"{{0-1}} 2  stopped in add at ring.c:{line + 1}", said["gdb next"])
        self.assertIn("{0-1} 2  is now in work at ring.c:%d" % sdm.line_of("total = add("), said["gdb return"])
        self.assertIn("stopped in main", "".join(said["gdb start"]))
        self.assertIn("{0-1} 2  killed by SIGKILL", said["gdb kill"])
        self.assertIn("{0-1} 2  exited with status 0", said["gdb run"])
        said, parts = run("gdb detach", "status")
        self.assertEqual(said["status"], ["{0-1} 2  detached, still running"])

    def test_display(self):
        said, _ = run("break add", "continue", "display/x b + 16", "display sum", "info display", "undisplay 2", "next", "undisplay 7")
        self.assertEqual(said["display/x b + 16"], ["1: b + 16", "{0} 0x10", "{1} 0x12"])
        self.assertEqual(said["info display"], ["1: /x b + 16", "2: sum"])
        self.assertEqual(said["next"][-3:], ["1: b + 16", "{0} 0x10", "{1} 0x12"])
        self.assertEqual(said["undisplay 7"], ["error: there is no such display"])

    def test_commands(self):
        """For those who stop there; 'continue' among them lets them go on."""
        typed = "break add if a == 6\ncommands 1\nprint b * 1000\ncontinue\nend\ncontinue\necho ---\nstatus\n"
        r = subprocess.run([sdm.DEBUG, "-n", "2", "--launcher", "local", sdm.RING], input=typed, capture_output=True, text=True,
                           timeout=2 * sdm.LIMIT)
        self.assertIn("{1} 2000\n", r.stdout)  # rank 1 alone: 0, 2, 4, 6
        self.assertIn("exited with status 0", r.stdout.partition("---")[2])

    def test_commands_at_the_prompt(self):
        """Also of those who stop while nobody waits for them; the stop is told first, or not at all."""
        for silent in ("", "silent\n"):
            p = subprocess.Popen([sdm.DEBUG, "-n", "1", "--launcher", "local", sdm.RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            p.stdin.write(f"break add\ncommands 1\n{silent}print 4000 + 2\nprint 5000 + 2\nend\ncontinue &\n")
            p.stdin.flush()
            said = []
            while "5002" not in (said or [""])[-1]:  # nothing is typed meanwhile
                said.append(p.stdout.readline())
                self.assertTrue(said[-1], said)
            p.communicate("kill\nquit\n", timeout=sdm.LIMIT)
            stops = [i for i, line in enumerate(said) if "stopped at breakpoint 1" in line]
            answers = [i for i, line in enumerate(said) if "4002" in line]
            self.assertEqual(len(answers), 1, said)
            self.assertEqual(len(stops), 0 if silent else 1, said)
            self.assertTrue(silent or stops[0] < answers[0], said)

    def test_running(self):
        line = sdm.line_of("return total;")
        said, _ = run("break add", "continue", "nexti", "delete 1", "finish", f"advance {line}", "tcatch syscall exit_group", "continue", "bt 1")
        self.assertEqual(said[f"advance {line}"][0], f"{{0-1}} 2  stopped in work at ring.c:{line}")
        self.assertTrue(any("exit" in x for x in said["bt 1"]), said["bt 1"])

    def test_break_on_any(self):
        """One comes there, all are stopped; the breakpoint is gone then."""
        said, _ = run("break -any wait_here", "info breakpoints", program=(sdm.RING, "hang", "1"))
        self.assertTrue(any(x.startswith("{1} stopped at breakpoint 1, wait_here") for x in said["break -any wait_here"]),
                        said["break -any wait_here"])
        self.assertEqual(said["info breakpoints"], [])

    def test_run_of_a_job(self):
        """MPI starts once, and by its launcher: the whole job begins again, breakpoints stay; temporary ones go when they were hit."""
        if not os.path.exists(WAITS):
            self.skipTest("no MPI here")
        at, compute = sdm.line_of("MPI_Comm_split(", "mpi_waits.c"), sdm.line_of("while (gate)", "mpi_waits.c")
        said, _ = run(f"break {at} if rank < 3", f"tbreak {at + 1}", "tbreak compute", "disable 1", "continue", "p0 run", "run", "info breakpoints",
                      "enable 1", "c", program=(WAITS, "outside"), n=4, options=())
        self.assertIn("{0-3} 4  stopped at breakpoint 2, main at mpi_waits.c:%d" % (at + 1), said["continue"])
        self.assertEqual(said["p0 run"], ["error: the launcher of an MPI job starts all ranks or none: use 'run' for all of them"])
        self.assertTrue(said["run"][0].startswith("{0-3} 4  stopped in main at mpi_waits.c:"), said["run"])
        self.assertEqual(said["info breakpoints"], [f"1  {at} if rank < 3  {{0-3}}  at mpi_waits.c:{at}  disabled",
                                                    f"3  compute  {{0-3}}  at mpi_waits.c:{compute}  temporary"])
        self.assertIn("{0-2} 3  stopped at breakpoint 1, main at mpi_waits.c:%d" % at, said["c"])

    def test_threads_merged(self):
        said, _ = run("break bump", "continue", "bt -m all", program=(sdm.THREADS,))
        names = {x.split()[0] for x in said["bt -m all"]}
        self.assertTrue({"main", "bump", "helper"} <= names, said["bt -m all"])
        self.assertTrue(any("libc" in x or "clone" in x for x in said["bt -m all"]), said["bt -m all"])

    def test_stop_all(self):
        """The default for MPI programs: who waits in MPI is stopped with the one that has stopped."""
        if not os.path.exists(WAITS):
            self.skipTest("no MPI here")
        said, _ = run("break compute", "continue", "info ranks", "focus 0,2,3", "frame user", "print rank", "frame function main", "frame function nosuch", program=(WAITS, "outside"), n=4, options=())
        stops = "\n".join(said["continue"])
        self.assertRegex(stops, r"\{1\} stopped at breakpoint 1, compute")
        self.assertRegex(stops, r"stopped \(interrupted\) in ")
        self.assertNotIn("running", "\n".join(said["info ranks"]))
        self.assertTrue(any(x.strip().startswith("#") and " main at mpi_waits.c:" in x for x in said["frame user"]), said["frame user"])
        self.assertEqual([x for x in said["print rank"]], ["{0} 0", "{2} 2", "{3} 3"])
        self.assertTrue(all(" main at mpi_waits.c:" in x for x in said["frame function main"] if "#" in x), said["frame function main"])
        self.assertEqual(said["frame function nosuch"], ["{0,2-3} 3  error: there is no frame of 'nosuch'"])
        # From there up, down and its lines.
        said, _ = run("break weigh", "continue", "frame function main", "down", "up", "list 1,2", "whatis argc", "up", "frame",
                      program=(VALUES, "throw"))
        self.assertTrue(any("weigh " in x for x in said["down"]), said)
        self.assertIn("you can't go up", "".join(said["up"]))  # the second
        self.assertTrue(any(" main at values.cc:" in x for x in said["frame"]), said)
        self.assertTrue(any("   2\t#include <cstdio>" in x for x in said["list 1,2"]), said)
        self.assertEqual(said["whatis argc"], ["{0-1} 2  type = int"])
        said, _ = run("set stop-all maybe", "set stop-all off", "set timeout 1", "break wait_here", "[1] continue", program=(sdm.RING, "hang", "1"))
        self.assertIn("expected", said["set stop-all maybe"][0])


class Arrays(unittest.TestCase):
    def test_first_element_that_differs(self):
        """Beyond what gdb would print, in any dimension; and that they are equal is said of all elements."""
        said, _ = run("break stop", "continue", "up", "diff grid", "diff other", "diff other[29]", "diff row[0]@450", "diff row", "diff few",
                      "diff counts", "diff rank", "diff nosuch", program=(os.path.join(sdm.BUILD, "test", "integration", "sdm", "sdm_arrays"),), n=3)
        self.assertEqual(said["diff grid"], ["all equal: 1500 elements of type 'double'"])
        self.assertEqual(said["diff counts"], ["all equal: 400 elements of type 'int'"])
        self.assertEqual(said["diff other"], ["1500 elements, the first that differs is [17][31]:", "{0-1} 2  32.5", "{2} -1"])
        self.assertEqual(said["diff other[29]"], ["50 elements, the first that differs is [49]:", "{0-1} 2  53.5", "{2} -1"])
        self.assertEqual(said["diff row[0]@450"], ["450 elements, the first that differs is [449]:", "{0-1} 2  449", "{2} 0"])
        self.assertEqual(said["diff row"], said["diff row[0]@450"])
        self.assertEqual(said["diff few"][0], "3 elements, the first that differs is [1]:")
        self.assertEqual(said["diff rank"], ["{0} 0", "{1} 1", "{2} 2"])
        self.assertEqual(said["diff nosuch"], ['{0-2} 3  error: No symbol "nosuch" in current context.'])


class End(unittest.TestCase):
    def test_exit_with_an_error(self):
        """It stands before it ends; a good end does not."""
        said, _ = run("continue", "bt", "[1] continue", program=(sdm.RING, "fail", "1"))
        self.assertTrue(any(x.startswith("{1} is about to end with an error, ") and "exit" in x for x in said["continue"]), said["continue"])
        self.assertIn("{0} exited with status 0", said["continue"])
        self.assertIn("{1} exited with status 7", said["[1] continue"])
        said, _ = run("set stop-at-end off", "continue", program=(sdm.RING, "fail", "1"))
        self.assertIn("{1} exited with status 7", said["continue"])

    def test_abort(self):
        if not os.path.exists(sdm.MPI_RING):
            self.skipTest("no MPI here")
        for how, text in (("abort", "MPI_Abort(MPI_COMM_WORLD, 4);"), ("wrong", "MPI_Send(&rank")):
            said, _ = run("continue", "[1] bt", program=(sdm.MPI_RING, how, "1"), options=())
            self.assertTrue(any(x.startswith("{1} is about to end with an error, ") for x in said["continue"]), said["continue"])
            place = f" at mpi_ring.c:{sdm.line_of(text, 'mpi_ring.c')}"
            self.assertIn(place, "\n".join(said["[1] bt"]))
            if how == "wrong":
                self.assertTrue(any(x.endswith(f": MPI_Send{place}: MPI_ERR_RANK, there is no such rank") for x in said["continue"]), said["continue"])


class Terminal(unittest.TestCase):
    """What is for people at a keyboard."""

    def session(self, n, *steps, program=(sdm.RING,)):
        """Types each text, and waits for what is to come then."""
        pid, fd = pty.fork()
        if not pid:
            os.environ.update(TERM="xterm", XDG_STATE_HOME=self.folder.name)
            os.execv(sdm.DEBUG, [sdm.DEBUG, "-n", str(n), "--launcher", "local", *program])
        said = b""
        try:
            for typed, awaited in steps:
                os.write(fd, typed)
                end = time.monotonic() + sdm.LIMIT
                while awaited not in said:
                    self.assertLess(time.monotonic(), end, (typed, said))
                    if select.select([fd], [], [], 1)[0]:
                        said += os.read(fd, 4096)
                said = said[said.index(awaited) + len(awaited):]
        finally:
            os.write(fd, b"\x15quit\n")
            os.waitpid(pid, 0)
            os.close(fd)

    def setUp(self):
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)

    def test_progress(self):
        self.session(8, (b"", b" of 8 ranks have started"), (b"", b"[all]> "))

    def test_prompt_comes_again(self):
        """Behind what the programs write meanwhile."""
        self.session(1, (b"", b"[all]> "), (b"continue &\n", b"[0] hello from everybody\r\n"), (b"", b"[all]> "),
                     (b"input one\n", b"[0] got one\r\n"), (b"", b"[all]> "), (b"eof\n", b"exited with status 0\r\n"), (b"", b"[all]> "),
                     program=(sdm.RING, "echo"))

    def test_typing_while_programs_run(self):
        self.session(1, (b"", b"[all]> "), (b"continue\n", b"hello from everybody"), (b"one\n", b"the line waits for the prompt"), (b"\x03", b"stopped"),
                     program=(sdm.RING, "echo"))

    def test_completion(self):
        """The tabulator: commands and symbols; fields and sets: dap-requests, by the same function."""
        self.session(2, (b"", b"[all]> "), (b"tbre\t", b"ak"), (b"wait_h\t", b"ere"), (b"\n", b"breakpoint 1: wait_here"),
                     (b"break work\n", b"breakpoint 2"), (b"contin\t\n", b"stopped at breakpoint 2"))


class Input(unittest.TestCase):
    def test_from_a_file(self):
        """Bytes that a terminal would take for itself, and the end; for one rank alone."""
        with sdm.Folder() as f:
            file = f.write("input file", "one\x03two\n" + "x" * 200 + "\n")
            r = subprocess.run([sdm.DEBUG, "--batch", "-n", "2", "--launcher", "local", "--stdin", file, "--stdin-to", "1", sdm.RING, "echo"],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * sdm.LIMIT)
            said = r.stdout.splitlines()
            self.assertEqual(r.returncode, 0, r)
            self.assertEqual([x for x in said if "got" in x], ["[1] got one\x03two", "[1] got " + "x" * 200])
            self.assertEqual(r.stdout.count("end of input"), 1 if "[0-1] end of input" in said else 2)
        for words, why in ((["--stdin", "/no/such/file", sdm.RING], "cannot read"), (["--stdin-to", "1", sdm.RING], "needs '--stdin'"),
                           (["--stdin", "/dev/null", "--stdin-to", "x", sdm.RING], "x")):
            r = subprocess.run([sdm.DEBUG, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual((r.returncode, why in r.stderr), (2, True), r)


if __name__ == "__main__":
    sdm.main()
