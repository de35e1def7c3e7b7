"""Random programs: mostly sensible ones with one or the other slip, as people write them.

A third stays as it came, a third is cleared of its mistakes (repair.py), a third gets one mistake after that (mutate.py)."""
import random
from declare import Declarations
from loops import Loops
from pieces import Piece
from program import (Access, ArrayCopy, Assign, Call, For, Function, Loop, Parallel, Print, Program, Realign, Redistribute,
                     RemoteBlock, ShadowGroup, Stand, Sub, TaskOn, TaskRegion, statements_of)


class Maker:
    def __init__(self, seed, number):
        self.r = random.Random(f'{seed}/{number}')
        self.p = Program(number)
        self.n, self.pieces = number, 0
        self.names = Declarations(self.r, self.p, number)
        self.loops = Loops(self.r, self.p)

    def make(self):
        self.names.declare()
        for a in self.p.arrays:
            if self.r.random() < 0.92:
                self.p.body.append(self.fill(a))
        for v in self.p.variables:
            if v.where == 'local' and self.r.random() < 0.85:
                self.p.body.append(self.set_variable(v))
        for _ in range(self.r.randint(2, 5)):
            self.p.body += self.step()
        asynchronous = any(r.group for s in statements_of(self.p.body) if isinstance(s, Parallel) for r in s.reduction)
        if self.r.random() < 0.1 and not asynchronous and not any(isinstance(s, (Redistribute, Realign)) for s in statements_of(self.p.body)):
            self.p.calls = 2
        return self.p

    # The sequential part.
    def fill(self, a):
        """Assigns the array, sometimes but for its border."""
        r, hole = self.r, self.r.random() < 0.12
        value = r.choice(['1', '2', 'i', 'i'])
        fields = a.record.fields if a.record else [None]
        if len(fields) > 1 and r.random() < 0.1:
            fields = r.sample(fields, len(fields) - 1)
        if r.random() < 0.8:
            loops = [Loop('ijkl'[k], int(hole and n > 3), n - 1, 1) for k, n in enumerate(a.dims)]
            subs = [Sub(l.var, 1, 0) for l in loops]
            return Parallel(loops, (a, subs), [Assign(Access(a, list(subs), f), '=', [value]) for f in fields])
        body = [Assign(Access(a, [Sub('xyzt'[k], 1, 0) for k in range(len(a.dims))], f), '=', ['1']) for f in fields]
        for k in reversed(range(len(a.dims))):
            body = [For(Loop('xyzt'[k], int(hole), a.dims[k] - 1, 1), body)]
        return body[0]

    def set_variable(self, v):
        body = [Assign(Access(v, [Sub('xy'[k], 1, 0) for k in range(len(v.dims))], f), '=', [self.r.choice(['0', '0', '1', '3'])])
                for f in (v.record.fields if v.record else [None])]
        for k in reversed(range(len(v.dims))):
            body = [For(Loop('xy'[k], 0, v.dims[k] - 1, 1), body)]
        return body[0]

    def step(self):
        """One or several statements."""
        r, kind = self.r, self.r.random()
        if kind < 0.50:
            return [self.loops.mapped()]
        if kind < 0.62:
            return [self.loops.unmapped()]
        if kind < 0.68:
            return [For(Loop('it', 0, 1, 1), [self.loops.mapped(), self.loops.mapped()])]
        if kind < 0.74:
            return self.asynchronous_exchange()
        if kind < 0.79:
            return self.asynchronous_reduction()
        if kind < 0.84:
            return self.function()
        if kind < 0.88:
            return self.moved()
        if kind < 0.90:
            return self.copied()
        if kind < 0.93:
            return self.remote_block()
        if kind < 0.945:
            name = f'K{self.n}_{r.randrange(1000)}'
            return [TaskRegion(name, [TaskOn(name, k, self.task()) for k in range(2)])]
        if kind < 0.985:
            return [self.piece()]
        return [self.sequential()]

    def task(self):
        r = self.r
        nests = [self.loops.mapped(plain=True) for _ in range(r.choice([1, 1, 2]))]
        if r.random() < 0.2:
            nests = [For(Loop('it', 0, 1, 1), nests)]
        if r.random() < 0.3:
            nests.insert(r.randrange(len(nests) + 1), self.set_variable(r.choice(self.p.variables)))
        return nests

    def piece(self):
        self.pieces += 1
        p = Piece(self.r, self.n, self.pieces)
        if self.r.random() < 0.2:
            p.slip = self.r.choice(p.slips)
        return p

    def constant_access(self, base):
        return Access(base, [Sub(None, 0, self.r.randrange(n)) for n in base.dims], self.loops.field(base))

    def sequential(self):
        r = self.r
        anything = self.p.arrays + self.p.variables
        target = r.choice(anything)
        kind = r.random()
        if kind < 0.35:
            return Print(self.constant_access(target))
        if kind < 0.40:
            return Print(Access(r.choice(self.p.indices[:2]), []))
        if kind < 0.60 and target.distributed:   # another array of the same place, if it has one
            lhs = self.constant_access(target)
            other = r.choice(self.p.arrays)
            rhs = Access(other, [Sub(None, 0, min(s.add, n - 1)) for s, n in zip(lhs.subs + lhs.subs, other.dims)], self.loops.field(other)) \
                if len(other.dims) <= 2 * len(lhs.subs) else self.constant_access(other)
            return Assign(lhs, r.choice(['=', '+=']), [rhs, '1'])
        terms = ['1'] if r.random() < 0.4 else [self.constant_access(r.choice(anything if r.random() < 0.3 else self.p.variables)), '1']
        return Assign(self.constant_access(target), r.choice(['=', '=', '+=']), terms)

    def remote_block(self):
        r, sections, body = self.r, [], []
        for a in r.sample(self.p.arrays, min(len(self.p.arrays), r.randint(1, 2))):
            axes = [None if r.random() < 0.6 else Sub(None, 0, r.randrange(n)) for n in a.dims]
            sections.append((a, axes))
            subs = [x if x and r.random() < 0.9 else Sub(None, 0, r.randrange(n)) for x, n in zip(axes, a.dims)]
            body.append(Assign(self.constant_access(r.choice(self.p.variables)), '=', [Access(a, subs, self.loops.field(a))]))
        return [RemoteBlock(sections, body)]

    def member(self):
        edged = [a for a in self.p.arrays if any(l + h for l, h in self.loops.widths(a)) and self.loops.mapped_dims(a)]
        if not edged:
            return None
        a = self.r.choice(edged)
        widths = None
        if a.shadow and self.r.random() < 0.4:
            widths = [(self.r.randint(0, l), self.r.randint(0, h)) for l, h in a.shadow]
        return a, widths, self.r.random() < 0.4

    def asynchronous_exchange(self):
        """Group, start, loops, wait, loop; one of the parts is missing or misplaced now and then."""
        r, name = self.r, f'g{self.n}_{self.r.randrange(1000)}'
        members = [self.member()]
        if members[0] is None:
            return [self.loops.mapped()]
        if r.random() < 0.3:
            other = self.member()
            if other[0] is not members[0][0]:
                members.append(other)
        a = members[0][0]
        before, between, after = self.loops.mapped(), self.loops.mapped(plain=True), self.loops.mapped(reading=a)
        out = [ShadowGroup(name, members)]
        if r.random() < 0.5:
            before.groups.append(('shadow_start', name))
            out.append(before)
        else:
            out.append(Stand('shadow_start', name))
        if r.random() < 0.7:
            out.append(between)
        if r.random() < 0.5:
            after.groups.append(('shadow_wait', name))
        else:
            out.append(Stand('shadow_wait', name))
        after.renew = [m for m in after.renew if m[0] is not a]
        out.append(after)
        if r.random() < 0.2 and isinstance(out[-2], Stand):
            out[-2], out[-1] = out[-1], out[-2]
        return out

    def asynchronous_reduction(self):
        r, name = self.r, f'r{self.n}_{self.r.randrange(1000)}'
        loop = self.loops.mapped(reducing=True)
        if not loop.reduction:
            return [loop]
        for x in loop.reduction:
            x.group = name
            if x.loc:
                x.op, x.loc = x.op[:3], None
        for s in statements_of(loop.body):
            if hasattr(s, 'loc'):
                s.loc, s.stray = [], False
        out = [loop, Stand('reduction_start', name)]
        if r.random() < 0.5:
            out.append(self.loops.mapped(plain=True))
        wait = Stand('reduction_wait', name)
        use = Assign(self.constant_access(r.choice(self.p.variables)), '=', [self.constant_access(loop.reduction[0].variable), '1'])
        out += [wait, use] if r.random() < 0.85 else [use, wait]
        if r.random() < 0.12:
            out.pop(r.randrange(1, len(out)))
        return out

    def function(self):
        """A function with array parameters, called once or twice."""
        r, p = self.r, self.p
        params, mates = self.names.params()
        f = Function(f'sweep{self.n}_{len(p.functions)}', params, [])
        inner = Loops(r, p, params)
        f.body = [inner.mapped() for _ in range(r.randint(1, 2))]
        p.functions.append(f)
        return [Call(f, [r.choice(mates) for _ in params]) for _ in range(r.randint(1, 2))]

    def moved(self):
        r = self.r
        dynamic = [a for a in self.p.arrays if a.dynamic]
        if not dynamic and r.random() < 0.5:
            return self.copied()
        if not dynamic:
            return [self.loops.mapped()]
        a = r.choice(dynamic)
        if a.by is None:
            if any(b.by and not b.shadow for b in self.p.arrays) or not a.shadow:
                return [self.loops.mapped()]
            return [Redistribute(a, self.names.dist(a.dims)), self.loops.mapped()]
        if any(b.by and b.by[0] is a for b in self.p.arrays) or not a.shadow:
            return [self.loops.mapped()]
        target = a.by[0]
        axes = self.names.fitting_axes(a.dims, target.dims if hasattr(target, 'dims') else target.sizes)
        if axes is None:
            return [self.loops.mapped()]
        return [Realign(a, target, axes, r.random() < 0.3), self.loops.mapped()]

    def copied(self):
        pairs = [(a, b) for a in self.p.arrays for b in self.p.arrays if a is not b and a.dims == b.dims and a.ctype == b.ctype]
        if not pairs:
            return [self.loops.mapped()]
        dst, src = self.r.choice(pairs)
        return [ArrayCopy(dst, src), self.loops.mapped()]
