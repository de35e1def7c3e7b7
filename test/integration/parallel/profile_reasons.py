"""Writes the profiles of a run whose times are made up: for each reason that 'dvm profile' knows one directive that has it.

usage: profile_reasons.py FOLDER"""
import os, sys

RANKS = 100
MS = 1_000_000


def entry(line, ms, kind='parallel', behind=False, executions=10, iterations=100, pipeline=0, stages=0, until=0):
    part, alike, system, io = (round(x * MS) for x in ms)
    return (f"entry 0 {'behind' if behind else 'directive'} {kind} {executions} {iterations} {pipeline} {stages} {part} {alike} {system} {io} "
            f"{line} 1 {until} a b<script>.c\n")


def exchange(why, messages, size, wait, transfer, names='A'):
    return f'exchange {why} 10 {messages} {size} {round(wait * MS)} {round(transfer * MS)} {names}\n'


def rank(q):
    late = q == 3
    text = f'dvm-profile 1\nrank {q} {RANKS} 77\nmachine {2000 * MS} {1990 * MS} 50000 {RANKS} node\n'
    text += 'interval 0 0 1 0 0 0 0 ?\n'
    text += f'array A 8 2 8000 {8000} 8000 8000 80 80 7 1 a b<script>.c\n'
    text += f'array B 8 2 8000 80 80 8000 8000 8000 8 1 a b<script>.c\n'
    text += entry(10, (300 if late else 200, 0, 1, 0), iterations=150 if late else 100)  # its part is larger
    text += exchange('shadow', 2, 16000, 0 if late else 100, 1)
    text += ('late 3 %d\n' % (100 * MS)) if not late else ''
    text += entry(20, (300 if late else 200, 0, 1, 0))  # its iterations take longer
    text += exchange('reduction', 10, 80, 0 if late else 100, 1, 'max(e)')
    text += entry(30, (200, 0, 1, 0))  # comes late
    text += exchange('shadow', 2, 16000, 0 if late else 100, 1)
    text += ('late 3 %d\n' % (100 * MS)) if not late else ''
    text += entry(40, (100, 0, 1, 0), pipeline=RANKS, stages=4)  # too few stages
    text += exchange('across', 40, 16000, 150, 0.1)
    text += entry(50, (1, 0, 60, 0), executions=100000)  # too little work
    text += entry(60, (0, 80, 0, 0))  # no 'on'
    text += entry(70, (0, 150, 0, 0), kind='redistribute', behind=True, until=79)  # loops without a directive
    text += entry(80, (0, 1, 0, 50 if q == 0 else 0), behind=True) + exchange('io', 1 if q == 0 else 0, 8, 0 if q == 0 else 50, 1, '-')
    text += entry(90, (0, 1, 0, 0), behind=True) + exchange('other', 500 if q == 0 else 0, 4000, 30, 5, '-')
    return text + 'end\n'


os.makedirs(sys.argv[1], exist_ok=True)
for q in range(RANKS):
    with open(os.path.join(sys.argv[1], f'rank.{q}'), 'w', encoding='utf-8') as f:
        f.write(rank(q))
