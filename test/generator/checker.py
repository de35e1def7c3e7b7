"""Compiles and runs printed programs and reads what the checker says."""
import collections, os, re, subprocess, tempfile
from writer import SECOND, print_files

DIAGNOSTIC = re.compile(r"^(?:.*/)?(random|second)\.c:(\d+):(\d+): (error|warning): (.*) \[(?:-W)?(dvm-[a-z-]+)\]$", re.M)
QUOTED = re.compile(r"'([A-Za-z_]\w*)")
OF_DIRECTIVE = {'dvm-reduction-mismatch', 'dvm-reduction-protocol', 'dvm-usage'}
WARNINGS = {'dvm-undeclared-private'}
TIMEOUT_S = 120
HERE = os.path.dirname(os.path.abspath(__file__))


class Broken(Exception):
    """The compiler or the program did not do its work."""


def execute(command, env=None):
    try:
        return subprocess.run(command, env={**os.environ, 'LC_ALL': 'C', **(env or {})}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as e:
        raise Broken(f'no end after {TIMEOUT_S} s: {" ".join(command)}') from e


def untimed(ran, whim):
    """Without what differs from run to run: the time, results that were computed from undefined values, and whether two of
    those are the same: mismatches at the lines 'whim'."""
    text = re.sub(r"( = |values give |no more than )[-+.\w]+", r'\1V', ran.stderr)
    blocks, kept = re.split(r'^(?=\S+: (?:error|warning): |dvm: )', text, flags=re.M), []
    for block in blocks:
        if re.match(r'dvm: \d+ (error|warning)', block):
            continue                             # how many of what stands above
        where = re.match(r'(?:dvm: )?\S*random\.c:(\d+):\d+', block)
        if not (where and '[dvm-reduction-mismatch]' in block and int(where[1]) in whim):
            kept.append(block)
    return ran.returncode, ran.stdout, ''.join(kept)


class Build:
    """The programs in one executable of dvmcc, and if wanted one of plain clang."""

    def __init__(self, programs, level, opts, plain):
        self.programs = programs
        self.texts = print_files(programs)
        self.work = tempfile.TemporaryDirectory(prefix='dvm-generator-')
        names = []
        for name, text in zip(('random.c', 'second.c'), self.texts):
            if text:
                names.append(os.path.join(self.work.name, name))
                with open(names[-1], 'w', encoding='utf-8') as f:
                    f.write(text)
        self.plain, self.exe = os.path.join(self.work.name, 'plain'), os.path.join(self.work.name, 'random')
        self.sum = os.path.join(self.work.name, 'sum.o')
        self.run_compiler([opts.clang, '-O1', '-c', os.path.join(HERE, 'sum.c'), '-o', self.sum])
        self.compiled = self.run_compiler([opts.dvmcc, '-' + level, '-Wno-array-bounds', *names, self.sum, '-o', self.exe])
        if plain:
            self.run_compiler([opts.clang, '-' + level, '-w', *names, self.sum, '-o', self.plain])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.work.cleanup()

    @staticmethod
    def run_compiler(command):
        done = execute(command)
        if done.returncode:
            raise Broken(f'does not compile: {" ".join(command)}\n{done.stderr[:3000]}')
        return done

    def run(self, verdicts, only=None):
        """({program number: counted diagnostics}, {program number: its output}, exit status) of the checked program."""
        ways = ['summaries=1', 'summaries=0:stretches=1', 'summaries=0:stretches=0', 'repeats=0']
        ran, *others = (execute([self.exe] + ([str(only)] if only is not None else []),
                                {'DVM_OPTIONS': f'color=never:max_errors=100000:{way}'}) for way in ways)
        if ran.returncode not in (0, 66):
            raise Broken(f'exit status {ran.returncode}\n{ran.stderr[-2000:]}')
        # What undefined values print differs from run to run; the output of the others is compared with plain clang's.
        whim = {line for v in verdicts for ident, line in v.open if ident == 'dvm-reduction-mismatch'}
        for way, apart in zip(ways[1:], others):
            if untimed(ran, whim)[0::2] != untimed(apart, whim)[0::2]:
                one, two = untimed(ran, whim)[2].splitlines(), untimed(apart, whim)[2].splitlines()
                raise Broken(f'judged otherwise with {way}:\n' + '\n'.join(['- ' + l for l in one if l not in two] + ['+ ' + l for l in two if l not in one]))
        found = {p.number: collections.Counter() for p in self.programs}
        for m in DIAGNOSTIC.finditer(self.compiled.stderr + ran.stderr):
            number, item = self.item(m)
            found[number][item] += 1
        return found, sections(ran.stdout), ran.returncode

    def run_plain(self):
        ran = execute([self.plain])
        return sections(ran.stdout)

    def item(self, m):
        line = int(m[2]) + (SECOND if m[1] == 'second' else 0)
        for p in self.programs:
            if p.first_line <= line <= p.last_line or line > SECOND and p.second_last and p.second_first <= line <= p.second_last:
                name = QUOTED.search(m[5])
                return p.number, (m[6], line, int(m[3]), name[1] if name else '')
        raise Broken(f'a diagnostic outside of all programs: {m[0]}')


def sections(text):
    out, number = collections.defaultdict(list), None
    for line in text.splitlines():
        if line.startswith('program '):
            number = int(line[8:])
        else:
            out[number].append(line)
    return out


def normal(found, expected):
    """The diagnostics in the oracle's terms: a fault of a directive has no column; in a macro, and where a location is
    compared, no name is asked for."""
    unnamed = {item[:3] for item in expected if item[3] == ''}
    out = collections.Counter()
    for (ident, line, column, name), n in found.items():
        if ident in OF_DIRECTIVE or (ident, line, 0, name) in expected:
            column = 0
        out[(ident, line, column, '' if (ident, line, column) in unnamed else name)] += n
    return out


def difference(verdict, found):
    """(missing, unexpected, agreed) as lists of items; None if they agree."""
    found = normal(found, verdict.expected)
    missing, extra = verdict.expected - found, found - verdict.expected
    told = {(i[0], i[1]) for i in found}
    missing = [i for i in missing.elements() if (i[0], i[1]) not in verdict.open and not verdict.either.get((i[0], i[1]), set()) & told]
    extra = [i for i in extra.elements() if (i[0], i[1]) not in verdict.open]
    return (missing, extra, list((found & verdict.expected).elements())) if missing or extra else None


def fails(verdict):
    return any(item[0] not in WARNINGS for item in verdict.expected)
