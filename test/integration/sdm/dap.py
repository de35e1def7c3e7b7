"""A DAP client for tests: messages are matched by what they hold."""
import json
import queue
import re
import threading
import time

import sdm


class Client:
    def __init__(self, read, write):
        self.read, self.write, self.seq, self.names, self.waiting = read, write, 0, {}, []
        self.messages = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                byte = self.read.read(1)
                if not byte:
                    self.messages.put(None)
                    return
                head += byte
            size = int(re.search(rb"Content-Length: (\d+)", head)[1])
            self.messages.put(json.loads(self.read.read(size)))

    def send(self, request):
        self.seq += 1
        text = json.dumps({"seq": self.seq, "type": "request", **request}).encode()
        self.write.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.write.flush()

    def fits(self, want, got, names):
        if isinstance(want, dict):
            return isinstance(got, dict) and all(k in got and self.fits(v, got[k], names) for k, v in want.items())
        if isinstance(want, list):
            return isinstance(got, list) and len(got) == len(want) and all(self.fits(w, g, names) for w, g in zip(want, got))
        if isinstance(want, str) and want.startswith("$"):
            return names.setdefault(want, got) == got
        return want == "*" or want == got

    def expect(self, want, line=""):
        """The first message, of those that no line has taken, that fits."""
        end = time.monotonic() + sdm.LIMIT
        while True:
            for i, got in enumerate(self.waiting):
                names = dict(self.names)
                if self.fits(want, got, names):
                    self.names = names
                    return self.waiting.pop(i)
            try:
                got = self.messages.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                got = None
            if got is None:
                raise AssertionError(f"{line}: {want} did not come; there is " + "\n".join(map(json.dumps, self.waiting)))
            self.waiting.append(got)

    def ask(self, command, **arguments):
        self.send({"command": command, "arguments": arguments})
        return self.expect({"type": "response", "command": command, "request_seq": self.seq})
