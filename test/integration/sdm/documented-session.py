"""The session in docs/debugging.md is what happens: its commands are run, and give the lines below them."""
import os
import re
import subprocess
import unittest

import sdm

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(sdm.SOURCE)))


class Session(unittest.TestCase):
    maxDiff = None

    def test_documented(self):
        sdm.need("mpirun", "mpicc", "gdb")
        with open(os.path.join(ROOT, "docs", "debugging.md")) as f:
            shown = re.search(r"```session\n(.*?)```", f.read(), re.S)[1]
        before, debug, session = re.match(r"\$ (mpicc .*)\n\$ dvm debug (.*)\n((?:.*\n)*)", shown).groups()
        with sdm.Folder() as folder:
            subprocess.run(before.replace("samples/", os.path.join(ROOT, "samples/")), shell=True, check=True, cwd=folder.name)
            commands = re.findall(r"^\[.*?\]> (.*)$", session, re.M)
            self.assertGreater(len(commands), 10)
            typed = "echo ---\n" + "".join(f"{c}\necho ---\n" for c in commands)
            r = subprocess.run([sdm.DEBUG, *debug.split()], input=typed, capture_output=True, text=True, cwd=folder.name,
                               timeout=2 * sdm.LIMIT)
        said = r.stdout.split("---\n")
        happened, focus = said[0], "all"
        for command, answer in zip(commands, said[1:]):
            happened += f"[{focus}]> {command}\n{answer}"
            if command.startswith("focus "):
                focus = command[6:]
        self.assertEqual(happened, session)
        self.assertEqual((r.returncode, r.stderr), (0, ""))


if __name__ == "__main__":
    sdm.main()
