"""The programs in docs/man/libsdm.3 compile against the library alone, archive and shared, and work; its servers end with the master.
Headers are for C++ too, and no name without our prefixes is seen."""
import os
import re
import subprocess
import unittest

import sdm

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(sdm.SOURCE)))
INCLUDE = ["-I", os.path.join(ROOT, "sdm", "include"), "-I", ROOT]
HEADERS = ("sdm/sdm.h", "sdm/message.h", "sdm/set.h", "sdm/route.h", "sdm/aggregate.h", "sdm/iof.h")
LIB = os.path.join(sdm.BUILD, "sdm")
WAYS = {"archive": [os.path.join(LIB, "libsdm.a"), "-lsodium"], "shared": [os.path.join(LIB, "libsdm.so"), f"-Wl,-rpath,{LIB}"]}


class Example(unittest.TestCase):
    def setUp(self):
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(ROOT, "docs", "man", "libsdm.3")) as f:
            self.server, self.master = [t.replace("\\e", "\\") for t in re.findall(r"\.Bd -literal.*?\n(.*?)\.Ed", f.read(), re.S)]

    def compile(self, name, text, way):
        headers = "".join(f"#include <{h}>\n" for h in ("stdio.h", "string.h", *HEADERS))
        source = self.folder.write(name + ".c", headers + text)
        subprocess.run(["cc", "-Wall", "-Werror", *INCLUDE, source, "-o", self.folder.path(name), *WAYS[way]], check=True)
        return self.folder.path(name)

    def test_server_without_a_secret(self):
        env = {k: v for k, v in os.environ.items() if k != "SDM_SECRET"}
        r = subprocess.run([self.compile("tool", self.server, "archive"), "--server=1"], capture_output=True, text=True, timeout=sdm.LIMIT, env=env)
        self.assertEqual((r.returncode, r.stderr), (1, "no session secret; give it with --secret-file= or in SDM_SECRET\n"))

    def test_master_and_servers(self):
        for way in WAYS:
            server, master = self.compile("server", self.server, way), self.compile("master", self.master, way)
            env, port = {**os.environ, "SDM_SECRET": "5a" * 32}, sdm.free_port()
            servers = [subprocess.Popen([server, f"--server={r}", f"--rendezvous=127.0.0.1:{port}"], env=env) for r in range(2)]
            self.addCleanup(lambda servers=servers: [p.kill() for p in servers if p.poll() is None])
            r = subprocess.run([master, "--master", f"--port={port}", "--servers=2"], env=env, capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual((r.returncode, sorted(r.stdout.splitlines())), (0, ["0: even", "1: odd"]), r.stderr)
            self.assertEqual([p.wait(sdm.LIMIT) for p in servers], [0, 0])

    def test_cplusplus(self):
        text = "".join(f"#include <{h}>\n" for h in HEADERS) + "int main() { sdm_set *s = sdm_set_new(); sdm_set_free(s); }\n"
        source = self.folder.write("tool.cc", text)
        for way in WAYS.values():
            subprocess.run(["c++", "-Wall", "-Wextra", "-Werror", *INCLUDE, source, "-o", self.folder.path("tool"), *way], check=True)

    def test_names(self):
        for words in (["nm", "-g", "--defined-only", os.path.join(LIB, "libsdm.a")], ["nm", "-D", "--defined-only", os.path.join(LIB, "libsdm.so")]):
            names = {line.split()[2].split("@")[0] for line in subprocess.check_output(words, text=True).splitlines() if len(line.split()) == 3}
            self.assertIn("sdm_init", names)
            self.assertEqual({n for n in names if not re.match(r"(sdm|SDM|dvm|LIBSDM)_", n)}, set())


if __name__ == "__main__":
    sdm.main()
