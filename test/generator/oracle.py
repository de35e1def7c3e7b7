"""What the checker must say of a program, from the definition of the diagnostics alone: an interpreter that keeps every
access of a construct and asks the definitions, with no thought of speed.  Gives the set of (id, line, column, name)."""
from program import Access, Array, Assign, For, If, Parallel, Print

NEVER, ASSIGNED, WAS_PRIVATE = 'never', 'assigned', 'was private'


class Construct:
    """One execution of a parallel loop."""

    def __init__(self, node):
        self.node = node
        self.iteration, self.point = None, None
        self.wrote, self.readers = {}, {}    # element -> iteration that wrote last; who has read it since: {iteration: covered}
        self.first = {}                      # replicated element -> 'read' or 'written': its first access
        self.assigned = {}                   # private element -> iteration that assigned it
        self.written_arrays = set()
        self.private = {v.name for v in node.private}
        self.reduction = {v.name for v in node.reduction}
        self.across = {a.name: w for a, w in node.across}
        self.remote = {a.name: axes for a, axes in node.remote}


class Oracle:
    def __init__(self, program):
        self.program = program
        self.value = {}       # (name, subscripts) -> ASSIGNED ..; absent: initial(name)
        self.initial = {v.name: ASSIGNED if v.where == 'global' else NEVER for v in program.variables}
        self.initial.update({a.name: NEVER for a in program.arrays})
        self.fresh = {a.name: [] for a in program.arrays}   # exchanges since the last write: (widths, corner)
        self.construct, self.found, self.owner = None, {}, None

    def run(self):
        self.block(self.program.body, {})
        return set(self.found.values())

    def report(self, ident, access):
        key = (ident, access.base.name, self.construct and self.construct.node.number, access.line)
        self.found.setdefault(key, (ident, access.line, access.column, access.base.name))

    # Statements.
    def block(self, body, env):
        for s in body:
            if isinstance(s, Assign):
                self.assign(s, env)
            elif isinstance(s, Print):
                self.read(s.access, env, output=True)
            elif isinstance(s, If):
                if env[s.var] % s.mod == s.rest:
                    self.block(s.body, env)
            elif isinstance(s, For):
                for v in s.loop.values():
                    self.block(s.body, {**env, s.loop.var: v})
            else:
                self.parallel(s, env)

    def assign(self, s, env):
        outside = self.construct is None
        self.owner = self.place_of(s.lhs, env) if outside and s.lhs.base.distributed else None
        for t in s.terms:
            if isinstance(t, Access):
                self.read(t, env)
        if s.op == '+=':
            self.read(s.lhs, env, compound=True)
        self.write(s.lhs, env)
        self.owner = None

    def parallel(self, node, env):
        for array, widths, corner in node.renew:
            self.fresh[array.name].append((widths or array.widths(), corner))
        self.construct = Construct(node)
        self.nest(node, 0, dict(env))
        over, self.construct = self.construct, None
        for name in over.written_arrays:
            self.fresh[name] = []
        for v in node.private:
            self.value = {e: s for e, s in self.value.items() if e[0] != v.name}
            self.initial[v.name] = WAS_PRIVATE
        for element, how in over.first.items():
            if how == 'written':
                self.value[element] = WAS_PRIVATE

    def nest(self, node, depth, env):
        if depth == len(node.loops):
            self.construct.iteration = tuple(env[l.var] for l in node.loops)
            self.construct.point = self.point(node, env)
            self.block(node.body, env)
            return
        loop = node.loops[depth]
        for v in loop.values():
            env[loop.var] = v
            self.nest(node, depth + 1, env)

    # Where things lie.
    @staticmethod
    def point(node, env):
        """(template, coordinate in each of its dimensions, None where the iteration is replicated)."""
        if node.on is None:
            return None
        array, axes = node.on
        coordinates = []
        for place in array.place:
            if place[0] == 'const':
                coordinates.append(place[1])
            else:
                axis = axes[place[1]]
                coordinates.append(None if axis is None else place[2] * axis.value(env) + place[3])
        return array.template, coordinates

    @staticmethod
    def own_index(array, point):
        """The element of the iteration in each mapped dimension of the array: {dimension: index}; None: it has none."""
        template, coordinates = point
        if array.template is not template:
            return None
        index = {}
        for d, place in enumerate(array.place):
            if template.dist[d] == '*':
                continue
            c = coordinates[d]
            if c is None or (place[0] == 'const' and place[1] != c):
                return None
            if place[0] == 'dim':
                _, k, coef, add = place
                if (c - add) % coef:
                    return None
                index[k] = (c - add) // coef
                if not 0 <= index[k] < array.dims[k]:
                    return None
        return index

    @staticmethod
    def place_of(access, env):
        """Owner of a distributed element: its template and coordinates in the block dimensions."""
        array, subs = access.base, [s.value(env) for s in access.subs]
        if not inside(array, subs):
            return None
        template = array.template
        return template, tuple(p[1] if p[0] == 'const' else p[2] * subs[p[1]] + p[3]
                               for d, p in enumerate(array.place) if template.dist[d] == 'block')

    # Accesses.
    def read(self, access, env, output=False, compound=False):
        subs = tuple(s.value(env) for s in access.subs)
        element = (access.base.name, subs)
        if not inside(access.base, subs):
            return self.report('dvm-out-of-bounds', access)
        if access.base.distributed:
            if self.state(element) != ASSIGNED:
                self.report('dvm-uninitialized', access)
            if self.construct is None:
                if not output and self.place_of(access, env) != self.owner:
                    self.report('dvm-sequential-access', access)
                return None
            if not compound:                    # else the write judges the place: one cause, one report
                self.locality(access, subs, env, writing=False)
            if self.state(element) == ASSIGNED:     # what has no value depends on nothing: one report is enough
                self.dependence(access, element, writing=False)
        elif self.construct is None:
            self.initialised(access, element)
        else:
            self.replicated(access, element, writing=False)
        return None

    def write(self, access, env):
        subs = tuple(s.value(env) for s in access.subs)
        element = (access.base.name, subs)
        if not inside(access.base, subs):
            return self.report('dvm-out-of-bounds', access)
        if access.base.distributed:
            self.value[element] = ASSIGNED
            if self.construct is None:
                self.fresh[access.base.name] = []
                return None
            self.construct.written_arrays.add(access.base.name)
            self.locality(access, subs, env, writing=True)
            self.dependence(access, element, writing=True)
        elif self.construct is None:
            self.value[element] = ASSIGNED
        else:
            self.replicated(access, element, writing=True)
        return None

    def state(self, element):
        return self.value.get(element, self.initial[element[0]])

    def initialised(self, access, element):
        state = self.state(element)
        if state != ASSIGNED:
            self.report('dvm-uninitialized' if state == NEVER else 'dvm-private-uninitialized', access)

    def locality(self, access, subs, env, writing):
        c, array = self.construct, access.base
        if c.point is not None:
            own = self.own_index(array, c.point)
            shift = None if own is None else {k: subs[k] - own[k] for k in own if subs[k] != own[k]}
            if shift == {}:
                return
            edge = shift is not None and all(-array.widths()[k][0] <= s <= array.widths()[k][1] for k, s in shift.items())
        else:
            edge = False
        if array.name in c.remote and not writing:
            axes = c.remote[array.name]
            if all(x is None or x.text() == s.text() for x, s in zip(axes, access.subs)):
                return
            if edge:
                pass
            else:
                return self.report('dvm-remote-uncovered', access)
        if not edge:
            return self.report('dvm-nonlocal-access', access)
        if writing:
            return self.report('dvm-shadow-write', access)
        if array.name in c.across and all(-c.across[array.name][k][0] <= s <= c.across[array.name][k][1] for k, s in shift.items()):
            return None
        for widths, corner in self.fresh[array.name]:
            if all(-widths[k][0] <= s <= widths[k][1] for k, s in shift.items()) and (corner or len(shift) == 1):
                return None
        return self.report('dvm-shadow-stale', access)

    def dependence(self, access, element, writing):
        """Another iteration wrote the element, or has read it and this is a write; across covers what the reader's
        displacement tells."""
        c, me = self.construct, self.construct.iteration
        covered = self.covered_by_across(access.base, element[1])
        conflict = c.wrote.get(element, me) != me and not covered
        if writing:
            conflict = conflict or any(r != me and not fine for r, fine in c.readers.get(element, {}).items())
            c.wrote[element], c.readers[element] = me, {}
        else:
            c.readers.setdefault(element, {}).setdefault(me, True)
            c.readers[element][me] = c.readers[element][me] and covered
        if conflict:
            self.report('dvm-across-distance' if access.base.name in c.across else 'dvm-loop-dependence', access)

    def covered_by_across(self, base, subs):
        c = self.construct
        if base.name not in c.across:
            return False
        own = self.own_index(base, c.point)
        return all(-low <= subs[k] - own[k] <= high for k, (low, high) in enumerate(c.across[base.name]))

    def replicated(self, access, element, writing):
        c, name = self.construct, element[0]
        if name in c.private or c.first.get(element) == 'written':
            if writing:
                c.assigned[element] = c.iteration
            elif c.assigned.get(element) != c.iteration:
                self.report('dvm-private-uninitialized', access)
            return
        if not writing:
            self.initialised(access, element)
        if name in c.reduction:
            if writing:
                self.value[element] = ASSIGNED
            return
        if c.point is None:                     # shared by the iterations
            if writing or self.state(element) == ASSIGNED:
                self.dependence(access, element, writing)
            if writing:
                self.value[element] = ASSIGNED
            return
        if not writing:
            c.first.setdefault(element, 'read')
        elif c.first.get(element) == 'read':
            self.report('dvm-readonly-write', access)
            self.value[element] = ASSIGNED
        else:
            c.first[element] = 'written'
            c.assigned[element] = c.iteration
            self.report('dvm-undeclared-private', access)


def inside(base, subs):
    return all(0 <= s < n for s, n in zip(subs, base.dims))
