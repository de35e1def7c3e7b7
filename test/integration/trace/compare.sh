# dvm compare and dvm diff: mistakes in samples are named as the first difference; what is right is silent.
. "$(dirname "$0")/lib.sh"
cp "$source"/test/integration/trace/samples/*.c .

build_() { # PROGRAM FILE FLAGS..
  status 0 "$dvmcc" -fdvm=trace -w "$2" -o "$1" "${@:3}"
}
first() { head -n 1 err; }
# mistake SAMPLE NUMBER REGEX: the first line of the report.
mistake() {
  build_ wrong "$1.c" -O2 -DMISTAKE="$2"
  status 66 "$dvm" compare --report wrong.jsonl "$1.dvmt" -- ./wrong
  first | grep -qE "$3" || { wrong "$1 with mistake $2: $(first)"; }
  python3 -c '
import json, sys
rows = [json.loads(line) for line in open("wrong.jsonl")]
first = open("err").readline()
assert rows and rows[0]["message"] in first and rows[0]["id"] in first, rows[0]' || wrong "report of $1 with mistake $2"
}
for sample in jacobi sor cg; do
  build_ $sample $sample.c -O2
  build_ $sample-0 $sample.c -O0
  status 0 "$dvm" record --level full -o $sample.dvmt -- ./$sample
  status 0 "$dvm" compare $sample.dvmt -- ./$sample
  agreed
  status 0 "$dvm" compare $sample.dvmt -- ./$sample-0 # another level of optimisation
  agreed
  status 0 "$dvm" record --level modify -o $sample.dvmt -- ./$sample
  status 0 "$dvm" record --level modify -o again.dvmt -- ./$sample-0
  status 0 "$dvm" diff $sample.dvmt again.dvmt
  agreed
done
mistake jacobi 1 "^jacobi.c:20:13: error: 22 iterations of the reference are not executed; the first is \(i=1, j=22\) \[dvm-trace-structure\]"
mistake jacobi 2 "^jacobi.c:23:9: error: 'B\[1\]\[1\]' is 0.10416666666666667, the reference has 0.14583333333333334 .* \[dvm-trace-value\]"
mistake jacobi 3 "^jacobi.c:28:11: error: the write of 'A\[7\]\[9\]' of the reference does not happen \[dvm-trace-structure\]"
has err "jacobi.c:24:13: note: in this parallel construct, iteration (step=8, i=7, j=9), execution 9"
has err "note: record 18523 of the run, in main"
mistake jacobi 4 "^jacobi.c:23:9: error: 'B\[1\]\[1\]' is 0.12499999687500007, the reference has 0.125 \(relative difference 2.5e-08, .* units in the last place\)"
has err "dvm: in the order of the first difference: B, A"
mistake sor 1 "^sor.c:18:34: error: the write of 'colour' of the reference does not happen"
mistake sor 2 "^sor.c:26:15: error: 'A\[1\]\[1\]' is .* \[dvm-trace-value\]"
mistake sor 3 "^sor.c:24:19: error: the write of 's' of the reference does not happen \[dvm-trace-structure\]"
has err "the write of 'A[4][2]' of the reference does not happen"
mistake sor 4 "^sor.c:12:9: error: 'w' is 0.50005, the reference has 0.5 .* \[dvm-trace-value\]"
has err "'A[1][1]' is"
mistake cg 1 "^cg.c:29:13: error: 1 iteration of the reference is not executed: \(i=198\)"
mistake cg 2 "^cg.c:31:7: error: 'q\[1\]' is .* \[dvm-trace-value\]"
mistake cg 3 "^cg.c:46:9: error: the write of 'x\[100\]' of the reference does not happen"
mistake cg 4 "^cg.c:40:5: error: 'alpha' is .* \[dvm-trace-value\]"

# A sum in another order is no difference, an error of 1e-3 in it is.
build_ order cg.c -O2 -DORDER
status 0 "$dvm" compare cg.dvmt -- ./order
build_ noise cg.c -O2 -DORDER -DNOISE=1e-3
status 66 "$dvm" compare cg.dvmt -- ./noise
first | grep -q "'alpha' is" || wrong "noise: $(first)"
status 0 "$dvm" compare --tolerance 2 --partial cg.dvmt -- ./noise

# Tolerances of types and variables, in the configuration.
build_ wrong jacobi.c -O2 -DMISTAKE=4
printf 'tolerance variable B relative 1e-6\ntolerance type double relative 1e-12\n' >loose.conf
status 66 "$dvm" compare --config loose.conf jacobi.dvmt -- ./wrong
first | grep -q "'A\[1\]\[1\]' is" || wrong "tolerance of a variable: $(first)"
lacks err "error: 'B["
printf 'tolerance type double relative 1e-6\n' >loose.conf
status 0 "$dvm" compare --config loose.conf jacobi.dvmt -- ./wrong

echo 'int n; int main(void) { n = X; return 0; }' >whole.c
build_ whole whole.c -DX=5
status 0 "$dvm" record -o whole.dvmt -- ./whole
build_ whole whole.c -DX=6
status 66 "$dvm" compare --tolerance 1 whole.dvmt -- ./whole
has err "'n' is 6, the reference has 5"
echo 'tolerance variable n relative 2' >loose.conf
status 0 "$dvm" compare --config loose.conf whole.dvmt -- ./whole

# Iterations in another order, some twice, some unknown, some in part; a window too small for them.
cat >any.c <<'C'
#include <stdio.h>
#ifndef HOW
#define HOW 0
#endif
#define N 3000
#pragma dvm array distribute[block]
static double A[N + 8];
int main(void) {
  int i, k = 0;
#pragma dvm parallel([i] on A[i])
#if HOW == 0
  for (i = 0; i < N; i++)
#else
  for (i = N - 1 + (HOW == 2); i >= (HOW == 3) * 7; i--)
#endif
    A[i] = HOW == 4 && i == 5 ? 7 : i * 0.5;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i] = A[i] + 1;
  printf("%g\n", A[9]);
  return 0;
}
C
build_ any any.c -O1
status 0 "$dvm" record -o any.dvmt -- ./any
build_ other any.c -O1 -DHOW=1
status 0 "$dvm" compare any.dvmt -- ./other
status 0 "$dvm" compare --window 0 any.dvmt -- ./other
build_ other any.c -O1 -DHOW=2
status 66 "$dvm" compare any.dvmt -- ./other
has err "iteration (i=3000) is not in the reference"
build_ other any.c -O1 -DHOW=3
status 66 "$dvm" compare any.dvmt -- ./other
has err "7 iterations of the reference are not executed; the first is (i=0)"
status 66 "$dvm" compare --partial any.dvmt -- ./other # what was not computed is missed later
has err "'A[1]' is 1"
lacks err "not executed"
build_ other any.c -O1 -DHOW=4
status 66 "$dvm" compare any.dvmt -- ./other
first | grep -q "'A\[5\]' is 7, the reference has 2.5" || wrong "value in another order: $(first)"
status 66 "$dvm" compare --window 0 any.dvmt -- ./other
first | grep -q "'A\[5\]' is 7, the reference has 2.5" || wrong "value outside of the window: $(first)"

# A source that has been changed: constructs are the same at other lines; one that is new is a difference, those behind it are not.
status 0 "$dvm" record -o lines.dvmt -- ./jacobi
sed '3s|^|/* a line more */\n\n|; s|^  for (step.*|  /* and one */\n&|' jacobi.c >moved.c
mkdir moved && mv moved.c moved/jacobi.c
build_ moved/prog moved/jacobi.c -O2
status 0 "$dvm" compare lines.dvmt -- moved/prog
agreed
build_ moved/prog moved/jacobi.c -O2 -DMISTAKE=2
status 66 "$dvm" compare lines.dvmt -- moved/prog
first | grep -q "jacobi.c:26:9: error: 'B\[1\]\[1\]' is " || wrong "moved lines: $(first)"
sed -i '0,/^  for (step/s||#pragma dvm parallel([i][j] on B[i][j])\n  for (i = 0; i < N; i++)\n    for (j = 0; j < N; j++)\n      B[i][j] = A[i][j] * 1;\n&|' moved/jacobi.c
build_ moved/prog moved/jacobi.c -O2 -DMISTAKE=3
status 66 "$dvm" compare lines.dvmt -- moved/prog
first | grep -q "jacobi.c:22:13: error: the start of the parallel at .*jacobi.c:22 happens where the reference has the start of the loop" ||
  wrong "a new construct: $(first)"
has err "jacobi.c:35:11: error: the write of 'A[7][9]' of the reference does not happen"

# Kinds of differences that are not wanted.
build_ wrong jacobi.c -O2 -DMISTAKE=3
status 66 "$dvm" compare --checks -trace-structure jacobi.dvmt -- ./wrong
first | grep -q "'B\[6\]\[9\]' is" || wrong "without differences of structure: $(first)"
status 0 "$dvm" compare --checks -all jacobi.dvmt -- ./wrong
[ "$(wc -l <err)" = 1 ] || wrong "kinds that are not wanted are told: $(cat err)"
DVM_OPTIONS=trace=compare:reference=jacobi.dvmt:checks=-all,+dvm-trace-value:exitcode=5:report=by.jsonl status 5 ./wrong
lacks err "dvm-trace-structure"
has by.jsonl "dvm-trace-value"
status 2 "$dvm" compare --checks -trace-values jacobi.dvmt -- ./wrong
has err "unknown check 'trace-values'"

# Text that is no UTF-8 is marked in reports.
odd=$(printf 'caf\351.c')
cp whole.c "$odd"
build_ odd "$odd" -DX=7
status 66 "$dvm" compare --report odd.jsonl whole.dvmt -- ./odd
status 0 "$dvm" record -o odd.dvmt -- ./odd
status 0 "$dvm" trace dump --json odd.dvmt
for file in odd.jsonl out; do
  python3 -c '
import json, sys
assert json.loads(open(sys.argv[1], encoding="utf-8").readline())["file"] == "caf\ufffd.c"' "$file" || wrong "text that is no UTF-8: $(head -n 1 $file)"
done

# NaN and infinity are named where they appear first.
cat >nan.c <<'C'
#include <math.h>
#ifndef BAD
#define BAD 0
#endif
static double a[8], b;
int main(void) {
  for (int i = 0; i < 8; i++)
    a[i] = sqrt(BAD && i == 3 ? -1.0 : i);
  for (int i = 0; i < 8; i++)
    b = b + a[i];
  return 0;
}
C
build_ nan nan.c -O1 -lm
status 0 "$dvm" record -o nan.dvmt -- ./nan
build_ nan nan.c -O1 -lm -DBAD=1
status 66 "$dvm" compare --report nan.sarif nan.dvmt -- ./nan
first | grep -qE "^nan.c:8:5: error: 'a\[3\]' becomes NaN here, the reference has 1.73205080756887.* \[dvm-trace-nan\]" || wrong "NaN: $(first)"
has err "nan.c:7:3: note: in this loop, iteration (i=3), execution 1"
status 0 "$dvm" record -o nan.dvmt -- ./nan
status 0 "$dvm" compare nan.dvmt -- ./nan
has err "warning: 'a[3]' becomes NaN here, as in the reference [dvm-trace-nan]"
status 0 "$dvm" diff nan.dvmt nan.dvmt # equal files, but not silent ones
has err "warning: 'a[3]' becomes NaN here, as in the reference [dvm-trace-nan]"
python3 - <<'P' || wrong "nan.sarif"
import json
run = json.load(open('nan.sarif'))['runs'][0]
assert run['tool']['driver']['rules'][run['results'][0]['ruleIndex']]['id'] == 'dvm-trace-nan'
assert run['results'][0]['locations'][0]['physicalLocation']['region'] == {'startLine': 8, 'startColumn': 5}
P

# Values near zero are no exception, and a rounding error against the variable's size is none.
cat >small.c <<'C'
static double tiny[2], big[3];
int main(void) {
  tiny[0] = 1e-20; tiny[1] = X;
  big[0] = 1; big[1] = 1; big[2] = Y;
  return 0;
}
C
build_ small small.c -DX=1e-25 -DY=0.0
status 0 "$dvm" record -o small.dvmt -- ./small
build_ small small.c -DX=2e-25 -DY=2e-16
status 66 "$dvm" compare small.dvmt -- ./small
has err "'tiny[1]' is 2e-25, the reference has 1e-25"
lacks err "'big[2]' is"

# Structure: another way through the program, then common ground again.
cat >ways.c <<'C'
#define N 10
#pragma dvm array distribute[block]
static int A[N];
static int x, y;
static void fill(int v) {
  int i;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i] = v;
}
static void extra(void) {
  int i;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i]++;
}
int main(void) {
  fill(1);
  x = 1;
#ifdef WAY
  y = 2;
  extra();
#endif
  x = 3;
  fill(2);
#ifdef WAY
  fill(9);
#endif
  fill(4);
  return 0;
}
C
build_ ways ways.c
status 0 "$dvm" record -o ways.dvmt -- ./ways
build_ ways ways.c -DWAY
status 66 "$dvm" compare ways.dvmt -- ./ways
first | grep -q "ways.c:21:3: error: the write of 'y' is not in the reference" || wrong "extra write: $(first)"
has err "the start of the parallel at ways.c:13 happens"
status 0 "$dvm" record -o extra.dvmt -- ./ways
status 66 "$dvm" diff extra.dvmt ways.dvmt

# Sums of arrays alone.
for sample in jacobi cg; do
  status 0 "$dvm" record --level checksum -o sum.dvmt -- ./$sample
  status 0 "$dvm" compare sum.dvmt -- ./$sample-0
  build_ wrong $sample.c -O2 -DMISTAKE=2
  status 66 "$dvm" compare sum.dvmt -- ./wrong
  has err "differs from the reference when this construct ends"
done

# The page: whole in itself, its data right.
build_ wrong jacobi.c -O2 -DMISTAKE=4
status 66 "$dvm" compare --html page.html jacobi.dvmt -- ./wrong
python3 - <<'P' || wrong "page.html"
import html.parser, json
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.inside, self.data, self.open = set(), [], False, '', []
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get('id'))
        self.links += [attrs[a] for a in ('src', 'href') if a in attrs]
        self.inside = attrs.get('id') == 'data'
        if tag not in ('meta', 'input'):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.inside = False
    def handle_data(self, text):
        self.data += text if self.inside else ''
page = Page()
page.feed(open('page.html').read())
assert not page.open and not page.links and {'time', 'maps', 'data', 'all'} <= page.ids
data = json.loads(page.data)
first = data['maps'][0]
assert (first['variable'], first['place'], first['rows'], first['columns']) == ('B', 'jacobi.c:20:13', 24, 24), first
frame, cells = first['frames'][0]
assert frame == 3 and cells[:2] == [1, 1] and cells[2] == -8, (frame, cells[:3])
assert [m['variable'] for m in data['maps']] == ['B', 'A']
P

# From the sums to the element, over what is within the tolerance.
status 0 "$dvm" record --level checksum -o sum.dvmt -- ./jacobi
build_ wrong jacobi.c -O2 -DMISTAKE=3
status 66 "$dvm" compare --bisect sum.dvmt -- ./wrong
cmp out <(./wrong) || wrong "the program's output under --bisect"
has err "dvm: execution 9 of the construct at jacobi.c:24:13 is the first beyond the tolerance"
has err "jacobi.c:28:11: error: the write of 'A[7][9]' of the reference does not happen [dvm-trace-structure]"
build_ moved/prog moved/jacobi.c -O2 -DMISTAKE=3 # other lines, and a construct more
status 66 "$dvm" compare --bisect sum.dvmt -- moved/prog
has err "jacobi.c:35:11: error: the write of 'A[7][9]' of the reference does not happen [dvm-trace-structure]"
build_ wrong jacobi.c -O2 -DMISTAKE=4 # 2.5e-8 a step
status 66 "$dvm" compare --bisect --tolerance 6e-8 sum.dvmt -- ./wrong
has err "dvm: execution 3 of the construct at jacobi.c:20:13 is the first beyond the tolerance"
status 0 "$dvm" compare --bisect --tolerance 1e-3 sum.dvmt -- ./wrong
has err "all differences are within the tolerance"
status 0 "$dvm" compare --bisect sum.dvmt -- ./jacobi-0
agreed
cp jacobi jacobi-old && build_ jacobi jacobi.c -O2 -DMISTAKE=2 # built anew, under the reference's name
status 2 "$dvm" compare --bisect sum.dvmt -- ./jacobi
has err "the reference's program has been rebuilt since"
mv jacobi-old jacobi
mkdir "it's" && cp jacobi "it's"
(cd "it's" && "$dvm" record --level checksum -o ../its.dvmt -- ./jacobi >out) || wrong "a folder with a quotation mark"
build_ wrong jacobi.c -O2 -DMISTAKE=3
status 66 "$dvm" compare --bisect its.dvmt -- ./wrong
has err "the write of 'A[7][9]' of the reference does not happen"
status 2 "$dvm" compare --bisect jacobi.dvmt -- ./jacobi
has err "needs a reference of level checksum"

# Ends and wrong uses.
status 1 "$dvm" compare jacobi.dvmt -- /bin/true
has err "recorded nothing"
status 1 "$dvm" compare nothing.dvmt -- ./jacobi
status 2 "$dvm" compare jacobi.dvmt
status 2 "$dvm" diff jacobi.dvmt
status 2 "$dvm" diff --report x.txt a b
has err "ends in .jsonl or .sarif"
status 1 "$dvm" compare --report /nowhere/x.jsonl jacobi.dvmt -- ./jacobi
has err "cannot write '/nowhere/x.jsonl'"
empty out
status 1 "$dvm" compare --html /nowhere/x.html jacobi.dvmt -- ./jacobi
has err "cannot write '/nowhere/x.html'"
empty out
status 2 "$dvm" compare --tolerence 1 jacobi.dvmt -- ./jacobi
has err "did you mean '--tolerance'?"
echo "not a trace, but long enough to hold a whole header" >text.dvmt
status 1 "$dvm" diff jacobi.dvmt text.dvmt
has err "'text.dvmt' is not a trace"
status 2 "$dvm" diff --exitcode 300 jacobi.dvmt jacobi.dvmt
has err "expected a number up to 255, found '300'"
cp jacobi.dvmt damaged.dvmt # in the payload of a block
printf XXXX | dd of=damaged.dvmt bs=1 seek=$(($(stat -c %s jacobi.dvmt) / 2)) conv=notrunc 2>/dev/null
status 66 "$dvm" diff jacobi.dvmt damaged.dvmt
has err "'damaged.dvmt' is damaged:"
status 66 "$dvm" diff damaged.dvmt jacobi.dvmt
has err "'damaged.dvmt' is damaged:"
status 66 "$dvm" compare damaged.dvmt -- ./jacobi
has err "'damaged.dvmt' is damaged:"
status 0 "$dvm" trace stat damaged.dvmt
has err "'damaged.dvmt' is damaged:"
head -c 3000 jacobi.dvmt >torn.dvmt
status 66 "$dvm" compare torn.dvmt -- ./jacobi
has err "nothing was compared"
status 0 "$dvm" compare --accept torn,nothing torn.dvmt -- ./jacobi
has err "is torn: compared as far as it goes"
finish
