"""The folders are libraries that stand on each other: no file includes a header of a folder that is not below its own.  (The symbols of the
run-time library are looked at by test/unit/runtime/layers.py.)

layers.py SOURCE"""
import os
import re
import sys

# Folder: those whose headers it may include, besides its own.  Every folder with sources has a row, below before above.
BELOW = {
    "base": [],
    # The run-time library, the recorder, parallel execution.
    "runtime": ["base"],  # what the pass and the libraries agree upon
    "runtime/data": ["base", "runtime"],
    "runtime/rules": ["runtime", "runtime/data"],
    "runtime/report": ["base", "runtime", "runtime/data", "runtime/rules"],
    "runtime/entry": ["base", "runtime", "runtime/data", "runtime/rules", "runtime/report"],
    "runtime/trace": ["base", "runtime"],
    "runtime/record": ["base", "runtime", "runtime/trace"],
    "runtime/parallel": ["base", "runtime", "runtime/data", "runtime/report", "runtime/trace"],
    # The front ends and the pass; 'runtime' for the interface.
    "pass": [],
    "pass/directive": ["base"],
    "pass/clang": ["base", "pass", "pass/directive", "runtime"],
    "pass/fortran": ["base", "pass", "pass/directive", "runtime"],
    "pass/llvm": ["pass", "runtime", "runtime/trace", "runtime/parallel"],
    # The commands.
    "driver": ["base"],
    "driver/fix": ["base", "driver"],
    "driver/fortran": ["base", "driver"],
    "driver/profile": ["base", "driver"],
    "driver/dvm": ["base", "driver", "driver/fix"],
    "driver/trace/format": ["base", "runtime/trace"],
    "driver/trace/compare": ["base", "runtime/trace", "driver/trace/format"],
    "driver/trace/job": ["base", "runtime/trace", "driver/trace/format", "driver/trace/compare"],
    "driver/trace/inside": ["base", "runtime/trace", "driver/trace/format", "driver/trace/compare", "driver/trace/job"],
    "driver/trace/flags": ["base", "driver"],
    "driver/trace/command": ["base", "driver", "runtime/data", "runtime/trace", "driver/trace/format", "driver/trace/compare", "driver/trace/job"],
    # The debugger.
    "sdm/include/sdm": ["base", "sdm"],
    "sdm/set": ["sdm"],
    "sdm/overlay": ["sdm"],
    "sdm/net": ["base", "sdm", "sdm/overlay"],
    "sdm/gdb": ["base", "sdm", "sdm/net"],
    "sdm/server": ["base", "sdm", "sdm/overlay", "sdm/net", "sdm/gdb"],
    "sdm/session": ["base", "sdm", "sdm/net"],
    "sdm/console": ["base", "sdm", "sdm/overlay", "sdm/gdb", "sdm/session"],
    "sdm/dap": ["base", "sdm", "sdm/overlay", "sdm/net", "sdm/session", "sdm/console"],
    "sdm/command": ["base", "sdm", "sdm/session", "sdm/console", "sdm/dap"],
    # The checkpointer and the message layer.
    "mpir/image": ["base"],
    "mpir/crs": ["mpir/image"],
    "mpir/restart": ["base", "mpir/image", "mpir/crs"],
    # One library: the layer calls the replicas, which read and write its rings.
    "mpir/mpi": ["mpir/replica"],
    "mpir/replica": ["mpir/mpi"],
    "mpir/commands": ["base", "mpir/image", "mpir/crs", "mpir/restart", "mpir/mpi", "mpir/replica"],
    "mpir/proxy": ["base", "mpir/restart", "mpir/mpi", "mpir/replica", "mpir/commands"],
}
TOGETHER = {("mpir/mpi", "mpir/replica")}
TOPS = ("base", "runtime", "pass", "driver", "sdm", "mpir")
SOURCES = (".c", ".h", ".cpp", ".inc")


def includes(path):
    with open(path, encoding="utf-8") as f:
        return re.findall(r'^#include "([^"]+)"', f.read(), re.M)


def cycles():
    seen = {"sdm"}  # the public headers, included as sdm/NAME.h
    for folder, below in BELOW.items():
        seen.add(folder)
        yield from (f"'{folder}' stands on '{b}', which is not above it in {os.path.basename(__file__)}"
                    for b in below if b not in seen and (folder, b) not in TOGETHER)


def main():
    source, wrong, looked = sys.argv[1], list(cycles()), 0
    for top in TOPS:
        for where, _, names in os.walk(os.path.join(source, top)):
            folder = os.path.relpath(where, source)
            for name in sorted(n for n in names if n.endswith(SOURCES)):
                for header in includes(os.path.join(where, name)):
                    looked += 1
                    target = os.path.dirname(header)
                    if not target.startswith(TOPS) or target == folder or os.path.exists(os.path.join(where, header)):
                        continue  # another project's, its own
                    if folder not in BELOW:
                        wrong.append(f"'{folder}' has no row in {os.path.basename(__file__)}")
                    elif target not in BELOW[folder]:
                        wrong.append(f"{folder}/{name} includes {header}, which is not below it")
    print(*wrong, sep="\n")
    if looked < 1000:
        sys.exit("too few includes: nothing was compared")
    sys.exit(1 if wrong else 0)


main()
