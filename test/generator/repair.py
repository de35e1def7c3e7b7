"""Makes a program right: adds the clause that is missing where that is all, and takes out the statements that are wrong in
other ways, until the oracle finds no mistake."""
from pieces import Piece
from program import ArrayCopy, Assign, Call, Declare, Move, Parallel, Print, RemoteBlock, Stand, Test, Update, accesses_of, statements_of
from writer import print_files


def lines_of(s):
    if isinstance(s, (Assign, Declare, Move, Update)):
        accesses = list(accesses_of([s]))
        if isinstance(s, Update):
            accesses += [x for letters in s.at.values() for x in (letters if isinstance(letters, list) else [letters])]
        return {x.line for x in accesses if hasattr(x, 'line')}
    if isinstance(s, Print):
        return {s.access.line}
    return {s.number} if hasattr(s, 'number') else set()


def without(body, lines):
    """The statements that have nothing on these lines."""
    out = []
    for s in body:
        if isinstance(s, Test) and s.access.line in lines:
            continue
        if lines & lines_of(s) and not (hasattr(s, 'body') and not isinstance(s, RemoteBlock)):
            if isinstance(s, Declare):           # later ones need it
                s.terms, s.zero = (None, True) if s.variable.dims or s.variable.record else (['1'], False)
                out.append(s)
            continue
        if hasattr(s, 'body'):
            if lines & lines_of(s) and hasattr(s, 'reduction'):
                s.reduction, s.groups = [], []
            s.body = without(s.body, lines)
            if not s.body:
                continue
        out.append(s)
    return out


def bodies_of(program):
    return [program.body] + [f.body for f in program.functions]


def data_named(program, nest, name):
    known = [a for f in program.functions for a in f.params if f.body and nest in f.body] + program.arrays + program.variables
    return next((a for a in known if a.name == name), None)


def amend(program, items):
    """Adds clauses; the lines that have been dealt with so."""
    done = set()
    for nest in [s for b in bodies_of(program) for s in statements_of(b) if isinstance(s, Parallel)]:
        inside = set().union(*(lines_of(s) for s in statements_of(nest.body)))
        for ident, line, _, name in items:
            x = data_named(program, nest, name)
            if line not in inside or x is None:
                continue
            if ident == 'dvm-shadow-stale' and x.distributed:
                nest.renew = [m for m in nest.renew if m[0] is not x] + [(x, None, True)]
            elif ident == 'dvm-undeclared-private' and not x.distributed and x not in nest.private:
                nest.private.append(x)
            elif ident == 'dvm-across-distance' and any(a is x and w for a, w in nest.across) and x.distributed:
                nest.across = [(a, None if a is x else w) for a, w in nest.across]
            else:
                continue
            done.add(line)
    return done


def repair(program, oracle, rounds=9):
    """True when the program is right."""
    for s in statements_of(program.body):
        if isinstance(s, Piece):
            s.slip = None
    for n in range(rounds):
        print_files([program])
        verdict = oracle(program).run()
        if not verdict.expected:
            return not verdict.open
        lines = {item[1] for item in verdict.expected}
        if n < 4:
            lines -= amend(program, verdict.expected)
        program.body = without(program.body, lines)
        for f in list(program.functions):
            f.body = without(f.body, lines)
            if not f.body:
                program.functions.remove(f)
                program.body = [s for s in program.body if not (isinstance(s, Call) and s.function is f)]
    return False
