"""The folders of the run-time library stand on each other: data, rules, report, entry.  No object of a lower one needs a symbol of a
higher one; what has to be told upwards goes through runtime/entry/wiring.c.  (test/integration/driver/layers.py looks at the headers of all folders.)

layers.py NM OBJECT..      objects as CMake lays them: .../FOLDER/FILE.c.o; all of the library, so that each of its symbols is somewhere"""
import os
import re
import subprocess
import sys

ORDER = ["data", "rules", "report", "entry"]
# Names without definition in the objects: the linker makes them.
ELSEWHERE = re.compile(r"__(start|stop)_")
OWN = re.compile(r"dvmrt_|__dvm_")


def symbols(nm, path):
    defined, needed = set(), set()
    for line in subprocess.run([nm, path], check=True, capture_output=True, text=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        (needed if kind in "Uw" else defined).add(name) if kind not in "abdt" else None
    return defined, needed


def main():
    nm, objects = sys.argv[1], sys.argv[2:]
    where, needs = {}, {}
    for path in objects:
        folder = os.path.basename(os.path.dirname(path))
        if folder not in ORDER:
            sys.exit(f"{path}: '{folder}' has no place among {ORDER}")
        defined, needed = symbols(nm, path)
        for name in defined:
            where[name] = (folder, path)
        needs[path] = (folder, needed)
    # Interposed by the library, and called for what the C library does.
    for name in ("_exit", "_Exit"):
        where.pop(name, None)
    wrong = []
    for path, (folder, needed) in sorted(needs.items()):
        for name in sorted(needed):
            above = where.get(name, (folder,))[0]
            if ORDER.index(above) > ORDER.index(folder):
                wrong.append(f"{folder}/{os.path.basename(path)} needs {name} of {above}")
            elif name not in where and OWN.match(name) and not ELSEWHERE.match(name):
                wrong.append(f"{folder}/{os.path.basename(path)} needs {name}, which none of the objects defines")
    print(*wrong, sep="\n")
    if not any(folder == "rules" for folder, _ in needs.values()) or len(where) < 100:
        sys.exit("too few symbols: nothing was compared")
    sys.exit(1 if wrong else 0)


main()
