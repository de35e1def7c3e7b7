"""The table of the console's commands is the one source: what 'help' says stands in the manual page, word for word, each word is in
docs/debugging.md, and the tabulator knows it.  'listed-words.py BUILD --update' renews the page."""
import os
import re
import subprocess
import sys
import unittest

update = "--update" in sys.argv
if update:
    sys.argv.remove("--update")

import sdm  # noqa: E402

DOCS = os.path.join(sdm.SOURCE, "..", "..", "..", "docs")
PAGE = os.path.join(DOCS, "man", "dvm-debug.1")
BEGIN, END = '.\\" what help says begins\n', '.\\" what help says ends\n'


def words():
    """[(name, alias, help)] as the console tells them."""
    r = subprocess.run([sdm.DEBUG, "-n", "1", "--launcher", "local", "--backend", "stub", "--no-stop", "/bin/true"], input="echo ---\nhelp\necho ---\n",
                       capture_output=True, text=True, timeout=sdm.LIMIT)
    lines = r.stdout.split("---\n")[1].splitlines()[:-1]  # the last is about sets
    return [(line[:10].strip(), line[11:17].strip(), line[18:]) for line in lines]


def section(found):
    text = ""
    for name, alias, told in found:
        escaped = told.replace("\\", "\\e").replace("-", "\\-")
        text += f".It Cm {name}{' , ' + alias if alias else ''}\n\\&{escaped}\n"
    return text


def parts():
    with open(PAGE) as f:
        before, _, rest = f.read().partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside, after


class Listed(unittest.TestCase):
    def test_manual_page(self):
        found = words()
        self.assertGreater(len(found), 50)
        self.assertEqual(parts()[1], section(found), "renew it: listed-words.py BUILD --update")

    def test_guide(self):
        with open(os.path.join(DOCS, "debugging.md")) as f:
            text = f.read()
        self.assertEqual([n for n, _, _ in words() if not re.search(rf"`[^`]*\b{n}\b[^`]*`", text)], [])

    def test_completion(self):
        """A beginning that only one command has is enough, and that is what the tabulator puts."""
        names = [n for n, _, _ in words()]
        for name in names:
            self.assertEqual(names.count(name), 1)
        with sdm.Debugger("-n", "1", "--launcher", "local", "--backend", "stub", "--no-stop", "/bin/true") as d:
            for name in ("views", "statu"):
                self.assertEqual([j for j in d.do(name) if "error" in j], [], name)

    def test_options(self):
        """Every option of --help is in the page."""
        r = subprocess.run([sdm.DEBUG, "--help"], capture_output=True, text=True, timeout=sdm.LIMIT)
        with open(PAGE) as f:
            page = f.read()
        options = set(re.findall(r"--([a-z][a-z-]+)", r.stdout))
        self.assertGreater(len(options), 25)
        self.assertEqual([o for o in sorted(options) if f"Fl -{o}" not in page], [])


if update:
    before, _, after = parts()
    with open(PAGE, "w") as f:
        f.write(before + BEGIN + section(words()) + END + after)
elif __name__ == "__main__":
    sdm.main()
