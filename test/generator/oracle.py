"""Runs a program by the definitions: what the checker must say of it.

run() gives a Verdict: the expected diagnostics (id, line, column, name) as a counted set, those that the definition leaves
open, and whether the plain program has defined behaviour, so that its output can be compared."""
import collections
from forms import CALL_FORM, FORMS, compute
from pieces import Piece
from program import (OUTSIDE, Access, ArrayCopy, Assign, Call, Cond, Declare, For, If, Move, Parallel, Point, Print, Realign,
                     Redistribute, RemoteBlock, ShadowGroup, Skip, Stand, TaskOn, TaskRegion, Test, Update, statements_of, remainder)
from rules import ASSIGNED, NEVER, WAS_PRIVATE, Construct, Rules, agree, inside
from second import Second
from values import Undefined, arithmetic, common, convert, is_float

Verdict = collections.namedtuple('Verdict', 'expected open defined wild either')
WARNINGS = {'dvm-undeclared-private'}


class Oracle(Rules):
    def __init__(self, program):
        super().__init__(program)
        self.program, self.value, self.defined, self.wild = program, {}, True, False
        self.target = None                   # of the plain assignment that is being evaluated
        self.groups = {}                     # shadow group -> members
        self.second = None                   # the second evaluation of the construct's reductions
        self.zero = {a.name for a in program.arrays if a.where in ('static', 'extern')} | \
            {v.name for v in program.variables + program.indices if v.where in ('global', 'kept')}

    def run(self):
        for _ in range(self.program.calls):
            self.block(self.program.body, {})
            for name in self.initial:
                if name not in self.zero:
                    self.forget(name)
        self.close(lambda name: True)
        counted = collections.Counter(self.found.values())
        return Verdict(counted, self.maybe, self.defined, self.wild, self.either)

    def forget(self, name):
        """The end of a local: its next life begins without values."""
        self.close(lambda n: n == name)
        self.set_all(name, NEVER)
        self.fresh.pop(name, None)
        if any(a.name == name for a in self.program.arrays):
            self.fresh[name] = []
            for members in list(self.groups.values()) + list(self.flying.values()):
                members[:] = [m for m in members if m[0].name != name]

    def set_all(self, name, state):
        for e in [e for e in self.state_of if e[0] == name]:
            del self.state_of[e]
        self.initial[name] = state
        self.blurred = {e for e in self.blurred if e[0] != name}

    def close(self, ended):
        for group, name in [k for k in self.pending if ended(k[1])]:
            r = self.pending.pop((group, name))
            if not r['again']:
                self.report_at('dvm-reduction-protocol', r['started'] or r['line'], group, name)

    # Statements.
    def block(self, body, env):
        for s in body:
            self.statement(s, env)

    def statement(self, s, env):
        if isinstance(s, Assign):
            self.assign(s, env)
        elif isinstance(s, Update):
            self.update(s, env)
        elif isinstance(s, Move):
            self.move(s, env)
        elif isinstance(s, Declare):
            self.declare(s, env)
        elif isinstance(s, Piece):
            for item in s.expected:
                self.found.setdefault(item, item)
        elif isinstance(s, Print):
            self.read(s.access, env, output=True)
        elif isinstance(s, If):
            if remainder(env[s.var], s.mod) == s.rest:
                self.block(s.body, env)
        elif isinstance(s, For):
            self.loop(s, env)
        elif isinstance(s, Skip):
            if remainder(env[s.var], s.mod) == s.rest:
                raise Skipped(s.word)
        elif isinstance(s, Test):
            self.test(s, env)
        elif isinstance(s, Point):
            if not inside(s.access.base, self.subscripts(s.access, env)):
                raise Undecided
        elif isinstance(s, Parallel):
            self.parallel(s, env)
        elif isinstance(s, Call):
            self.bound.update(zip(s.function.params, s.arrays))
            self.block(s.function.body, env)
        elif isinstance(s, TaskRegion):
            self.task_wrote, self.task_readers = {}, {}
            self.block(s.body, env)
            self.task_left |= set(self.task_wrote)
        elif isinstance(s, TaskOn):
            self.task = s.index
            self.block(s.body, env)
            self.task = None
        else:
            self.standing(s, env)

    def loop(self, s, env):
        for v in s.loop.values(env):
            try:
                self.block(s.body, {**env, s.loop.var: v})
            except Skipped as skipped:
                if skipped.args[0] == 'break':
                    break

    def test(self, s, env):
        self.target = None
        value = self.read(s.access, env)
        if value is None:
            raise Undecided
        if value > s.bound:
            self.block(s.body, env)

    def standing(self, s, env):
        if isinstance(s, Redistribute):
            self.layout.redistribute(s.array, s.dist)
            for a in self.program.arrays:
                if self.layout.place(a)[0] is s.array.template:
                    self.fresh[a.name] = []
        elif isinstance(s, Realign):
            self.layout.realign(s.array, s.target, s.axes)
            self.fresh[s.array.name] = []
            if s.new_value:
                self.set_all(s.array.name, NEVER)
        elif isinstance(s, ShadowGroup):
            for array, widths, _ in s.members:
                self.check_widths(array, widths)
            self.groups[s.name] = list(s.members)
            if s.name in self.flying:
                self.report_at('dvm-usage', s.number, s.name)
                self.flying[s.name] = list(s.members)
        elif isinstance(s, Stand):
            self.stand(s.word, s.name, s.number)
        elif isinstance(s, RemoteBlock):
            self.block_remote = {a.name: axes for a, axes in s.remote}
            self.block(s.body, env)
            self.block_remote = {}
        else:
            assert isinstance(s, ArrayCopy)
            self.copy(s)

    def stand(self, word, name, line):
        if word.startswith('reduction'):
            mine = {k: r for k, r in self.pending.items() if k[0] == name}
            for k, r in mine.items():
                if bool(r['started']) == (word == 'reduction_start') and not r['again']:
                    self.report_at('dvm-reduction-protocol', line, *k)
                r['started'] = line
                if word == 'reduction_wait':
                    del self.pending[k]
            if not mine:
                self.report_at('dvm-reduction-protocol', line, name)
        elif word == 'shadow_start':
            if name not in self.groups or name in self.flying:
                self.report_at('dvm-usage', line, name)
            else:
                self.flying[name] = list(self.groups[name])
        elif name not in self.flying:
            self.report_at('dvm-usage', line, name)
        else:
            for a, widths, corner in self.flying.pop(name):
                self.fresh[a.name].append((widths or self.layout.widths(a), corner))

    def copy(self, s):
        if s.src.name not in self.zero and (s.src.record or s.src.ctype == 'long double'):
            self.defined = False                 # plain C copies padding, too, which the sums of arrays show
        for subs in every_index(s.src.dims):
            fields = list(every_field(s.src, subs))
            known = any(self.state((s.src.name, whole)) == ASSIGNED for whole in fields)
            if not known:
                self.report_at('dvm-uninitialized', s.number, s.src.name)
            for whole in fields:
                self.state_of[(s.dst.name, whole)] = self.state((s.src.name, whole)) if known else ASSIGNED
                self.value[(s.dst.name, whole)] = self.fetch(s.src, whole)
        self.fresh[s.dst.name] = []

    # Values.
    @staticmethod
    def subscripts(access, env):
        subs = tuple(s.value(env) for s in access.subs)
        if OUTSIDE in subs:
            raise Undecided
        return subs + ((access.field[0],) if access.field else ())

    def read(self, access, env, output=False, compound=False):
        subs = self.subscripts(access, env)
        base = self.actual(access.base)
        if access.callee and self.construct and base.name in self.construct.reduced:
            raise Undecided                  # what functions do to it is not followed
        if not inside(base, subs):
            if access.through or access.row:
                raise Undecided              # of a pointer's dimensions nothing is known
            self.report('dvm-out-of-bounds', access)
            self.defined = False
            return None
        self.judge_read(access, subs, output, compound)
        return self.fetch(base, subs)

    def fetch(self, base, subs):
        if (base.name, subs) in self.value:
            return self.value[(base.name, subs)]
        if base.name not in self.zero:
            self.defined = False
            return None
        return 0

    def write(self, access, env, value, update=False):
        """value: (number or None, type)."""
        subs = self.subscripts(access, env)
        base = self.actual(access.base)
        if not inside(base, subs):
            if access.through or access.row:
                raise Undecided
            self.report('dvm-out-of-bounds', access)
            self.defined, self.wild = False, True
            at, whole = 0, 1                          # beyond the array a write could spoil anything
            for i, n in zip(subs, base.dims):
                at, whole = at * n + i, whole * n
            if base.name not in self.zero or not 0 <= at < whole:
                raise Undecided
            return None
        self.judge_write(access, subs, update)
        if value[0] is None and is_float(value[1]) and not is_float(access.ctype):
            self.defined = False             # it may be too large
        try:
            self.value[(base.name, subs)] = convert(*value, access.ctype)
        except Undefined:
            self.defined, self.value[(base.name, subs)] = False, None
        copies = self.construct and self.construct.copies.get(base.name)
        if copies and (base.name, subs) in copies.places:
            copies.places[(base.name, subs)][copies.place] = self.value[(base.name, subs)]
        return self.value[(base.name, subs)]

    def sum(self, terms, env):
        """(value, type) of the sum of the terms, each of which is read."""
        total, ctype = None, None
        for t in terms or ['1']:
            value, one = self.term(t, env)
            if ctype is None:
                total, ctype = value, one
                continue
            total, ctype = self.add(total, ctype, value, one)
        return total, ctype

    def term(self, t, env):
        if isinstance(t, Cond):
            value, one = self.term(t.then if remainder(env[t.var], t.mod) == t.rest else t.other, env)
            wide = common(*(x.ctype if isinstance(x, Access) else 'int' for x in (t.then, t.other)))
            return self.add(value, one, 0, wide)
        if isinstance(t, Access):
            return self.read(t, env), promoted(t.ctype)
        return env[t] if t in env else int(t) if t.lstrip('-').isdigit() else factor(t, env), 'int'

    def add(self, a, a_type, b, b_type, sign='+'):
        ctype = common(a_type, b_type)
        if a is None or b is None:
            return None, ctype
        try:
            a, b = convert(a, a_type, ctype), convert(b, b_type, ctype)
            if a is None or b is None:
                return None, ctype
            return arithmetic(a + b if sign == '+' else a - b if sign == '-' else a * b, ctype), ctype
        except Undefined:
            self.defined = False
            return None, ctype

    def own(self, access, env):
        """The owner of what a statement assigns outside of parallel loops, None if that is everybody; array and subscripts."""
        subs = tuple(x.value(env) for x in access.subs)
        base = self.actual(access.base)
        mine = self.construct is None and base.distributed and inside(base, subs) and not self.layout.everywhere(base)
        return self.layout.home(base, subs) if mine else None, base, subs

    def declare(self, s, env):
        self.owner, self.target = None, s.variable
        value = self.sum(s.terms, env) if s.terms is not None else (0, 'int') if s.zero else None
        for element in [(s.variable.name, whole) for subs in every_index(s.variable.dims) for whole in every_field(s.variable, subs)]:
            self.state_of[element] = NEVER if value is None else ASSIGNED
            self.value.pop(element, None)
            if value is None or s.zero:
                if s.zero:
                    self.value[element] = 0
                continue
            try:
                self.value[element] = convert(*value, s.variable.ctype)
            except Undefined:
                self.defined, self.value[element] = False, None

    def move(self, s, env):
        """Fields without a value have none in the copy: nothing is said of them."""
        self.owner, to, subs = self.own(s.lhs, env)
        source, index = self.actual(s.rhs.base), self.subscripts(s.rhs, env)
        ordinary = [x for x in (to, source) if not x.distributed]
        if not inside(to, subs) or not inside(source, index) or to is source and subs == index or \
                any(self.layout.everywhere(x) for x in (to, source) if x not in ordinary):
            raise Undecided
        fields = list(every_field(source, index))
        if ordinary and not all(self.has_value(source, whole) for whole in fields):
            raise Undecided
        if to in ordinary and self.construct and len({self.construct.first.get((to.name, subs + whole[-1:])) == 'read' for whole in fields}) > 1:
            raise Undecided                      # some members were read first, others were not: one report for all of it
        for whole in fields:                     # C leaves open which comes first
            element, copy = (source.name, whole), (to.name, subs + whole[-1:])
            state, value = self.state(element), self.fetch(source, whole)
            self.judge_write(s.lhs, copy[1], update=False)
            c, self.value[copy] = self.construct, value
            if c and to.name in c.remote and agree(c.remote[to.name], s.lhs) and self.shift(to, copy[1], True) != {}:
                continue                         # the element is not written: told of, it counts as assigned
            if to.distributed or to.where == 'inner':
                self.state_of[copy] = state
            if state != ASSIGNED and c:      # nothing depends on what has no value
                c.wrote.pop(copy, None)
                c.readers.pop(copy, None)
        for whole in fields:
            self.judge_read(s.rhs, whole, output=False, compound=False, carried=True)
        self.owner = None

    def has_value(self, base, subs):
        """Now, in this iteration?"""
        element, c = (base.name, subs), self.construct
        if c and not base.distributed and base.where != 'inner' and (base.name in c.private or c.first.get(element) == 'written'):
            return c.assigned.get(element) == c.iteration
        return self.state(element) == ASSIGNED

    def assign(self, s, env):
        self.owner, base, subs = self.own(s.lhs, env)
        self.target = base
        if self.second and base.name in self.construct.reduced:
            return self.assign_reduced(s, base, subs, env)
        value = self.sum(s.terms, env)
        if s.lhs.callee:
            value = self.argument(*value, s.lhs.ctype)
        if s.op != '=':
            old = self.read(s.lhs, env, compound=True)
            value = self.add(old, promoted(s.lhs.ctype), *value, sign=s.op[0])
        self.write(s.lhs, env, value)
        self.owner = None
        return None

    def assign_reduced(self, s, base, subs, env):
        """A plain assignment of a reduction variable: the last value, or a sum if the variable itself is a term."""
        itself = [t for t in s.terms if isinstance(t, Access) and t.base is base]
        old, computes = None, 'last'
        if s.lhs.callee or s.op not in ('=', '+=') or len(itself) > 1 or itself and s.op == '+=' or any(t.callee or t.macro for t in itself):
            raise Undecided
        others = [t for t in s.terms if t not in itself]
        if itself:
            old = self.read(itself[0], env, compound='update-read')
        value = self.sum(others, env) if others or not itself else (0, 'int')
        if s.op == '+=':
            old = self.read(s.lhs, env, compound='update')
        new = value
        if itself or s.op == '+=':
            computes, new = 'sum', self.add(old, promoted(base.ctype), *value)
        self.write(s.lhs, env, new, update=True)
        self.second.update(Update(s.lhs, computes, None, []), (base.name, subs), base.ctype, value, None, [])
        return None

    def update(self, s, env):
        """The steps of the spelling, with the program's own values."""
        self.target = None
        steps, on_replace, otherwise, last = FORMS[s.computes][s.form][1]
        element = s.target.base.name, tuple(x.value(env) for x in s.target.subs)
        ctype, seen = s.target.base.ctype, {'e': (None, 'int'), 'x': None}
        replaced = None

        def do(letters):
            for letter in letters:
                if letter in 'ef':
                    # A term that holds the variable itself goes nowhere else: it is a matter of the two evaluations.
                    itself = any(isinstance(t, Access) and t.base is s.target.base for t in s.at[letter])
                    self.target = s.target.base if itself else None
                    seen['e'] = self.sum(s.at[letter], env)
                    self.target = None
                    if s.form == CALL_FORM:
                        seen['e'] = self.argument(*seen['e'], ctype)
                    if s.computes in ('and', 'or', 'xor'):
                        seen['e'] = self.integral(*seen['e'])
                elif letter in 'rs':
                    seen['x'] = self.read(s.at[letter], env, compound='update-read')
                elif letter == 'c':
                    seen['x'] = self.read(s.at[letter], env, compound='update')
                    self.store(s, s.at[letter], env, seen)
                else:
                    self.store(s, s.at[letter], env, seen)

        do(steps)
        if on_replace or otherwise:
            x, e = seen['x'], seen['e'][0]
            if x is None or e is None:
                raise Undecided
            replaced = e > x if s.computes == 'max' else e < x
            do(on_replace if replaced else otherwise)
        do(last)
        if s.loc and (replaced or s.stray):
            for access, text in s.loc:
                r = self.construct and self.construct.reduced.get(access.base.name)
                if r and r.variable is access.base:
                    raise Undecided              # a location that is a result itself
                self.write(access, env, (env.get(text, 0), 'int'), update=True)
        if self.second:
            self.second.update(s, element, ctype, seen['e'], replaced, [env.get(t, 0) for _, t in s.loc])

    @staticmethod
    def argument(value, of, ctype):
        try:
            converted = convert(value, of, ctype)
        except Undefined:
            raise Undecided from None
        return converted, ctype

    def integral(self, value, ctype):
        return (value, 'int') if is_float(ctype) else (value, ctype)

    def store(self, s, access, env, seen):
        ctype = s.target.base.ctype
        value, of = seen['e']
        try:
            if s.computes == 'sum':
                new = self.add(seen['x'], ctype if is_float(ctype) else common(ctype, 'int'), value, of)
            elif s.computes in ('max', 'min', 'last'):
                keep = s.computes != 'last' and value is not None and seen['x'] is not None and \
                    compute(s.computes, seen['x'], value) != value
                new = (seen['x'], ctype) if keep else (value, of)
            else:
                wide = common(ctype, of)
                result = compute(s.computes, seen['x'], value)
                new = (arithmetic(result, wide), wide)
        except Undefined:
            self.defined, new = False, (None, ctype)
        self.write(access, env, new, update=True)

    # Constructs.
    def parallel(self, node, env):
        for word, name in node.groups:
            if word == 'shadow_wait':
                self.stand(word, name, node.number)
        for array, widths, corner in node.renew:
            array = self.actual(array)
            self.check_widths(array, widths)
            self.fresh[array.name].append((widths or self.layout.widths(array), corner))
        c = self.construct = Construct(node)
        c.written_by_text = {self.actual(s.lhs.base) for s in statements_of(node.body) if isinstance(s, (Assign, Move))}
        for a, widths in node.across:
            self.check_widths(self.actual(a), widths)
        c.across = {self.actual(a).name: w or self.widths_of(a) for a, w in node.across}
        c.out = {self.actual(a).name for a in node.out} & set(c.across)
        c.remote = {self.actual(a).name: axes for a, axes in node.remote}
        for r in node.reduction:
            self.named_again(r.variable.name, node)
            c.reduced[r.variable.name] = r
            if r.loc:
                self.named_again(r.loc.name, node)
                c.reduced[r.loc.name] = r
        c.node_target = None if node.on is None else self.actual(node.on[0])
        self.second = Second(self, node)
        self.nest(node, 0, dict(env))
        self.judge_subscripts()
        self.judge_stale()
        if any(copies.unknown() for copies in self.construct.copies.values()):
            raise Undecided
        self.judge_copies()
        self.second.compare()
        over, self.construct, self.second = self.construct, None, None
        for name in over.written_arrays:
            self.fresh[name] = []
        for v in node.private:
            self.set_all(v.name, WAS_PRIVATE)
        for element, how in over.first.items():
            copies = over.copies.get(element[0])
            if how == 'written':
                self.state_of[element] = ASSIGNED if copies and element not in copies.lacking() else WAS_PRIVATE
        for l in node.loops:
            if not l.declared:
                self.set_all(l.var, WAS_PRIVATE)
        for word, name in node.groups:
            if word == 'shadow_start':
                self.stand(word, name, node.number)
        for r in node.reduction:
            if r.group:
                self.pending[r.group, r.variable.name] = self.taken_over(r.group, r.variable.name, node)

    def taken_over(self, group, name, node):
        """The reduction that begins: the steps of an earlier one of the variable by the group are its own from now on."""
        held = self.pending.pop((group, name), None)
        if held and not held['again']:
            self.report_at('dvm-reduction-protocol', held['started'] or held['line'], group, name)
        return {'started': None, 'line': node.number, 'again': bool(held and held['again'])}

    def named_again(self, name, node):
        """A reduction of a variable that others have still: that is told, and their protocol is judged no more, since the steps that
        mend the one mend the other.  Of the same loop executed again, unstarted, the protocol tells."""
        held = [r for (_, n), r in self.pending.items() if n == name and (r['started'] or r['line'] != node.number)]
        if held:
            self.report_at('dvm-reduction-pending', node.number, name)
            self.construct.told.add(name)
        for r in held:
            r['again'] = True

    def check_widths(self, array, widths):
        """Widths beyond the declared ones are refused while compiling."""
        if array.distributed and any(l > a or h > b for (l, h), (a, b) in zip(widths or [], self.layout.widths(array))):
            raise Undecided

    def widths_of(self, a):
        a = self.actual(a)
        return a.shadow if a.distributed and a.shadow else [(1, 1)] * len(a.dims)

    def judge_subscripts(self):
        """Of 'on' and of sections: in the array, in each iteration."""
        c = self.construct
        clauses = [('on', c.node_target, c.node.on[1])] if c.node.on else []
        clauses += [('remote_access', self.actual(a), axes) for a, axes in c.node.remote]
        for clause, array, axes in clauses:
            for k, (x, n) in enumerate(zip(axes, array.dims if hasattr(array, 'dims') else array.sizes)):
                if x and x.var and any(not 0 <= x.value({x.var: v}) < n for v in c.reached.get(x.var, ())):
                    self.report_at('dvm-usage', c.node.number, '', f'{array.name} {clause} {k}')

    def nest(self, node, depth, env):
        if depth == len(node.loops):
            self.construct.iteration = tuple(env[l.var] for l in node.loops)
            for l in node.loops:
                low, high = self.construct.reached.get(l.var, (env[l.var], env[l.var]))
                self.construct.reached[l.var] = min(low, env[l.var]), max(high, env[l.var])
            self.construct.point = None if node.on is None else \
                self.layout.point(self.construct.node_target, node.on[1], env)
            if node.on is not None:
                template, place = self.construct.point
                if any(c is not None and not 0 <= c < n for c, n in zip(place, template.sizes)):
                    raise Undecided          # nobody's iteration
            try:
                self.block(node.body, env)
            except Skipped:
                pass
            return
        loop = node.loops[depth]
        for v in loop.values(env):
            env[loop.var] = v
            self.nest(node, depth + 1, env)

    def escaped(self, access, element):
        r = self.construct.reduced[element[0]]
        kept = self.target and not self.target.distributed and not self.target.dims     # is it looked at again?
        if kept or r.loc and r.loc.name == element[0]:     # locations are not followed
            self.maybe.add(('dvm-reduction-escape', access.line))
        else:
            self.report('dvm-reduction-escape', access)
        self.maybe.add(('dvm-reduction-mismatch', self.construct.node.number))


class Undecided(Exception):
    """What the program does depends on a value that is not known here: it is not used."""


class Skipped(Exception):
    """A turn of the innermost loop ends here ('continue'), or the loop ('break')."""


def promoted(ctype):
    return ctype if is_float(ctype) else common(ctype, 'int')


def factor(text, env):
    """'(1 + (i % 3 == 0))', the factor of a product."""
    var, mod = text[6:].split(' % ')
    return 2 if remainder(env[var], int(mod.split(' ')[0])) == 0 else 1


def every_field(array, subs):
    """The parts of an element that have values of their own."""
    if not array.record:
        yield subs
    else:
        yield from (subs + (f,) for f, _ in array.record.fields)


def every_index(dims):
    if not dims:
        yield ()
        return
    for i in range(dims[0]):
        for rest in every_index(dims[1:]):
            yield (i,) + rest
