#!/usr/bin/env python3
"""Tries a sample with mistakes in one of its loops: 'dvm compare' names each as the first difference, by place and element.

usage: mistakes.py [--update] BUILD SOURCE SAMPLE

mistakes/SAMPLE.txt has a paragraph for each:
    a sentence that begins with its kind: wrong bound, wrong operation, lost update, perturbed constant; 'same' is no mistake
    -a line of the sample     as in test/integration/samples/mistakes
    +what it becomes
    error dvm-ID at TEXT: MESSAGE    the first difference: the text in the source where its caret stands, and the whole message
    in iteration (..)         the iteration that is named with it, if one is
A sample compiled at -O0 and at -O2 does the same; --update writes what is found, to be read before it is committed."""
import importlib.machinery, importlib.util, os, re, subprocess, sys, tempfile

KINDS = {'wrong bound', 'wrong operation', 'lost update', 'perturbed constant'}
HERE = os.path.dirname(os.path.abspath(__file__))
update = sys.argv[1] == '--update'
build, source, sample = map(os.path.abspath, sys.argv[1 + update:])
dvm = os.path.join(build, 'driver/dvm')
name = os.path.basename(sample)
loader = importlib.machinery.SourceFileLoader('run', os.path.join(source, 'test/integration/samples/run'))
samples = importlib.util.module_from_spec(importlib.util.spec_from_loader('run', loader))
loader.exec_module(samples)
HEAD = re.compile(r'^([^\n:]+):(\d+):(\d+): (error: .*) \[(dvm-[a-z-]+)\]$', re.M)


def call(*command):
    p = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=100)
    return p.returncode, p.stderr


def made(program, target, level):
    with open(os.path.join(work, name), 'w', encoding='utf-8') as f:
        f.write(program)
    status, said = call(dvm + 'cc', '-fdvm=trace', level, name, '-o', target, '-lm')
    if status or said:
        raise SystemExit(f'FAILED: {name} does not compile: {said}')


def compared(target, level='modify'):
    return call(dvm, 'compare', level + '.dvmt', '--', './' + target)


def agreed(report):
    """Whether it is the closing line of a comparison without a difference, and no more."""
    return re.fullmatch(r'dvm: compared \d+ records .* 0 different(; \d+ of reductions under way)?\n', report)


def found(report, wrong):
    """The lines that a paragraph would have."""
    head = HEAD.search(report)
    if not head or report[:head.start()].strip():
        return [f'no difference is named first: {report[:300]}']
    line = wrong.split('\n')[int(head[2]) - 1].encode()[int(head[3]) - 1:].decode()
    lines = [f'{head[4][:5]} {head[5]} at {line}: {head[4][7:]}']
    after = HEAD.search(report, head.end())
    where = re.search(r', iteration \((.*)\)(?:, execution \d+)?$', report[head.end():after.start() if after else len(report)], re.M)
    return lines + ([f'in iteration ({where[1]})'] if where else [])


def tried(paragraph, right):
    lines = paragraph.strip('\n').split('\n')
    change = [l + '\n' for l in lines[1:] if l[0] in '-+ @']
    wrong = samples.changed(right, change)
    made(wrong, 'wrong', '-O2')
    status, report = compared('wrong')
    if lines[0].startswith('same'):
        return lines, [] if status == 0 and agreed(report) else [f'{lines[0]}: status {status}\n{report}']
    want, have = [l for l in lines[1:] if l[0] not in '-+ @'], found(report, wrong)
    bad = [] if (status, have) == (66, want) else [f'{lines[0]}: status {status}, first:\n' + '\n'.join(have)]
    return [lines[0]] + [l.rstrip('\n') for l in change] + have, bad


path = os.path.join(HERE, 'mistakes', name[:-2] + '.txt')
paragraphs = open(path, encoding='utf-8').read().strip('\n').split('\n\n')
right = open(sample, encoding='utf-8').read()
bad = [f'no {k} is tried' for k in KINDS if not any(p.startswith(k) for p in paragraphs)]
with tempfile.TemporaryDirectory(prefix='dvm-trace-') as work:
    made(right, 'right', '-O2')
    made(right, 'other', '-O0')
    for level in ('modify', 'full'):
        status, said = call(dvm, 'record', '--level', level, '-o', level + '.dvmt', '--', './right')
        bad += [f'recording: {said}'] if status or said else []
        for target in ('right', 'other') if level == 'modify' else ('other',):
            status, said = compared(target, level)
            bad += [f'{target} differs at level {level}: status {status}\n{said}'] if status or not agreed(said) else []
    results = [tried(p, right) for p in paragraphs]
if update:
    with open(path, 'w', encoding='utf-8') as f:
        f.write('\n\n'.join('\n'.join(lines) for lines, _ in results) + '\n')
bad += [text for _, found_bad in results for text in found_bad]
print(f'{len(results)} programs, {len(bad)} not as expected')
print('\n'.join('FAILED ' + text for text in bad))
sys.exit(bool(bad))
