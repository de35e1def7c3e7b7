"""Wrong twins of the kernels: which diagnostic tells of the mistake, and what is replaced in the kernel's text to make it.

The mistake is made where the kernel spends its time, in each iteration where that can be."""

RENEW2 = [(' shadow_renew(a)', '')]
FIRST, SECOND = '#pragma dvm parallel([i][j] on a[i][j]) reduction(max(eps))\n', '#pragma dvm parallel([i][j] on b[i][j])'
GROUP = [(' shadow_renew(a)', ''), ('  for (int it', '#pragma dvm shadow_group(g: a)\n  for (int it')]

# kernel, id, [(what stands there, what stands there then)]: all of its places
TWINS = [
    # A clause is missing.
    ('jacobi1d', 'dvm-shadow-stale', RENEW2),
    ('jacobi2d', 'dvm-shadow-stale', RENEW2),
    ('jacobi3d', 'dvm-shadow-stale', RENEW2 + [(' shadow_renew(b)', '')]),
    ('redblack', 'dvm-shadow-stale', RENEW2),
    ('jacobi2d', 'dvm-readonly-write', [(' reduction(max(eps))', '')]),
    ('dot', 'dvm-readonly-write', [(' reduction(sum(s))', '')]),
    ('sor', 'dvm-loop-dependence', [(' across(a[1:1][1:1])', ' shadow_renew(a)')]),
    ('scalars', 'dvm-undeclared-private', [(' private(x, y, z, u, w, k)', '')]),
    ('matmul', 'dvm-nonlocal-access', [('#pragma dvm array align([i][j] with x[i][j])', '#pragma dvm array distribute[block][]')]),
    ('cg', 'dvm-nonlocal-access', [(' remote_access(p[])', '')]),
    ('nbody', 'dvm-nonlocal-access', [(' remote_access(px[], py[])', '')]),
    ('redblack', 'dvm-sequential-access', [('#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a)\n', '')]),
    ('dot', 'dvm-sequential-access', [('#pragma dvm parallel([i] on x[i]) reduction(sum(s))\n', '')]),
    # A clause is wrong.
    ('redblack', 'dvm-shadow-stale', [('shadow_renew(a)', 'shadow_renew(a[0:1][0:1])')]),
    ('jacobi3d', 'dvm-nonlocal-access', [('shadow[1:1][1:1][1:1]', 'shadow[0:0][1:1][1:1]')]),
    ('sor', 'dvm-across-distance', [('across(a[1:1][1:1])', 'across(a[0:1][0:1])')]),
    ('cg', 'dvm-remote-uncovered', [('remote_access(p[])', 'remote_access(p[0])')]),
    ('nbody', 'dvm-remote-uncovered', [('remote_access(px[], py[])', 'remote_access(px[0], py[0])')]),
    ('regions', 'dvm-region-clause', [('inout(a, b)', 'inout(a[0:9][], b)')]),
    ('jacobi1d', 'dvm-reduction-mismatch', [('reduction(max(eps))', 'reduction(min(eps))')]),
    ('dot', 'dvm-reduction-mismatch', [('reduction(sum(s))', 'reduction(product(s))')]),
    ('jacobi2d', 'dvm-shadow-pending', GROUP + [(SECOND, '#pragma dvm shadow_start(g)\n' + SECOND), ('  printf', '#pragma dvm shadow_wait(g)\n  printf')]),
    ('jacobi2d', 'dvm-exchange-write', GROUP + [(FIRST, '#pragma dvm shadow_start(g)\n' + FIRST), (SECOND, '#pragma dvm shadow_wait(g)\n' + SECOND)]),
    ('dot', 'dvm-reduction-protocol', [('reduction(sum(s))', 'reduction(g: sum(s))')]),
    # The loop does something else.
    ('jacobi2d', 'dvm-shadow-write', [('        b[i][j] = (a', '        b[i + 1][j] = (a')]),
    ('jacobi2d', 'dvm-remote-write', [(SECOND, SECOND + ' remote_access(b[i + 1][j])'), ('        b[i][j] = (a', '        b[i + 1][j] = (a')]),
    ('jacobi1d', 'dvm-out-of-bounds', [('int main', 'static double after[4 * N];\n\nint main'), ('a[i + 1]) / 2', 'a[i + N]) / 2')]),
    ('jacobi2d', 'dvm-out-of-bounds', [('a[i][j + 1]', 'a[i - 1][j + N + 1]')]),
    ('dot', 'dvm-uninitialized', [('    y[i] = i % 5;\n', '')]),
    ('matmul', 'dvm-uninitialized', [('      x[i][j] = (i * N + j) % 17;', '      z[i][j] = (i * N + j) % 17;')]),
    ('scalars', 'dvm-private-uninitialized', [('x = i * 1e-6 + it', 'x = x * 1e-6 + it')]),
    ('scatter', 'dvm-loop-dependence', [('(int)((i * 7919LL) % N)', '(int)((i * 7919LL) % N / 2)')]),
    ('jacobi2d', 'dvm-loop-dependence', [('        b[i][j] = (a', '        a[i][j] = (a')]),
    ('redblack', 'dvm-loop-dependence', [('j += 2', 'j++')]),
    ('jacobi1d', 'dvm-reduction-escape', [('a[i] = b[i];', 'a[i] = b[i] + 0 * eps;')]),
    ('jacobi1d', 'dvm-reduction-pending', [('reduction(max(eps))', 'reduction(g: max(eps))'), ('a[i + 1]) / 2', 'a[i + 1]) / 2 + 0 * eps'),
                                           ('  }\n  printf', '#pragma dvm reduction_start(g)\n#pragma dvm reduction_wait(g)\n  }\n  printf')]),
    ('nbody', 'dvm-usage', [('static double pull', 'static double pull(double dx, double dy, double m) __attribute__((noinline));\nstatic double pull'), ('  return m /', '#pragma dvm parallel(1)\n  for (int i = 0; i < 1; i++)\n    ;\n  return m /')]),
]


def wrong_text(text, replacements):
    """The kernel with its mistake."""
    for old, new in replacements:
        if old not in text:
            raise ValueError(f'a twin replaces what is not there: {old!r}')
        text = text.replace(old, new)
    return text
