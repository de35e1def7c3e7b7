"""Spellings of the update of a reduction variable: (lines, steps).  In a line, @w is a place where the variable is written,
@c one where it is read and written, @r and @s where it is read, @e and @f the term, @t the variable's type.  Steps are the
letters of what is evaluated, in order: (first, if it is replaced, else, last); a letter is an access or all of a term.
@T is the variable's type as part of a name."""

CALL_FORM = 'call'        # by a function of the file, which converts the term
LOC_FORM = 'if_left'      # the spelling with a block, which takes the location too


def always(*lines, steps):
    return list(lines), (steps, '', '', '')


def bitwise(sign):
    return {
        'compound': always(f'@c {sign}= @e;', steps='ec'),
        'left': always(f'@w = @r {sign} @e;', steps='rew'),
        'right': always(f'@w = @e {sign} @r;', steps='erw'),
    }


def extreme(name, more, less):
    return {
        CALL_FORM: always(f'@w = generated_{name}_@T(@r, @e);', steps='rew'),
        'if': ([f'if (@e {more} @r)', '  @w = @f;'], ('er', 'fw', '', '')),
        LOC_FORM: ([f'if (@r {less} @e) {{', '  @w = @f;', '}'], ('re', 'fw', '', '')),
        'cond': ([f'@w = @e {more} @r ? @f : @s;'], ('er', 'f', 's', 'w')),
        'cond_left': ([f'@w = @r {less} @e ? @f : @s;'], ('re', 'f', 's', 'w')),
    }


FORMS = {
    'sum': {
        **bitwise('+'),
        'minus': always('@c -= -(@e);', steps='ec'),
        'through': always('{', '  @t through = @r + @e;', '  @w = through;', '}', steps='rew'),
    },
    'product': bitwise('*'), 'and': bitwise('&'), 'or': bitwise('|'), 'xor': bitwise('^'),
    'max': extreme('max', '>', '<'), 'min': extreme('min', '<', '>'),
    'last': {'plain': always('@w = @e;', steps='ew')},
}


def compute(op, x, e):
    """New value of the variable, without conversion."""
    if op == 'last':
        return e
    if x is None or e is None:
        return None
    return {'sum': lambda: x + e, 'product': lambda: x * e, 'max': lambda: max(x, e), 'min': lambda: min(x, e),
            'and': lambda: int(x) & int(e), 'or': lambda: int(x) | int(e), 'xor': lambda: int(x) ^ int(e)}[op]()
