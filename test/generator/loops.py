"""Random parallel loops."""
from declare import TYPES
from forms import FORMS, LOC_FORM
from program import (Access, Assign, Cond, Declare, For, If, Loop, Move, Param, Parallel, Point, Reduced, Skip, Sub, Test, Update,
                     Variable)
from rules import Layout
from values import is_float

NAMES = 'ijkl'
UNMAPPED_ACROSS = True
STEPS = [1, 1, 1, 1, 1, 1, 2, 3, -1, -1, -2, -3]


class Loops:
    """Of a program, or of a function with array parameters."""

    def __init__(self, r, p, params=None):
        self.r, self.p, self.params = r, p, params
        self.layout = None                       # made when everything has been declared
        self.around = []                         # sequential loops around what is being made
        self.inner_ones, self.pointers = [], []  # variables of the blocks around it, pointers of theirs
        self.names = 0                           # how many of both there have been

    def arrays(self):
        return self.params or self.p.arrays

    def variables(self):
        return [v for v in self.p.variables if v.where == 'global'] if self.params else self.p.variables

    def place(self, a):
        if self.params:
            return None, [('dim', k, 1, 0) for k in range(len(a.dims))]
        return self.layout_now().place(a)

    def mapped_dims(self, a):
        return set(range(len(a.dims))) if self.params else self.layout_now().mapped_dims(a)

    def widths(self, a):
        if self.params:
            return [(1, 1)] * len(a.dims)
        return self.layout_now().widths(a)

    def layout_now(self):
        self.layout = self.layout or Layout(self.p)
        return self.layout

    # Constructs.
    def mapped(self, reading=None, plain=False, reducing=False):
        """A loop with 'on'.  reading: read that array's neighbours; plain: few slips; reducing: with reductions."""
        r = self.r
        target = r.choice(self.arrays())
        dims = target.dims
        if self.p.templates and not self.params and r.random() < 0.15:
            target, dims = self.p.templates[0], self.p.templates[0].sizes
        divided = set(range(len(dims))) if target in self.p.templates else self.mapped_dims(target)
        loops, axes, margin = [], [None] * len(dims), r.choice([0, 1, 1, 1, 2])
        declared = self.params is not None or r.random() < 0.7
        for k, size in enumerate(dims):
            how = r.random()
            if k not in divided and how < 0.4 and (loops or k + 1 < len(dims)):
                continue                                    # [] over a whole dimension
            if how < 0.06 and (loops or k + 1 < len(dims)):
                axes[k] = Sub(None, 0, r.randrange(size)) if how < 0.04 else None
                continue
            loops.append(self.loop(NAMES[len(loops)], size, margin, loops, declared))
            axes[k] = self.axis(loops[-1], size)
        if not loops:
            loops.append(Loop('i', 0, dims[0] - 1, 1, None, declared))
            axes[0] = Sub('i', 1, 0)
        s = Parallel(loops, (target, axes), [])
        s.region, s.together = r.random() < 0.1, r.random() < 0.3
        self.clauses(s, plain)
        if reducing or r.random() < 0.25:
            self.reductions(s)
        if target not in self.p.templates:
            self.maybe_across(s, target, axes, divided)
        s.body = self.body(s, 0)
        self.reads_of_sections(s)
        if reading is not None and not self.params:
            s.body.append(Assign(self.loop_access(r.choice(self.arrays()), s, 0), '=', [self.loop_access(reading, s, 1)]))
        return s

    def loop(self, var, size, margin, outer, declared):
        r = self.r
        step = r.choice(STEPS)
        first, last = margin, size - 1 - margin
        if first > last:
            first = last = size // 2
        parity = outer[-1].var if outer and step > 0 and first + 1 <= last and r.random() < 0.08 else None
        return Loop(var, *((first, last) if step > 0 else (last, first)), step, parity, declared)

    def axis(self, loop, size):
        r = self.r
        kind = r.random()
        coef, add = (2, r.randint(0, 1)) if kind < 0.04 else (1, r.choice([0] * 9 + [1, -1]))
        if not all(0 <= coef * v + add < size for v in loop.reach()):
            coef, add = 1, 0
        return Sub(loop.var, coef, add)

    def maybe_across(self, s, a, axes, divided):
        """across: where each iteration owns one element, which is what 'width by index' speaks of."""
        plain = all(x is not None and x.var and x.add == 0 and x.coef == 1 for x in axes)
        if self.r.random() < 0.22 and plain and divided == set(range(len(a.dims))) and not any(x is a for x, _ in s.remote):
            widths = None if self.r.random() < 0.15 else [(self.r.randint(0, l), self.r.randint(0, h)) for l, h in self.widths(a)]
            if self.params:
                widths = None
            s.across.append((a, widths))
            if self.r.random() < 0.25:
                s.out.append(a)

    def unmapped(self):
        r = self.r
        declared = self.params is not None or r.random() < 0.7
        loops = []
        tables = [v for v in self.variables() if len(v.dims) >= 1]
        across = r.choice(tables) if tables and UNMAPPED_ACROSS and r.random() < 0.4 else None
        count = len(across.dims) if across else r.choice([1, 1, 2])
        for k in range(count):
            first, last = (1, across.dims[k] - 2) if across else (0, r.randint(2, 4))
            step = r.choice([1, 1, 1, 2, -1])
            if first > last:
                first = last = 1
            loops.append(Loop(NAMES[k], *((first, last) if step > 0 else (last, first)), step, None, declared))
        s = Parallel(loops, None, [])
        if across:
            s.across.append((across, [(r.randint(0, 1), r.randint(0, 1)) for _ in across.dims]))
            if all(l + h == 0 for l, h in s.across[0][1]):
                s.across[0][1][0] = (1, 0)
        self.clauses(s, False)
        s.private = [v for v in s.private if v is not across]
        if r.random() < 0.4:
            self.reductions(s)
        s.reduction = [x for x in s.reduction if across is None or across not in (x.variable, x.loc)]
        s.body = self.body(s, 0)
        if across:
            lhs = Access(across, [Sub(l.var, 1, 0) for l in loops], self.field(across))
            terms = [Access(across, [Sub(l.var, 1, r.choice([0, 0, -1, 1])) for l in loops], self.field(across)) for _ in range(r.randint(1, 2))]
            s.body = [Assign(lhs, '=', terms)]
        return s

    def clauses(self, s, plain):
        r = self.r
        for v in self.variables():
            if r.random() < 0.4:
                s.private.append(v)
        if s.on is None:
            return
        for a in self.arrays():
            widths = self.widths(a)
            if any(l + h for l, h in widths) and r.random() < 0.55:
                exact = None if self.params or r.random() < 0.6 else [(r.randint(0, l), r.randint(0, h)) for l, h in widths]
                s.renew.append((a, exact, r.random() < 0.4))
            if not plain and r.random() < 0.12 and not self.params:
                s.remote.append((a, [None if r.random() < 0.5 else self.fixed(s, n) for n in a.dims]))

    def fixed(self, s, n):
        """A subscript of a section: one place, or what each iteration needs."""
        r = self.r
        loop, add = r.choice(s.loops), r.choice([-2, -1, 0, 1, 2])
        values = loop.reach()
        if r.random() < 0.4 or not values or not all(0 <= v + add < n for v in values):
            return Sub(None, 0, r.randrange(n))
        return Sub(loop.var, 1, add, None, self.offset(abs(add)) if add and r.random() < 0.6 else None)

    def offset(self, value):
        known = [x for x in self.p.offsets if x[1] == value]
        if not known:
            known.append((f'off{self.p.number}_{value}', value))
            self.p.offsets += known
        return known[0]

    def reads_of_sections(self, s):
        """What is brought for each iteration is read as the section says, mostly."""
        for a, axes in s.remote:
            if any(x and x.var for x in axes):
                subs = [x or Sub(None, 0, self.r.randrange(n)) for x, n in zip(axes, a.dims)]
                if self.r.random() < 0.1:
                    subs = [Sub(x.var, x.coef, x.add) for x in subs]    # the same elements, which is not the same section
                s.body.append(Assign(self.loop_access(self.r.choice(self.arrays()), s, 0), '=', [Access(a, subs, self.field(a))]))

    def reductions(self, s):
        """Names variables in reduction clauses, and gives them updates."""
        r = self.r
        scalars = [v for v in self.variables() if not v.dims and not v.record]
        r.shuffle(scalars)
        for v in scalars[:r.randint(1, 2)]:
            s.private = [x for x in s.private if x is not v]
            if v in self.taken(s):
                continue
            computes = self.operation(v)
            declared = computes if r.random() < 0.9 else self.operation(v)
            reduced = Reduced(declared, v)
            s.reduction.append(reduced)
            inner = self.sequential(s) if r.random() < 0.2 else None
            self.around += [inner] * bool(inner)
            update = self.update(s, v, computes)
            self.around.clear()
            if declared in ('max', 'min') and r.random() < 0.35:
                self.locate(s, reduced, update, [x for x in scalars[2:] + scalars[:2] if x not in self.taken(s)])
            s.body.append(For(inner, [update]) if inner else update)
        tables = [v for v in self.variables() if len(v.dims) == 1 and not v.record]
        if tables and r.random() < 0.15:
            v = r.choice(tables)
            s.private = [x for x in s.private if x is not v]
            s.reduction.append(Reduced('sum', v))
            s.body.append(Update(self.loop_access(v, s, 0), 'sum', r.choice(sorted(FORMS['sum'])), self.plain_terms(s)))

    def operation(self, v):
        names = ['sum', 'sum', 'sum', 'max', 'min']
        if not is_float(v.ctype):
            names += ['and', 'or', 'xor']
        if v.ctype in ('double', 'long double', 'unsigned char', 'short'):
            names.append('product')
        return self.r.choice(names)

    def update(self, s, v, computes):
        r = self.r
        if computes in ('max', 'min', 'sum') and r.random() < 0.02:
            return Update(Access(v, []), 'last', 'plain', self.plain_terms(s))
        if computes == 'product':
            terms = [f'(1 + ({r.choice(s.loops).var} % {r.randint(2, 4)} == 0))']
        else:
            terms = self.terms(s, simple=True) if r.random() < 0.6 else self.plain_terms(s)
        return Update(Access(v, []), computes, r.choice(sorted(FORMS[computes])), terms)

    def locate(self, s, reduced, update, spare):
        """maxloc or minloc, with a variable that takes the place."""
        whole = [v for v in spare if not is_float(v.ctype)]
        if not whole or update.computes != reduced.op:
            return
        reduced.loc = whole[0]
        reduced.op += 'loc'
        s.private = [x for x in s.private if x is not reduced.loc]
        update.form = LOC_FORM
        update.loc = [(Access(reduced.loc, []), self.r.choice(s.loops).var)]
        update.stray = self.r.random() < 0.25

    def plain_terms(self, s):
        """Terms whose values are known."""
        r = self.r
        return r.choice([['1'], [r.choice(s.loops).var], [r.choice(s.loops).var, str(r.randint(-3, 4))]])

    # Bodies.
    def body(self, s, depth):
        own = list(s.body) if depth == 0 else []
        known, pointers = len(self.inner_ones), len(self.pointers)
        out = []
        for _ in range(self.r.randint(0 if own else 1, 3 if depth == 0 else 2)):
            made = self.inner(s, depth)
            out += made if isinstance(made, list) else [made]
        for update in own:
            if self.r.random() < 0.2:
                update = If(self.r.choice(s.loops).var, 2, self.r.randint(0, 1), [update])
            out.insert(self.r.randint(0, len(out)), update)
        del self.inner_ones[known:], self.pointers[pointers:]
        return out

    def sequential(self, s):
        """The head of a sequential loop inside the nest: over a few turns, a whole dimension, or a triangle."""
        r, var = self.r, 'xy'[len(self.around)]
        size = r.choice([2, 3] + [n for a in self.arrays() + self.variables() for n in a.dims])
        loop = Loop(var, r.choice([0, 0, 1]), size - 1 - r.choice([0, 0, 1]), 1)
        kind = r.random()
        if kind < 0.2:
            loop.after = r.choice(s.loops + self.around)
        elif kind < 0.4:
            loop.first, loop.last, loop.step = loop.last, loop.first, r.choice([-1, -1, -2])
        elif kind < 0.5:
            loop.step = 2
        elif kind < 0.6:
            outer = r.choice(s.loops + self.around)
            if all(0 <= v < 10 for v in outer.reach()):
                loop.limit = self.p.tables[0], outer
        return loop

    def taken(self, s):
        return {v for x in s.reduction for v in (x.variable, x.loc)}

    def inner(self, s, depth):
        r = self.r
        if depth < 2 and r.random() < 0.12:
            return If(r.choice(s.loops + self.around).var, r.randint(2, 3), r.randint(0, 1), self.body(s, depth + 1))
        if depth < 2 and r.random() < 0.12:
            self.around.append(self.sequential(s))
            loop = For(self.around[-1], self.body(s, depth + 1))
            self.around.pop()
            return loop
        if r.random() < 0.1:
            return self.declared(s)
        if r.random() < 0.04:
            word = 'break' if self.around and r.random() < 0.5 else 'continue'
            return Skip(word, r.choice(s.loops + self.around).var, r.randint(2, 3), r.randint(0, 1))
        if r.random() < 0.04 and depth < 2:
            known = [v for v in self.variables() + (self.arrays() * 2 if s.on else []) if v not in self.taken(s)]
            if known:
                return Test(self.loop_access(r.choice(known), s, 0), r.randint(0, 2), self.body(s, depth + 1))
        if r.random() < 0.06 and s.on is not None:
            return self.pointed(s)
        if r.random() < (0.2 if self.p.record else 0.02):
            return self.moved(s)
        taken = self.taken(s)
        free = [v for v in self.variables() + self.inner_ones if v not in taken]
        remote = {x.name for x, _ in s.remote} if r.random() < 0.9 else set()
        targets = free if s.on is None or r.random() < 0.3 else [a for a in self.arrays() if a.name not in remote]
        targets = targets or free or self.arrays()
        target = r.choice(targets)
        exact = r.random() < (0.5 if target in s.out else 1 if self.under_across(target, s) else 0.93)
        lhs = self.loop_access(target, s, 0 if exact else 1)
        if self.pointers and r.random() < 0.2:
            lhs = self.through(target, lhs)
        out = Assign(lhs, '=' if r.random() < 0.75 else r.choice(['+=', '+=', '-=', '*=']), self.terms(s))
        if r.random() < 0.08 and not lhs.through and target not in taken and not any(x is target for x, _ in s.remote):
            self.hide(lhs)
            lhs.stores = out.op if lhs.callee else None
        return out

    def declared(self, s):
        """A variable of the block; what follows may use it, or assign it."""
        r = self.r
        v = Variable(f't{self.names}', r.choice(TYPES), [], 'inner')
        self.names += 1
        kind = r.random()
        if kind < 0.7:
            out = Declare(v, self.terms(s) if r.random() < 0.9 else None)
        elif kind < 0.8 and self.p.record and not self.p.record.padded:
            v.record, v.ctype = self.p.record, self.p.record.name
            out = Declare(v, None, r.random() < 0.8)
        else:
            v.dims = [r.randint(2, 4)] if r.random() < 0.7 else [r.randint(2, 3), r.randint(2, 9)]
            out = Declare(v, None, r.random() < 0.3)
            if not out.zero and len(self.around) < 2 and r.random() < 0.8:
                out = [out, self.filled(s, v)]
        self.inner_ones.append(v)
        return out

    def filled(self, s, v):
        """Loops that give all of the array a value, or all but one of its elements."""
        around = list(self.around)
        heads = [Loop('xyz'[len(around) + k], 0, n - 1 - (self.r.random() < 0.05), 1) for k, n in enumerate(v.dims)]
        self.around += heads
        body = Assign(Access(v, [Sub(l.var, 1, 0) for l in heads]), '=', self.terms(s))
        self.around[:] = around
        for l in reversed(heads):
            body = For(l, [body])
        return body

    def pointed(self, s):
        """A pointer to an element, by which later statements reach it and those beside it."""
        out = Point(f'q{self.names}', self.loop_access(self.r.choice(self.arrays()), s, self.r.choice([0, 1])))
        self.names += 1
        out.access.field = None
        last = out.access.subs[-1]
        if last.through or any(a is out.access.base for a, _ in s.remote):
            return self.inner(s, 2)
        self.pointers.append(out)
        return out

    def through(self, base, other):
        """A reference by a pointer to that array, if there is one."""
        fits = [q for q in self.pointers if base is None or q.access.base is base]
        if not fits:
            return other
        q, by = self.r.choice(fits), self.r.choice([0, 0, 1, -1])
        base, subs = q.access.base, list(q.access.subs)
        subs[-1] = Sub(subs[-1].var, subs[-1].coef, subs[-1].add + by)
        out = Access(base, subs, self.field(base))
        out.through = (q.name, by)
        return out

    def moved(self, s):
        """A record as a whole, from an element beside it."""
        arrays = [a for a in self.arrays() * 2 + self.variables() + self.inner_ones * 2 if a.record and not a.record.padded and a not in self.taken(s)]
        if not arrays:
            return self.inner(s, 2)
        to, source = self.r.choice(arrays), self.r.choice(arrays)
        out = Move(self.loop_access(to, s, 0), self.loop_access(source, s, self.r.choice([0, 0, 1])))
        out.lhs.field = out.rhs.field = None
        return out

    def field(self, base):
        return self.r.choice(base.record.fields) if base.record else None

    def terms(self, s, simple=False):
        r, out, taken = self.r, [], self.taken(s)
        for _ in range(r.randint(1, 3)):
            readable = [v for v in self.variables() if v not in taken or r.random() < 0.03] + self.inner_ones * 2
            if s.on is not None:
                readable += self.arrays() * 2
            elif r.random() < 0.1:
                readable += self.arrays()
            if not readable or r.random() < 0.15:
                out.append(r.choice(['1', (s.loops + self.around)[-1 if self.around else 0].var]))
                continue
            access = self.loop_access(r.choice(readable), s, r.choice([0, 0, 1, 1, 2]))
            how = r.random()
            far = any(x.name == access.base.name for x, _ in s.remote)
            if how < 0.09 and access.base not in taken and not far:
                self.hide(access)
            elif how < 0.12 and access.subs:
                access.macro = True
            out.append(access)
            if not simple and self.pointers and r.random() < 0.3:
                out.append(self.through(None, '1'))
            if not simple and r.random() < 0.06:
                other = r.choice([self.loop_access(access.base, s, 1), '2'])
                out[-1:] = [Cond(r.choice(s.loops + self.around).var, r.randint(2, 3), r.randint(0, 1), out[-1], other)]
        return out

    def hide(self, access):
        """The access is made by a function, where it can."""
        base = access.base
        if base.dims and self.r.random() < 0.4:
            access.callee = access.row = True
        elif not isinstance(base, Param) and base.where in ('static', 'extern', 'global'):
            access.callee = True

    def loop_access(self, base, s, spread):
        """An access in the loop: each subscript follows a loop variable, displaced by up to 'spread'."""
        r, subs, bound = self.r, [], self.under_across(base, s)
        for k, n in enumerate(base.dims):
            loop = self.loop_of(base, k, s)
            how = r.random()
            if loop is None or how < 0.04 and not bound:
                subs.append(Sub(None, 0, r.randrange(n)))
                continue
            values = loop.reach() or [0]
            if how < 0.07 and max(values) < 10 and n >= 4 and not bound:
                subs.append(Sub(loop.var, 1, 0, self.p.tables[0]))
                continue
            add, coef = r.randint(-spread, spread) if r.random() < 0.5 else 0, 2 if r.random() < 0.03 and not bound else 1
            sub = Sub(loop.var, coef, add)
            reach = [coef * v + add for v in values]
            if (min(reach) < 0 or max(reach) >= n) and (r.random() < 0.98 or spread == 0):
                sub = self.fitting(loop, values, n)
            subs.append(sub)
        return Access(base, subs, self.field(base))

    @staticmethod
    def under_across(base, s):
        return any(x is base for x, _ in s.across)

    def loop_of(self, base, k, s):
        """The loop whose variable a sensible programmer would use for dimension k of the array."""
        if self.around and not self.under_across(base, s):
            free = not base.distributed or k not in self.mapped_dims(base)
            if self.r.random() < (0.6 if free else 0.1):
                return self.r.choice(self.around)
        if s.on is None or not base.distributed or self.r.random() > 0.97 and not self.under_across(base, s):
            return self.r.choice(s.loops)
        target, axes = s.on
        if self.params or base is target:
            axis = axes[k] if k < len(axes) else None
            return self.named(s, axis)
        home, where = self.place(target)
        template, place = self.place(base)
        if home is not template:
            return s.loops[k] if k < len(s.loops) else None
        for mine, its in zip(place, where):
            if mine[0] == 'dim' and mine[1] == k:
                return self.named(s, axes[its[1]]) if its[0] == 'dim' else None
        return None

    @staticmethod
    def named(s, axis):
        if axis is None or not axis.var:
            return None
        return next(l for l in s.loops if l.var == axis.var)

    @staticmethod
    def fitting(loop, values, n):
        for add in (0, -1, -2, 1, 2):
            if min(values) + add >= 0 and max(values) + add < n:
                return Sub(loop.var, 1, add)
        return Sub(None, 0, 0)
