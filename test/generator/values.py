"""Values of the C types as far as the generated programs need them: whole numbers that every type holds exactly.
None stands for a value that is not known here (rounded, or read where nothing was assigned)."""
import math

RANK = ['unsigned char', 'short', 'int', 'long', 'float', 'double', 'long double']
BITS = {'unsigned char': 8, 'short': 16, 'int': 32, 'long': 64}
EXACT = {'float': 1 << 24, 'double': 1 << 53, 'long double': 1 << 63}


class Undefined(Exception):
    """The C program has no defined behaviour from here on."""


def is_float(ctype):
    return ctype in EXACT


def common(a, b):
    """The type of a + b."""
    wide = max(a, b, key=RANK.index)
    return max(wide, 'int', key=RANK.index)


def bounds(ctype):
    if ctype == 'unsigned char':
        return 0, 255
    half = 1 << (BITS[ctype] - 1)
    return -half, half - 1


def rounded(value, ctype):
    """The value if a float type holds it exactly, else None."""
    if value is None or not math.isinf(value) and abs(value) > EXACT[ctype]:
        return None
    return value


def convert(value, source, target):
    """Assignment of a value of type 'source'.  Raises Undefined where C says so."""
    if value is None:
        return None
    if is_float(target):
        return rounded(value, target)
    low, high = bounds(target)
    if low <= value <= high:
        return value
    if is_float(source):
        raise Undefined('a number too large for its new type')
    return wrap(value, target)


def wrap(value, ctype):
    """The low bits, as two's complement does; infinities of a float type stay."""
    if value is None or is_float(ctype):
        return value
    low, high = bounds(ctype)
    return (int(value) - low) % (high - low + 1) + low


def arithmetic(value, ctype):
    """Result of an operation in 'ctype'."""
    if value is None:
        return None
    if is_float(ctype):
        return rounded(value, ctype)
    low, high = bounds(ctype)
    if not low <= value <= high:
        raise Undefined('overflow')
    return value


def neutral(op, ctype):
    if op in ('max', 'maxloc'):
        return -math.inf if is_float(ctype) else bounds(ctype)[0]
    if op in ('min', 'minloc'):
        return math.inf if is_float(ctype) else bounds(ctype)[1]
    if op == 'and':
        return wrap(-1, ctype)
    return 1 if op == 'product' else 0


def combine(op, a, b, ctype):
    if a is None or b is None:
        return None
    if op in ('max', 'maxloc'):
        return max(a, b)
    if op in ('min', 'minloc'):
        return min(a, b)
    return wrap({'sum': lambda: a + b, 'product': lambda: a * b, 'and': lambda: a & b, 'or': lambda: a | b,
                 'xor': lambda: a ^ b}[op](), ctype)
