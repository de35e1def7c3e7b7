#!/usr/bin/env python3
"""Compares parallel runs with the sequential reference ('dvm compare REFERENCE -- mpirun ..').

usage: compare.py --build FOLDER [--jobs 1,3,4:2x2] [--twins [--elements]] [--share K/N] [--only REGEX] [-v] [program.c|program.f90 ..]

Right programs must agree with their own sequential run on all the numbers of ranks (RANKS:GRID).  With --twins the wrong programs of
test/programs/wrong whose parallel run goes wrong are compared with theirs: the comparison must name a construct, or an array in it, unless
the run itself is stopped by a diagnostic; their right twins must agree.  compare.txt names the exceptions, with the reason; one that behaves
must leave it.  With --elements '--bisect' must go on from the sum of an array to an element, an iteration or ranks that differ.  Where values agree by chance ('poison' there) the run with poison=1 must be stopped instead, under the
comparison.  Of Fortran, '! WITH FILE' names a file beside the program that is compiled before it, and PROGRAM.in is its input."""
import argparse, concurrent.futures, importlib.machinery, importlib.util, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAMED = re.compile(r'error: .*\[(dvm-[a-z-]+)\]')
BY_SUMS = 'differs from the reference when this construct ends'
ERROR = re.compile(r'error: (.*)\[dvm-')
FORTRAN = re.compile(r'\.f(90)?$')
CLOSING = re.compile(r'^dvm: compared (\d+) records .* (\d+) different', re.M)


def load_confirm():
    loader = importlib.machinery.SourceFileLoader('confirm', os.path.join(HERE, 'confirm'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('confirm', loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


confirm = load_confirm()


class Tried:
    def __init__(self, status, err):
        self.status, self.err = status, err
        self.named = NAMED.findall(err)
        found = CLOSING.search(err)
        self.records = int(found.group(1)) if found else 0


class Case:
    """A program compiled in both ways, and its reference."""

    def __init__(self, opts, name, sources, flags, args, work):
        self.opts, self.args = opts, args
        self.input = next((s + '.in' for s in sources if os.path.exists(s + '.in')), os.devnull)
        self.folder = tempfile.mkdtemp(prefix=name.replace('/', '-') + '-', dir=work)
        self.wrong = ''
        compiler = os.path.join(opts.build, 'driver/dvmfc' if FORTRAN.search(sources[-1]) else 'driver/dvmcc')
        for mode, program in (('trace', 'plain'), ('parallel,trace', 'ranks')):
            c = self.run([compiler, '-fdvm=' + mode, '-O2', '-g', '-w', *flags, *sources, '-o', program, '-lm'])
            if c.status:
                self.wrong = f'not compiled with -fdvm={mode}: ' + c.err[:300]
                return
        r = self.run([os.path.join(opts.build, 'driver/dvm'), 'record', '--level', 'checksum', '-o', 'reference.dvmt', '--', './plain', *args])
        if 'dvm: error' in r.err:
            self.wrong = 'not recorded: ' + r.err[:300]

    def run(self, command, **more):
        try:
            with open(self.input, 'rb') as given:
                p = subprocess.run(command, cwd=self.folder, env=confirm.environment(**more), stdin=given, capture_output=True, timeout=200)
            return Tried(p.returncode, p.stderr.decode('latin-1'))
        except subprocess.TimeoutExpired:
            return Tried('hangs', '')

    def compare(self, job, options=(), poison=False):
        ranks, _, grid = job.partition(':')
        more = {'DVM_OPTIONS': 'patience=2' + (':grid=' + grid if grid else '') + (':poison=1' if poison else '')}
        return self.run([os.path.join(self.opts.build, 'driver/dvm'), 'compare', *options, 'reference.dvmt', '--', 'mpirun', '--oversubscribe', '-n',
                         ranks, './ranks', *self.args], **more)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def read_exceptions():
    lines = [l.strip() for l in open(os.path.join(HERE, 'compare.txt')) if l.strip() and not l.startswith('#')]
    return dict(l.split(None, 1) for l in lines)


def agree(opts, name, sources, flags, args, work, options, poison=False):
    """Nothing, or what is wrong."""
    case = Case(opts, name, sources, flags, args, work)
    bad = [f'{name}: {case.wrong}'] if case.wrong else []
    for job in [] if bad else opts.jobs:
        t = case.compare(job, options, poison)
        if t.named or t.status in (1, 2, 66, 'hangs') or not t.records:
            bad.append(f'{name} on {job} ranks: status {t.status}\n{t.err[:1500]}')
            break
    case.close()
    return bad


def options_of(why):
    return why.split(None, 1)[0].split(',') if why.startswith('--') else []


def try_right(opts, path, work, exceptions):
    name = os.path.relpath(path, os.path.join(HERE, '../../..')).removesuffix('.c')
    why = exceptions.get(name, '')
    if why and not options_of(why):
        return name, '-', []
    sources = sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith('.c')) if os.path.isdir(path) else [path]
    if FORTRAN.search(path):
        sources[:0] = [os.path.join(os.path.dirname(path), f) for f in re.findall(r'^[!C] WITH (\S+)', open(path).read(), re.M)]
    text = ''.join(open(s, encoding='latin-1').read() for s in sources)
    settings = confirm.SETTING.findall(text)
    flags = [f for k, v in settings if k == 'FLAGS' for f in v.split()]
    args = [f for k, v in settings if k == 'ARGS' for f in v.split()]
    return name, 'agrees', agree(opts, name, sources, flags, args, work, options_of(why))


def try_twin(opts, p, work, exceptions):
    why = exceptions.get('wrong/' + p.name, '')
    poison = why.startswith('poison ')
    case, bad = Case(opts, p.name, p.sources, p.flags, p.args, work), []

    def show(poison):
        for job in [] if case.wrong else opts.jobs:
            t = case.compare(job, poison=poison)
            if t.named and (t.records or t.named != ['dvm-trace-structure']): # else nothing was compared
                return f'{job} ranks: [{t.named[0]}]' + (' with poison=1' if poison else '')
        return ''

    def show_element():
        for job in opts.jobs:
            t = case.compare(job)
            if not t.named or not t.records or BY_SUMS not in ERROR.search(t.err).group(1):
                continue
            t = case.compare(job, ['--bisect'])
            found = ERROR.search(t.err)
            if not found or BY_SUMS in found.group(1):
                bad.append(f'{p.name} on {job} ranks: no element is named\n{t.err[:1500]}')
            return
    shown, poisoned = show(False), show(True) if poison else ''
    if opts.elements and shown:
        show_element()
    case.close()
    if shown and why:
        bad.append(f'{p.name} is shown ({shown}): it must leave compare.txt')
    if not (shown or poisoned) and (poison or not why):
        bad.append(f'{p.name} does not show {", ".join(p.ids)} {case.wrong}')
    if not exceptions.get('right/' + p.name):
        bad += agree(opts, p.name, p.sources, [*p.flags, '-DRIGHT'], p.args, work, [], poison)
    return p.name, shown or poisoned or '-', bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--twins', action='store_true')
    parser.add_argument('--elements', action='store_true')
    parser.add_argument('--share', default='1/1')
    parser.add_argument('--jobs', type=lambda s: s.split(','), default=['1', '3', '4:2x2'])
    parser.add_argument('--parallel', type=int, default=1)
    parser.add_argument('--only', default='')
    parser.add_argument('-v', '--verbose', action='store_true')
    parser.add_argument('programs', nargs='*')
    opts = parser.parse_args()
    opts.build = os.path.abspath(opts.build)
    opts.ranks = opts.jobs
    exceptions, bad, n, named = read_exceptions(), [], 0, 0
    stopped = {l.split()[0] for l in open(os.path.join(HERE, 'confirm.txt')) if l.strip() and not l.startswith('#')}
    with tempfile.TemporaryDirectory(prefix='dvm-compare-') as work, concurrent.futures.ThreadPoolExecutor(opts.parallel) as pool:
        if opts.twins:
            todo = [p for p in confirm.collect(opts) if re.search(opts.only, p.name) and p.name not in stopped]
            done = pool.map(lambda p: try_twin(opts, p, work, exceptions), todo)
        else:
            todo = [os.path.abspath(p) for p in sorted(opts.programs) if re.search(opts.only, p) and confirm.in_share(os.path.basename(p), opts.share)]
            done = pool.map(lambda p: try_right(opts, p, work, exceptions), todo)
        for name, shown, said in done:
            n, named = n + 1, named + ('dvm-trace' in shown)
            bad += said
            if opts.verbose:
                print(f'{name}: {"FAILED" if said else shown}', flush=True)
    print(f'{n} programs' + (f', {named} named by the comparison' if opts.twins else ''))
    for b in bad:
        print('FAILED ' + b)
    return 1 if bad or not n else 0


if __name__ == '__main__':
    sys.exit(main())
