# dvm trace export, verify and selections: what comes out is what the program did, for programs and for numpy.
. "$(dirname "$0")/lib.sh"
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2>/dev/null && break
  python=
done
[ -n "$python" ] || { echo "FAILED: no python3-numpy"; exit 1; }
cat >'a,b.c' <<'C'
#include <complex.h>
#define N 6
#pragma dvm array distribute[block][block]
static double A[N][N];
static float f[3];
static double complex z;
static long n;
static void fill(int t) {
  int i, j;
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      A[i][j] = t + i * 0.1 + j / 3.0;
}
int main(void) {
  int i, j, t;
  double s = 0;
  for (t = 0; t < 4; t++)
    fill(t);
#pragma dvm parallel([i][j] on A[i][j]) reduction(sum(s))
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      s += A[i][j];
  for (i = 0; i < 3; i++)
    f[i] = i / 3.0f;
  z = 1 - 2 * I;
  n = -12345678901L;
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w 'a,b.c' -o prog
status 0 "$dvm" record --level full -o t.dvmt -- ./prog
status 0 "$dvm" trace export --npz -o t.npz t.dvmt
status 0 "$dvm" trace export --csv -o t.csv t.dvmt
status 0 "$dvm" trace export --jsonl t.dvmt
mv out t.jsonl
status 0 "$dvm" trace dump --json t.dvmt
PYTHONPATH=$source/driver/trace "$python" - <<'P' || wrong "what was exported"
import csv, json, numpy, dvm_trace
t = dvm_trace.load('t.npz')
i, j = numpy.mgrid[0:6, 0:6]
a = t['A']
assert len(a) == 4 * 36 and a.shape == (6, 6) and a.value.dtype == numpy.float64, (len(a), a.shape)
expected = 3 + i * 0.1 + j / 3.0
assert (a.after() == expected).all()
assert (a.after(a.record[35]) == i * 0.1 + j / 3.0).all()
assert (a.index[0][:36].reshape(6, 6) == i).all() and (a.index[1][:36].reshape(6, 6) == j).all()
assert a.place(0) == {'file': 'a,b.c', 'line': 13, 'column': 7, 'function': 'fill'}, a.place(0)
assert abs(t['s@result'].value[0] - expected.sum()) < 1e-9
assert len(t['A@read']) == 36 and (t['f'].value == numpy.arange(3, dtype='f4') / numpy.float32(3)).all()
assert t['z'].value[0] == 1 - 2j and t['n'].value[0] == -12345678901
rows, lines = list(csv.DictReader(open('t.csv'))), [json.loads(l) for l in open('t.jsonl')]
dump = [json.loads(l) for l in open('out')]
values = [d for d in dump if d['kind'] in ('read', 'write', 'result')]
assert len(rows) == len(lines) == len(values), (len(rows), len(lines), len(values))
for row, line, d in zip(rows, lines, values):
    assert int(row['record']) == line['record'] == d['record'] and row['kind'] == line['kind'] == d['kind']
    assert row['file'] == line['file'] == d['file'] and int(row['line']) == line['line'] == d['line']
    assert row['element'] == line['element'] and (d['kind'] == 'result' or d['element'] == row['element'])
writes = [r for r in rows if r['variable'] == 'A' and r['kind'] == 'write']
assert [float(r['value']) for r in writes] == list(a.value)
P

# Members of arrays of structs, and what pointers lead to.
cat >members.c <<'C'
#include <stdlib.h>
struct probe { int at; double last; float v[2]; };
struct probe probes[3];
struct { double dx; long n; } one;
int main(void) {
  double *energy = malloc(5 * sizeof(*energy));
  struct probe *p = malloc(3 * sizeof(*p));
  for (int k = 0; k < 5; k++) {
    energy[k] = k / 2.;
    probes[k % 3].last = k;
    probes[k % 3].v[1] = 10 * k;
    probes[k % 3].at = k;
    p[k % 3].last = -k;
  }
  ((char *)energy)[3] = 1;
  one.dx = 3;
  one.n = 4;
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w members.c -o members
status 0 "$dvm" record -o members.dvmt -- ./members
status 0 "$dvm" trace export --npz -o members.npz members.dvmt
PYTHONPATH=$source/driver/trace "$python" - <<'P' || wrong "members"
import dvm_trace
t = dvm_trace.load('members.npz')
assert (t['energy'].after()[:5] == [0, .5, 1, 1.5, 2]).all(), t['energy'].after()
assert t['energy@pointer'].value[0]
last = t['probes.last']
assert last.shape == (3,) and list(last.element) == [0, 1, 2, 0, 1] and list(last.after()) == [3, 4, 2]
assert list(last.after(last.record[2])) == [0, 1, 2]
assert list(t['probes.at'].after()) == [3, 4, 2] and list(t['probes.v'].value) == [0, 10, 20, 30, 40]
assert list(t['p.last'].after()) == [-3, -4, -2] and t['one.dx'].after()[0] == 3 and t['one.n'].after()[0] == 4
for name in t.variables:
    t[name].after()
P

# Selections.
status 0 "$dvm" trace export --csv --variable A --construct a,b.c:10 --execution 3 t.dvmt
[ "$(grep -c ',write,A,' out)" = 36 ] && [ "$(wc -l <out)" = 37 ] || wrong "one execution: $(head -n 3 out)"
has out ',write,A,"A[0][0]","a,b.c",13,fill,2'
status 0 "$dvm" trace stat --function main t.dvmt
lacks out "a,b.c:10"
status 0 "$dvm" trace dump --from 5 --to 7 t.dvmt
[ "$(wc -l <out)" = 3 ] || wrong "three records: $(cat out)"
status 0 "$dvm" trace dump --variable AA t.dvmt
has err "'t.dvmt' has no record of 'variable:AA'"
status 2 "$dvm" trace export t.dvmt
has err "needs --csv, --jsonl or --npz"
status 2 "$dvm" trace dump --execution 3 t.dvmt

# Through the index in a trace of many blocks: the same as from the beginning.
cat >long.c <<'C'
static double A[500];
int main(void) {
  for (int t = 0; t < 400; t++)
    for (int i = 0; i < 500; i++)
      A[i] = t + i;
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w long.c -o long
status 0 "$dvm" record -o long.dvmt -- ./long
for n in 1 200 400; do
  status 0 "$dvm" trace export --csv --variable A --construct long.c:4 --execution $n long.dvmt
  [ "$(wc -l <out)" = 501 ] && [ "$(tail -n 1 out | sed 's/.*,//')" = $((n - 1 + 499)) ] || wrong "execution $n: $(tail -n 1 out)"
done
status 0 "$dvm" trace dump --from 150000 --to 150002 long.dvmt
grep -q '^ *150000 ' out || wrong "the record 150000: $(cat out)"

# A variable that few blocks have: the same as what a dump of everything has of it, and blocks without it are not read.
cat >rare.c <<'C'
#include <stdio.h>
static double A[500], rare;
static int other;
static void work(int t) {
#pragma dvm parallel(1) reduction(sum(rare))
  for (int i = 0; i < 500; i++) {
    A[i] = t + i;
    rare += t % 200 == 7;
  }
}
int main(void) {
  for (int t = 0; t < 1000; t++) {
    if (t % 300 == 150)
      other = t;
    for (int i = 0; i < 500; i++)
      A[i] = t - i;
  }
  work(1);
  printf("%d %g\n", other, rare);
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w rare.c -o rare
status 0 "$dvm" record -o rare.dvmt -- ./rare
status 0 "$dvm" trace dump rare.dvmt
cp out all
for what in other rare; do
  status 0 "$dvm" trace dump --variable $what rare.dvmt
  grep -E " (write|result) .* $what( |\$)" all | diff - out >&2 || wrong "--variable $what: $(head -n 3 out)"
done
status 0 "$dvm" trace dump --element 'A[3]' rare.dvmt
grep -F ' A[3] = ' all | diff - out >&2 || wrong "--element: $(head -n 3 out)"
status 0 "$dvm" trace export --csv --variable other --construct rare.c:12 rare.dvmt
[ "$(wc -l <out)" = 4 ] || wrong "in a construct: $(cat out)"
status 0 "$dvm" trace dump --function work --from 100 rare.dvmt
[ "$(wc -l <out)" = "$(status 0 "$dvm" trace dump --from 100 --construct rare.c:5 rare.dvmt; wc -l <out)" ] || wrong "--function"
cp rare.dvmt damaged.dvmt
printf XXXX | dd of=damaged.dvmt bs=1 seek=$(($(stat -c %s rare.dvmt) * 3 / 10)) conv=notrunc 2>/dev/null
status 1 "$dvm" trace verify damaged.dvmt
status 0 "$dvm" trace dump --variable rare damaged.dvmt
grep -q . out || wrong "nothing in a damaged trace"
lacks err lost
lacks out lost

# verify
status 0 "$dvm" trace verify long.dvmt
has out "long.dvmt: whole: "
cp long.dvmt damaged.dvmt
printf XXXX | dd of=damaged.dvmt bs=1 seek=$(($(stat -c %s long.dvmt) / 2)) conv=notrunc 2>/dev/null
status 1 "$dvm" trace verify damaged.dvmt
has out "damaged.dvmt: damaged: "
has out "65536 records are lost"
head -c $(($(stat -c %s long.dvmt) / 2)) long.dvmt >torn.dvmt
status 1 "$dvm" trace verify torn.dvmt
has out "torn.dvmt: torn: "
finish
