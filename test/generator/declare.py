"""Random declarations of one program."""
from program import Array, Param, Record, Template, Variable

TYPES = ['double', 'double', 'int', 'int', 'float', 'unsigned char', 'short', 'long double', 'long']
DIVIDED = ['block'] * 12 + ['wgtblock', 'genblock', 'multblock', 'indirect']


class Declarations:
    """Fills templates, arrays, variables and tables of the program 'p' of number 'n'."""

    def __init__(self, r, p, n):
        self.r, self.p, self.n = r, p, n
        self.usual = r.choice(TYPES)             # type of most arrays, so that some pairs fit

    def declare(self):
        r, n = self.r, self.n
        ndims = r.choice([1, 1, 1, 2, 2, 2, 2, 3, 4])
        sizes = [r.randint(*[(5, 9), (5, 8), (4, 5), (3, 4)][ndims - 1]) for _ in range(ndims)]
        if r.random() < 0.3:
            self.p.record = self.record()
        self.p.tables.append((f'idx{n}', [r.randrange(min(sizes)) for _ in range(10)], 'int'))
        dist = self.dist(sizes)
        where = r.choice(['static'] * 6 + ['extern', 'local', 'vla', 'heap'])
        template = Template(f'T{n}', sizes, dist)
        if r.random() < 0.25 and where not in ('local', 'vla', 'heap'):
            self.p.templates.append(template)
            base = template
        else:
            base = self.array(f'A{n}', sizes, template, None, self.edges(ndims, template.dist), where)
            base.dynamic = r.random() < 0.25
            if base.dynamic:
                base.shadow = [(r.randint(0, 1), r.randint(0, 2)) for _ in sizes]
            self.p.arrays.append(base)
        for letter in 'BCD'[:r.randint(1, 3)]:
            name, kind = f'{letter}{n}', r.random()
            place = where if r.random() < 0.7 else r.choice(['static', 'local', 'heap'])
            if place in ('static', 'extern') and isinstance(base, Array) and base.where in ('local', 'vla', 'heap'):
                place = base.where               # its directive names the target, which must be in sight
            if base in self.p.templates and place == 'extern' and where != 'extern':
                place = 'static'
            if kind < 0.1:
                other = Template('', list(sizes), self.dist(sizes))
                self.p.arrays.append(self.array(name, list(sizes), other, None, self.edges(ndims, other.dist), place))
            elif kind < 0.2 and self.p.arrays and self.p.arrays[-1].where == place:
                last = self.p.arrays[-1]
                self.p.arrays.append(self.aligned(name, last, last.dims, template, place))
            else:
                self.p.arrays.append(self.aligned(name, base, sizes, template, place))
        for k in range(r.randint(1, 4)):
            self.p.variables.append(self.variable(f's{n}_{k}', [], ['local', 'local', 'local', 'global', 'global', 'kept']))
        if r.random() < 0.5:
            self.p.variables.append(self.variable(f'w{n}', [r.randint(3, 9)], ['local', 'global', 'kept']))
        if r.random() < 0.25:
            self.p.variables.append(self.variable(f'u{n}', [r.randint(4, 9), r.randint(4, 9)], ['local', 'global']))
        for name in 'ijkl':
            self.p.indices.append(Variable(name, 'int', [], 'kept' if r.random() < 0.15 else 'local'))

    def record(self):
        """Mostly of members of one size, so that there is no padding."""
        r = self.r
        alike = r.choice([['double', 'long'], ['int', 'float'], ['short'], ['unsigned char'], None])
        types = [r.choice(alike or TYPES) for _ in range(r.randint(1, 3))]
        fields = [('uvw'[k], t) for k, t in enumerate(types)]
        if r.random() < 0.4:
            last, t = fields.pop()
            fields += [(f'{last}[0]', t), (f'{last}[1]', t)]
        return Record(f'struct R{self.n}', fields, alike is None)

    def array(self, name, dims, template, by, shadow, where):
        a = Array(name, self.ctype(), dims, template, by, shadow, where)
        if self.p.record and self.r.random() < 0.6:
            a.record, a.ctype = self.p.record, self.p.record.name
        return a

    def variable(self, name, dims, places):
        v = Variable(name, self.r.choice(TYPES), dims, self.r.choice(places))
        if self.p.record and self.r.random() < 0.2:
            v.record, v.ctype = self.p.record, self.p.record.name
        return v

    def ctype(self):
        return self.usual if self.r.random() < 0.6 else self.r.choice(TYPES)

    def dist(self, sizes):
        r = self.r
        kinds = [r.choice(DIVIDED) if r.random() < 0.75 else '*' for _ in sizes]
        if all(k == '*' for k in kinds) and r.random() < 0.85:
            kinds[r.randrange(len(kinds))] = 'block'
        return [self.rule(kind, size) for kind, size in zip(kinds, sizes)]

    def rule(self, kind, size):
        """The text of a distribution along one dimension, with the table that it needs."""
        name = f'{kind[:2]}{self.n}_{len(self.p.tables)}'
        if kind == 'wgtblock':
            self.p.tables.append((name, [self.r.randint(1, 3) for _ in range(2)], 'double'))
            return f'wgtblock({name}, 2)'
        if kind == 'genblock':
            self.p.tables.append((name, [size], 'int'))
            return f'genblock({name})'
        if kind == 'indirect':
            self.p.tables.append((name, [0] * size, 'int'))
            return f'indirect({name})'
        return 'multblock(1)' if kind == 'multblock' else kind

    def edges(self, ndims, dist):
        if self.r.random() < 0.4:
            return None
        return [(self.r.randint(0, 2), self.r.randint(0, 2)) if dist[k] != '*' else (0, 0) for k in range(ndims)]

    def aligned(self, name, base, sizes, template, where):
        """An array aligned with base (a template, or an array before it) of these sizes."""
        dims, axes = self.axes(sizes)
        if self.r.random() < 0.1 and len(dims) < 4 or not dims:
            dims.append(self.r.randint(2, 4))         # a dimension of its own, whole everywhere
        a = self.array(name, dims, template, (base, axes), None, where)
        a.dynamic = self.r.random() < 0.3
        if a.dynamic or getattr(base, 'dynamic', False) or self.r.random() < 0.6:
            divided = {x[1] for x in axes if x[0] == 'dim'}
            a.shadow = [(self.r.randint(0, 2), self.r.randint(0, 2)) if k in divided else (0, 0) for k in range(len(dims))]
        return a

    def axes(self, sizes, like=None):
        """Extents and axes of an array aligned with sizes; like: its extents are given."""
        r, dims, axes = self.r, [], []
        for size in sizes:
            how = r.random()
            if how < 0.68:
                coef, add, dim = 1, 0, size
            elif how < 0.82:
                add = r.randint(0, 2)
                coef, dim = 1, size - add - r.randint(0, 1)
            elif how < 0.91:
                coef, add = 2, r.randint(0, 1)
                dim = (size - 1 - add) // 2 + 1
            else:
                axes.append(('const', r.randrange(size)) if r.random() < 0.6 else ('all',))
                continue
            if dim < 1:
                coef, add, dim = 1, 0, size
            if len(dims) == 4:
                axes.append(('all',))
                continue
            axes.append(('dim', len(dims), coef, add))
            dims.append(dim)
        return dims, axes

    def fitting_axes(self, dims, sizes):
        """Axes of a new alignment of an array of these extents, or None."""
        r, axes, left = self.r, [], list(range(len(dims)))
        for size in sizes:
            fits = [k for k in left if dims[k] <= size]
            if not fits or r.random() < 0.1:
                axes.append(('const', r.randrange(size)) if r.random() < 0.6 else ('all',))
                continue
            k = fits[0]
            left.remove(k)
            axes.append(('dim', k, 1, r.randint(0, size - dims[k])))
        return axes if any(x[0] == 'dim' for x in axes) else None

    def params(self):
        """Parameters of a function, with arrays that fit, or None."""
        a = self.r.choice(self.p.arrays)
        mates = [b for b in self.p.arrays if b.dims == a.dims and b.ctype == a.ctype]
        count = min(len(mates), self.r.randint(1, 2))
        params = [Param('fg'[k], a.ctype, list(a.dims)) for k in range(count)]
        for x in params:
            x.record = a.record
        return params, mates
