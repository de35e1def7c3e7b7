"""Other spellings of a finished program that mean the same.  The oracle knows nothing of them: what it expects must not change."""
from program import Access, Assign, Cond, For, Function, If, Parallel, Skip, accesses_of, of_terms, statements_of

# Attributes of the tree that are spelled here, with their usual values.
DEFAULTS = {
    'ctype_of_index': 'int',   # Loop: type of its index
    'compare': '',             # Loop: 'less' i < n, 'flipped' n >= i, 'unequal' i != end
    'last_name': None,         # Loop: (name, declaration) of a number in place of the last value
    'first_name': None,        # Loop: likewise, of the first
    'step_by': '',             # Loop: 'sum' i = i + c, 'sum_left' i = c + i, 'name' i += n, of the number 'step_name'
    'step_name': None,
    'shape': '',               # For: 'while', 'do'; If: 'switch', 'goto', 'else'; Function: 'open', 'pointer', 'variable'
    'braces': False,           # Parallel: around each loop of the nest
    'aliases': None,           # Access: {dimension: (variable that holds the subscript, its type)}
    'wrapped': '',             # Access that is a term: an operator in front of it
    'increment': '',           # Assign: 'before' ++a, 'after' a++
    'address': False,          # Variable: a pointer to it is kept
    'volatile': False,         # Variable
    'row_type': False,         # Array: of a typedef
}


def bodies_of(program):
    return [program.body] + [f.body for f in program.functions]


def spelled_objects(program):
    everything = [s for body in bodies_of(program) for s in statements_of(body)]
    yield from program.arrays + program.variables + program.indices + program.functions
    yield from everything
    for s in everything:
        yield from s.loops if isinstance(s, Parallel) else [s.loop] if isinstance(s, For) else []
        yield from (s.variable,) if type(s).__name__ == 'Declare' else ()
    for body in bodies_of(program):
        yield from accesses_of(body)


class Spelling:
    def __init__(self, r, program):
        self.r, self.p, self.names = r, program, 0
        # Where nothing is mapped, the subscripts of what is written say at which element an iteration stands.
        # .. and a section brings what is written like it.
        self.sections = {a for body in bodies_of(program) for s in statements_of(body) for a, axes in getattr(s, 'remote', ())
                         if any(x and x.var for x in axes)}
        self.carried = {a for body in bodies_of(program) for s in statements_of(body) if isinstance(s, Parallel) and not s.on for a, _ in s.across}

    def name(self, letter):
        self.names += 1
        return f'{letter}{self.p.number}_{self.names}'

    def often(self, chance):
        return self.r.random() < chance

    def spell(self):
        for body in bodies_of(self.p):
            for s in statements_of(body):
                self.statement(s)
        for f in self.p.functions:
            if self.often(0.6):
                f.shape = self.r.choice(['open', 'pointer', 'variable'])
        for v in self.p.variables + self.p.indices:
            self.variable(v)
        for a in self.p.arrays:
            a.row_type = a.where in ('static', 'local') and len(a.dims) > 1 and self.often(0.2)

    def variable(self, v):
        reduced = {x for body in bodies_of(self.p) for s in statements_of(body) if isinstance(s, Parallel)
                   for c in s.reduction for x in (c.variable, c.loc)}
        if v not in reduced and not v.record and v not in self.p.indices and self.often(0.1):
            v.volatile = True
        elif v.where == 'local' and self.often(0.25):
            v.address = True

    def statement(self, s):
        if isinstance(s, Parallel):
            s.braces = self.often(0.15)
            for l in s.loops:
                self.loop(l, s)
        elif isinstance(s, For):
            self.loop(s.loop, s)
            if self.often(0.25) and not left_by(s.body, 'continue'):
                s.shape = 'while'
                if not s.loop.after and not s.loop.parity and not s.loop.limit and len(s.loop.values()) and self.often(0.4):
                    s.shape = 'do'
        elif isinstance(s, If):
            if self.often(0.3):
                s.shape = self.r.choice(['goto', 'else'] + ['switch'] * (not left_by(s.body, 'break')))
        elif type(s).__name__ == 'Declare':
            s.variable.address = self.often(0.15)
        elif isinstance(s, Assign):
            if s.op in ('+=', '-=') and s.terms == ['1'] and not s.lhs.callee:
                s.increment = self.r.choice(['', 'before', 'after'])
            if not s.lhs.callee:
                for access in [s.lhs] * (s.lhs.base not in self.carried) + list(of_terms(s.terms)):
                    self.access(access)
                for access in of_terms(s.terms):
                    if self.often(0.1):
                        access.wrapped = self.r.choice(['- -', '+', '1 * ', '0 + '])

    def loop(self, l, s):
        r = self.r
        if self.often(0.3):
            l.compare = r.choice(['less', 'less', 'flipped'] + ['unequal'] * (not l.parity and not l.after and not l.limit))
        if l.compare != 'unequal' and not l.limit and self.often(0.25):
            l.last_name = self.number(l.last)
        if self.often(0.15):
            l.first_name = self.number(l.first)
        if self.often(0.2):
            l.step_by = r.choice(['sum', 'sum_left', 'name'])
            if l.step_by == 'name':
                l.step_name = self.number(abs(l.step))
        if l.declared and self.often(0.2) and not named_as_term(s.body, l.var):
            rises = l.step > 0 and min(l.first, l.last) >= 0 and not subtracts(s, l.var)
            l.ctype_of_index = r.choice(['long', 'short'] + ['unsigned', 'size_t'] * rises)

    def number(self, value):
        name = self.name('n')
        return name, self.r.choice(['static int {0} = {1};', 'static const int {0} = {1};', 'enum {{ {0} = {1} }};', '#define {0} {1}',
                                    'static volatile int {0} = {1};', 'static short {0} = {1};']).format(name, f'({value})' if value < 0 else value)

    def access(self, access):
        if access.through or access.callee or access.base in self.sections:
            return
        access.aliases = {k: (self.name('c'), self.r.choice(['int', 'const int', 'long'])) for k, sub in enumerate(access.subs)
                          if sub.var and self.often(0.12)} or None


def left_by(body, word):
    """Does a 'break' or 'continue' in it leave the statement around it?"""
    return any(isinstance(s, Skip) and s.word == word or not isinstance(s, (For, Parallel)) and left_by(getattr(s, 'body', []), word) for s in body)


def named_as_term(body, var):
    """Is the value of the index used, as a number of type int?"""
    return any(var == t or isinstance(t, Cond) and var in (t.then, t.other) for s in statements_of(body) for t in getattr(s, 'terms', None) or []) or \
        any(text == var for s in statements_of(body) for _, text in getattr(s, 'loc', []))


def subtracts(s, var):
    """May the value of a subscript be less than 0?"""
    axes = s.on[1] if isinstance(s, Parallel) and s.on else []
    subs = [sub for a in accesses_of(s.body) for sub in a.subs] + [x for x in axes if x]
    return any(sub.var == var and sub.add < 0 for sub in subs)
