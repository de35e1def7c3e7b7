"""The sessions in docs/debugging.md and README.md are what happens: their commands are run, and give the lines below them."""
import os
import re
import shlex
import subprocess
import unittest

import sdm

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(sdm.SOURCE)))


class Session(unittest.TestCase):
    maxDiff = None

    def check(self, shown, *needs):
        """One block: a line that compiles, 'dvm debug ..', then commands and what they give."""
        sdm.need("gdb", *needs)
        before, debug, session = re.match(r"\$ (.*)\n\$ dvm debug (.*)\n((?:.*\n)*)", shown).groups()
        before = re.sub(r"^dvmcc", os.path.join(sdm.BUILD, "driver", "dvmcc"), before)
        with sdm.Folder() as folder:
            os.symlink(os.path.join(ROOT, "samples"), folder.path("samples"))
            subprocess.run(before, shell=True, check=True, cwd=folder.name)
            commands = re.findall(r"^\[[^\]]*\]> (.*)$", session, re.M)
            typed = "echo ---\n" + "".join(f"{c}\necho ---\n" for c in commands)
            r = subprocess.run([sdm.DEBUG, *shlex.split(debug)], input=typed, capture_output=True, text=True, cwd=folder.name,
                               timeout=2 * sdm.LIMIT)
        said = r.stdout.split("---\n")
        happened, focus = said[0], "all"
        for command, answer in zip(commands, said[1:]):
            happened += f"[{focus}]> {command}\n{answer}"
            if command.startswith("focus "):
                focus = command[6:]
        self.assertEqual(happened, session)
        self.assertEqual((r.returncode, r.stderr), (0, ""))

    def blocks(self, name, language):
        with open(os.path.join(ROOT, name)) as f:
            return [b for b in re.findall(rf"```{language}\n(.*?)```", f.read(), re.S) if "$ dvm debug" in b]

    def test_debugging(self):
        shown, *more = self.blocks("docs/debugging.md", "session")
        self.check(shown, "mpirun", "mpicc")
        self.assertEqual(len(more), 1)

    def test_checked_program(self):
        if not os.path.exists(os.path.join(sdm.BUILD, "driver", "dvmcc")):
            self.skipTest("no dvmcc in this build")
        self.check(self.blocks("docs/debugging.md", "session")[1])

    def test_readme(self):
        shown, = self.blocks("README.md", "console")
        self.check(shown, "mpirun", "mpicc")


if __name__ == "__main__":
    sdm.main()
