"""Three hosts, as network namespaces on one bridge: the link of one is cut, so that nothing tells that it is gone.  Its
servers are found missing by their silence, everybody else answers, and a router behind the cut is bridged; when the link
is whole again they are taken back."""
import os
import subprocess
import sys
import unittest

import sdm

NAMES = [f"sdm{os.getpid()}-{i}" for i in range(3)]
LAYOUT = {0: 1, 1: 2, 2: 1, 3: 2, 4: 1, 5: 2}  # rank: namespace; ranks below 3 and 5 lie on both


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


def inside(i, *words):
    return ["ip", "netns", "exec", NAMES[i], *words]


class CutLink(unittest.TestCase):
    def setUp(self):
        sdm.need("ip")
        try:
            for name in NAMES:
                ip("netns", "add", name)
                self.addCleanup(ip, "netns", "del", name, check=False)
                ip("-n", name, "link", "set", "lo", "up")
            ip("-n", NAMES[0], "link", "add", "hub", "type", "bridge")
            ip("-n", NAMES[0], "addr", "add", "10.99.0.1/24", "dev", "hub")
            ip("-n", NAMES[0], "link", "set", "hub", "up")
            for i in (1, 2):
                ip("-n", NAMES[0], "link", "add", f"leg{i}", "type", "veth", "peer", "name", "eth0", "netns", NAMES[i])
                ip("-n", NAMES[0], "link", "set", f"leg{i}", "master", "hub", "up")
                ip("-n", NAMES[i], "addr", "add", f"10.99.0.{i + 1}/24", "dev", "eth0")
                ip("-n", NAMES[i], "link", "set", "eth0", "up")
        except subprocess.CalledProcessError as e:
            print(f"skipped: no network namespaces here: {e.stderr.strip()}")
            self.doCleanups()
            sys.stdout.flush()
            os._exit(77)

    def test_cut(self):
        with sdm.Folder() as folder:
            secret = folder.write("secret", "5a" * 32 + "\n", 0o600)
            servers = []
            for rank, i in LAYOUT.items():
                p = subprocess.Popen(inside(i, sdm.SERVER, "--host", f"10.99.0.{i + 1}", "--port", str(7000 + rank),
                                            "--secret-file", secret, "--backend", "stub", "--rank", str(rank), "--ping",
                                            "400", "--orphan", "60000"))
                self.addCleanup(lambda p=p: (p.poll() is None and p.kill(), p.wait()))
                servers.append(p)
            table = folder.write("servers", "".join(f"{r} 10.99.0.{i + 1} 0\n" for r, i in LAYOUT.items()))
            far = {r for r, i in LAYOUT.items() if i == 2}
            near = set(LAYOUT) - far
            with sdm.Debugger("--servers", table, "--secret-file", secret, "--port", "7000", "--ping", "0.4", "--shape", "binomial", "--host",
                              "10.99.0.1", "--no-stop", "/bin/true", prefix=inside(0)) as d:
                d.do("set timeout 2")
                self.assertEqual(set(d.answer("print 1")[0]), {frozenset(LAYOUT)})
                ip("-n", NAMES[0], "link", "set", "leg2", "down")
                classes, missing = d.answer("print 2")  # at once: nobody knows yet
                self.assertEqual(set().union(*missing.values()) - far, set())
                while self.lost(d) != far:
                    d.wait(lambda j: "lost" in j, "the losses")
                sdm.wait_until(lambda: self.both(d, "print 3") == (near, far), "the others are back")
                ip("-n", NAMES[0], "link", "set", "leg2", "up")
                sdm.wait_until(lambda: self.both(d, "print 4") == (set(LAYOUT), set()), "those behind the cut are taken back")
            for p in servers:
                p.wait(sdm.LIMIT)

    def test_launcher_of_several_hosts(self):
        """Servers on two other hosts call back, and listen where they can be reached from there."""
        with sdm.Folder() as folder:
            script = folder.write("launcher", "#!/bin/sh\nexport PMI_SIZE=4\n" + "".join(
                f"PMI_RANK={r} ip netns exec {NAMES[1 + r % 2]} \"$@\" &\n" for r in range(4)) + "wait\n", 0o755)
            with sdm.Debugger("--host", "10.99.0.1", "--backend", "stub", "--no-stop", "--", script, "/bin/true",
                              prefix=inside(0)) as d:
                self.assertEqual(set(d.answer("print 1")[0]), {frozenset(range(4))})
                d.do("viewset host(10.99.0.2)")
                d.do("viewset host(10.99.0.3)")
                self.assertEqual([j["set"] for j in d.said if "set" in j], ["0,2", "1,3"])
            r = subprocess.run(inside(0, sdm.DEBUG, "--backend", "stub", "--start-timeout", "2", "--", script, "/bin/true"),
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=sdm.LIMIT)
            self.assertEqual(r.returncode, 1)
            self.assertIn("if servers are on other hosts, give --host ADDRESS", r.stderr)

    def lost(self, d):
        return set().union(*(sdm.ranks(j["ranks"]) for j in d.said if "lost" in j))

    def both(self, d, line):
        classes, missing = d.answer(line)
        return set().union(*classes) if classes else set(), set().union(*missing.values())


if __name__ == "__main__":
    sdm.main()
