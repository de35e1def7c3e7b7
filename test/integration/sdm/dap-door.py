"""The DAP adapter at a socket: nothing is executed and nothing read for who has not proved himself, another user of this machine
above all; and who has is served, however many crowd the door."""
import json
import os
import pwd
import re
import socket
import subprocess
import sys
import unittest

import sdm
from dap import Client

STRANGER = """
import json, os, socket, sys
if sys.argv[3]:
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))
where, requests = sys.argv[1], json.loads(sys.argv[2])
s = socket.socket(socket.AF_UNIX if "/" in where else socket.AF_INET)
s.settimeout(30)
try:
    s.connect(where if "/" in where else ("127.0.0.1", int(where)))
    for i, r in enumerate(requests):
        text = json.dumps({"seq": i + 1, "type": "request", **r}).encode()
        s.sendall(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(text), text))
    said = b""
    while (more := s.recv(65536)):
        said += more
    print(said.decode())
except OSError as e:
    print("refused:", e)
"""


class Door(unittest.TestCase):
    def setUp(self):
        self.folder = sdm.Folder()
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o777)  # what protects is not the folder
        self.mark = self.folder.path("executed")
        self.secret = self.folder.write("secret", "for the owner's eyes\n", 0o600)

    def adapter(self, *words):
        p = subprocess.Popen([sdm.DEBUG, "--dap", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.poll() is None and p.kill(), p.wait(), p.stdout.close(), p.stderr.close()))
        return p, p.stderr.readline()

    def by_port(self, *words):
        p, said = self.adapter("--listen", "0", *words)
        found = re.fullmatch(r"dvm debug: listening at 127\.0\.0\.1:(\d+)(?:, token ([0-9a-f]{64}))?\n", said)
        self.assertTrue(found, said)
        return p, int(found[1]), found[2]

    def attempts(self):
        """All that could do something, if it were done."""
        touch = {"program": "/bin/sh", "args": ["-c", f"touch {self.mark}"], "launcher": "local"}
        for more in ({}, {"token": ""}, {"token": "5a" * 32}, {"token": 7}, {"token": None}):
            yield [{"command": "initialize"}, {"command": "launch", "arguments": {**touch, **more}}, {"command": "configurationDone"}]
        yield [{"command": "launch", "arguments": {**touch, "command": ["/bin/sh", "-c", f"touch {self.mark}", "--"]}}]
        yield [{"command": "launch", "arguments": {**touch, "cwd": self.folder.name, "env": {"LD_PRELOAD": self.mark}}}]
        yield [{"command": "attach", "arguments": {"pid": os.getpid()}}]
        yield [{"command": "attach", "arguments": {"core": [self.secret], "program": self.secret}}]
        yield [{"command": "initialize"}, {"command": "evaluate", "arguments": {"expression": f"gdb shell touch {self.mark}", "context": "repl"}}]
        yield [{"command": "configurationDone"}]
        yield [{"command": "setBreakpoints", "arguments": {"source": {"path": self.secret}, "breakpoints": [{"line": 1}]}}]
        yield [{"command": "disconnect", "arguments": {"terminateDebuggee": True}}]

    def stranger(self, where, requests, user=None):
        r = subprocess.run([sys.executable, "-c", STRANGER, str(where), json.dumps(requests), str(user or "")], capture_output=True, text=True,
                           timeout=sdm.LIMIT, cwd="/")
        self.assertEqual(r.stderr, "")
        return r.stdout

    def nothing_done(self, said):
        self.assertFalse(os.path.exists(self.mark))
        self.assertNotIn("owner's eyes", said)
        self.assertNotIn('"event":', said)
        for command in ("launch", "attach", "evaluate", "setBreakpoints", "configurationDone"):
            self.assertNotRegex(said, rf'"command":"{command}"[^}}]*"success":true')

    def nobody(self):
        if os.geteuid():
            self.skipTest("only root can be somebody else")
        return pwd.getpwnam("nobody").pw_uid

    def owner(self, s, **arguments):
        """Runs a program that leaves a mark."""
        c = Client(s.makefile("rb"), s.makefile("wb"))
        self.assertTrue(c.ask("initialize")["success"])
        answer = c.ask("launch", program="/bin/sh", args=["-c", f"touch {self.mark}"], launcher="local", **arguments)
        self.assertTrue(answer["success"], answer)
        self.assertTrue(c.ask("configurationDone")["success"])
        c.expect({"event": "terminated"})
        self.assertTrue(os.path.exists(self.mark))
        c.ask("disconnect")

    def test_port(self):
        for user in (None, self.nobody() if not os.geteuid() else None):
            p, port, token = self.by_port()
            for requests in self.attempts():
                self.nothing_done(self.stranger(port, requests, user))
            self.assertIsNone(p.poll())
            with socket.create_connection(("127.0.0.1", port)) as s:
                self.owner(s, token=token)
            self.assertEqual(p.wait(sdm.LIMIT), 0)
            os.unlink(self.mark)

    def test_crowd(self):
        """Many who say nothing, send giants, or do not read what they are told: the owner gets in, and they are sent away."""
        p, port, token = self.by_port()
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        giant = socket.create_connection(("127.0.0.1", port))
        deaf = socket.create_connection(("127.0.0.1", port))
        deaf.settimeout(0.5)
        try:
            giant.sendall(b"Content-Length: 16000000\r\n\r\n")
            text = b'{"seq":1,"type":"request","command":"initialize"}'
            for _ in range(20000):
                deaf.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        except OSError:
            pass
        with socket.create_connection(("127.0.0.1", port)) as s:
            self.owner(s, token=token)
        for s in [*held, giant, deaf]:
            s.close()
        self.assertEqual(p.wait(sdm.LIMIT), 0)

    def test_token_file(self):
        """Made if it is not there, for its owner alone; used if it is; refused if others can read it."""
        token = self.folder.path("token")
        for _ in range(2):
            p, port, told = self.by_port("--token-file", token)
            self.assertIsNone(told)
            self.assertEqual(os.stat(token).st_mode & 0o777, 0o600)
            with open(token) as f, socket.create_connection(("127.0.0.1", port)) as s:
                self.owner(s, token=f.read().strip())
            self.assertEqual(p.wait(sdm.LIMIT), 0)
        os.chmod(token, 0o644)
        p, said = self.adapter("--listen", "0", "--token-file", token)
        self.assertIn("nobody else can read", said)
        self.assertEqual(p.wait(sdm.LIMIT), 1)

    def test_path(self):
        """A socket of a path: the kernel says who is there; no token is needed."""
        path = self.folder.path("door")
        for left_over in (False, True):
            if left_over:
                with socket.socket(socket.AF_UNIX) as s:
                    s.bind(path)
            p, said = self.adapter("--listen", path)
            self.assertEqual(said, f"dvm debug: listening at {path}\n")
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o700)
            if not os.geteuid():
                for mode in (0o700, 0o777):  # not by the file's mode alone
                    os.chmod(path, mode)
                    for requests in self.attempts():
                        said = self.stranger(path, requests, self.nobody())
                        self.nothing_done(said)
                        self.assertNotIn("success", said)
            self.assertIsNone(p.poll())
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(path)
                self.owner(s)
            self.assertEqual(p.wait(sdm.LIMIT), 0)
            self.assertFalse(os.path.exists(path))
            os.unlink(self.mark)

    def test_path_of_something_else(self):
        path = self.folder.write("a file", "precious")
        p, said = self.adapter("--listen", path)
        self.assertIn("not a socket of yours", said)
        self.assertEqual(p.wait(sdm.LIMIT), 1)
        with open(path) as f:
            self.assertEqual(f.read(), "precious")

    def test_wrong_places(self):
        for where in ("x", "70000", "127.0.0.1", "127.0.0.1:", ":80", "-1"):
            p, said = self.adapter("--listen=" + where)
            self.assertIn("dvm debug: error: ", said)
            self.assertEqual(p.wait(sdm.LIMIT), 2)


if __name__ == "__main__":
    sdm.main()
