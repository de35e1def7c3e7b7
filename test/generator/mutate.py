"""One mistake in the directives of a right program."""
from pieces import Piece
from program import Parallel, Realign, Redistribute, Reduced, ShadowGroup, Stand, Sub, statements_of


def narrowed(r, widths):
    """The widths with one of them less by one, or None."""
    wide = [(k, side) for k, w in enumerate(widths) for side in (0, 1) if w[side] > 0]
    if not wide:
        return None
    k, side = r.choice(wide)
    return [tuple(w[i] - (j == k and i == side) for i in (0, 1)) for j, w in enumerate(widths)]


def mutations(r, program):
    """Functions that do one change each."""
    out = []
    bodies = [program.body] + [f.body for f in program.functions]
    for s in [x for b in bodies for x in statements_of(b)]:
        if isinstance(s, Parallel):
            out += of_parallel(r, s)
        elif isinstance(s, ShadowGroup):
            out += of_members(r, s.members)
        elif isinstance(s, Piece):
            out += [lambda s=s, slip=slip: setattr(s, 'slip', slip) for slip in s.slips]
    for k, s in enumerate(program.body):
        if isinstance(s, (Stand, Redistribute, Realign, ShadowGroup)):
            out.append(lambda k=k: program.body.pop(k))
            if k + 1 < len(program.body):
                out.append(lambda k=k: program.body.insert(k + 1, program.body.pop(k)))
    for a in program.arrays:
        if a.shadow:
            less = narrowed(r, a.shadow)
            if less:
                out.append(lambda a=a, less=less: setattr(a, 'shadow', less))
    return out


def of_members(r, members):
    out = []
    for k, (a, widths, corner) in enumerate(members):
        if len(members) > 1:
            out.append(lambda k=k: members.pop(k))
        less = narrowed(r, widths or getattr(a, 'shadow', None) or [])
        if less:
            out.append(lambda k=k, a=a, less=less, corner=corner: members.__setitem__(k, (a, less, corner)))
        if corner:
            out.append(lambda k=k, a=a, widths=widths: members.__setitem__(k, (a, widths, False)))
    return out


def of_parallel(r, s):
    out = of_members(r, s.renew)
    for clause in (s.private, s.reduction, s.renew, s.across, s.out, s.remote, s.groups):
        for k in range(len(clause)):
            out.append(lambda clause=clause, k=k: clause.pop(k))
    for k, (a, widths) in enumerate(s.across):
        less = narrowed(r, widths or [])
        if less and any(l + h for l, h in less):
            out.append(lambda k=k, a=a, less=less: s.across.__setitem__(k, (a, less)))
        if widths:
            turned = [(h, l) for l, h in widths]
            out.append(lambda k=k, a=a, turned=turned: s.across.__setitem__(k, (a, turned)))
    for x in s.reduction:
        other = r.choice(['sum', 'max', 'min'])
        if other != x.op and not x.loc:
            out.append(lambda x=x, other=other: setattr(x, 'op', other))
    for v in list(s.private):
        if not v.dims and not v.record:
            out.append(lambda v=v: (s.private.remove(v), s.reduction.append(Reduced('sum', v))))
    for loop in s.loops:
        out.append(lambda loop=loop: setattr(loop, 'last', loop.last + (1 if loop.step > 0 else -1)))
        if abs(loop.step) == 1 and loop.parity is None:
            out.append(lambda loop=loop: turn(loop))
    if s.on is not None and not s.across:
        target, axes = s.on
        for k, x in enumerate(axes):
            if x is not None and x.var:
                out.append(lambda k=k, x=x, axes=axes: axes.__setitem__(k, Sub(x.var, x.coef, x.add + 1)))
        if len(s.loops) == len(axes) == 2 and all(x is not None and x.var for x in axes) and target.dims[0:1] == target.dims[1:2] \
                if hasattr(target, 'dims') else False:
            out.append(lambda axes=axes: axes.reverse())
    return out


def turn(loop):
    values = list(loop.values())
    loop.first, loop.last, loop.step = values[-1], values[0], -loop.step


def mutate(r, program):
    """Mostly in the later constructs: the first ones only give the arrays their values."""
    ways = mutations(r, program)
    if ways:
        r.choice(ways[len(ways) // 3:] if r.random() < 0.8 else ways)()
