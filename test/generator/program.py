"""A small DVM program as a tree, and its C text.  Subscripts and conditions depend on loop indices alone, so that the
oracle needs no values.  Printing a program fixes the line and column of each of its accesses."""


class Template:
    """Index space that is distributed: dist[d] is 'block' or '*'."""

    def __init__(self, name, sizes, dist):
        self.name, self.sizes, self.dist = name, sizes, dist


class Array:
    """A distributed array.  place[d] says where it lies in dimension d of the template: ('dim', k, coef, add) for its own
    dimension k, or ('const', c).  'by' is what its directive names: None (distribute) or (target, axes)."""
    distributed = True

    def __init__(self, name, ctype, dims, template, place, shadow, by):
        self.name, self.ctype, self.dims, self.template = name, ctype, dims, template
        self.place, self.shadow, self.by = place, shadow, by

    def mapped_dims(self):
        return {p[1] for d, p in enumerate(self.place) if p[0] == 'dim' and self.template.dist[d] == 'block'}

    def widths(self):
        mapped = self.mapped_dims()
        default = [(1, 1) if k in mapped else (0, 0) for k in range(len(self.dims))]
        return self.shadow or default


class Variable:
    """Ordinary data: a scalar (no dims) or an array.  where: 'local', 'global'."""
    distributed = False

    def __init__(self, name, ctype, dims, where):
        self.name, self.ctype, self.dims, self.where = name, ctype, dims, where


class Sub:
    """coef * var + add; var None for a constant; through: a table of ints that maps the value, or None."""

    def __init__(self, var, coef, add, through=None):
        self.var, self.coef, self.add, self.through = var, coef, add, through

    def value(self, env):
        v = (self.coef * env[self.var] if self.var else 0) + self.add
        return self.through[1][v] if self.through else v

    def text(self):
        t = affine_text(self.var, self.coef, self.add)
        return f'{self.through[0]}[{t}]' if self.through else t


def affine_text(var, coef, add):
    if var is None:
        return str(add)
    t = var if coef == 1 else f'{coef} * {var}'
    return t + (f' + {add}' if add > 0 else f' - {-add}' if add < 0 else '')


class Access:
    def __init__(self, base, subs):
        self.base, self.subs, self.callee = base, subs, False
        self.line = self.column = 0

    def text(self):
        return self.base.name + ''.join(f'[{s.text()}]' for s in self.subs)


class Assign:
    def __init__(self, lhs, op, terms):
        self.lhs, self.op, self.terms = lhs, op, terms   # terms: Access or text


class Print:
    def __init__(self, access):
        self.access = access


class If:
    def __init__(self, var, mod, rest, body):
        self.var, self.mod, self.rest, self.body = var, mod, rest, body


class For:
    """Sequential loop."""

    def __init__(self, loop, body):
        self.loop, self.body = loop, body


class Loop:
    def __init__(self, var, first, last, step):
        self.var, self.first, self.last, self.step = var, first, last, step   # 'last' is met or passed

    def values(self):
        return range(self.first, self.last + (1 if self.step > 0 else -1), self.step)

    def text(self):
        v = self.var
        how = f'{v}++' if self.step == 1 else f'{v}--' if self.step == -1 else \
            f'{v} += {self.step}' if self.step > 0 else f'{v} -= {-self.step}'
        return f'for (int {v} = {self.first}; {v} {"<=" if self.step > 0 else ">="} {self.last}; {how})'


class Parallel:
    """on: (Array, axes) or None; an axis is a Sub of a loop variable or constant, or None for []."""

    def __init__(self, loops, on, body):
        self.loops, self.on, self.body = loops, on, body
        self.private, self.reduction = [], []            # Variables
        self.renew, self.across, self.remote = [], [], []  # (Array, widths or None, corner), (Array, widths), (Array, axes)
        self.number = 0                                  # of the line of the directive


class Program:
    def __init__(self, number):
        self.number, self.templates, self.arrays, self.variables, self.tables = number, [], [], [], []
        self.body = []
        self.first_line = self.last_line = 0


class Writer:
    """Prints programs into one file."""

    def __init__(self):
        self.lines = ['#include <stdio.h>']

    def put(self, depth, *pieces):
        """One line; an Access among the pieces learns where it stands."""
        text = '  ' * depth
        for piece in pieces:
            if isinstance(piece, Access):
                if piece.callee:
                    text += self.call_text(piece)
                    continue
                piece.line, piece.column = len(self.lines) + 1, len(text) + 1
                piece = piece.text()
            text += piece
        self.lines.append(text)

    @staticmethod
    def indices(access):
        return sorted({s.var for s in access.subs if s.var})

    def call_text(self, access):
        return f'{access.callee}({", ".join(self.indices(access))})'

    def callees(self, program):
        for n, access in enumerate(a for a in accesses_of(program.body) if a.callee):
            access.callee = f'get{program.number}_{n}'
            names = ', '.join(f'int {v}' for v in self.indices(access)) or 'void'
            self.put(0, f'static {access.base.ctype} {access.callee}({names}) {{')
            access_callee, access.callee = access.callee, False
            self.put(1, 'return ', access, ';')
            access.callee = access_callee
            self.put(0, '}')

    def program(self, p):
        p.first_line = len(self.lines) + 1
        for t in p.templates:
            self.put(0, f'#pragma dvm template{brackets(t.sizes)} distribute{brackets(t.dist)}')
            self.put(0, f'void *{t.name};')
        for a in p.arrays:
            if a.by is None:
                how = 'distribute' + brackets(a.template.dist)
            else:
                target, axes = a.by
                names = 'uvwxyz'
                how = f'align({"".join(f"[{names[k]}]" for k in range(len(a.dims)))} with {target.name}' + \
                    ''.join('[' + (affine_text(names[x[1]], x[2], x[3]) if x[0] == 'dim' else str(x[1])) + ']' for x in axes) + ')'
            self.put(0, f'#pragma dvm array {how}' + (' shadow' + width_text(a.shadow) if a.shadow else ''))
            self.put(0, f'static {a.ctype} {a.name}{brackets(a.dims)};')
        for name, values in p.tables:
            self.put(0, f'static int {name}[{len(values)}] = {{{", ".join(map(str, values))}}};')
        for v in p.variables:
            if v.where == 'global':
                self.put(0, f'static {v.ctype} {v.name}{brackets(v.dims)};')
        self.callees(p)
        self.put(0, f'static void program{p.number}(void) {{')
        for v in p.variables:
            if v.where == 'local':
                self.put(1, f'{v.ctype} {v.name}{brackets(v.dims)};')
        for s in p.body:
            self.statement(s, 1)
        self.put(0, '}')
        p.last_line = len(self.lines)

    def statement(self, s, depth):
        if isinstance(s, Assign):
            pieces = []
            for k, t in enumerate(s.terms):
                pieces += ([' + '] if k else []) + [t]
            self.put(depth, s.lhs, f' {s.op} ', *pieces, ';')
        elif isinstance(s, Print):
            self.put(depth, 'fprintf(stdout, "%g\\n", ', '(double)', s.access, ');')
        elif isinstance(s, If):
            self.put(depth, f'if ({s.var} % {s.mod} == {s.rest}) {{')
            self.block(s.body, depth + 1)
            self.put(depth, '}')
        elif isinstance(s, For):
            self.put(depth, s.loop.text() + ' {')
            self.block(s.body, depth + 1)
            self.put(depth, '}')
        else:
            self.parallel(s, depth)

    def block(self, body, depth):
        for s in body:
            self.statement(s, depth)

    def parallel(self, s, depth):
        s.number = len(self.lines) + 1
        clauses = []
        if s.private:
            clauses.append('private(' + ', '.join(v.name for v in s.private) + ')')
        if s.reduction:
            clauses.append('reduction(' + ', '.join(f'sum({v.name})' for v in s.reduction) + ')')
        if s.renew:
            clauses.append('shadow_renew(' + ', '.join(
                a.name + (width_text(w) if w else '') + (' (corner)' if corner else '') for a, w, corner in s.renew) + ')')
        if s.across:
            clauses.append('across(' + ', '.join(a.name + width_text(w) for a, w in s.across) + ')')
        if s.remote:
            clauses.append('remote_access(' + ', '.join(a.name + axes_text(x) for a, x in s.remote) + ')')
        if s.on is None:
            head = f'parallel({len(s.loops)})'
        else:
            head = 'parallel(' + ''.join(f'[{l.var}]' for l in s.loops) + f' on {s.on[0].name}{axes_text(s.on[1])})'
        self.put(0, f'#pragma dvm {head}' + ''.join(' ' + c for c in clauses))
        for k, loop in enumerate(s.loops):
            self.put(depth + k, loop.text() + (' {' if k + 1 == len(s.loops) else ''))
        self.block(s.body, depth + len(s.loops))
        self.put(depth + len(s.loops) - 1, '}')

    def finish(self, programs):
        self.put(0, 'int main(void) {')
        for p in programs:
            self.put(1, f'program{p.number}();')
        self.put(1, 'return 0;')
        self.put(0, '}')
        return '\n'.join(self.lines) + '\n'


def brackets(items):
    return ''.join(f'[{i}]' for i in items)


def width_text(widths):
    return ''.join(f'[{l}:{h}]' for l, h in widths)


def axes_text(axes):
    return ''.join(f'[{x.text() if x else ""}]' for x in axes)


def accesses_of(body):
    """Every access of the statements, in the order of the text."""
    for s in body:
        if isinstance(s, Assign):
            yield s.lhs
            yield from (t for t in s.terms if isinstance(t, Access))
        elif isinstance(s, Print):
            yield s.access
        else:
            yield from accesses_of(s.body)


def print_file(programs):
    w = Writer()
    for p in programs:
        w.program(p)
    return w.finish(programs)
