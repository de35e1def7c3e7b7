#!/usr/bin/env python3
"""Streams of ranks that are torn, mixed up, missing, empty, of another version, or there twice, merged and not: each command answers or says which
file is wrong, and no comparison finds equal what is not whole.

usage: streams.py BUILD [CUTS [SEED]]

CUTS (6): at so many bytes of a stream, and of a merged trace, it is cut off, beside those of their heads."""
import os, random, shutil, struct, sys, tempfile, zlib
from damage import PROGRAM, STATUSES, Tried, readable

HEAD_BYTES, OTHER_VERSION = 32, 9


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def write(path, data):
    with open(path, 'wb') as f:
        f.write(data)


def of_version(data, version):
    head = data[:8] + struct.pack('<H', version) + data[10:HEAD_BYTES - 4]
    return head + struct.pack('<I', zlib.crc32(head)) + data[HEAD_BYTES:]


class Streams:
    """Cases: a name, the files of it, whether all of it can be read, and a text that has to be said by whoever cannot."""

    def __init__(self, folder, cuts, rnd):
        self.folder, self.cuts, self.rnd = folder, cuts, rnd
        self.a, self.b = ([read(os.path.join(folder, f'{job}.{rank}')) for rank in range(3)] for job in 'ab')
        self.merged = read(os.path.join(folder, 'merged'))

    def some(self, data):
        return sorted({0, 1, 7, 20, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 40, len(data) - 1} | {self.rnd.randrange(len(data)) for _ in range(self.cuts)})

    def mixed(self):
        a, b = self.a, self.b
        yield 'as it is', a, True, ''
        yield 'another run of the same command', [a[0], b[1], a[2]], False, "are streams of different runs"
        yield 'one rank twice', [a[0], a[0], a[2]], False, "'bad.1' holds the stream of rank 0, not of rank 1"
        yield 'exchanged', [a[1], a[0], a[2]], False, "'bad.0' holds the stream of rank 1, not of rank 0"
        yield 'no first one', [None, a[1], a[2]], False, 'bad'
        yield 'none in the middle', [a[0], None, a[2]], False, "the stream 'bad.1' of rank 1 is missing"
        yield 'no last one', [a[0], a[1]], False, "the stream 'bad.2' of rank 2 is missing"
        yield 'one more, of another run', a + [b[2]], True, ''
        yield 'a merged one among them', [a[0], self.merged, a[2]], False, "bad.1"
        yield 'text', [a[0], b'not a trace at all\n' * 10, a[2]], False, "bad.1"
        yield 'another version', [a[0], of_version(a[1], OTHER_VERSION), a[2]], False, "'bad.1' is a trace of format version 9"

    def torn(self):
        for at in self.some(self.a[1]):
            yield f'rank 1 cut at {at}', [self.a[0], self.a[1][:at], self.a[2]], False, 'bad.1'
        yield 'the first one empty', [b'', self.a[1], self.a[2]], False, 'bad.0'
        yield 'all empty', [b'', b'', b''], False, 'bad.0'

    def whole(self):
        for at in self.some(self.merged):
            yield f'merged, cut at {at}', self.merged[:at], False, 'bad'
        yield 'merged, behind it more', self.merged + b'more', True, ''

    def cases(self):
        for name, streams, fine, text in [*self.mixed(), *self.torn()]:
            yield name, {f'bad.{rank}': data for rank, data in enumerate(streams) if data is not None}, fine, text
        for name, data, fine, text in self.whole():
            yield name, {'bad': data}, fine, text
        yield 'merged, and streams', {'bad': self.merged, 'bad.0': self.a[0]}, False, "'bad' is there, and so are streams 'bad.0'"


def commands(dvm, mpirun):
    """By name; True: it compares."""
    return [('verify', [dvm, 'trace', 'verify', 'bad'], False), ('info', [dvm, 'trace', 'info', 'bad'], False),
            ('stat', [dvm, 'trace', 'stat', 'bad'], False), ('diff, the first', [dvm, 'diff', 'bad', 'merged'], True),
            ('diff, the second', [dvm, 'diff', 'sequential', 'bad'], True), ('compare', [dvm, 'compare', 'bad', '--', './program'], True)]


def faults_of(title, t, compares, fine, text):
    """'fine': it can be read; None: all of it but the index."""  # status 1: by who reads the index
    if t.status not in STATUSES or 'Sanitizer' in t.text:
        return [f'{title}: status {t.status}\n{t.text[:1500]}']
    if fine is None and t.status in (0, 1):
        return []
    if fine:
        return [f'{title}: status {t.status}, and it is whole\n{t.text[:1500]}'] if t.status else []
    if compares and not t.status:
        return [f'{title}: equal\n{t.text[:1500]}']
    if (t.status or compares) and text not in t.text:
        return [f"{title}: no '{text}'\n{t.text[:1500]}"]
    return []


def main():
    build, cuts, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 6, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    dvm, wrong, tried = os.path.join(build, 'driver/dvm'), 0, 0
    with tempfile.TemporaryDirectory(prefix='dvm-streams-') as folder:
        def run(*command):
            t = Tried(folder, [os.path.join(build, 'driver', command[0]), *command[1:]])
            assert t.status == 0, (command, t.status, t.text)
        write(os.path.join(folder, 'program.c'), PROGRAM.replace('t < 150', 't < 40').encode())
        run('dvmcc', '-fdvm=trace', '-g', '-O1', '-w', 'program.c', '-o', 'program')
        run('dvmcc', '-fdvm=parallel,trace', '-g', '-O1', '-w', 'program.c', '-o', 'ranks')
        run('dvm', 'record', '--level', 'checksum', '-o', 'sequential', '--', './program')
        job = [os.path.join(build, 'mpir/dvm-run'), '-n', '3', './ranks']
        run('dvm', 'record', '-o', 'merged', '--', *job)
        for name in 'a', 'b':  # a folder where the merged one would be written
            Tried(folder, [dvm, 'record', '-o', name, '--', 'sh', '-c', f'{" ".join(job)}; rm -f {name}.part; mkdir {name}.part'])
        whole = readable(Tried(folder, [dvm, 'trace', 'verify', 'a']).text)
        assert len(whole) == 3, whole
        for name, files, fine, text in Streams(folder, cuts, random.Random(seed)).cases():
            for old in os.listdir(folder):
                if old == 'bad' or old.startswith('bad.'):
                    os.unlink(os.path.join(folder, old))
            for file, data in files.items():
                write(os.path.join(folder, file), data)
            tried += 1
            verified = Tried(folder, [dvm, 'trace', 'verify', 'bad']).text
            if not fine and 'the index is damaged' in verified and readable(verified) == whole:
                fine = None
            faults = [f for title, command, compares in commands(dvm, job) for f in faults_of(title, Tried(folder, command), compares, fine, text)]
            wrong += len(faults)
            for fault in faults:
                print(f'--- seed {seed}, {name}\n{fault}', flush=True)
    print(f'{tried} sets of streams, {wrong} wrong answers')
    sys.exit(1 if wrong or not tried else 0)


main()
