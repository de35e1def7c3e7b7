"""The program in docs/man/libsdm.3 compiles against the library alone, and starts."""
import os
import re
import subprocess
import unittest

import sdm

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(sdm.SOURCE)))


class Example(unittest.TestCase):
    def test_man_page(self):
        with open(os.path.join(ROOT, "docs", "man", "libsdm.3")) as f:
            text = re.search(r"\.Bd -literal.*?\n(.*?)\.Ed", f.read(), re.S)[1].replace("\\e", "\\")
        headers = "".join(f"#include <{h}>\n" for h in ("stdio.h", "string.h", "sdm/sdm.h", "sdm/message.h", "sdm/set.h",
                                                         "sdm/route.h", "sdm/aggregate.h", "sdm/iof.h"))
        with sdm.Folder() as folder:
            source = folder.write("tool.c", headers + text)
            subprocess.run(["cc", "-Wall", "-Werror", "-I", os.path.join(ROOT, "sdm", "include"), "-I", ROOT,
                            source, "-o", folder.path("tool"),
                            os.path.join(sdm.BUILD, "sdm", "libsdm.a"), "-lsodium"], check=True)
            env = {k: v for k, v in os.environ.items() if k != "SDM_SECRET"}
            r = subprocess.run([folder.path("tool"), "--server=1"], capture_output=True, text=True, timeout=sdm.LIMIT, env=env)
        self.assertEqual((r.returncode, r.stderr), (1, "no session secret; give it with --secret-file= or in SDM_SECRET\n"))


if __name__ == "__main__":
    sdm.main()
