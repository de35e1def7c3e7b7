"""What a user of 'dvm debug' feels, all of it in one run: python3 felt.py BUILD.  Milliseconds; median and least of several runs, and
what is asked for.  For a machine that does nothing else; processor times hold on a busy one too."""
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "integration", "sdm"))
import sdm  # noqa: E402


def times(n, what):
    found = []
    for _ in range(n):
        start = time.monotonic()
        what()
        found.append((time.monotonic() - start) * 1000)
    found.sort()
    return f"median {found[len(found) // 2]:.1f}, least {found[0]:.1f}"


def of_gdb():
    """The same with gdb alone, by MI."""
    p = subprocess.Popen(["gdb", "-q", "-nx", "--interpreter=mi3", sdm.RING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(text, until):
        p.stdin.write(text + "\n")
        p.stdin.flush()
        while not p.stdout.readline().startswith(until):
            pass
    ask("-exec-run --start", "*stopped")
    values, steps = times(50, lambda: ask("7-data-evaluate-expression total", "7^done")), times(50, lambda: ask("-exec-step-instruction", "*stopped"))
    p.kill()
    p.wait()
    return values, steps


LINES = """#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  for (long i = 0, n = argc > 1 ? atol(argv[1]) : 0; i < n; i++)
    printf("rank %s line %ld of the output\\n", getenv("OMPI_COMM_WORLD_RANK"), i);
  return 0;
}
"""
EACH = 1000000


def processor_time(*words, out):
    """Seconds, of the command and all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def output():
    """Lines of 4 ranks, to a file, beside Open MPI's own tagging; without what a session costs that prints nothing."""
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "out"), "wb") as out:
        lines = os.path.join(folder, "lines")
        subprocess.run(["cc", "-O2", "-g", "-x", "c", "-", "-o", lines], input=LINES, text=True, check=True)

        def debug(n):
            return processor_time(sdm.DEBUG, "-n", "4", "-ex", "continue", "-ex", "quit", lines, str(n), out=out)

        plain, ours = [], []
        for _ in range(3): # in pairs
            plain.append(processor_time("mpirun", "-n", "4", "--tag-output", lines, str(EACH), out=out))
            ours.append(debug(EACH) - debug(1))
        plain.sort(), ours.sort()
        print(f"{4 * EACH} lines of 4 ranks, processor time: {ours[1]:.2f} s, mpirun --tag-output {plain[1]:.2f} s, ratio "
              f"{ours[1] / plain[1]:.2f} (asked for: 1.5)")


def tree():
    bench = os.path.join(sdm.BUILD, "test", "bench", "sdm", "sdm-bench")
    if not os.path.exists(bench):
        print("the tree of 512 servers: no", bench)
        return
    print("the tree of 512 servers (asked for: a command to all 25 ms median, wire-up 500 ms):", flush=True)
    subprocess.run([bench, "processes", "512", "kary:32"], env={**os.environ, "SDM_SERVER": sdm.SERVER}, check=False)


def main():
    values, steps = of_gdb()
    print(f"gdb alone: print {values}; stepi {steps}")
    with sdm.Debugger("-n", "4", "--launcher", "local", sdm.RING) as d:
        d.wait(lambda j: j.get("event") == "stopped")
        print("print on 4 ranks:", times(50, lambda: d.answer("print total")), "(asked for: gdb and 5)")
        d.send("p0 print 1")
        print("stepi on 4 ranks:", times(50, lambda: d.do("stepi")), "(asked for: 30)")
        d.do("break add")
        print("continue on 4 ranks:", times(9, lambda: d.do("continue")), "(asked for: 30)")

    def start(n):
        with sdm.Debugger("-n", str(n), "--launcher", "local", sdm.RING) as d:
            d.wait(lambda j: "status" in j or j.get("event") == "stopped", "the first stop")
            sdm.wait_until(lambda: len(d.status()["stopped"]) == n, "all are in main")
            return time.monotonic()

    def start_times(n):
        begin = time.monotonic()
        return (start(n) - begin) * 1000
    found = sorted(start_times(16) for _ in range(3))
    print(f"start to main of 16: median {found[1]:.0f}, least {found[0]:.0f} (asked for: 2500)", flush=True)
    output()
    tree()


if __name__ == "__main__":
    main()
