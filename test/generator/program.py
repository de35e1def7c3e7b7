"""A small DVM program as a tree.  Subscripts depend on loop indices and constant tables alone.  Printing a program
(writer.py) fixes the line and column of each of its accesses; running it (oracle.py) gives the expected verdict.

Each class names in 'lists' the attributes that hold lists of parts, with the least number that must stay: what shrink.py
may take away."""

BLOCK_LIKE = ('block', 'wgtblock', 'genblock', 'multblock', 'indirect')


OUTSIDE = 1 << 20


def remainder(a, b):
    """As C has it: with the sign of a."""
    return a % b if a >= 0 else -(-a % b)


class Template:
    """Index space that is distributed: dist[d] is '*' or a text that begins with one of BLOCK_LIKE."""

    def __init__(self, name, sizes, dist):
        self.name, self.sizes, self.dist = name, sizes, dist


class Record:
    """A struct: fields are (text behind the dot, type of its value); a member that is an array has a field for each element.
    padded: it holds bytes of no field, so that a copy's bytes may be anything."""

    def __init__(self, name, fields, padded):
        self.name, self.fields, self.padded = name, fields, padded


class Array:
    """A distributed array of numbers, or of structs ('record').  by: None (distributed itself; 'template' is its own) or (target, axes) as its directive says;
    an axis is ('dim', k, coef, add) for its own dimension k, ('const', c), or ('all',).
    where: 'static', 'extern' (another file holds it), 'local', 'vla', 'heap' (a pointer, malloc)."""
    distributed = True

    def __init__(self, name, ctype, dims, template, by, shadow, where='static'):
        self.name, self.ctype, self.dims, self.template = name, ctype, dims, template
        self.by, self.shadow, self.where, self.dynamic = by, shadow, where, False
        self.record, self.row_type = None, False


class Variable:
    """Ordinary data: a scalar (no dims) or an array.  where: 'local', 'kept' (static there), 'global', 'inner' (see Declare)."""
    distributed = False

    def __init__(self, name, ctype, dims, where):
        self.name, self.ctype, self.dims, self.where = name, ctype, dims, where
        self.record, self.address, self.volatile = None, False, False


class Param:
    """Array parameter of a function, with inherit; stands for the array of the call."""
    distributed = True

    def __init__(self, name, ctype, dims):
        self.name, self.ctype, self.dims, self.record = name, ctype, dims, None


class Function:
    lists = {'body': 1}

    def __init__(self, name, params, body):
        self.name, self.params, self.body, self.shape = name, params, body, ''


class Sub:
    """coef * var + add; var None for a constant; through: a table of ints (name, values) that maps the value, or None;
    offset: (name, value) of a variable that is written in place of 'add', or None."""

    def __init__(self, var, coef, add, through=None, offset=None):
        self.var, self.coef, self.add, self.through, self.offset = var, coef, add, through, offset

    def value(self, env):
        v = (self.coef * env[self.var] if self.var else 0) + self.add
        if self.through is None:
            return v
        return self.through[1][v] if 0 <= v < len(self.through[1]) else OUTSIDE     # of the table: what is there is not known

    def text(self):
        t = affine_text(self.var, self.coef, self.add)
        if self.offset:
            t = affine_text(self.var, self.coef, 0) + (' + ' if self.add == self.offset[1] else ' - ') + self.offset[0]
        return f'{self.through[0]}[{t}]' if self.through else t


def affine_text(var, coef, add):
    if var is None:
        return str(add)
    t = var if coef == 1 else f'{coef} * {var}'
    return t + (f' + {add}' if add > 0 else f' - {-add}' if add < 0 else '')


class Access:
    """field: of the record that is accessed, None for a record as a whole; callee: read, or assigned by the operator
    'stores', by a function of its own, which is printed before the program; row: to which it gets a pointer, so that there
    ('within') it is spelled row[j]; macro: spelled AT(a, i, j); through: spelled
    (name of a pointer, its subscript)."""

    def __init__(self, base, subs, field=None):
        self.base, self.subs, self.field, self.callee, self.stores, self.macro = base, subs, field, False, None, False
        self.through, self.aliases, self.wrapped = None, None, ''
        self.row = self.within = False
        self.line = self.column = 0

    @property
    def ctype(self):
        return self.field[1] if self.field else self.base.ctype

    def copy(self):
        return Access(self.base, self.subs, self.field)

    def text(self):
        member = f'.{self.field[0]}' if self.field else ''
        if self.through:
            return f'{self.through[0]}[{self.through[1]}]' + member
        subs = [self.aliases[k][0] if self.aliases and k in self.aliases else s.text() for k, s in enumerate(self.subs)]
        if self.row and self.within:
            return f'row[{subs[-1]}]' + member
        if self.macro:
            return f'AT{len(subs)}({self.base.name}, {", ".join(subs)})' + member
        return self.base.name + ''.join(f'[{x}]' for x in subs) + member


class Cond:
    """Term: 'then' where the remainder of an index is that one, else 'other'."""

    def __init__(self, var, mod, rest, then, other):
        self.var, self.mod, self.rest, self.then, self.other = var, mod, rest, then, other


class Assign:
    """lhs op sum of terms; a term is an Access, a Cond, or the text of an index or a number."""
    lists = {'terms': 0}

    def __init__(self, lhs, op, terms):
        self.lhs, self.op, self.terms, self.increment = lhs, op, terms, ''


class Move:
    """Assignment of a record as a whole."""

    def __init__(self, lhs, rhs):
        self.lhs, self.rhs = lhs, rhs


class Declare:
    """A variable of the enclosing block; without terms it has no value yet.  zero: all of an array or record is 0."""
    lists = {'terms': 0}

    def __init__(self, variable, terms, zero=False):
        self.variable, self.terms, self.zero, self.line = variable, terms, zero, 0


class Point:
    """Declares a pointer to an element (of 'access', which is not read)."""

    def __init__(self, name, access):
        self.name, self.access = name, access


class Skip:
    """word: 'continue' or 'break', of the innermost loop, where the remainder of an index is that one."""

    def __init__(self, word, var, mod, rest):
        self.word, self.var, self.mod, self.rest = word, var, mod, rest


class Test:
    """Depends on a value."""
    lists = {'body': 1}

    def __init__(self, access, bound, body):
        self.access, self.bound, self.body = access, bound, body


class Update:
    """Update of a reduction variable.  computes: 'sum' 'product' 'max' 'min' 'and' 'or' 'xor' 'last'; form: which of the
    spellings of forms.py; loc: [(Access, index text)] assigned together with the extreme; stray: the locations are assigned
    whether the extreme was or not."""
    lists = {'terms': 0}

    def __init__(self, target, computes, form, terms):
        self.target, self.computes, self.form, self.terms = target, computes, form, terms
        self.loc, self.stray, self.at = [], False, {}   # at: filled by the writer, letter of forms.py -> access or terms


class Print:
    def __init__(self, access):
        self.access = access


class If:
    lists = {'body': 1}

    def __init__(self, var, mod, rest, body):
        self.var, self.mod, self.rest, self.body, self.shape = var, mod, rest, body, ''


class For:
    """Sequential loop."""
    lists = {'body': 1}

    def __init__(self, loop, body):
        self.loop, self.body, self.shape = loop, body, ''


class Loop:
    """'last' is met or passed; parity: name of an outer index whose remainder by 2 is added to 'first'; after: an outer Loop
    whose index is added to 'first'; limit: (table as in Sub.through, outer Loop) whose value at that index is the last one; declared: the index is declared in the 'for', else at the top of the function."""

    def __init__(self, var, first, last, step, parity=None, declared=True):
        self.var, self.first, self.last, self.step = var, first, last, step
        self.parity, self.declared, self.after, self.limit = parity, declared, None, None
        self.ctype_of_index, self.compare, self.last_name, self.first_name, self.step_by, self.step_name = 'int', '', None, None, '', None

    def values(self, env=None):
        first = self.first + (remainder(env[self.parity], 2) if self.parity and env else 0) + (env[self.after.var] if self.after else 0)
        last = self.limit[0][1][env[self.limit[1].var]] if self.limit else self.last
        return range(first, last + (1 if self.step > 0 else -1), self.step)

    def reach(self):
        """Every value that the index may take."""
        if self.limit:
            return list(range(self.first, max(self.limit[0][1]) + 1, self.step))
        if self.after:
            return sorted({v for outer in self.after.reach() for v in self.values({self.after.var: outer})})
        return list(self.values()) + [v + 1 for v in self.values() if self.parity]

    def pieces(self):
        """What begins it, its condition, what steps it."""
        v, up, c = self.var, self.step > 0, abs(self.step)
        first = f'{self.first_name[0] if self.first_name else self.first}' + (f' + {self.parity} % 2' if self.parity else '') + \
            (f' + {self.after.var}' if self.after else '')
        last = f'{self.limit[0][0]}[{self.limit[1].var}]' if self.limit else self.last_name[0] if self.last_name else str(self.last)
        if self.compare == 'unequal':
            test = f'{v} != {self.first + self.step * len(self.values())}'
        elif self.compare == 'less':
            test = f'{v} {"<" if up else ">"} ' + (f'{last} {"+" if up else "-"} 1' if self.last_name or self.limit else str(self.last + (1 if up else -1)))
        elif self.compare == 'flipped':
            test = f'{last} {">=" if up else "<="} {v}'
        else:
            test = f'{v} {"<=" if up else ">="} {last}'
        sign = '+' if up else '-'
        by = self.step_name[0] if self.step_by == 'name' else c
        how = f'{v} = {v} {sign} {by}' if self.step_by == 'sum' or self.step_by == 'sum_left' and not up else f'{v} = {by} + {v}' if self.step_by == 'sum_left' \
            else f'{v}{sign}{sign}' if by == 1 else f'{v} {sign}= {by}'
        return f'{self.ctype_of_index + " " if self.declared else ""}{v} = {first}', test, how

    def text(self):
        return 'for (' + '; '.join(self.pieces()) + ')'

    def numbers(self):
        return [x for x in (self.last_name, self.first_name, self.step_name) if x]


class Parallel:
    """on: (Array, Param or Template, axes) or None; an axis is a Sub of an index or constant, or None for [].
    reduction: [Reduced]; renew: [(array, widths or None, corner)]; across: [(array, widths)]; remote: [(array, axes)]; out: arrays of 'across' that are marked so;
    groups: names started ('shadow_start') or waited for by a clause: [(word, name)]; region: in a region of its own;
    together: reductions of a group in one clause."""
    lists = {'body': 1, 'private': 0, 'reduction': 0, 'renew': 0, 'across': 0, 'out': 0, 'remote': 0, 'groups': 0}

    def __init__(self, loops, on, body):
        self.loops, self.on, self.body = loops, on, body
        self.private, self.reduction, self.renew, self.across, self.out, self.remote, self.groups = [], [], [], [], [], [], []
        self.region = self.together = self.braces = False
        self.number = 0                                  # line of the directive


class Reduced:
    """One variable of a reduction clause; loc: location Variable of maxloc / minloc, or None; group: name or None."""

    def __init__(self, op, variable, loc=None, group=None):
        self.op, self.variable, self.loc, self.group = op, variable, loc, group


class Call:
    def __init__(self, function, arrays):
        self.function, self.arrays = function, arrays


class Redistribute:
    def __init__(self, array, dist):
        self.array, self.dist, self.number = array, dist, 0


class Realign:
    def __init__(self, array, target, axes, new_value):
        self.array, self.target, self.axes, self.new_value, self.number = array, target, axes, new_value, 0


class ShadowGroup:
    lists = {'members': 1}

    def __init__(self, name, members):
        self.name, self.members, self.number = name, members, 0   # members: as in Parallel.renew


class Stand:
    """shadow_start(name) and the like, standing alone."""

    def __init__(self, word, name):
        self.word, self.name, self.number = word, name, 0


class ArrayCopy:
    def __init__(self, dst, src):
        self.dst, self.src, self.number = dst, src, 0


class RemoteBlock:
    lists = {'body': 1, 'remote': 1}

    def __init__(self, remote, body):
        self.remote, self.body, self.number = remote, body, 0


class TaskRegion:
    """body: TaskOn blocks, one task each."""
    lists = {'body': 1}

    def __init__(self, name, body):
        self.name, self.body, self.number = name, body, 0


class TaskOn:
    lists = {'body': 1}

    def __init__(self, name, index, body):
        self.name, self.index, self.body = name, index, body


class Program:
    lists = {'body': 0, 'functions': 0}

    def __init__(self, number):
        self.number, self.templates, self.arrays, self.variables, self.tables, self.functions = number, [], [], [], [], []
        self.offsets = []                         # (name, value): variables that subscripts add
        self.record = None
        self.body, self.indices = [], []                 # indices: Variables of loops with declared = False
        self.calls = 1                                   # how often main calls it
        self.first_line = self.last_line = self.second_first = self.second_last = 0   # lines of its text


def of_terms(terms):
    for t in terms:
        yield from (x for x in ([t.then, t.other] if isinstance(t, Cond) else [t]) if isinstance(x, Access))


def accesses_of(body):
    """Every access of the statements, in the order of the text (an Update's as printed last)."""
    for s in body:
        if isinstance(s, Assign):
            yield s.lhs
            yield from of_terms(s.terms)
        elif isinstance(s, Update):
            yield s.target
            yield from (t for t in s.terms if isinstance(t, Access))
            yield from (l for l, _ in s.loc)
        elif isinstance(s, Move):
            yield s.lhs
            yield s.rhs
        elif isinstance(s, Declare):
            yield from of_terms(s.terms or [])
        elif isinstance(s, Point):
            yield s.access
        elif isinstance(s, Test):
            yield s.access
            yield from accesses_of(s.body)
        elif isinstance(s, Print):
            yield s.access
        elif hasattr(s, 'body'):
            yield from accesses_of(s.body)


def statements_of(body):
    for s in body:
        yield s
        if hasattr(s, 'body'):
            yield from statements_of(s.body)
