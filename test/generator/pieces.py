"""Pieces: functions of fixed form with random numbers, which touch nothing of the rest of the program.  They hold what the tree has no
nodes for: guards by a value, arrays at the end of structs, large blocks with marked pointers, ranges of memcpy.

Each is right, or has one mistake ('slip') whose diagnostic follows from its text."""
import collections


class Piece:
    def __init__(self, r, n, number):
        self.r, self.name, self.slip, self.number = r, f'{n}_{number}', None, 0
        self.kind = r.choice(sorted(KINDS))
        self.values = KINDS[self.kind].values(r)
        self.slips = KINDS[self.kind].slips

    def lines(self):
        """([line of text], [(id, number of the line from 0, text of the access or '', name)])"""
        lines, wrong = KINDS[self.kind].text(self.name, self.values, self.slip)
        text = '\n'.join(lines).replace('@', self.name).split('\n')
        return text, [(ident, k, at.replace('@', self.name), name.replace('@', self.name)) for ident, k, at, name in wrong]


def of_line(lines, part):
    return next(k for k, l in enumerate(lines) if part in l)


# ---- a maximum that stores another value than the one it compares -----------------------------------------------------------------

def guard_values(r):
    n = r.randint(3, 7)
    return {'n': n, 'a': [r.randint(-3, 9) for _ in range(n)], 'b': [r.randint(-3, 9) for _ in range(n)], 'op': r.choice(['max', 'min']),
            'from': r.choice([-4, 0, 20])}


def guard_text(name, v, slip):
    sign, other = ('>', max) if v['op'] == 'max' else ('<', min)
    stored = 'b' if slip else 'a'
    lines = [f'static const int a@[{v["n"]}] = {{{", ".join(map(str, v["a"]))}}}, b@[{v["n"]}] = {{{", ".join(map(str, v["b"]))}}};',
             '#pragma dvm array distribute[block]', f'static int place@[{v["n"]}];', 'static void piece@(void) {', f'  int best = {v["from"]};',
             f'#pragma dvm parallel([i] on place@[i]) reduction({v["op"]}(best))', f'  for (int i = 0; i < {v["n"]}; i++)',
             f'    if (a@[i] {sign} best)', f'      best = {stored}@[i];', '  printf("%d\\n", best);', '}']
    result = v['from']
    for a, x in zip(v['a'], v[stored]):
        if (a > result) if v['op'] == 'max' else (a < result):
            result = x
    differs = result != other([v['from'], *v[stored]])      # from the neutral element every iteration stores its own
    return lines, [('dvm-reduction-mismatch', 5, '', 'best')] if differs else []


# ---- the same in a nest: of two loops, or of one with a loop inside ------------------------------------------------------------------

def nest_values(r):
    m, n = r.randint(2, 4), r.randint(2, 4)
    table = [[r.randint(-5, 9) for _ in range(m * n)] for _ in range(2)]
    return {'m': m, 'n': n, 'a': table[0], 'b': table[1], 'op': r.choice(['max', 'min']), 'from': r.choice([-8, 0, 20]),
            'inner': r.random() < 0.5, 'form': r.choice(['if', 'choice', 'turned'])}


def nest_text(name, v, slip):
    greatest = v['op'] == 'max'
    sign = '>' if greatest else '<'
    stored = ('b' if slip else 'a') + '@[i][j]'
    update = {'if': f'if (a@[i][j] {sign} best)\n        best = {stored};',
              'choice': f'best = a@[i][j] {sign} best ? {stored} : best;',
              'turned': f'best = best {"<" if greatest else ">"} a@[i][j] ? {stored} : best;'}[v['form']]
    table = lambda x: f'{x}@[{v["m"]}][{v["n"]}] = {{' + ', '.join(map(str, v[x])) + '}'
    outer, body = ('[i]', '[i][]') if v['inner'] else ('[i][j]', '[i][j]')
    lines = [f'static const int {table("a")}, {table("b")};', f'#pragma dvm array distribute[block]{"[*]" if v["inner"] else "[block]"}',
             f'static int place@[{v["m"]}][{v["n"]}];', 'static void piece@(void) {', f'  int best = {v["from"]};',
             f'#pragma dvm parallel({outer} on place@{body}) reduction({v["op"]}(best))', f'  for (int i = 0; i < {v["m"]}; i++)',
             f'    for (int j = 0; j < {v["n"]}; j++)', f'      {update}', '  printf("%d\\n", best);', '}']
    beats = (lambda x, y: x > y) if greatest else (lambda x, y: x < y)
    pairs = list(zip(v['a'], v['b' if slip else 'a']))

    def follow(value, some):
        for guard, new in some:
            value = new if beats(guard, value) else value
        return value
    worst = float('-inf') if greatest else float('inf')
    each = [pairs[k:k + v['n']] for k in range(0, len(pairs), v['n'])] if v['inner'] else [[p] for p in pairs]
    expected = (max if greatest else min)([v['from']] + [follow(worst, some) for some in each])
    return lines, [('dvm-reduction-mismatch', 5, '', 'best')] if follow(v['from'], pairs) != expected else []


# ---- an array at the end of a struct, longer than declared --------------------------------------------------------------------------

def trailing_values(r):
    return {'declared': r.choice(['', '1', '2', '4']), 'more': r.randint(2, 9), 'type': r.choice(['double', 'int', 'char', 'float'])}


def trailing_text(name, v, slip):
    lines = [f'struct end@ {{ int count; {v["type"]} room[{v["declared"]}]; }};', 'static void piece@(void) {',
             f'  struct end@ *t = malloc(sizeof *t + {v["more"]} * sizeof t->room[0]);', '  double sum = 0;',
             f'  t->count = {int(v["declared"] or 0) + v["more"]};', f'  for (int x = {int(slip == "hole")}; x < t->count; x++)', '    t->room[x] = x;',
             '  for (int x = t->count - 1; x >= 0; x--)', '    sum += t->room[x];', '  printf("%d\\n", sum >= 0 || sum != 0);', '  free(t);', '}']
    return lines, [('dvm-uninitialized', 8, 't->room[x]', 't')] if slip == 'hole' else []


# ---- what unseen functions are given: words that look like addresses, and marked ones that are ---------------------------------------
# Pointers are looked for in the first 4096 bytes of a block.

def blocks_values(r):
    return {'words': r.choice([64, 1000, 30000]), 'calls': r.choice([1, 3, 40]), 'mark': r.choice([0, 1, 3, 0xfff8 << 48, 0x7ff << 52 | 1]),
            'seed': r.randrange(1 << 62) | 1}


def blocks_text(name, v, slip):
    lines = ['static void piece@(void) {', f'  unsigned long *block = malloc({v["words"]} * sizeof *block), word = {v["seed"]}UL;',
             '  double *kept = malloc(8 * sizeof *kept), *own = malloc(2 * sizeof *own);', f'  for (int x = 0; x < {v["words"]}; x++)',
             '    block[x] = word = word * 6364136223846793005UL + 1442695040888963407UL;',
             f'  block[{min(v["words"] // 2, 511)}] = (unsigned long)kept | {v["mark"] % (1 << 64)}UL;', f'  for (int x = 0; x < {v["calls"]}; x++)',
             f'    generated_take(block, {v["words"]} * sizeof *block);', '  double all = kept[3] == kept[3];', f'  own[0] = {"1" if not slip else "own[1]"};',
             '  printf("%d\\n", all + own[0] * 0 < 2 || own[0] != 0);', '  free(block);', '  free(kept);', '  free(own);', '}']
    return lines, [('dvm-uninitialized', 9, 'own[1]', 'own')] if slip else []


# ---- rows that are copied by memcpy ---------------------------------------------------------------------------------------------------

def rows_values(r):
    return {'rows': r.randint(3, 6), 'columns': r.randint(2, 5), 'type': r.choice(['double', 'int', 'float']), 'move': r.choice(['memcpy', 'memmove'])}


# Without 'shadow' the edges are 1:1.
def rows_text(name, v, slip):
    far = {None: '', 'source': ' + 1', 'target': ''}[slip]
    to = ' + 1' if slip == 'target' else ''
    m, n = v['rows'], v['columns']
    lines = ['#pragma dvm array distribute[block][]', f'static {v["type"]} from@[{m}][{n}];', '#pragma dvm array align([i][j] with from@[i][j])',
             f'static {v["type"]} to@[{m}][{n}];', 'static void piece@(void) {', '#pragma dvm parallel([i][j] on from@[i][j])',
             f'  for (int i = 0; i < {m}; i++)', f'    for (int j = 0; j < {n}; j++)', '      from@[i][j] = i + j;',
             '#pragma dvm parallel([i] on to@[i][])', f'  for (int i = 0; i < {m - bool(slip)}; i++)',
             f'    {v["move"]}(to@[i{to}], from@[i{far}], sizeof to@[0]);', '}']
    wrong = {None: [], 'source': [('dvm-shadow-stale', 11, 'from@[i + 1]', 'from@')], 'target': [('dvm-shadow-write', 11, 'to@[i + 1]', 'to@')]}
    return lines, wrong[slip]


# ---- .. of a wrong size --------------------------------------------------------------------------------------------------------------------

def sizes_values(r):
    return {'rows': r.randint(3, 6), 'columns': r.randint(2, 6), 'type': r.choice(['double', 'int', 'float', 'short']),
            'move': r.choice(['memcpy', 'memmove', 'memset']), 'more': r.randint(1, 3)}


# 'long': into the next row, which is another iteration's; 'short': the rest of the row has no value.
def sizes_text(name, v, slip):
    m, n, move = v['rows'], v['columns'], v['move']
    count = {None: n, 'long': n + min(v['more'], n), 'short': n - 1}[slip]
    source = '0' if move == 'memset' else 'from@[i]'
    lines = ['#pragma dvm array distribute[block][]', f'static {v["type"]} from@[{m}][{n}];', '#pragma dvm array align([i][j] with from@[i][j])',
             f'static {v["type"]} to@[{m}][{n}];', 'static void piece@(void) {', '  double sum = 0;', '#pragma dvm parallel([i][j] on from@[i][j])',
             f'  for (int i = 0; i < {m}; i++)', f'    for (int j = 0; j < {n}; j++)', '      from@[i][j] = i + j;',
             '#pragma dvm parallel([i] on to@[i][])', f'  for (int i = 0; i < {m - (slip == "long")}; i++)',
             f'    {move}(to@[i], {source}, {count} * sizeof({v["type"]}));', '#pragma dvm parallel([i] on to@[i][]) reduction(sum(sum))',
             f'  for (int i = 0; i < {m - 1}; i++)', f'    for (int j = 0; j < {n}; j++)', '      sum += to@[i][j];',
             '  printf("%d\\n", sum >= 0 || sum != 0);', '}']
    wrong = [('dvm-shadow-write', 12, 'to@[i]', 'to@')] + ([] if move == 'memset' else [('dvm-shadow-stale', 12, 'from@[i]', 'from@')])
    return lines, {None: [], 'long': wrong + long_outputs(v), 'short': [('dvm-uninitialized', 16, 'to@[i][j]', 'to@')]}[slip]


# The row's own iteration writes it again: one that has been written by the one before.
def long_outputs(v):
    return [('dvm-loop-dependence', 12, 'to@[i]', 'to@')]


# ---- structs that are written to a file: each member needs a value, padding does not -----------------------------------------------------

def record_values(r):
    members = [(r.choice(['char', 'short', 'int', 'double', 'float', 'long', 'char *']), f'm{k}', r.choice([0, 0, 0, 2, 3]))
               for k in range(r.randint(2, 6))]
    return {'members': members, 'missing': r.randrange(len(members)), 'at': r.randint(0, 2), 'many': r.choice(['one', 'row', 'heap', 'array']),
            'by': r.choice(['fwrite', 'copy'])}


def record_text(name, v, slip):
    def assign(what, indent, but=None):
        out = []
        for k, (kind, member, count) in enumerate(v['members']):
            value = '"text"' if kind == 'char *' else '1'
            if kind == 'char' and count:
                count_texts = [f'{what}.{member}[0] = 1;']           # a text: some part is enough
            else:
                count_texts = [f'{what}.{member}[{x}] = {value};' for x in range(count)] if count else [f'{what}.{member} = {value};']
            if k == v['missing'] and slip and but is not None:
                last = f'if ({but}) '
                count_texts[-1] = last + count_texts[-1]
            out += [indent + t for t in count_texts]
        return out
    fields = ' '.join(f'{kind} {member}{f"[{count}]" if count else ""};' for kind, member, count in v['members'])
    lines = [f'struct record@ {{ {fields} }};']
    if v['many'] == 'array':
        lines += ['#pragma dvm array distribute[block]', 'static struct record@ all@[3];']
    lines += ['static void piece@(void) {', '  FILE *f = tmpfile();']
    if v['many'] == 'one':
        lines += ['  struct record@ some, other;'] + assign('some', '  ', 'f == NULL')
        source, size, name = '&some', 'sizeof some', 'some'
    elif v['many'] == 'array':
        lines += ['#pragma dvm parallel([i] on all@[i])', '  for (int i = 0; i < 3; i++) {'] + assign('all@[i]', '    ', f'i != {v["at"]}') + ['  }']
        source, size, name = 'all@', 'sizeof all@', 'all@'
    else:
        declared = 'struct record@ some[3];' if v['many'] == 'row' else 'struct record@ *some = malloc(3 * sizeof *some);'
        lines += ['  ' + declared, '  for (int i = 0; i < 3; i++) {'] + assign('some[i]', '    ', f'i != {v["at"]}') + ['  }']
        source, size, name = 'some', '3 * sizeof *some', 'some'
    if v['by'] == 'copy' and v['many'] == 'one':
        lines += ['  memcpy(&other, &some, sizeof some);']
        source, name = '&other', 'other'
    lines += [f'  fwrite({source}, {size}, 1, f);', '  fclose(f);']
    lines += ['  free(some);'] if v['many'] == 'heap' else []
    lines += ['  printf("%d\\n", (int)sizeof(struct record@) > 0);', '}']
    at = of_line(lines, 'fwrite(')
    return lines, [('dvm-uninitialized', at, source.lstrip('&'), name)] if slip else []


Kind = collections.namedtuple('Kind', 'values text slips')
KINDS = {'guard': Kind(guard_values, guard_text, ['value']), 'nest': Kind(nest_values, nest_text, ['value']),
         'sizes': Kind(sizes_values, sizes_text, ['long', 'short']), 'record': Kind(record_values, record_text, ['member']),
         'trailing': Kind(trailing_values, trailing_text, ['hole']),
         'blocks': Kind(blocks_values, blocks_text, ['own']), 'rows': Kind(rows_values, rows_text, ['source', 'target'])}
