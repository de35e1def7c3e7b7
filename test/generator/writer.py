"""C text of programs.  Line numbers of the second file begin at SECOND."""
import re
from forms import CALL_FORM, FORMS, LOC_FORM
from pieces import Piece
from program import (Access, ArrayCopy, Assign, Call, Cond, Declare, For, If, Move, Param, Parallel, Point, Print, Realign,
                     Redistribute, RemoteBlock, ShadowGroup, Skip, Stand, TaskOn, TaskRegion, Test, Update, accesses_of, affine_text, of_terms, statements_of)
from values import RANK, is_float

SECOND = 1000000
INDEX = 'uvwxyz'
HEAD = ['#include <stdio.h>', '#include <stdlib.h>', '#include <string.h>', 'void generated_sum(const char *name, const void *data, unsigned long bytes);',
        'void generated_take(const void *data, unsigned long bytes);',
        '#define AT1(m, a) m[a]', '#define AT2(m, a, b) m[a][b]', '#define AT3(m, a, b, c) m[a][b][c]',
        '#define AT4(m, a, b, c, d) m[a][b][c][d]',
        '#ifdef _DVMH', '#define COPY(to, from, rows)', '#else', '#define COPY(to, from, rows) __builtin_memcpy(to, from, (rows) * sizeof *(to));',
        '#endif']
HEAD += [f'static inline {t} generated_{name}_{t.replace(" ", "_")}({t} a, {t} b) {{ return a {sign} b ? a : b; }}'
         for t in RANK for name, sign in (('max', '>'), ('min', '<'))]


def brackets(items):
    return ''.join(f'[{i}]' for i in items)


def width_text(widths):
    return ''.join(f'[{l}:{h}]' for l, h in widths)


def axes_text(axes):
    return ''.join(f'[{x.text() if x else ""}]' for x in axes)


def map_text(axes):
    return ''.join('[' + (affine_text(INDEX[x[1]], x[2], x[3]) if x[0] == 'dim' else str(x[1]) if x[0] == 'const' else '') + ']'
                   for x in axes)


def align_text(array, target, axes):
    used = {x[1] for x in axes if x[0] == 'dim'}
    own = ''.join(f'[{INDEX[k] if k in used else ""}]' for k in range(len(array.dims)))
    return f'{own} with {target.name}{map_text(axes)}'


def member_text(members):
    return ', '.join(a.name + (width_text(w) if w else '') + (' (corner)' if corner else '') for a, w, corner in members)


def term_type(term):
    return term.ctype if isinstance(term, Access) else 'int'


class Writer:
    def __init__(self, head, offset=0):
        self.lines, self.offset, self.labels = list(head), offset, 0

    def here(self):
        """Number of the line that is written next."""
        return self.offset + len(self.lines) + 1

    def put(self, depth, *pieces):
        """One line; an Access among the pieces learns where it stands."""
        text = '  ' * depth
        for piece in pieces:
            if isinstance(piece, Access):
                if piece.callee:
                    text += f'{piece.callee}({", ".join(given(piece))})'
                    continue
                start = len(text) + (len('AT1(') if piece.macro else 0)
                piece.line, piece.column = self.here(), start + 1
                piece = piece.text()
            text += piece
        self.lines.append(text)

    def directive(self, text):
        self.put(0, '#pragma dvm ' + text)

    def piece(self, s):
        text, wrong = s.lines()
        first = self.here()
        for line in text:
            self.put(0, line)
        s.expected = [(ident, first + k, text[k].index(at) + 1 if at else 0, name) for ident, k, at, name in wrong]

    def callees(self, program, accesses):
        for n, access in enumerate(accesses):
            access.callee = f'get{program.number}_{n}'
            self.put(0, f'{signature(access)};')
            self.callee(access)

    def callee(self, access):
        self.put(0, f'{signature(access)} {{')
        name, access.callee, access.within = access.callee, False, True
        if access.stores:
            self.put(1, access, f' {access.stores} value;')
        else:
            self.put(1, 'return ', access, ';')
        access.callee, access.within = name, False
        self.put(0, '}')

    # Declarations.
    def attributes(self, a):
        how = 'distribute' + brackets(a.template.dist) if a.by is None else f'align({align_text(a, *a.by)})'
        self.directive(f'array {how}' + (' shadow' + width_text(a.shadow) if a.shadow else '') + (' dynamic' if a.dynamic else ''))

    def array(self, a, depth, external=False):
        dims = list(a.dims)
        if a.where == 'vla':
            dims = [f'n{a.name}_{k}' for k in range(len(dims))]
            self.put(depth, 'int ' + ', '.join(f'{n} = {size}' for n, size in zip(dims, a.dims)) + ';')
        self.attributes(a)
        if a.where == 'heap':
            self.put(depth, f'{a.ctype} ' + (f'(*{a.name}){brackets(dims[1:])};' if len(dims) > 1 else f'*{a.name};'))
            self.put(depth, f'{a.name} = malloc({dims[0]} * sizeof *{a.name});')
            return
        storage = 'extern ' if external else 'static ' if a.where == 'static' else ''
        if a.row_type and a.where in ('static', 'local'):
            self.lines.insert(len(self.lines) - 1, '  ' * depth + f'typedef {a.ctype} row_{a.name}{brackets(dims[1:])};')
            self.put(depth, f'{storage}row_{a.name} {a.name}[{dims[0]}];')
        else:
            self.put(depth, f'{storage}{a.ctype} {a.name}{brackets(dims)};')

    def variable(self, v, depth, storage='', value=()):
        self.put(depth, f'{storage}{"volatile " if v.volatile else ""}{v.ctype} {v.name}{brackets(v.dims)}', *value, ';')
        if v.address:
            self.put(depth, f'const volatile void *at_{v.name} = &{v.name};')
            self.put(depth, f'(void)at_{v.name};')

    def program(self, p, second):
        used = names_used(p)
        p.first_line = self.here()
        self.record(p)
        self.numbers(p)
        self.tables_and_templates(p, used, 'void')
        for s in statements_of(p.body):
            if isinstance(s, TaskRegion):
                self.directive(f'task {s.name}[2]')
                self.put(0, f'void *{s.name};')
        for a in p.arrays:
            if a.name in used and a.where in ('static', 'extern'):
                self.array(a, 0, a.where == 'extern')
        for v in p.variables:
            if v.name in used and v.where == 'global':
                self.variable(v, 0, 'static ')
        hidden = [a for a in every_access(p) if a.callee]
        outside = [a for a in hidden if getattr(a.base, 'where', '') == 'extern'] if second else []
        self.callees(p, [a for a in hidden if a not in outside])
        for a in outside:
            a.callee = f'far{p.number}_{outside.index(a)}'
            self.put(0, f'{signature(a)};')
        for f in called_functions(p):
            self.function(f)
        for s in statements_of(p.body):
            if isinstance(s, Piece):
                self.piece(s)
        self.put(0, f'static void program{p.number}(void) {{')
        self.locals(p, used)
        self.block(p.body, 1)
        for a in p.arrays:
            if a.name in used and a.where == 'heap':
                self.put(1, f'free({a.name});')
        self.put(0, '}')
        p.last_line = self.here() - 1
        if second:
            second.other(p, used, outside)

    def record(self, p):
        """Members that are arrays are the fields 'w[0]', 'w[1]'."""
        if p.record and p.record.name in names_used(p):
            members = ''.join(f' {t} {f[:-3]}[2];' if f.endswith('[0]') else f' {t} {f};' for f, t in p.record.fields if not f.endswith('[1]'))
            self.put(0, f'{p.record.name} {{{members} }};')

    def numbers(self, p):
        """What stands for bounds and steps of loops."""
        for body in [p.body] + [f.body for f in called_functions(p)]:
            for s in statements_of(body):
                for l in s.loops if isinstance(s, Parallel) else [s.loop] if isinstance(s, For) else []:
                    for _, text in l.numbers():
                        self.put(0, text)

    def tables_and_templates(self, p, used, kind):
        for name, values, ctype in p.tables:
            if name in used:
                self.put(0, f'static {ctype} {name}[{len(values)}] = {{{", ".join(map(str, values))}}};')
        for name, value in p.offsets:
            self.put(0, f'static int {name} = {value};')
        for t in p.templates:
            if t.name in used:
                self.directive(f'template{brackets(t.sizes)} distribute{brackets(t.dist)}')
                self.put(0, f'{kind} *{t.name};')

    def locals(self, p, used):
        for v in p.variables + p.indices:
            if v.name in used and v.where in ('local', 'kept'):
                self.variable(v, 1, 'static ' if v.where == 'kept' else '')
        for a in p.arrays:
            if a.name in used and a.where in ('local', 'vla', 'heap'):
                self.array(a, 1)

    def other(self, p, used, hidden):
        """What the program keeps in the second file."""
        p.second_first = self.here()
        self.record(p)
        mine = [a for a in p.arrays if a.name in used and a.where == 'extern']
        if mine:
            self.tables_and_templates(p, used, 'extern void')
        for a in mine:
            self.array(a, 0)
        for n, a in enumerate(hidden):
            a.callee = f'far{p.number}_{n}'
            self.callee(a)
        p.second_last = self.here() - 1

    def function(self, f):
        self.directive('inherit(' + ', '.join(x.name for x in f.params) + ')')
        sizes = [f'int n{x.name}_{k}' for x in f.params for k in range(len(x.dims))] if f.shape == 'variable' else []
        self.put(0, f'static void {f.name}({", ".join(sizes + [parameter(x, f.shape) for x in f.params])}) {{')
        self.block(f.body, 1)
        self.put(0, '}')

    # Statements.
    def block(self, body, depth):
        for s in body:
            self.statement(s, depth)

    def statement(self, s, depth):
        if isinstance(s, Assign) and s.lhs.callee:
            self.put(depth, f'{s.lhs.callee}({"".join(v + ", " for v in given(s.lhs))}', *joined(s.terms), ');')
        elif isinstance(s, Move):
            self.put(depth, s.lhs, ' = ', s.rhs, ';')
        elif isinstance(s, Point):
            self.put(depth, f'{s.access.base.ctype} *{s.name} = &', s.access, ';')
        elif isinstance(s, Skip):
            self.put(depth, f'if ({s.var} % {s.mod} == {s.rest})')
            self.put(depth + 1, f'{s.word};')
        elif isinstance(s, Test):
            self.put(depth, 'if (', s.access, f' > {s.bound}) {{')
            self.block(s.body, depth + 1)
            self.put(depth, '}')
        elif isinstance(s, Declare):
            s.line = self.here()
            self.variable(s.variable, depth, '', (' = ', *joined(s.terms)) if s.terms is not None else (' = {0}',) if s.zero else ())
        elif isinstance(s, Assign):
            self.assign(s, depth)
        elif isinstance(s, Update):
            self.update(s, depth)
        elif isinstance(s, Piece):
            self.put(depth, f'piece{s.name}();')
        elif isinstance(s, Print):
            self.put(depth, 'fprintf(stdout, "%g\\n", ', '(double)', s.access, ');')
        elif isinstance(s, If):
            self.condition(s, depth)
        elif isinstance(s, For):
            self.sequential(s, depth)
        elif isinstance(s, Call):
            sizes = [str(n) for a in s.arrays for n in a.dims] if s.function.shape == 'variable' else []
            self.put(depth, f'{s.function.name}({", ".join(sizes + [a.name for a in s.arrays])});')
        elif isinstance(s, Parallel):
            self.parallel(s, depth)
        elif isinstance(s, TaskOn):
            self.directive(f'on({s.name}[{s.index}])')
            self.braced('{', s.body, depth)
        else:
            s.number = self.here()
            self.standing(s, depth)

    def assign(self, s, depth):
        for access in [s.lhs, *of_terms(s.terms)]:
            for k, (name, ctype) in sorted((access.aliases or {}).items()):
                self.put(depth, f'{ctype} {name} = {access.subs[k].text()};')
        if s.increment and s.terms == ['1'] and s.op in ('+=', '-='):
            sign = s.op[0] * 2
            self.put(depth, *([sign, s.lhs] if s.increment == 'before' else [s.lhs, sign]), ';')
        else:
            self.put(depth, s.lhs, f' {s.op} ', *joined(s.terms), ';')

    def condition(self, s, depth):
        test = f'{s.var} % {s.mod}'
        if s.shape == 'switch':
            self.put(depth, f'switch ({test}) {{')
            self.braced(f'case {s.rest}: {{', s.body, depth)
            self.put(depth, '}')
        elif s.shape == 'goto':
            self.labels += 1
            label = f'past_{self.labels}'
            self.put(depth, f'if ({test} != {s.rest}) goto {label};')
            self.braced('{', s.body, depth)
            self.put(depth, f'{label}:;')
        elif s.shape == 'else':
            self.put(depth, f'if ({test} != {s.rest}) ;')
            self.braced('else {', s.body, depth)
        else:
            self.braced(f'if ({test} == {s.rest}) {{', s.body, depth)

    def sequential(self, s, depth):
        if not s.shape:
            return self.braced(s.loop.text() + ' {', s.body, depth)
        begin, test, step = s.loop.pieces()
        self.put(depth, '{')
        self.put(depth + 1, begin + ';')
        self.put(depth + 1, 'do {' if s.shape == 'do' else f'while ({test}) {{')
        self.block(s.body, depth + 2)
        self.put(depth + 2, step + ';')
        self.put(depth + 1, f'}} while ({test});' if s.shape == 'do' else '}')
        self.put(depth, '}')
        return None

    def braced(self, head, body, depth):
        self.put(depth, head)
        self.block(body, depth + 1)
        self.put(depth, '}')

    def standing(self, s, depth):
        if isinstance(s, Redistribute):
            self.directive(f'redistribute({s.array.name}{brackets(s.dist)})')
        elif isinstance(s, Realign):
            self.directive(f'realign({s.array.name}{align_text(s.array, s.target, s.axes)}){" new_value" if s.new_value else ""}')
        elif isinstance(s, ShadowGroup):
            self.directive(f'shadow_group({s.name}: {member_text(s.members)})')
        elif isinstance(s, Stand):
            self.directive(f'{s.word}({s.name})')
        elif isinstance(s, ArrayCopy):
            self.directive(f'array_copy({s.dst.name} = {s.src.name})')
            self.put(depth, f'COPY({s.dst.name}, {s.src.name}, {s.dst.dims[0]})')
        elif isinstance(s, TaskRegion):
            self.directive(f'task_region({s.name})')
            self.braced('{', s.body, depth)
        else:
            assert isinstance(s, RemoteBlock)
            self.directive('remote_access(' + ', '.join(a.name + axes_text(x) for a, x in s.remote) + ')')
            self.braced('{', s.body, depth)

    def update(self, s, depth):
        """Each place of the spelling gets accesses of its own; s.at: letter -> access, or terms."""
        lines, _ = FORMS[s.computes][s.form]
        s.at = {}
        bare = [t for t in s.terms or ['1']]
        whole = s.computes in ('and', 'or', 'xor') and any(is_float(term_type(t)) for t in bare)
        for number, line in enumerate(lines):
            pieces = []
            for part in re.split(r'(@[wcrseftT])', line):
                letter = part[1:] if part.startswith('@') else None
                if letter == 't':
                    pieces.append(s.target.ctype)
                elif letter == 'T':
                    pieces.append(s.target.base.ctype.replace(' ', '_'))
                elif letter in ('e', 'f'):
                    s.at[letter] = [t.copy() if isinstance(t, Access) else t for t in bare]
                    inner = joined(s.at[letter])
                    pieces += ['(int)('] * whole + ['('] * (len(bare) > 1) + inner + [')'] * (len(bare) > 1) + [')'] * whole
                elif letter:
                    s.at[letter] = s.target.copy()
                    pieces.append(s.at[letter])
                elif part:
                    pieces.append(part)
            self.put(depth, *pieces)
            if s.form == LOC_FORM and number == 1 and not s.stray:
                self.locations(s, depth + 1)
        if s.stray or s.form != LOC_FORM:
            self.locations(s, depth)

    def locations(self, s, depth):
        for access, text in s.loc:
            self.put(depth, access, f' = {text};')

    @staticmethod
    def reductions(s):
        """A clause for each, or for all of a group together."""
        groups = {}
        for n, r in enumerate(s.reduction):
            loc = f', {r.loc.name}' + (f', {r.loc.dims[0]}' if r.loc.dims else '') if r.loc else ''
            groups.setdefault((r.group, 0 if s.together else n), []).append(f'{r.op}({r.variable.name}{loc})')
        return [f'reduction({group + ": " if group else ""}{", ".join(items)})' for (group, _), items in groups.items()]

    def parallel(self, s, depth):
        if s.region:
            self.directive('actual')
            self.directive('region')
            self.put(depth, '{')
        s.number = self.here()
        clauses = []
        if s.private:
            clauses.append('private(' + ', '.join(v.name for v in s.private) + ')')
        clauses += self.reductions(s)
        if s.renew:
            clauses.append(f'shadow_renew({member_text(s.renew)})')
        for word, members in (('', [x for x in s.across if x[0] not in s.out]), ('out: ', [x for x in s.across if x[0] in s.out])):
            if members:
                clauses.append(f'across({word}' + ', '.join(a.name + (width_text(w) if w else '') for a, w in members) + ')')
        if s.remote:
            clauses.append('remote_access(' + ', '.join(a.name + axes_text(x) for a, x in s.remote) + ')')
        clauses += [f'{word}({name})' for word, name in s.groups]
        if s.on is not None:
            head = 'parallel(' + ''.join(f'[{l.var}]' for l in s.loops) + f' on {s.on[0].name}{axes_text(s.on[1])})'
        elif s.across:
            head = 'parallel(' + ''.join(f'[{l.var}]' for l in s.loops) + ')'
        else:
            head = f'parallel({len(s.loops)})'
        self.directive(head + ''.join(' ' + c for c in clauses))
        last = len(s.loops) - 1
        for k, loop in enumerate(s.loops):
            self.put(depth + k, loop.text() + (' {' if s.braces or k == last else ''))
        self.block(s.body, depth + len(s.loops))
        for k in reversed(range(0 if s.braces else last, last + 1)):
            self.put(depth + k, '}')
        if s.region:
            self.put(depth, '}')
            self.directive('get_actual')


def joined(terms):
    pieces = []
    for k, t in enumerate(terms or ['1']):
        if isinstance(t, Cond):
            t = [f'({t.var} % {t.mod} == {t.rest} ? ', t.then, ' : ', t.other, ')']
        pieces += ([' + '] if k else []) + (t if isinstance(t, list) else [t.wrapped, t] if isinstance(t, Access) and t.wrapped else [t])
    return pieces


def indices(access):
    return sorted({s.var for s in access.subs if s.var})


def parameter(x, form):
    dims = [f'n{x.name}_{k}' for k in range(len(x.dims))] if form == 'variable' else x.dims
    if form == 'pointer':
        return f'{x.ctype} (*{x.name}){brackets(dims[1:])}' if len(dims) > 1 else f'{x.ctype} *{x.name}'
    return f'{x.ctype} {x.name}' + ('[]' + brackets(dims[1:]) if form == 'open' else brackets(dims))


def given(access):
    """Arguments of the function that makes the access."""
    row = access.base.name + ''.join(f'[{s.text()}]' for s in access.subs[:-1])
    return [row] * access.row + indices(access)


def signature(access):
    names = [f'{access.base.ctype} *row'] * access.row + [f'int {v}' for v in indices(access)] + ([f'{access.ctype} value'] if access.stores else [])
    return f'{"void" if access.stores else access.ctype} {access.callee}({", ".join(names) or "void"})'


def called_functions(p):
    called = {s.function for s in statements_of(p.body) if isinstance(s, Call)}
    return [f for f in p.functions if f in called]


def every_access(p):
    for f in called_functions(p):
        yield from accesses_of(f.body)
    yield from accesses_of(p.body)


def names_used(p):
    """Names that the text needs."""
    names, arrays = set(), set()

    def data(x):
        if x is not None and not isinstance(x, Param):
            names.add(x.name)
            arrays.add(x)

    for access in every_access(p):
        data(access.base)
        names.update(s.through[0] for s in access.subs if s.through)
    for s in [x for f in called_functions(p) for x in statements_of(f.body)] + list(statements_of(p.body)):
        if isinstance(s, For) and s.loop.limit:
            names.add(s.loop.limit[0][0])
    for s in [x for f in called_functions(p) for x in statements_of(f.body)] + list(statements_of(p.body)):
        for x in used_by(s):
            data(x)
        if isinstance(s, Parallel):
            names.update(l.var for l in s.loops if not l.declared)
    for a in reversed(p.arrays):                 # targets stand before what is aligned with them
        if a in arrays and a.by:
            data(a.by[0])
    if p.record and any(getattr(x, 'record', None) for x in arrays):
        names.add(p.record.name)
    for x in [a.template for a in p.arrays if a in arrays and a.by is None] + [t for t in p.templates if t.name in names]:
        names.update(w for d in x.dist for w in re.findall(r'\((\w+)', d))
    for s in statements_of(p.body):
        if isinstance(s, Redistribute):
            names.update(w for d in s.dist for w in re.findall(r'\((\w+)', d))
    return names


def used_by(s):
    if isinstance(s, Parallel):
        yield s.on and s.on[0]
        yield from s.private
        for r in s.reduction:
            yield from (r.variable, r.loc)
        for clause in (s.renew, s.across, s.remote):
            yield from (m[0] for m in clause)
    elif isinstance(s, Call):
        yield from s.arrays
    elif isinstance(s, Declare):
        yield s.variable
    elif isinstance(s, Redistribute):
        yield s.array
    elif isinstance(s, Realign):
        yield from (s.array, s.target)
    elif isinstance(s, ShadowGroup):
        yield from (m[0] for m in s.members)
    elif isinstance(s, ArrayCopy):
        yield from (s.dst, s.src)
    elif isinstance(s, RemoteBlock):
        yield from (m[0] for m in s.remote)


def print_files(programs):
    """Texts of the first and the second file; the second is None if no program needs it."""
    first = Writer(HEAD)
    second = Writer([], SECOND) if any(a.where == 'extern' for p in programs for a in p.arrays) else None
    for p in programs:
        first.program(p, second)
    first.put(0, 'int main(int argc, char **argv) {')
    first.put(1, 'int only = argc > 1 ? atoi(argv[1]) : -1;')
    for p in programs:
        first.put(1, f'if (only < 0 || only == {p.number}) {{')
        first.put(2, f'printf("program {p.number}\\n");')
        for _ in range(p.calls):
            first.put(2, f'program{p.number}();')
        used = names_used(p)
        for a in p.arrays:
            if a.name in used and a.where in ('static', 'extern'):
                first.put(2, f'generated_sum("{a.name}", {a.name}, sizeof {a.name});')
        first.put(1, '}')
    first.put(1, 'return 0;')
    first.put(0, '}')
    return '\n'.join(first.lines) + '\n', '\n'.join(second.lines) + '\n' if second else None
