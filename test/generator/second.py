"""The second evaluation of a construct's reductions: each iteration starts from the operation's neutral element, its partial
result is combined by the declared operation, the value from before the construct enters once."""
import math
from forms import compute
from values import bounds, combine, convert, is_float, neutral, wrap, Undefined


class Partial:
    """One reduction variable, or one element of a reduction array."""

    def __init__(self, declared, ctype, before):
        self.declared, self.ctype, self.before = declared, ctype, before
        self.operations, self.lines, self.known, self.iteration = set(), set(), True, None
        self.all = {True: neutral(declared, ctype), False: neutral(declared, ctype)}   # of all iterations so far
        self.own = dict(self.all)                                                      # of this one
        self.extremes = []                   # (value, location) of each iteration, for maxloc and minloc


class Second:
    """Follows the control flow of the iteration's own values (True) and that of the program (False): where the two would
    judge differently the definition is taken as open."""

    def __init__(self, oracle, node):
        self.oracle, self.node, self.partials, self.stray = oracle, node, {}, False
        self.before = dict(oracle.value)

    def update(self, s, element, ctype, term, replaced, location):
        r = self.oracle.construct.reduced.get(element[0])
        if r is None or r.loc is not None and element[0] == r.loc.name:
            return
        p = self.partials.get(element)
        if p is None:
            start = self.before.get(element, 0 if element[0] in self.oracle.zero else None)
            p = self.partials[element] = Partial(r.op, ctype, start)
        if p.iteration != self.oracle.construct.iteration:
            self.close(p)
            p.iteration = self.oracle.construct.iteration
        p.operations.add(s.computes)
        p.lines.update(a.line for x in s.at.values() if not isinstance(x, list) for a in [x])
        self.stray = self.stray or s.stray
        value = term[0]
        if value is None:
            p.known = False
            return
        try:
            stored = convert(value, term[1], ctype)
        except Undefined:
            stored = None
        if stored is None:
            p.known = False
            return
        if stored != value and s.computes in ('max', 'min'):   # what is stored is not what was compared
            p.known = False
        p.own[True] = narrowed(compute(s.computes, p.own[True], stored if s.computes == 'last' else value), ctype)
        if replaced is None:
            p.own[False] = narrowed(compute(s.computes, p.own[False], stored if s.computes == 'last' else value), ctype)
        elif replaced:
            p.own[False] = stored
        if r.loc:
            p.extremes.append((stored, location[0] if location else None))

    def close(self, p):
        if p.iteration is None:
            return
        for how in (True, False):
            p.all[how] = combine(p.declared, p.all[how], p.own[how], p.ctype)
            p.own[how] = neutral(p.declared, p.ctype)

    def compare(self):
        line = self.node.number
        if self.oracle.construct.unset:          # another value on each processor
            self.oracle.maybe.add(('dvm-reduction-mismatch', line))
        for element, p in self.partials.items():
            self.close(p)
            right = {'maxloc': 'max', 'minloc': 'min'}.get(p.declared, p.declared)
            vague = not p.known or p.before is None or self.oracle.value.get(element) is None
            if p.operations == {right} and vague:                # what has no value may be another one each time
                self.oracle.maybe.add(('dvm-reduction-mismatch', line))
            if p.operations == {right}:
                if self.stray and p.declared in ('maxloc', 'minloc'):
                    self.location(element, p)
                continue
            line_of = {'max', 'min'} & p.operations and right not in ('max', 'min')
            if line_of:                          # a branch on a variable that is no extreme: an escape as well
                lines = {('dvm-reduction-escape', l) for l in p.lines}
                self.oracle.maybe |= lines
            result = self.oracle.value.get(element)
            if not p.known or p.before is None or result is None:
                self.oracle.maybe.add(('dvm-reduction-mismatch', line))
                continue
            differ = [not same(result, combine(p.declared, p.before, p.all[how], p.ctype)) for how in (True, False)]
            if all(differ):
                self.oracle.report_at('dvm-reduction-mismatch', line, element[0])
                if line_of:
                    self.oracle.either[('dvm-reduction-mismatch', line)] = lines
            elif any(differ):
                self.oracle.maybe.add(('dvm-reduction-mismatch', line))

    def location(self, element, p):
        """Compared only where the extreme is unique."""
        r = self.oracle.construct.reduced[element[0]]
        if not p.known or p.before is None:
            self.oracle.maybe.add(('dvm-reduction-mismatch', self.node.number))
            return
        best = (max if p.declared == 'maxloc' else min)([v for v, _ in p.extremes] + [p.before])
        at = [l for v, l in p.extremes if v == best]
        if p.before == best and at or len(at) > 1:   # for the values of each iteration; by the program's flow it may be unique
            self.oracle.maybe.add(('dvm-reduction-mismatch', self.node.number))
            return
        first = (r.loc.name, (0,) if r.loc.dims else ())
        expected = at[0] if at else self.before.get(first)
        if self.oracle.value.get(first) != expected:
            self.oracle.report_at('dvm-reduction-mismatch', self.node.number, r.loc.name)


def narrowed(value, ctype):
    return wrap(value, ctype) if value is not None and not is_float(ctype) and not math.isinf(value) else value


def same(a, b):
    if b is None:
        return False
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))
