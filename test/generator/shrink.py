"""Makes a program smaller as long as it is judged differently in the same way."""
from program import Access, Assign, Call, Cond, For, If, Parallel, Sub, Test, Update, of_terms, statements_of
from spell import DEFAULTS, spelled_objects


def bodies_of(program):
    yield program.body
    for f in program.functions:
        yield f.body


def removals(program):
    """Pairs (do, undo); the big ones first."""
    def drop(items, k):
        kept = items[k]
        return (lambda: items.pop(k)), (lambda: items.insert(k, kept))

    def change(x, name, value):
        old = getattr(x, name)
        return (lambda: setattr(x, name, value)), (lambda: setattr(x, name, old))

    def set_all(name, changes):
        return (lambda: [setattr(x, name, new) for x, _, new in changes]), (lambda: [setattr(x, name, old) for x, old, _ in changes])

    def hoist(body, k, inner):
        old = body[k]
        return (lambda: body.__setitem__(slice(k, k + 1), inner)), (lambda: body.__setitem__(slice(k, k + len(inner)), [old]))

    for body in bodies_of(program):
        for k in reversed(range(len(body))):
            yield drop(body, k)
    everything = [s for body in bodies_of(program) for s in statements_of(body)]
    for s in [program] + everything:
        for name, least in getattr(s, 'lists', {}).items():
            items = getattr(s, name) or []
            for k in reversed(range(len(items))):
                if len(items) > least and not (s is program and name == 'functions'):
                    yield drop(items, k)
    for s in [program] + program.functions + everything:
        for k, inner in enumerate(getattr(s, 'body', [])):
            if isinstance(inner, (If, Test)) or isinstance(inner, For) and not uses(inner.body, inner.loop.var):
                yield hoist(s.body, k, inner.body)
            if isinstance(inner, Call) and len(inner.function.body) == 1 and s is program:
                pass
    for name, usual in DEFAULTS.items():
        spelled = [x for x in spelled_objects(program) if getattr(x, name, usual) != usual]
        if spelled:
            yield set_all(name, [(x, getattr(x, name), usual) for x in spelled])
    if program.calls > 1:
        yield change(program, 'calls', 1)
    passed = {a.name for s in everything if isinstance(s, Call) for a in s.arrays}   # their parameters have the type too
    for a in program.arrays:
        if a.where != 'static':
            yield change(a, 'where', 'static')
        if a.shadow and any(w != (0, 0) for w in a.shadow):
            yield change(a, 'shadow', None)
        if a.dynamic:
            yield change(a, 'dynamic', False)
        if a.ctype != 'int' and not a.record and a.name not in passed:
            yield change(a, 'ctype', 'int')
    for v in program.variables:
        if v.where != 'local':
            yield change(v, 'where', 'local')
        if v.ctype != 'int' and not v.record:
            yield change(v, 'ctype', 'int')
    for s in everything:
        if isinstance(s, For) and s.loop.after:
            yield change(s.loop, 'after', None)
        if isinstance(s, For) and s.loop.limit:
            yield change(s.loop, 'limit', None)
        if isinstance(s, Parallel):
            for l in s.loops:
                if not l.declared:
                    yield change(l, 'declared', True)
                if l.parity:
                    yield change(l, 'parity', None)
                if l.step not in (1, -1):
                    yield change(l, 'step', 1 if l.step > 0 else -1)
        if isinstance(s, (Assign, Update)):
            for x in ([s.lhs] if isinstance(s, Assign) else [s.target]) + list(of_terms(s.terms)):
                if x.through:
                    yield change(x, 'through', None)
                if x.row:
                    yield change(x, 'row', False)
                if x.callee:
                    yield change(x, 'callee', False)
                if x.macro:
                    yield change(x, 'macro', False)
                for k, sub in enumerate(x.subs):
                    if sub.through:
                        yield change(x, 'subs', x.subs[:k] + [Sub(sub.var, 1, 0)] + x.subs[k + 1:])
        if isinstance(s, Assign) and s.op != '=':
            yield change(s, 'op', '=')
        for k, t in enumerate(s.terms or [] if hasattr(s, 'terms') else []):
            if isinstance(t, Cond):
                yield change(s, 'terms', s.terms[:k] + [t.then] + s.terms[k + 1:])
                yield change(s, 'terms', s.terms[:k] + [t.other] + s.terms[k + 1:])


def uses(body, var):
    from program import accesses_of
    return any(sub.var == var for a in accesses_of(body) for sub in a.subs) or \
        any(var == t for s in statements_of(body) if hasattr(s, 'terms') for t in s.terms) or \
        any(isinstance(s, If) and s.var == var or isinstance(s, For) and var in outer_of(s.loop) for s in statements_of(body))


def outer_of(loop):
    return [x.var for x in (loop.after, loop.limit and loop.limit[1]) if x]


def shrink(program, differs, kind, budget=120):
    """differs(program): the difference or None; kind(difference) must stay the same.  Returns the last difference."""
    last = differs(program)
    wanted, progress = kind(last), True
    while progress and budget > 0:
        progress = False
        for do, undo in removals(program):
            do()
            budget -= 1
            now = differs(program)
            if now and kind(now) == wanted:
                last, progress = now, True
                break
            undo()
            if budget <= 0:
                break
    differs(program)
    return last
