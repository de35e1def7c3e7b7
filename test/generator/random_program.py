"""Random programs: mostly sensible ones with one or the other slip, as people write them."""
import random
from program import Access, Array, Assign, For, If, Loop, Parallel, Print, Program, Sub, Template, Variable

TYPES = ['double', 'int', 'float', 'unsigned char', 'short', 'long double', 'long']


class Maker:
    def __init__(self, seed, number):
        self.r = random.Random(f'{seed}/{number}')
        self.p = Program(number)
        self.n = number

    def make(self):
        self.declare()
        for a in self.p.arrays:
            if self.r.random() < 0.9:
                self.p.body.append(self.fill(a))
        for v in self.p.variables:
            if v.where == 'local' and self.r.random() < 0.8:
                self.p.body.append(self.set_variable(v))
        for _ in range(self.r.randint(2, 5)):
            self.p.body.append(self.step())
        return self.p

    # Declarations.
    def declare(self):
        r, n = self.r, self.n
        rank = r.choice([1, 1, 2, 2, 2, 3])
        sizes = [r.randint(5, 9) if rank < 3 else r.randint(4, 5) for _ in range(rank)]
        dist = [r.choice(['block', 'block', 'block', '*']) for _ in range(rank)]
        if 'block' not in dist:
            dist[r.randrange(rank)] = 'block'
        template = Template(f'T{n}', sizes, dist)
        identity = [('dim', k, 1, 0) for k in range(rank)]
        if r.random() < 0.3:
            self.p.templates.append(template)
            base, place = template, identity
        else:
            base = Array(f'A{n}', r.choice(TYPES), sizes, template, identity, self.edges(rank, dist), None)
            self.p.arrays.append(base)
        for letter in 'BCD'[:r.randint(1, 3)]:
            if r.random() < 0.12:
                other = Template('', list(sizes), list(dist))
                self.p.arrays.append(Array(f'{letter}{n}', r.choice(TYPES), list(sizes), other, identity, self.edges(rank, dist), None))
            else:
                self.p.arrays.append(self.aligned(f'{letter}{n}', base, template))
        self.p.tables.append((f'idx{n}', [r.randrange(4) for _ in range(10)]))
        for k in range(r.randint(1, 3)):
            self.p.variables.append(Variable(f's{n}_{k}', r.choice(TYPES), [], r.choice(['local', 'local', 'global'])))
        if r.random() < 0.5:
            self.p.variables.append(Variable(f'w{n}', r.choice(TYPES), [r.randint(3, 9)], r.choice(['local', 'global'])))

    def edges(self, rank, dist):
        if self.r.random() < 0.4:
            return None
        return [(self.r.randint(0, 2), self.r.randint(0, 2)) if dist[k] == 'block' else (0, 0) for k in range(rank)]

    def aligned(self, name, base, template):
        """An array aligned with base (a template, or the array that is distributed itself)."""
        r, dims, axes = self.r, [], []
        for size in template.sizes:
            how = r.random()
            if how < 0.7:
                coef, add, dim = 1, 0, size
            elif how < 0.85:
                add = r.randint(0, 2)
                coef, dim = 1, size - add - r.randint(0, 1)
            elif how < 0.95:
                coef, add = 2, r.randint(0, 1)
                dim = (size - 1 - add) // 2 + 1
            else:
                axes.append(('const', r.randrange(size)))
                continue
            axes.append(('dim', len(dims), coef, add))
            dims.append(dim)
        if r.random() < 0.1 and len(dims) < 3 or not dims:
            dims.append(r.randint(2, 4))         # a dimension of its own, whole everywhere
        mapped = [False] * len(dims)
        for d, axis in enumerate(axes):
            if axis[0] == 'dim' and template.dist[d] == 'block':
                mapped[axis[1]] = True
        shadow = None if r.random() < 0.4 else [(r.randint(0, 2), r.randint(0, 2)) if m else (0, 0) for m in mapped]
        return Array(name, r.choice(TYPES), dims, template, axes, shadow, (base, axes))

    # The sequential part.
    def fill(self, a):
        """Assigns the array, sometimes but for its border."""
        hole = self.r.random() < 0.15
        if self.r.random() < 0.8:
            loops = [Loop('ijklm'[k], int(hole and n > 3), n - 1, 1) for k, n in enumerate(a.dims)]
            subs = [Sub(l.var, 1, 0) for l in loops]
            return Parallel(loops, (a, subs), [Assign(Access(a, subs), '=', [loops[0].var])])
        body = [Assign(Access(a, [Sub('xyz'[k], 1, 0) for k in range(len(a.dims))]), '=', ['1'])]
        for k in reversed(range(len(a.dims))):
            body = [For(Loop('xyz'[k], int(hole), a.dims[k] - 1, 1), body)]
        return body[0]

    def set_variable(self, v):
        if not v.dims:
            return Assign(Access(v, []), '=', ['0'])
        return For(Loop('x', 0, v.dims[0] - 1, 1), [Assign(Access(v, [Sub('x', 1, 0)]), '=', ['x'])])

    def step(self):
        kind = self.r.random()
        if kind < 0.72:
            return self.mapped()
        if kind < 0.82:
            return self.unmapped()
        if kind < 0.87:
            return For(Loop('it', 0, 1, 1), [self.mapped(), self.mapped()])
        return self.sequential()

    def constant_access(self, base):
        return Access(base, [Sub(None, 0, self.r.randrange(n)) for n in base.dims])

    def sequential(self):
        r = self.r
        anything = self.p.arrays + self.p.variables
        target = r.choice(anything)
        kind = r.random()
        if kind < 0.35:
            return Print(self.constant_access(target))
        if kind < 0.55 and target.distributed:   # another array of the same place, if it has one
            lhs = self.constant_access(target)
            other = r.choice(self.p.arrays)
            rhs = Access(other, [Sub(None, 0, min(s.add, n - 1)) for s, n in zip(lhs.subs + lhs.subs, other.dims)]) \
                if len(other.dims) <= 2 * len(lhs.subs) else self.constant_access(other)
            return Assign(lhs, r.choice(['=', '+=']), [rhs, '1'])
        terms = ['1'] if r.random() < 0.4 else [self.constant_access(r.choice(anything if r.random() < 0.3 else self.p.variables)), '1']
        return Assign(self.constant_access(target), r.choice(['=', '=', '+=']), terms)

    # Parallel loops.
    def mapped(self):
        r = self.r
        a = r.choice(self.p.arrays)
        mapped = a.mapped_dims()
        order = list(range(len(a.dims)))
        loops, axes, margin = [], [None] * len(a.dims), r.choice([0, 1, 1, 1, 2])
        for k in order:
            how = r.random()
            if k not in mapped and how < 0.4 and (loops or k + 1 < len(order)):
                continue                                    # [] over a whole dimension
            if how < 0.06 and (loops or k + 1 < len(order)):
                axes[k] = Sub(None, 0, r.randrange(a.dims[k])) if how < 0.04 else None
                continue
            var = 'ijklm'[len(loops)]
            step = r.choice([1, 1, 1, 1, 2, -1, -2])
            first, last = margin, a.dims[k] - 1 - margin
            if first > last:
                first = last = 0
            shift = r.choice([0] * 8 + [1, -1])
            if not (0 <= first + shift and last + shift < a.dims[k]):
                shift = 0
            loops.append(Loop(var, *((first, last) if step > 0 else (last, first)), step))
            axes[k] = Sub(var, 1, shift)
        if not loops:
            k = order[0]
            loops.append(Loop('i', 0, a.dims[k] - 1, 1))
            axes[k] = Sub('i', 1, 0)
        s = Parallel(loops, (a, axes), [])
        self.clauses(s)
        # across: where each iteration owns one element, which is what 'width by index' speaks of
        if r.random() < 0.25 and all(x is not None and x.var and x.add == 0 for x in axes) and mapped == set(order) \
                and not any(x is a for x, _ in s.remote):
            s.across.append((a, [(r.randint(0, l), r.randint(0, h)) for l, h in a.widths()]))
        s.body = self.body(s, a, 0)
        return s

    def unmapped(self):
        r = self.r
        loops = [Loop('ij'[k], 0, r.randint(2, 3), 1) for k in range(r.choice([1, 1, 2]))]
        s = Parallel(loops, None, [])
        self.clauses(s)
        s.body = self.body(s, None, 0)
        return s

    def clauses(self, s):
        r = self.r
        for v in self.p.variables:
            how = r.random()
            if how < 0.4:
                s.private.append(v)
            elif how < 0.6 and not v.dims:
                s.reduction.append(v)
        if s.on is None:
            return
        for a in self.p.arrays:
            how, widths = r.random(), a.widths()
            if any(l + h for l, h in widths):
                if how < 0.55:
                    exact = None if r.random() < 0.6 else [(r.randint(0, l), r.randint(0, h)) for l, h in widths]
                    s.renew.append((a, exact, r.random() < 0.4))
            if how > 0.88:
                axes = [None if r.random() < 0.6 else Sub(None, 0, r.randrange(n)) for n in a.dims]
                s.remote.append((a, axes))

    def body(self, s, a, depth):
        return [self.inner(s, a, depth) for _ in range(self.r.randint(1, 3 if depth == 0 else 2))]

    def inner(self, s, a, depth):
        r = self.r
        if depth < 2 and r.random() < 0.12:
            return If(r.choice(s.loops).var, r.randint(2, 3), r.randint(0, 1), self.body(s, a, depth + 1))
        remote = {x.name for x, _ in s.remote}
        targets = [t for t in self.p.variables if t not in s.reduction] if s.on is None or r.random() < 0.3 else \
            [t for t in self.p.arrays if t.name not in remote]
        if s.reduction and r.random() < 0.3:
            return Assign(Access(r.choice(s.reduction), []), '+=', self.terms(s))
        if not targets:
            targets = [t for t in self.p.variables if t not in s.reduction]
        if not targets:
            return Assign(Access(s.reduction[0], []), '+=', ['1']) if s.reduction else self.reading(s)
        target = r.choice(targets)
        exact = r.random() < (1 if target in [x for x, _ in s.across] else 0.93)
        lhs = self.loop_access(target, s, 0 if exact else 1)
        return Assign(lhs, '=' if r.random() < 0.75 else '+=', self.terms(s))

    def reading(self, s):
        return Assign(Access(self.p.variables[0], []), '+=', ['1'])

    def terms(self, s):
        r, out = self.r, []
        for _ in range(r.randint(1, 3)):
            readable = [v for v in self.p.variables if v not in s.reduction]
            if s.on is not None:
                readable += self.p.arrays * 2
            elif r.random() < 0.1:
                readable += self.p.arrays
            if not readable or r.random() < 0.15:
                out.append(r.choice(['1', s.loops[0].var]))
                continue
            access = self.loop_access(r.choice(readable), s, r.choice([0, 0, 1, 1, 2]))
            if access.base.distributed and r.random() < 0.08 and not any(x.name == access.base.name for x, _ in s.remote):
                access.callee = True
            out.append(access)
        return out

    def loop_access(self, base, s, spread):
        """An access in the loop: each subscript follows a loop variable, displaced by up to 'spread'."""
        r, subs = self.r, []
        for k, n in enumerate(base.dims):
            loop = self.loop_of(base, k, s)
            how = r.random()
            if loop is None or how < 0.04 and not self.under_across(base, s):
                subs.append(Sub(None, 0, r.randrange(n)))
                continue
            values = list(loop.values())
            if how < 0.08 and max(values) < 10 and n >= 4 and not self.under_across(base, s):
                subs.append(Sub(loop.var, 1, 0, self.p.tables[0]))
                continue
            add = r.randint(-spread, spread) if r.random() < 0.5 else 0
            sub = Sub(loop.var, 1, add)
            reach = [v + add for v in values]
            if (min(reach) < 0 or max(reach) >= n) and (r.random() < 0.97 or spread == 0):
                sub = self.fitting(loop, values, n)
            subs.append(sub)
        return Access(base, subs)

    @staticmethod
    def under_across(base, s):
        return any(x is base for x, _ in s.across)

    def loop_of(self, base, k, s):
        """The loop whose variable a sensible programmer would use for dimension k of the array."""
        if s.on is not None and base.distributed and (self.r.random() < 0.97 or self.under_across(base, s)):
            on, axes = s.on
            for d, place in enumerate(base.place):
                if place[0] == 'dim' and place[1] == k and base.template is on.template:
                    home = on.place[d]
                    if home[0] == 'dim' and axes[home[1]] is not None and axes[home[1]].var:
                        return next(l for l in s.loops if l.var == axes[home[1]].var)
                    return None
            return s.loops[k] if k < len(s.loops) and base.template is not on.template else None
        return self.r.choice(s.loops)

    @staticmethod
    def fitting(loop, values, n):
        for add in (0, -1, -2, 1, 2):
            if min(values) + add >= 0 and max(values) + add < n:
                return Sub(loop.var, 1, add)
        return Sub(None, 0, 0)


def make(seed, number):
    return Maker(seed, number).make()
