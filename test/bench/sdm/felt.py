"""What a user of 'dvm debug' feels: python3 felt.py BUILD.  Milliseconds; median and least of several runs."""
import os
import subprocess
import sys
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


def main():
    values, steps = of_gdb()
    print(f"gdb alone: print {values}; stepi {steps}")
    with sdm.Debugger("-n", "4", "--launcher", "local", sdm.RING) as d:
        d.wait(lambda j: j.get("event") == "stopped")
        print("print on 4 ranks:", times(50, lambda: d.answer("print total")))
        d.send("p0 print 1")
        print("stepi on 4 ranks:", times(50, lambda: d.do("stepi")))
        d.do("break add")
        print("continue on 4 ranks:", times(9, lambda: d.do("continue")))

    def start(n):
        with sdm.Debugger("-n", str(n), "--launcher", "local", sdm.RING) as d:
            d.do("status")
    print("start to main of 16:", times(3, lambda: start(16)), "with the end of the session")


if __name__ == "__main__":
    main()
