#!/usr/bin/env python3
"""kills.py RUN PROGRAM [--kills N] [--seed S] [--ranks LIST] [--protocols LIST] [--options WORDS] [--hosts LIST --launcher WORDS] -- ARGUMENTS
Ends replicas at their internal points, one or two a run, and compares what the run prints with a run that nobody disturbs.
Each run has to end with the same lines, or, where both replicas of a rank were ended, with status 68 and the line that says so."""
import argparse, json, os, random, re, subprocess, sys, tempfile, threading, time, queue

def session_is_clean(folder):
    """No process of ours is left that runs from 'folder'."""
    left = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.readlink(f'/proc/{pid}/cwd') == folder:
                left.append(int(pid))
        except OSError:
            pass
    return left

def contents(folder):
    """What the program has written: by path."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), 'rb') as f:
                found[os.path.relpath(os.path.join(at, name), folder)] = f.read()
    return found

def run(command, env, folder):
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env, cwd=folder, text=True,
                         errors='replace')
    try:
        out, err = p.communicate(timeout=a.timeout)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        return 'hang', out, err
    return p.returncode, out, err

class Case:
    def __init__(self, ranks, protocol, options):
        self.ranks, self.protocol, self.options = ranks, protocol, options
        where = ['--placement', 'nodes', '--hosts', a.hosts, '--launcher', a.launcher] if a.hosts else ['--protocol', protocol]
        self.command = [a.run, '--replicate', *where, *options, '-n', str(ranks), a.program, *a.arguments]
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            report = os.path.join(work.name, 'report')
            status, out, err = run(self.command[:1] + ['--report', report] + self.command[1:], os.environ, folder)
            if status != 0:
                sys.exit(f'{self.command}: status {status} without a kill\n{out}{err}')
            self.expected = sorted(out.splitlines())
            self.files = contents(folder)
            self.points = [r['replica_points'] for r in json.load(open(report))['per_rank']]
            if a.hosts: # what is told of shadows that are behind ends with the mains, unless they are waited for
                status, out, err = run(self.command[:1] + ['--check', '--report', report] + self.command[1:], os.environ, folder)
                if status != 0:
                    sys.exit(f'{self.command} --check: status {status} without a kill\n{out}{err}')
                for mine, r in zip(self.points, json.load(open(report))['per_rank']):
                    mine[1] = r['replica_points'][1]

    def try_kills(self, kills):
        """None, or what is wrong."""
        text = ','.join(f'{rank}.{replica}@{point}' for rank, replica, point in kills)
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as notes:
            folder = os.path.realpath(folder)
            status, out, err = run(self.command, dict(os.environ, DVM_REPLICA_KILL=text, DVM_REPLICA_KILLED=notes.name), folder)
            left = session_is_clean(folder)
            files = contents(folder)
            met = step_of(kills) or {(line.split('@')[0][-1], line.split()[1]) for line in open(notes.name)} or {('', 'none')}
        wrong = None
        lost = 'lost' in err
        if status == 'hang':
            wrong = 'it hangs'
        elif status == 68:
            wrong = None if re.search(r'error: (both replicas of rank \d+ are|rank \d+ is) lost.*last event: step \d+', err) else 'no line says who is lost'
            both = len({k[0] for k in kills}) < len(kills)
            if not wrong and not both and not re.search('had no shadow', err):
                wrong = 'lost, but no rank lost both replicas'
        elif status != 0:
            wrong = f'status {status}'
        elif sorted(out.splitlines()) != self.expected:
            wrong = 'other lines'
        elif files != self.files:
            wrong = f'other files: {[n for n in {*files, *self.files} if files.get(n) != self.files.get(n)]}'
        if left:
            wrong = (wrong or '') + f' processes left: {left}'
        kind = 'wrong' if wrong else 'lost' if status == 68 else 'same'
        kinds[kind] += 1
        for point in met:
            points.setdefault(point, dict.fromkeys(kinds, 0))[kind] += 1
        return wrong and f'{" ".join(self.command)}\n  DVM_REPLICA_KILL={text}: {wrong}\n{out[-800:]}{err[-1500:]}'

def choose_again(case, rng):
    """Who has taken over is ended, too, and who has come back: a rank's replicas in turn, some points apart."""
    rank, replica, kills = rng.randrange(case.ranks), rng.choice((0, 0, 0, 1)), []
    last = max(case.points[rank])
    at = rng.randint(1, max(last // 2, 1))
    for _ in range(rng.choice((2, 2, 3))):
        kills.append((rank, replica, at))
        replica = 1 - replica if rng.random() < 0.8 else replica
        at += rng.randint(1, max(last // 2, 1))
    return kills

STEPS = {'left': {2: 'its turn to be saved', 7: 'the fresh one is back', 9: 'both go on'},
         'fresh': {7: 'it is back in its set', 9: 'both go on'}} # enum fresh_step of mpir/proxy/proxy_fresh.h

def making(case):
    """One replica of a rank is lost, then one at each step in which a fresh one is made: who is left, or who is made."""
    for rank in range(case.ranks):
        for lost in range(2):
            for who, steps in STEPS.items():
                for step in steps:
                    yield case, [(rank, lost, max(case.points[rank][lost] // 3, 1)), (rank, 1 - lost if who == 'left' else lost, f'fresh-{step}')]

def step_of(kills):
    for rank, replica, point in kills:
        if str(point).startswith('fresh-'):
            who = 'fresh' if replica == kills[0][1] else 'left'
            return {(who, STEPS[who][int(point[6:])])}
    return set()

def choose(case, rng):
    if a.again:
        return choose_again(case, rng)
    rank = rng.randrange(case.ranks)
    replica = rng.choice((0, 0, 0, 1))
    kills = [(rank, replica, rng.randint(1, max(case.points[rank][replica], 1)))]
    other = rng.random() * (0.6 if a.hosts else 1) # what was made of one loss is met by the other one
    if other < (0.25 if a.hosts else 0.15): # a different rank
        rank = rng.randrange(case.ranks)
    if other < 0.3:
        replica = rng.randrange(2)
        if (rank, replica) != kills[0][:2]:
            kills.append((rank, replica, rng.randint(1, max(case.points[rank][replica], 1))))
    return kills

p = argparse.ArgumentParser()
p.add_argument('run'); p.add_argument('program')
p.add_argument('--kills', type=int, default=100); p.add_argument('--seed', type=int, default=1)
p.add_argument('--every', action='store_true', help='instead: every point of every replica')
p.add_argument('--again', action='store_true', help='instead: of one rank several, in turn')
p.add_argument('--making', action='store_true', help='instead: at each step in which a fresh one is made')
p.add_argument('--share', type=int, default=1, help='of these, one in so many')
p.add_argument('--ranks', default='2,3'); p.add_argument('--protocols', default='shared'); p.add_argument('--options', default='')
p.add_argument('--hosts', help='mains on the first half of them, shadows on the second'); p.add_argument('--launcher', default='mpirun')
p.add_argument('--jobs', type=int, default=2); p.add_argument('--timeout', type=int, default=120)
p.add_argument('--table', action='store_true', help='by kind of point, too')
p.add_argument('arguments', nargs='*')
a = p.parse_intermixed_args()
a.program = os.path.abspath(a.program)
work = tempfile.TemporaryDirectory()
kinds = {'same': 0, 'lost': 0, 'wrong': 0}
points = {} # by the kind of point at which a main or a shadow was ended
cases = [Case(int(n), protocol, a.options.split()) for protocol in a.protocols.split(',') for n in a.ranks.split(',')]
rng, todo, failures = random.Random(a.seed), queue.Queue(), []
if a.making:
    every = [one for case in cases for one in making(case)]
    for one in every[a.seed % a.share::a.share]:
        todo.put(one)
elif a.every:
    every = [(case, [(rank, replica, point)]) for case in cases for rank in range(case.ranks) for replica in range(2)
             for point in range(1, case.points[rank][replica] + 1)]
    for one in every[a.seed % a.share::a.share]:
        todo.put(one)
else:
    for i in range(a.kills):
        case = cases[i % len(cases)]
        todo.put((case, choose(case, rng)))
begin, n = time.time(), todo.qsize()

def worker():
    while True:
        try:
            case, kills = todo.get_nowait()
        except queue.Empty:
            return
        wrong = case.try_kills(kills)
        if wrong:
            failures.append(wrong)

threads = [threading.Thread(target=worker) for _ in range(a.jobs)]
for t in threads: t.start()
for t in threads: t.join()
for f in failures[:5]:
    print(f)
if a.table:
    print('| ended | at | runs | the same | lost, and said so | wrong |\n|---|---|---|---|---|---|')
    for (replica, what), k in sorted(points.items()):
        print(f'| {dict(zip(("0", "1", "", "left", "fresh"), ("main", "shadow", "nobody", "who is left", "who is made")))[replica]} | {what} | {sum(k.values())} | {k["same"]} | {k["lost"]} | {k["wrong"]} |')
print(f'{n} runs with kills: {kinds["same"]} the same, {kinds["lost"]} lost both replicas and said so, {kinds["wrong"]} wrong; seed {a.seed}, {time.time() - begin:.0f} s')
sys.exit(1 if failures else 0)
