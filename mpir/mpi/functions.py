#!/usr/bin/env python3
"""functions.py [--write]: which function of mpi.h the layer does, and which it refuses.

functions.inc has a row for each function that mpi.h declares, and for those of MPI-1 that libmpi.so exports without declaring them:
DONE(name) or REFUSED(type, name, (parameters)).  --write makes it anew: done is what a source here defines.  Without it the table is compared with
the header (as 'mpicc -E' gives it) and with the symbols of the library named by --library, and differences are printed (status 1)."""
import argparse
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, 'functions.inc')


def declared():
    """{name: (type, parameters)} of mpi.h"""
    text = subprocess.run(['mpicc', '-E', '-P', '-x', 'c', '-'], input='#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n',
                          capture_output=True, text=True, check=True).stdout
    text = re.sub(r'__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)', '', text)
    found = {}
    for m in re.finditer(r'(?:^|[;}])\s*(?:extern\s+)?((?:int|double|MPI_\w+|[\w ]+?)\s*\**)\s*\b(MPI_[A-Z]\w*)\s*(\((?:[^()]|\([^()]*\))*\))\s*;', text):
        kind, name, parameters = (re.sub(r'\s+', ' ', g).strip() for g in m.groups())
        if kind != 'typedef' and not kind.startswith('typedef'):
            found[name] = (kind, parameters)
    for line in text.split(';'):
        m = re.fullmatch(r'\s*(?:extern\s+)?(int|double|MPI_\w+)\s+(MPI_[A-Z]\w*)\s*(\(.*\))\s*', line, re.S)
        if m:
            found.setdefault(m[2], (m[1], re.sub(r'\s+', ' ', m[3])))
    return found


def defined():
    """Names that sources here define."""
    names = set()
    for path in glob.glob(os.path.join(HERE, '*.c')):
        with open(path) as f:
            text = f.read()
        names.update('MPI_' + n for n in re.findall(r'^MPL_API\(\w+, (\w+),', text, re.M) if '##' not in n)
        names.update('MPI_' + n for n in re.findall(r'^OLD\(\w+, (\w+),', text, re.M))
        names.update('MPI_' + n for n in re.findall(r'^(?:ASK|SETS|LISTS|RANGES|FROM|TO)\((\w+)', text, re.M))
        for a, b in re.findall(r'^COLLECTIVE\((\w+), (\w+),', text, re.M):
            names.update(('MPI_' + a, 'MPI_' + b))
    for mode in ('Send', 'Ssend', 'Bsend', 'Rsend'):
        names.update((f'MPI_{mode}', f'MPI_I{mode.lower()}', f'MPI_{mode}_init'))
    return names


def symbols(library):
    out = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in out.splitlines()}


def rows():
    header, done = declared(), defined()
    for name in sorted(header):
        kind, parameters = header[name]
        yield f'DONE({name})' if name in done else f'REFUSED({kind}, {name[4:]}, {parameters})'
    for name in sorted(done - set(header)):
        yield f'DONE({name})'


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--write', action='store_true')
    p.add_argument('--library')
    a = p.parse_args()
    text = '/* Made by functions.py --write. */\n' + '\n'.join(rows()) + '\n'
    if a.write:
        with open(TABLE, 'w') as f:
            f.write(text)
        return 0
    with open(TABLE) as f:
        table = f.read()
    wrong = [] if table == text else ['functions.inc is not what the header and the sources give: functions.py --write']
    if a.library:
        have = symbols(a.library)
        for name in re.findall(r'^DONE\((\w+)\)|^REFUSED\([^,]*, (\w+),', table, re.M):
            name = name[0] or 'MPI_' + name[1]
            wrong += [f'{n} is no symbol of the library' for n in (name, 'P' + name) if n not in have]
    print('\n'.join(wrong) or f'{len(re.findall("^DONE", table, re.M))} functions done, {len(re.findall("^REFUSED", table, re.M))} refused')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
