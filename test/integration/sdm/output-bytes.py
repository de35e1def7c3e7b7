"""Input and output of the programs: every byte arrives, in order, on its stream, with the rank that wrote it; a reader
that is slow stops the writers instead of filling memory."""
import json
import os
import re
import subprocess
import time
import unittest

import sdm


class Bytes(unittest.TestCase):
    def session(self, *args, n=3):
        d = sdm.Debugger("-n", str(n), "--launcher", "local", "--no-stop", *args)
        return d

    def test_input_reaches_the_focus_only(self):
        with self.session(sdm.RING, "echo") as d:
            d.do("[0,2] input one")
            d.wait(lambda j: "one" in j.get("text", ""), "the echo")
            d.do("input two words")
            d.do("eof")
            d.do("wait")
            tail = b"got two words\nend of input\n"
            hello = b"hello from everybody\n"
            self.assertEqual(d.output(), {0: hello + b"got one\n" + tail, 1: hello + tail, 2: hello + b"got one\n" + tail})
            self.assertEqual(d.status()["exited"], {0, 1, 2})

    def batch(self, *words, launcher="local", n=2, **more):
        return subprocess.run([sdm.DEBUG, "--batch", "--timeout", "50", "--launcher", launcher, "-n", str(n), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=2 * sdm.LIMIT, **more)

    def test_input_of_a_batch_run(self):
        """As under a launcher: the first rank has it, from its first byte to its end, the others have none."""
        hello, end = b"hello from everybody\n", b"end of input\n"
        text = b"".join(b"%d\n" % i for i in range(20000))
        echo = b"".join(b"got " + line for line in text.splitlines(True))
        with sdm.Folder() as f:
            with open(f.path("input"), "wb") as out:
                out.write(text)
            for launcher in ("local", "mpirun"):
                for io in ("tree", "oob"):
                    with open(f.path("input")) as file:
                        for given in ({"input": text}, {"stdin": file}, {"stdin": subprocess.DEVNULL}):
                            with self.subTest(launcher=launcher, io=io, given=next(iter(given.values()))):
                                r = self.batch("--io", io, *(["--json"] if io == "tree" else []), sdm.RING, "echo", launcher=launcher, **given)
                                self.assertEqual((r.returncode, r.stderr.count(b"rank")), (0, 0 if io == "tree" else 2), r)
                                said = [json.loads(w) for w in r.stdout.splitlines()] if io == "tree" else []
                                want = b"" if given.get("stdin") == subprocess.DEVNULL else echo
                                if io == "tree":
                                    whole = "".join(j["text"] for j in said if j["output"] == "stdout" and 0 in sdm.ranks(j["ranks"]))
                                    self.assertEqual(whole.encode(), hello + want + end)
                                else:  # lines of the two may mix, of which the other has no digits
                                    self.assertEqual(len(r.stdout), len(want + 2 * (hello + end)))
                                    self.assertEqual(re.sub(rb"\D", b"", r.stdout), re.sub(rb"\D", b"", want))

    def test_input_larger_than_memory_should_be(self):
        """What the program does not read yet stays where it is."""
        size = 64 << 20
        with sdm.Folder() as f:
            with open(f.path("input"), "wb") as out:
                for _ in range(size // 4096):
                    out.write(b"x" * 63 + b"\n" + b"y" * 4031 + b"\n")
            with open(f.path("input")) as file:
                p = subprocess.Popen([sdm.DEBUG, "--batch", "--timeout", "100", "--launcher", "local", "-n", "1", "/bin/sh", "-c",
                                      "echo begun; while read -r line; do case $line in end) break;; esac; done"], stdin=file, stdout=subprocess.PIPE)
                try:
                    os.read(p.stdout.fileno(), 10)
                    sizes = [sum(sdm.memory(q) for q in [p.pid, *sdm.children(p.pid)]) for _ in range(50) if not time.sleep(0.02)]
                    self.assertLess(max(sizes) - sizes[0], 8 << 20)
                finally:
                    p.terminate()
                    p.kill()
                    p.wait()
                    p.stdout.close()

    def test_output_to_a_file(self):
        """Nobody writes over what another one has written."""
        with sdm.Folder() as f:
            for io in ("tree", "oob"):
                with open(f.path("out"), "wb") as out:
                    subprocess.run([sdm.DEBUG, "--no-stop", "--io", io, "--launcher", "local", "-n", "3", "-ex", "wait", "-ex", "echo " + "=" * 4000,
                                    "-ex", "quit", "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo $SDM_RANK has $i; done"],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, check=True, timeout=sdm.LIMIT)
                with open(f.path("out")) as out:
                    text = out.read()
                self.assertEqual(text.count("="), 4000)
                for rank in range(3):
                    for i in range(1, 10):
                        self.assertEqual(text.count(f"{rank} has {i}\n"), 1, (io, text))

    def test_any_byte(self):
        """256 values, also those that mean something to a terminal, without a newline at the end."""
        data = bytes(range(256)) * 20 + b"tail"
        with sdm.Folder() as f:
            with open(f.path("data"), "wb") as out:
                out.write(data)
            with self.session("/bin/sh", "-c", f"cat {f.path('data')}; cat {f.path('data')} >&2") as d:
                d.do("wait")
                self.assertEqual(d.output(), {r: data for r in range(3)})
                self.assertEqual(d.output("stderr"), {r: data for r in range(3)})

    def test_lines_of_many_ranks_merge(self):
        with self.session("/bin/echo", "same", n=8) as d:
            d.do("wait")
            lines = [j for j in d.said if j.get("output") == "stdout"]
            self.assertEqual(set().union(*(sdm.ranks(j["ranks"]) for j in lines)), set(range(8)))
            self.assertEqual({j["text"] for j in lines}, {"same\n"})

    def test_launcher_that_is_slow_to_read(self):
        """Route oob: the program waits, its server does not, and every byte comes in the end."""
        sdm.need("mpirun")
        p = subprocess.Popen([sdm.DEBUG, "--io", "oob", "--ping", "1", "--json", "--no-stop", "-ex", "wait", "-ex", "status",
                              "-ex", "quit", "--", "mpirun", "-q", "-n", "2", "/bin/sh", "-c", "yes 0123456789 | head -c 4000000"],
                             stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            os.read(p.stdout.fileno(), 10)
            time.sleep(6)  # twice what makes a server lost, in which nobody reads
            text = p.stdout.read()
            self.assertEqual(p.wait(sdm.LIMIT), 0)
            self.assertEqual([line for line in text.splitlines() if b'"lost"' in line], [])
            self.assertGreaterEqual(text.count(b"5"), 2 * (4000000 // 11) - 1)  # once a line; lines of the two may mix
        finally:
            p.kill()
            p.wait()
            p.stdout.close()

    def test_slow_reader(self):
        """8 MB of each of two programs; nobody reads for a while: the debugger and its servers stay small, then all comes."""
        total = 8 << 20
        program = f"yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c {total}"
        p = subprocess.Popen([sdm.DEBUG, "-n", "2", "--launcher", "local", "--batch", "--timeout", "100", "/bin/sh", "-c",
                              program], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            os.read(p.stdout.fileno(), 10)  # it has begun
            sizes, same = [], 0
            while same < 10:  # until nothing grows any more: everybody is blocked
                sizes.append(sum(sdm.memory(q) for q in [p.pid, *sdm.children(p.pid)]))
                same = same + 1 if len(sizes) > 1 and sizes[-1] <= sizes[-2] else 0
                time.sleep(0.05)
            self.assertLess(sizes[-1] - sizes[0], 4 << 20, "growth of the debugger and two servers")
            count = {0: 0, 1: 0}
            for line in p.stdout:
                head, _, rest = line.partition(b" ")
                for r in sdm.ranks(head.decode().strip("[]")) if head.startswith(b"[") else ():
                    count[r] += len(rest)
            self.assertEqual(p.wait(sdm.LIMIT), 0)
            self.assertGreater(min(count.values()), total - 100)  # the first 10 bytes went to os.read
        finally:
            p.kill()
            p.wait()
            p.stdout.close()


if __name__ == "__main__":
    sdm.main()
