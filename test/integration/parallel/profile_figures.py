"""What a profile says of 'profile.c' and of itself: what was sent is known to the byte, and all of the time is somewhere.

usage: profile_figures.py JSON RANKS ELEMENTS STEPS"""
import json, sys


def close(a, b, what):
    assert abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-3), f'{what}: {a} and {b}'


def sent(d):
    return {x['kind']: x for x in d['exchanges'] if x['messages']}


def directive(data, marker):
    found = [d for d in data['directives'] if d.get('line') == LINES[marker] and not d['sequential']]
    assert found, f'no directive {marker} at line {LINES[marker]}'
    return found


LINES = {}
for number, text in enumerate(open('profile.c', encoding='utf-8'), 1):
    if '/* @' in text:
        LINES[text.split('/* @')[1].split()[0]] = number


def check_sums(data, size):
    program = data['intervals'][0]
    total = program['execution_s'] * size
    close(program['productive_s'] + program['lost_s'], total, 'productive and lost time')
    parts = program['sequential_s'] + program['system_s'] + program['wait_s'] + program['transfer_s'] + program['idle_s']
    close(parts, program['lost_s'], 'the parts of the lost time')
    close(sum(d['time_s'] for d in data['directives']) + program['idle_s'], total, 'the directives')
    for d in data['directives']:
        close(d['time_s'], sum(map(sum, d['ranks'])), d['kind'])
        close(d['time_s'], d['compute_s'] + d['wait_s'] + d['transfer_s'] + d['system_s'] + d['io_s'], d['kind'])
        assert len(d['ranks']) == size and d['compute']['least_s'] <= d['compute']['mean_s'] <= d['compute']['greatest_s'] * (1 + 1e-9)
    assert [r['rank'] for r in data['ranks']] == list(range(size)) and all(r['memory_kb'] > 1000 for r in data['ranks'])


def check_sent(data, size, n, steps):
    edges = sent(directive(data, 'renew')[0])['shadow']
    assert (edges['messages'], edges['bytes']) == (2 * (size - 1) * steps, 2 * (size - 1) * steps * 8), edges
    assert edges['operations'] == steps and edges['names'] == 'a', edges
    sums = sent(directive(data, 'sum')[0])['reduction']
    assert (sums['messages'], sums['bytes'], sums['names']) == (size * steps, size * steps * 8, 'sum(s)'), sums
    # Ranks that have not all of it get the rest of 'm'.
    remote = sent(directive(data, 'remote')[0])['remote']
    assert (remote['messages'], remote['bytes']) == (size * (size - 1), (size - 1) * n * 8), remote
    moved = sent(directive(data, 'move')[0])['redistribute']
    assert moved['bytes'] == (size - 1) * (n // size) ** 2 * 8 * size, moved
    pipeline = directive(data, 'across')[0]
    assert pipeline['pipeline'] == size and pipeline['stages'] == 4, pipeline
    assert sent(pipeline)['across']['bytes'] == 2 * (size - 1) * n * 8, sent(pipeline)


def check_intervals(data, steps):
    program, outer, first, second = data['intervals'][0], *[next(v for v in data['intervals'] if v.get('number') == k) for k in (7, 0, 1)]
    assert program['executions'] == 1 and 'parent' not in program
    assert outer['executions'] == 1 and outer['parent'] == program['id'] and outer['line'] == LINES['interval']
    assert {v['parent'] for v in (first, second)} == {outer['id']}
    assert (first['executions'], second['executions']) == ((steps + 1) // 2, steps // 2), data['intervals']
    where = [d['interval'] for d in directive(data, 'renew')]
    assert sorted(where) == [first['id'], second['id']], where
    assert directive(data, 'remote')[0]['interval'] == program['id'], 'the interval was not left'
    assert outer['execution_s'] <= program['execution_s'] and outer['wait_s'] >= first['wait_s']


def main():
    size, n, steps = map(int, sys.argv[2:])
    with open(sys.argv[1], encoding='utf-8') as f:
        data = json.load(f)
    assert data['dvm-profile'] == 1 and data['size'] == size
    check_sums(data, size)
    check_intervals(data, steps)
    merge(data)
    check_sent(data, size, n, steps)
    print('as expected')


def merge(data):
    """The two intervals of the steps as one."""
    renewals = [d for d in data['directives'] if d.get('line') in (LINES['renew'], LINES['sum']) and not d['sequential']]
    for line in (LINES['renew'], LINES['sum']):
        first, *others = [d for d in renewals if d['line'] == line]
        for d in others:
            for x, y in zip(first['exchanges'], d['exchanges']):
                assert x['kind'] == y['kind']
                for key in ('messages', 'bytes', 'operations'):
                    x[key] += y[key]
            data['directives'].remove(d)


main()
