"""What is wrong with one access, from the definition of the diagnostics alone: every access of a construct is kept and the
definitions are asked, with no thought of speed."""
from program import Param, Template

NEVER, ASSIGNED, WAS_PRIVATE = 'never', 'assigned', 'was private'


class Construct:
    """One execution of a parallel loop."""

    def __init__(self, node):
        self.node = node
        self.iteration, self.point = None, None
        self.reached = {}                    # index variable -> its least and its greatest value
        self.wrote, self.readers = {}, {}    # element -> iteration that wrote last; who has read it since: {iteration: covered}
        self.first = {}                      # replicated element -> 'read' or 'written': its first access
        self.assigned = {}                   # private element -> iteration that assigned it
        self.written_arrays, self.written_by_text = set(), set()   # so far; by some statement of the nest
        self.across, self.remote = {}, {}    # array name -> widths; array name -> axes
        self.out = set()                     # names under across that are marked 'out:'
        self.faint = {}                      # element whose missing value has been reported -> iterations that read it
        self.edge_reads = []                 # those without their present value: (array, line)
        self.stale, self.blamed = [], set()  # reads of edges that nothing brings; arrays with a dependence beyond across
        self.reduced = {}                    # name -> Reduced
        self.told = set()                    # reduction variables that an earlier reduction still has: told of at the clause
        self.unset = False                   # private data were read that the iteration had not assigned
        self.private = {v.name for v in node.private}
        self.copies = {}                     # name of an array with copies -> Copies: what the nest has assigned of it


class Copies:
    """Of an array with copies along dimensions by which the iterations are divided: each iteration writes one."""

    def __init__(self, access, number):
        self.access, self.number, self.places = access, number, {}    # the first access; how many there are; element -> {place: value}

    def lacking(self):
        return [e for e, places in self.places.items() if len(places) < self.number or len(set(places.values())) > 1]

    def unknown(self):
        """Whether copies of some element have the same value is not known."""
        return any(len(places) == self.number and None in places.values() for places in self.places.values())


class Layout:
    """Where arrays lie now."""

    def __init__(self, program):
        self.dist = {id(t): list(t.dist) for t in program.templates}
        self.dist.update({id(a.template): list(a.template.dist) for a in program.arrays if a.by is None})
        self.by = {a.name: a.by for a in program.arrays}
        self.places = {}

    def blocks(self, template):
        return [d != '*' for d in self.dist[id(template)]]

    def place(self, x):
        """(template, [('dim', k, coef, add) | ('const', c) | ('all',)] for each of its dimensions) of an array or template."""
        if isinstance(x, Template):
            return x, [('dim', k, 1, 0) for k in range(len(x.sizes))]
        if x.name not in self.places:
            if self.by[x.name] is None:
                self.places[x.name] = self.place(x.template)
            else:
                target, axes = self.by[x.name]
                template, outer = self.place(target)
                self.places[x.name] = template, [composed(o, axes) for o in outer]
        return self.places[x.name]

    def realign(self, array, target, axes):
        self.by[array.name] = (target, axes)
        self.places = {}

    def redistribute(self, array, dist):
        self.dist[id(array.template)] = list(dist)

    def mapped_dims(self, array):
        template, place = self.place(array)
        return {p[1] for p, block in zip(place, self.blocks(template)) if block and p[0] == 'dim'}

    def everywhere(self, array):
        template, place = self.place(array)
        return all(not block or p[0] == 'all' for p, block in zip(place, self.blocks(template)))

    def copied(self, array, point):
        """Are there copies of it in a dimension along which the iterations are divided?  Then one of them writes one copy."""
        template, coordinates = point
        home, place = self.place(array)
        return home is template and bool(self.copies(array, point))

    def copies(self, array, point):
        """The dimensions of the template along which there are copies, and the place of the iteration there."""
        template, coordinates = point
        _, place = self.place(array)
        return {k: c for k, (p, block, c) in enumerate(zip(place, self.blocks(template), coordinates)) if block and p[0] == 'all' and c is not None}

    def widths(self, array):
        if array.shadow:
            return array.shadow
        mapped = self.mapped_dims(array)
        return [(1, 1) if k in mapped else (0, 0) for k in range(len(array.dims))]

    def point(self, target, axes, env):
        """(template, coordinate in each of its dimensions, None where the iteration is replicated)."""
        template, place = self.place(target)
        out = []
        for p in place:
            if p[0] == 'dim' and axes[p[1]] is not None:
                out.append(p[2] * axes[p[1]].value(env) + p[3])
            else:
                out.append(p[1] if p[0] == 'const' else None)
        return template, out

    def for_all(self, point):
        """Does every processor execute the iteration?"""
        return all(not block or c is None for block, c in zip(self.blocks(point[0]), point[1]))

    def own_index(self, array, point, whole=False):
        """The element of the iteration in each divided dimension of the array: {dimension: index}; None: it has none.
        whole: in dimensions that are not divided, too, where the iteration stands at one index."""
        template, coordinates = point
        home, place = self.place(array)
        if home is not template:
            return None
        index = {}
        for p, block, c in zip(place, self.blocks(template), coordinates):
            if not block or p[0] == 'all':
                if whole and p[0] == 'dim' and c is not None and (c - p[3]) % p[2] == 0:
                    index[p[1]] = (c - p[3]) // p[2]
                continue
            if c is None or (p[0] == 'const' and p[1] != c):
                return None
            if p[0] == 'dim':
                _, k, coef, add = p
                if (c - add) % coef:
                    return None
                index[k] = (c - add) // coef
                if not 0 <= index[k] < array.dims[k]:
                    return None
        return index

    def between(self, array, point, subs):
        """The iteration has no element, for only every second point has one: the element, in each divided dimension, of that block of
        two points around the iteration's from which 'subs' is the farthest.  None: some block of two has none."""
        template, coordinates = point
        home, place = self.place(array)
        if home is not template:
            return None
        index = {}
        for p, block, dist, c, size in zip(place, self.blocks(template), self.dist[id(template)], coordinates, template.sizes):
            if not block or p[0] == 'all':
                continue
            if c is None or (p[0] == 'const' and p[1] != c):
                return None
            if p[0] == 'dim':
                _, k, coef, add = p
                if (c - add) % coef == 0:
                    own = [(c - add) // coef]
                elif abs(coef) == 2 and dist.startswith(('block', 'multblock')):   # others may have blocks of one
                    own = [(q - add) // coef for q in (c - 1, c + 1) if 0 <= q < size]
                else:
                    return None
                if not own or any(not 0 <= o < array.dims[k] for o in own):
                    return None
                index[k] = max(own, key=lambda o: abs(subs[k] - o))
        return index

    def home(self, array, subs):
        """Owner of an element: template and its coordinates, None in whole dimensions and in those where it is replicated."""
        template, place = self.place(array)
        return template, [None if not block or p[0] == 'all' else p[1] if p[0] == 'const' else p[2] * subs[p[1]] + p[3]
                          for p, block in zip(place, self.blocks(template))]

    def beside(self, array, subs, owner):
        """Is the element wherever 'owner' (of 'home', or None: everywhere) is?"""
        if self.everywhere(array):
            return True
        if owner is None:
            return False
        template, coordinates = self.home(array, subs)
        return template is owner[0] and all(mine in (None, other) for mine, other in zip(coordinates, owner[1]))


def composed(outer, axes):
    if outer[0] != 'dim':
        return outer
    axis = axes[outer[1]]
    if axis[0] == 'dim':
        return 'dim', axis[1], outer[2] * axis[2], outer[2] * axis[3] + outer[3]
    return ('const', outer[2] * axis[1] + outer[3]) if axis[0] == 'const' else axis


class Rules:
    """Judges reads and writes.  The subclass runs the program and keeps construct, owner and pending reductions."""

    def __init__(self, program):
        self.layout = Layout(program)
        self.state_of, self.initial = {}, {v.name: ASSIGNED if v.where in ('global', 'kept') else NEVER for v in program.variables + program.indices}
        self.initial.update({a.name: NEVER for a in program.arrays})
        self.fresh = {a.name: [] for a in program.arrays}    # exchanges since the last write: (widths, corner)
        self.flying = {}                                     # group -> [(array, widths, corner)], its exchange under way
        self.pending = {}                                    # (group, reduction variable) -> its reduction, not waited for
        self.construct, self.owner, self.block_remote = None, None, {}
        self.task, self.task_wrote, self.task_readers = None, {}, {}
        self.task_left = set()  # what tasks of a region that is over have written
        self.bound = {}                                      # Param -> array of the call
        self.found, self.maybe, self.blurred = {}, set(), set()
        self.either = {}                                     # expected item -> (id, line) that may stand for it

    def actual(self, base):
        return self.bound[base] if isinstance(base, Param) else base

    def report(self, ident, access):
        key = (ident, self.actual(access.base).name, self.construct and self.construct.node.number, access.line)
        name = '' if access.macro else 'row' if access.row else access.through[0] if access.through else access.base.name
        self.found.setdefault(key, (ident, access.line, access.column, name))

    def report_at(self, ident, line, name, variable=None):
        """A fault of the directive itself."""
        self.found.setdefault((ident, variable or name, line), (ident, line, 0, name))

    def state(self, element):
        return self.state_of.get(element, self.initial.get(element[0], NEVER))

    def judge_read(self, access, subs, output, compound, carried=False):
        """carried: copied as part of a record, which may be without a value."""
        array = self.actual(access.base)
        element = (array.name, subs)
        if inner(array):
            return self.initialised(access, element)
        self.between_tasks(access, element, writing=False)
        if self.has_copies(array):
            remote = self.construct.remote.get(array.name)
            if remote is not None and agree(remote, access):
                return self.read_buffered(access, element)
            if not compound:
                self.locality(access, array, subs, writing=False)
            return self.ordinary(access, element, writing=False, update=isinstance(compound, str))
        if array.distributed and not (self.layout.everywhere(array) and not output):
            return self.read_distributed(access, array, element, output, compound, carried)
        return self.ordinary(access, element, writing=False, update=isinstance(compound, str))

    def has_copies(self, array):
        """Ordinary data for this nest, though it lies somewhere."""
        c = self.construct
        return (array.distributed and c is not None and c.point is not None and array.name not in c.across
                and self.layout.copied(array, c.point))

    def read_buffered(self, access, element):
        """Of an array with copies, what the loop brings of them by 'remote_access': the values from before it."""
        c = self.construct
        if c.first.get(element) != 'written':
            self.initialised(access, element)
        elif c.assigned[element] != c.iteration:
            c.blamed.add(element[0])
            self.report('dvm-loop-dependence', access)

    def read_distributed(self, access, array, element, output, compound, carried):
        if not carried:
            self.initialised(access, element)
        if self.construct is None:
            if not output and not self.layout.beside(array, element[1], self.owner):
                self.sequential(access, array)
            return
        if not compound:                        # else the write judges the place: one cause, one report
            self.locality(access, array, element[1], writing=False)
        if self.state(element) == ASSIGNED:     # what has no value depends on nothing: one report is enough
            self.dependence(access, element, writing=False)

    def sequential(self, access, array):
        if array.name in self.block_remote:
            if not agree(self.block_remote[array.name], access):
                self.report('dvm-remote-uncovered', access)
        else:
            self.report('dvm-sequential-access', access)

    def judge_write(self, access, subs, update):
        array = self.actual(access.base)
        element = (array.name, subs)
        if inner(array):
            return self.assign_state(element)
        self.between_tasks(access, element, writing=True)
        if not array.distributed:
            return self.ordinary(access, element, writing=True, update=update)
        if self.construct is None:
            for group, members in self.flying.items():
                if any(a is array for a, _, _ in members):
                    self.report('dvm-exchange-write', access)
            self.assign_state(element)
            self.fresh[array.name] = []
            return None
        if self.layout.everywhere(array):
            self.construct.written_arrays.add(array.name)
            self.exchange_write(access, array)   # begun when it was divided
            return self.ordinary(access, element, writing=True, update=False)
        if self.has_copies(array):
            self.construct.written_arrays.add(array.name)
            place = self.locality(access, array, subs, writing=True)
            if not place and array.name in self.construct.remote and agree(self.construct.remote[array.name], access):
                return self.assign_state(element)    # the buffer is written, which has been told
            return self.ordinary(access, element, writing=True, update=False)
        self.assign_state(element)
        self.construct.written_arrays.add(array.name)
        place = self.locality(access, array, subs, writing=True)
        if place or not (array.name in self.construct.remote and agree(self.construct.remote[array.name], access)):
            self.dependence(access, element, writing=True)      # what is assigned in a buffer is no element
        return None

    def between_tasks(self, access, element, writing):
        """Written in one task of the region, accessed in another."""
        me = self.task
        if writing:
            self.task_left.discard(element)
        elif element in self.task_left:
            self.maybe.add(('dvm-task-dependence', access.line))
        if me is None or self.construct and element[0] in self.construct.private:
            return
        readers = self.task_readers.setdefault(element, set())
        if self.task_wrote.get(element, me) != me or writing and readers - {me}:
            array = self.actual(access.base)
            if array.distributed and not self.layout.everywhere(array):
                self.report('dvm-task-dependence', access)
            else:
                self.maybe.add(('dvm-task-dependence', access.line))
        if writing and self.construct and element[0] in self.construct.reduced and self.task_wrote.get(element, me) != me:
            return                               # the result holds the other task's value
        if writing:
            self.task_wrote[element], self.task_readers[element] = me, set()
        else:
            readers.add(me)

    # Distributed arrays.
    def shift(self, array, subs, writing):
        """Displacement from the iteration's own element in each divided dimension, or None: it has none."""
        c = self.construct
        own = None if c.point is None else self.layout.own_index(array, c.point)
        if own is None and c.point is not None and not writing:
            own = self.layout.between(array, c.point, subs)
        return None if own is None else {k: subs[k] - own[k] for k in own if subs[k] != own[k]}

    def locality(self, access, array, subs, writing):
        c, shift = self.construct, self.shift(array, subs, writing)
        if writing:
            self.exchange_write(access, array)
        if shift == {}:
            return True
        if writing and shift is not None and array.name in c.out and covers(c.across[array.name], shift):
            if len(shift) > 1:                  # is a corner sent to its owner?
                self.maybe.add(('dvm-shadow-write', access.line))
            return True
        edge = shift is not None and covers(self.layout.widths(array), shift)
        if array.name in c.remote:
            if agree(c.remote[array.name], access):
                return self.report('dvm-remote-write', access) if writing else True
            if not edge and not writing:
                return self.report('dvm-remote-uncovered', access)
        if not edge:
            return self.report('dvm-nonlocal-access', access)
        if writing:
            return self.report('dvm-shadow-write', access)
        if array.name in c.across and covers(c.across[array.name], shift):
            return True
        if any(covers(widths, shift, corner) for widths, corner in self.fresh[array.name]):
            return True
        for members in self.flying.values():
            if any(a is array and covers(w or self.layout.widths(a), shift, corner) for a, w, corner in members):
                return self.not_brought('dvm-shadow-pending', access, array)
        c.edge_reads.append((array.name, access.line))
        return self.not_brought('dvm-shadow-stale', access, array)

    def not_brought(self, ident, access, array):
        """An edge that no exchange has brought.  A wider 'across' would bring it: first a matter of dependences."""
        c = self.construct
        if array.name in c.across and array in c.written_by_text:
            c.stale.append((ident, array.name, access))
            return None
        return self.report(ident, access)

    def judge_stale(self):
        """At the end of the construct: an array whose dependences go beyond 'across' has no second mistake."""
        c = self.construct
        for name, line in c.edge_reads:      # the dependence alone may be told
            if name in c.blamed and name not in c.across:
                self.maybe.add(('dvm-shadow-stale', line))
        for ident, name, access in self.construct.stale:
            if name not in self.construct.blamed:
                self.report(ident, access)

    def exchange_write(self, access, array):
        if any(a is array for members in self.flying.values() for a, _, _ in members):
            self.report('dvm-exchange-write', access)

    def dependence(self, access, element, writing):
        """Another iteration wrote the element, or has read it and this is a write; across covers what the reader's
        displacement tells."""
        c, me, array = self.construct, self.construct.iteration, self.actual(access.base)
        covered = self.covered_by_across(array, element[1])
        conflict = c.wrote.get(element, me) != me and not covered
        if writing:
            conflict = conflict or any(r != me and not fine for r, fine in c.readers.get(element, {}).items())
            mine = c.readers.get(element, {}).get(me, True)
            c.wrote[element], c.readers[element] = me, {} if mine else {me: False}    # 'a[i + 1] += 1' has read it too
        else:
            if array.distributed and array.name in c.remote and agree(c.remote[array.name], access):
                if c.wrote.get(element, me) != me:      # the buffer holds the values at entry
                    self.report('dvm-loop-dependence', access)
                return
            c.readers.setdefault(element, {}).setdefault(me, True)
            c.readers[element][me] = c.readers[element][me] and covered
        if conflict:
            c.blamed.add(array.name)
            self.report('dvm-across-distance' if array.name in c.across else 'dvm-loop-dependence', access)

    def covered_by_across(self, array, subs):
        c = self.construct
        if array.name not in c.across:
            return False
        if c.point is None:                     # each iteration stands at the element of its indices: some dimension carries it
            return any(-low <= s - i <= high and s != i
                       for s, i, (low, high) in zip(subs, c.iteration, c.across[array.name]))
        own = self.layout.own_index(array, c.point, whole=True)
        return own is not None and all(-low <= subs[k] - own.get(k, subs[k]) <= high
                                       for k, (low, high) in enumerate(c.across[array.name]))

    # Ordinary data, and arrays that every processor holds.
    def ordinary(self, access, element, writing, update):
        if any(n == element[0] for _, n in self.pending) and not (self.construct and element[0] in self.construct.told):
            self.report('dvm-reduction-pending', access)
        if self.construct is not None:
            return self.replicated(access, element, writing, update)
        if writing:
            self.assign_state(element)
            return None
        return self.initialised(access, element)

    def assign_state(self, element):
        self.state_of[element] = ASSIGNED
        self.blurred.discard(element)

    def initialised(self, access, element):
        state = self.state(element)
        if state != ASSIGNED and element in self.blurred:
            self.maybe.update((i, access.line) for i in ('dvm-uninitialized', 'dvm-private-uninitialized'))
        elif state != ASSIGNED:
            self.report('dvm-uninitialized' if state == NEVER else 'dvm-private-uninitialized', access)
        return state != ASSIGNED

    def replicated(self, access, element, writing, update):
        c, name, array = self.construct, element[0], self.actual(access.base)
        if name in c.private or c.first.get(element) == 'written':
            if writing:
                c.assigned[element] = c.iteration
                self.assign_copy(access, element)
            elif c.assigned.get(element) != c.iteration:
                self.report('dvm-private-uninitialized', access)
                c.unset = True
            return
        if not writing and self.initialised(access, element) and c.point is not None and name not in c.reduced:
            self.blurred.add(element)           # one cause, one report: more of its reads may be told of or not
        if name in c.reduced:
            if writing:
                self.assign_state(element)
            elif not update:
                self.escaped(access, element)
            return
        by_all = array.distributed and c.point is not None and self.layout.for_all(c.point)
        if c.point is None or by_all:           # shared by the iterations
            if not writing and element in self.blurred:
                c.faint.setdefault(element, set()).add(c.iteration)
            elif writing and c.faint.get(element, set()) - {c.iteration}:
                self.maybe.add(('dvm-across-distance' if name in c.across else 'dvm-loop-dependence', access.line))
            if writing or self.state(element) == ASSIGNED:
                self.dependence(access, element, writing)
            if writing:
                self.assign_state(element)
            return
        if not writing:
            c.first.setdefault(element, 'read')
        elif c.first.get(element) == 'read':
            self.report('dvm-readonly-write', access)
            self.assign_state(element)
        else:
            c.first[element] = 'written'
            self.blurred.discard(element)
            c.assigned[element] = c.iteration
            if not self.assign_copy(access, element):
                self.report('dvm-undeclared-private', access)

    def assign_copy(self, access, element):
        """Of an array with copies, the one of the iteration; False: it has none.  Whether all are assigned shows at the end."""
        c, array = self.construct, self.actual(access.base)
        if not self.has_copies(array):
            return False
        template, number = c.point[0], 1
        places = self.layout.copies(array, c.point)
        for k in places:
            number *= template.sizes[k]
        copies = c.copies.setdefault(array.name, Copies(access, number))
        copies.place = tuple(places.values())
        copies.places.setdefault(element, {})[copies.place] = None
        return True

    def judge_copies(self):
        """At the end of the construct: the elements of which not every copy was assigned, or that have not the same value in each, are private."""
        for copies in self.construct.copies.values():
            if copies.lacking():
                self.report('dvm-undeclared-private', copies.access)

    def escaped(self, access, element):
        raise NotImplementedError


def inner(base):
    """Is it a variable of the block, which each iteration has for itself?"""
    return not base.distributed and base.where == 'inner'


def agree(axes, access):
    """Do the fixed subscripts of a remote section agree with the reference?"""
    return not access.through and not access.callee and all(x is None or x.text() == s.text() for x, s in zip(axes, access.subs))


def covers(widths, shift, corner=True):
    return all(-widths[k][0] <= s <= widths[k][1] for k, s in shift.items()) and (corner or len(shift) == 1)


def inside(base, subs):
    return all(0 <= s < n for s, n in zip(subs, base.dims))
