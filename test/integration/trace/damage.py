#!/usr/bin/env python3
"""Damaged traces and every command that reads them: an answer or an error, never a crash, a hang, or "equal".

usage: damage.py BUILD [COUNT [SEED]]

Traces of a sequential program at levels modify and checksum, and of a job, with bytes changed, zeroed, cut off, repeated or exchanged; COUNT of them (24).
What a comparison may accept is what 'dvm trace verify' finds nothing wrong with but the index."""
import os, random, re, subprocess, sys, tempfile

PROGRAM = r'''
#include <stdio.h>
enum { N = 300 };
#pragma dvm array distribute[block]
double a[N];
static int count;
int main(void) {
  double sum = 0;
  for (int t = 0; t < 150; t++) {
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++) {
      a[i] = t * 0.37 + i;
      sum += a[i];
    }
    count++;
  }
  printf("%g %d\n", sum, count);
  return 0;
}
'''
TIMEOUT_S = 60
STATUSES = {0, 1, 2, 66}


def damage(data, rnd):
    """Another text of the same bytes, and what was done."""
    kind = rnd.choice(['bytes', 'bit', 'zeros', 'cut', 'repeated', 'exchanged', 'removed', 'head'])
    n, data = len(data), bytearray(data)
    at, length = rnd.randrange(n), rnd.choice([1, 8, 100, 5000])
    if kind == 'bytes':
        for i in range(at, min(n, at + length)):
            data[i] = rnd.randrange(256)
    elif kind == 'bit':
        data[at] ^= 1 << rnd.randrange(8)
    elif kind == 'zeros':
        data[at:at + length] = bytes(len(data[at:at + length]))
    elif kind == 'cut':
        del data[at:]
    elif kind == 'repeated':
        data[at:at] = data[at:at + length]
    elif kind == 'removed':
        del data[at:at + length]
    elif kind == 'head':
        data[rnd.randrange(min(n, 64))] = rnd.randrange(256)
    else:  # two whole blocks change places
        blocks = [m.start() for m in re.finditer(b'DBLK', bytes(data))] + [n]
        if len(blocks) > 3:
            i = rnd.randrange(len(blocks) - 3)
            one, two = data[blocks[i]:blocks[i + 1]], data[blocks[i + 1]:blocks[i + 2]]
            data[blocks[i]:blocks[i + 2]] = two + one
    return bytes(data), f'{kind} at {at} of {n}'


def readable(text):
    return re.findall(r'(\d+) records can be read', text)


class Tried:
    def __init__(self, folder, command):
        try:
            p = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_S,
                               env={k: v for k, v in os.environ.items() if k != 'DVM_OPTIONS'})
            self.status, self.text = p.returncode, (p.stdout + p.stderr).decode('latin-1')
        except subprocess.TimeoutExpired:
            self.status, self.text = 'hangs', ''


def commands(dvm, whole, bad, program, middle):
    """By name; True: it compares.  'middle': a record of the whole trace."""
    trace = [dvm, 'trace']
    return [
        ('info', trace + ['info', bad], False), ('info --json', trace + ['info', '--json', bad], False), ('dump', trace + ['dump', bad], False),
        ('dump --json', trace + ['dump', '--json', '--limit', '500', bad], False), ('dump --variable', trace + ['dump', '--variable', 'count', bad], False),
        ('dump --from', trace + ['dump', '--from', str(middle), '--to', str(middle + 1000), bad], False),
        ('stat', trace + ['stat', bad], False), ('stat --construct', trace + ['stat', '--construct', 'program.c:10', '--execution', '70', bad], False),
        ('export --csv', trace + ['export', '--csv', '-o', 'out.csv', bad], False), ('export --npz', trace + ['export', '--npz', '-o', 'out.npz', bad], False),
        ('export --jsonl', trace + ['export', '--jsonl', '-o', 'out.jsonl', '--element', 'a[7]', bad], False),
        ('diff, the first', [dvm, 'diff', bad, whole], True), ('diff, the second', [dvm, 'diff', whole, bad], True),
        ('compare', [dvm, 'compare', bad, '--', program], True)]


def main():
    build, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 24, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    dvm, wrong, told = os.path.join(build, 'driver/dvm'), 0, 0
    with tempfile.TemporaryDirectory(prefix='dvm-damage-') as folder:
        def run(*command):
            t = Tried(folder, [os.path.join(build, 'driver', command[0]), *command[1:]])
            assert t.status == 0, (command, t.status, t.text)
        open(os.path.join(folder, 'program.c'), 'w').write(PROGRAM)
        traces = []
        run('dvmcc', '-fdvm=trace', '-g', '-O1', '-w', 'program.c', '-o', 'program')
        for level in 'modify', 'checksum':
            run('dvm', 'record', '--level', level, '-o', level, '--', './program')
            traces.append((level, './program'))
        if os.path.exists(os.path.join(build, 'mpir/dvm-run')):
            run('dvmcc', '-fdvm=parallel,trace', '-g', '-O1', '-w', 'program.c', '-o', 'ranks')
            run('dvm', 'record', '-o', 'job', '--', os.path.join(build, 'mpir/dvm-run'), '-n', '2', './ranks')
            traces.append(('job', './program'))
        whole = {name: readable(Tried(folder, [dvm, 'trace', 'verify', name]).text) for name, _ in traces}
        middle = {name: min(map(int, records)) // 2 for name, records in whole.items()}
        for name, program in traces:  # or nothing is tried; a sum has no elements
            for title, command, compares in commands(dvm, name, name, program, middle[name]):
                if not compares:  # some are refused for jobs
                    t = Tried(folder, command)
                    assert (t.status == 0 or 'is the trace of a job' in t.text) and "no record of 'program.c" not in t.text, (name, title, t.status, t.text[:1500])
        for number in range(count):
            rnd = random.Random(seed * 100000 + number)
            name, program = traces[number % len(traces)]
            data, what = damage(open(os.path.join(folder, name), 'rb').read(), rnd)
            open(os.path.join(folder, 'bad'), 'wb').write(data)
            verified = Tried(folder, [dvm, 'trace', 'verify', 'bad'])
            told += verified.status != 0
            # All records can be read where the index alone is damaged.
            compared = verified.status == 0 or ('the index is damaged' in verified.text and readable(verified.text) == whole[name])
            faults = [] if verified.status in STATUSES else [f'verify: status {verified.status}\n{verified.text[:1500]}']
            for title, command, compares in commands(dvm, name, 'bad', program, middle[name]):
                t = Tried(folder, command)
                if t.status not in STATUSES or 'Sanitizer' in t.text:
                    faults.append(f'{title}: status {t.status}\n{t.text[:1500]}')
                elif t.status and 'dvm' not in t.text:
                    faults.append(f'{title}: status {t.status} without a word\n{t.text[:500]}')
                elif compares and t.status == 0 and not compared:
                    faults.append(f'{title}: equal, though verify says: {verified.text[:500]}\n{t.text[:500]}')
            for fault in faults:
                wrong += 1
                print(f'--- seed {seed}, trace {number} ({name}: {what})\n{fault}', flush=True)
    print(f'{count} damaged traces, {told} of them found so by verify; {wrong} wrong answers')
    sys.exit(1 if wrong or not told else 0)


if __name__ == '__main__':
    main()
