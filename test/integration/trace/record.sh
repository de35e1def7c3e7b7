# dvm record: levels, configuration, programs that end in all ways, objects that record beside objects that do not.
. "$(dirname "$0")/lib.sh"

cat >part.c <<'C'
#define N 20
#pragma dvm array distribute[block]
double A[N];
void relax(double w);
void relax(double w) {
  int i;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i] = A[i] * w + i;
}
C
cat >main.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define N 20
#pragma dvm array distribute[block]
extern double A[N];
void relax(double w);
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  double sum = 0;
  int i, step;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i] = 1;
  for (step = 0; step < 3; step++) {
    relax(0.5);
    if (!strcmp(how, "kill") && step == 1) raise(SIGKILL);
  }
#pragma dvm parallel([i] on A[i]) reduction(sum(sum))
  for (i = 0; i < N; i++)
    sum += A[i];
  printf("%.6f\n", sum);
  fflush(stdout);
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "exec")) execl("/bin/echo", "echo", "afterwards", (char *)0);
  if (!strcmp(how, "fork")) {
    int child;
    if (!fork()) { relax(2); exit(0); }
    wait(&child);
    relax(0.5);
  }
  return how[0] == '7' ? 7 : 0;
}
C
count() { grep -c "  $1  " out; } # of records of a kind in a dump

status 0 "$dvmcc" -fdvm=trace -O2 main.c part.c -o prog
./prog >plain
status 0 "$dvm" record -v -o t.dvmt -- ./prog
cmp out plain || wrong "the recorded program prints something else"
has err "records"
status 7 "$dvm" record -o t.dvmt -- ./prog 7
status 0 "$dvm" trace info t.dvmt
has out "command    './prog' '7'"
has out "state      complete"

grep -q "^program    [0-9a-f]\{16,\}$" out || wrong "no build id: $(cat out)"

# Levels: kinds of records.
level() { # LEVEL iterations writes reads results digests
  status 0 "$dvm" record --level "$1" -o t.dvmt -- ./prog
  status 0 "$dvm" trace dump t.dvmt
  local got
  got="$(count 'iteration') $(count 'write    ') $(count 'read     ') $(count 'result   ') $(count 'digest   ')"
  [ "$got" = "$2 $3 $4 $5 $6" ] || wrong "level $1: $got, not $2 $3 $4 $5 $6"
}
level none 0 0 0 0 0
level system 0 0 0 1 0
level checksum 0 2 0 1 10 # arrays and iterations; what is written outside of constructs and loops has its values
level minimal 103 0 0 1 0
status 0 "$dvm" record --level modify -o t.dvmt -- ./prog
status 0 "$dvm" trace stat --json t.dvmt
has out '"variables":[{"reads":0,"writes":80,"name":"A"}'
status 0 "$dvm" trace dump --element 'A[3]' t.dvmt
[ "$(count 'write    ')" = 4 ] || wrong "history of A[3]"
has out "A[3] = 1"
has out "A[3] = 5.375"
status 0 "$dvm" trace dump --construct main.c:22 t.dvmt
[ "$(count 'iteration')" = 20 ] || wrong "one construct alone"
has out "sum = "

# Ends of all kinds: everything is there, and the status is the program's.
(status 137 "$dvm" record -o kill.dvmt -- ./prog kill; exit "$failures") 2>/dev/null || wrong "death by a signal is not handed on"
status 0 "$dvm" trace dump kill.dvmt
[ "$(grep -c 'A\[19\] = ' out)" = 3 ] || wrong "records before a SIGKILL"
status 0 "$dvm" trace info kill.dvmt
has out "did not end by itself"
for inside in '' --inside; do
  status 3 "$dvm" record $inside -o t.dvmt -- ./prog _exit
  status 0 "$dvm" trace dump t.dvmt
  has out "sum = "
  status 0 "$dvm" trace info t.dvmt
  has out complete
done
status 0 "$dvm" record -o t.dvmt -- ./prog exec
has out afterwards
status 0 "$dvm" trace dump t.dvmt
has out "sum = "
status 0 "$dvm" record -o t.dvmt -- ./prog fork
status 0 "$dvm" trace stat t.dvmt
grep -q '^parallel *part.c:7:13 *4 *80 ' out || wrong "constructs of a forked child are in the trace, or the parent's are not"

# Level system: the calls with their arguments, kept when the program crashes.
cat >calls.c <<'C'
#include <signal.h>
#include <stdlib.h>
#pragma dvm array distribute[block], shadow[1:2], dynamic
static double *H;
#pragma dvm array distribute[block][*]
static double G[4][6];
int main(int argc, char **argv) {
  int i, n = argc + 9;
  double most = 0;
  H = malloc((size_t)n * sizeof *H);
#pragma dvm redistribute(H[block])
#pragma dvm parallel([i] on H[i])
  for (i = 0; i < n; i++)
    H[i] = i;
#pragma dvm parallel([i] on H[i]) shadow_renew(H[1:1]) reduction(max(most))
  for (i = 1; i < n - 1; i++)
    if (H[i] + H[i + 1] > most) most = H[i] + H[i + 1];
#pragma dvm parallel([i] on G[i][])
  for (i = 0; i < 4; i++)
    G[i][0] = most;
  raise(SIGSEGV);
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w -O1 calls.c -o calls
(status 139 "$dvm" record --level system -o calls.dvmt -- ./calls; exit "$failures") 2>/dev/null || wrong "death by SIGSEGV is not handed on"
status 0 "$dvm" trace dump calls.dvmt
has out "redistribute H[*], distribute [block]"
has out "parallel, level system: on H[*], shadow_renew H[*], widths [1:1], reduction max(most)"
has out "most = 17"
has out "parallel, level system: on G[4][6]"

# The recorder is killed: the program goes on, the trace is whole up to a block.  A full disk: likewise, and it is said.
cat >long.c <<'C'
#include <stdio.h>
#include <unistd.h>
static int A[1000];
int main(void) {
  for (int step = 0; step < 1000; step++) {
    for (int i = 0; i < 1000; i++)
      A[i] += step * i;
    if (step == 200) {
      puts("half");
      fflush(stdout);
      while (access("go", F_OK))
        usleep(10000);
    }
  }
  puts("end");
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -O1 long.c -o long
mkfifo half
"$dvm" record -o long.dvmt -- ./long >half 2>/dev/null &
recorder=$!
exec 3<half
read -r line <&3
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s long.dvmt.part ] && break; sleep 0.2; done
kill -9 $recorder
wait $recorder 2>/dev/null
touch go
read -r line <&3
exec 3<&-
[ "$line" = end ] || wrong "the program did not survive its recorder: '$line'"
status 0 "$dvm" trace info long.dvmt.part
has out "torn"
"$dvm" trace stat long.dvmt.part >stat 2>err
has err "is torn"
grep -q "loop *long.c:6:5 *[1-9]" stat || wrong "nothing in a torn trace: $(cat stat)"
cp t.dvmt full.dvmt
for disposition in - "''"; do
  (ulimit -f 6000; eval "trap $disposition XFSZ"; "$dvm" record --codec none -o full.dvmt -- ./long >out 2>err)
  [ $? = 1 ] || wrong "a full disk"
  has out end
  has err "cannot write 'full.dvmt.part': File too large"
  cmp -s t.dvmt full.dvmt || wrong "an older trace was lost to a torn one"
  kept=$(sed -n "s/^note: the first \([1-9][0-9]*\) records are in 'full.dvmt.part', which can be read as far as it goes$/\1/p" err)
  status 0 "$dvm" trace info full.dvmt.part
  grep -q "^records *$kept in" out || wrong "not $kept records: $(cat out)"
  rm full.dvmt.part
done
# The program meets the limit as it would alone.
cat >limited.c <<'C'
#include <signal.h>
int main(void) {
  struct sigaction s;
  return sigaction(SIGXFSZ, 0, &s) ? 9 : s.sa_handler == SIG_DFL ? 3 : s.sa_handler == SIG_IGN ? 4 : 5;
}
C
status 0 "$dvmcc" -fdvm=trace limited.c -o limited
status 3 "$dvm" record -o limited.dvmt -- ./limited
(trap '' XFSZ; "$dvm" record -o limited.dvmt -- ./limited)
[ $? = 4 ] || wrong "an ignored limit"
# Nothing has been kept: nothing is left.
(ulimit -f 100; "$dvm" record -o few.dvmt -- ./prog >out 2>err)
[ $? = 1 ] || wrong "a limit that is too small"
has err "cannot create the record buffer: File too large; 'ulimit -f' must allow 4100 KiB"
[ -z "$(ls few.dvmt* 2>/dev/null)" ] || wrong "left: $(ls few.dvmt*)"
mkdir small
trap 'umount "$scratch/small" 2>/dev/null; rm -rf "$scratch"' EXIT
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
  status 1 "$dvm" record --codec none -o small/t.dvmt -- ./long
  has err "cannot write 'small/t.dvmt.part': No space left on device"
  rm -f small/*
  status 1 "$dvm" record --inside --codec none -o small/t.dvmt -- ./long
  has out end # what the program has not yet written is not lost
  rm -f small/*
  lacks err "note:"
  [ -z "$(ls small)" ] || wrong "left on a full disk: $(ls small)"
  head -c 100000 /dev/zero >small/fill 2>/dev/null
  status 1 "$dvm" record -o small/t.dvmt -- ./prog
  has err "No space left on device"
  status 1 "$dvm" trace config -o small/t.conf -- ./prog
  has err "cannot write 'small/t.conf': No space left on device"
  status 1 "$dvm" compare --html small/t.html t.dvmt -- ./prog
  has err "small/t.html"
  [ "$(ls small)" = fill ] || wrong "left on a full disk: $(ls small)"
  umount small
else
  echo "left out: may not mount a small disk here"
fi

# Part of a program: the numbers of constructs do not depend on the others.
for plain in main part; do
  traced=part
  [ "$plain" = part ] && traced=main
  status 0 "$dvmcc" -fdvm=trace -O1 -c "$traced.c" -o traced.o
  status 0 "$dvmcc" -fdvm=off -w -O1 -c "$plain.c" -o off.o
  status 0 "$clang" -w -O1 -c "$plain.c" -o clang.o
  for other in off clang; do
    status 0 "$dvmcc" -fdvm=trace traced.o $other.o -o mixed
    status 0 "$dvm" record -o mixed.dvmt -- ./mixed
    cmp out plain || wrong "mixed with $other: another output"
    status 0 "$dvm" trace stat mixed.dvmt
    grep -q "parallel *$traced.c" out || wrong "no construct of $traced.c beside $other"
    lacks out "$plain.c"
  done
  status 0 "$dvmcc" traced.o off.o -o mixed # linked as for a check
  status 0 "$dvm" record -o mixed.dvmt -- ./mixed
done

# Configuration: made, edited, obeyed, refused.
status 0 "$dvm" trace config -o made.conf -- ./prog
has made.conf "parallel part.c:7 level modify"
has made.conf "# 3 executions, 60 iterations, 60 writes, 120 reads"
has made.conf "# iterations: 1:0..19"
status 0 "$dvm" record --config made.conf -o t.dvmt -- ./prog
status 0 "$dvm" trace config -o lines.conf -- ./prog $'two\nlines'
status 0 "$dvm" record --config lines.conf -o lines.dvmt -- ./prog
cat >some.conf <<'T'
level none
parallel part.c:7 level modify 1:4..10 step 3   # 4, 7, 10
start part.c:7 2
finish part.c:7 2
T
status 0 "$dvm" record --config some.conf -o t.dvmt -- ./prog
status 0 "$dvm" trace dump t.dvmt
[ "$(count 'iteration') $(count 'write    ') $(count 'enter    ')" = "3 3 1" ] || wrong "ranges, start and finish: $(cat out)"
has out "A[7] = "
echo 'paralel part.c:7 level modify' >bad.conf
status 2 "$dvm" record --config bad.conf -o t.dvmt -- ./prog
has err "bad.conf:1:1: expected level, start, finish, tolerance or a construct; did you mean 'parallel'?"
DVM_OPTIONS=trace_config=bad.conf status 2 ./prog
has err "bad.conf:1:1"
DVM_OPTIONS=trace_levle=full status 2 ./prog
has err "did you mean 'trace_level'?"

# Sums of arrays behind pointers, whose size the allocation tells, each kind of allocation.
cat >kinds.c <<'C'
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#define ALL(X) X(m, malloc(800)) X(c, calloc(100, 8)) X(a, aligned_alloc(64, 832)) X(g, memalign(64, 800)) X(v, valloc(800)) \
  X(r, reallocarray(malloc(8), 100, 8)) X(p, aligned()) X(f, mmap(0, 800, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
static void *aligned(void) { void *p; return posix_memalign(&p, 64, 800) ? 0 : p; }
#define ARRAY(name, how) _Pragma("dvm array distribute[block]") static double *name;
ALL(ARRAY)
int main(void) {
  int i;
#define DO(directive) _Pragma(#directive)
#define FILL(name, how) name = how; \
  DO(dvm parallel([i] on name[i])) for (i = 0; i < 100; i++) name[i] = i;
  ALL(FILL)
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w -O1 kinds.c -o kinds
status 0 "$dvm" record --level checksum -o kinds.dvmt -- ./kinds
status 0 "$dvm" trace dump kinds.dvmt
[ "$(grep -c 'digest .*: ' out) $(grep -c 'digest .*the iterations: ' out)" = "16 8" ] || wrong "sums of arrays by kind of allocation: $(grep digest out)"
cat >heap.c <<'C'
#include <stdlib.h>
#pragma dvm array distribute[block]
static double *A;
int main(void) {
  int i;
  A = malloc(100 * sizeof(double));
  for (int step = 0; step < 2; step++) {
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < 100; i++)
      A[i] = i;
    if (!step)
      A = realloc(A, 150 * sizeof(double));
  }
  free(A);
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w heap.c -o heap
status 0 "$dvm" record --level checksum -o heap.dvmt -- ./heap
status 0 "$dvm" trace dump heap.dvmt
[ "$(grep -c 'digest     heap.c:8:13  .*A: ' out)" = 2 ] || wrong "sums of an array behind a pointer: $(cat out)"

# By DVM_OPTIONS alone: the tool is found and started.
DVM_OPTIONS=trace=record:trace_file=by.dvmt:trace_level=full status 7 ./prog 7
cmp out plain || wrong "the recorded program prints something else"
status 0 "$dvm" trace info by.dvmt
has out "level      full"
has out "'7'"
DVM_OPTIONS=trace=compare:reference=by.dvmt status 7 ./prog 7
agreed
DVM_OPTIONS=trace=compare:reference=by.dvmt status 66 ./prog
has err "'argc' is 1, the reference has 2"
DVM_OPTIONS=trace=config:trace_file=by.conf status 0 ./prog
has by.conf "parallel part.c:7 level modify"
DVM_OPTIONS=trace=compare status 2 ./prog
has err "needs 'reference=FILE'"
DVM_OPTIONS=trace=recrod status 2 ./prog
has err "expected off, record, compare or config"

# Wrong uses.
status 2 "$dvm" record
status 2 "$dvm" record --level most -- ./prog
has err "unknown level 'most'"
status 1 "$dvm" record -o t.dvmt -- ./nowhere
has err "cannot run './nowhere'"
status 1 "$dvm" record -o none.dvmt -- /bin/true
has err "'/bin/true' recorded nothing: compile and link it with 'dvmcc -fdvm=trace'"
[ ! -e none.dvmt ] || wrong "an empty trace was left"
status 1 "$dvm" record -o /nowhere/t.dvmt -- ./prog
has err "cannot write '/nowhere/t.dvmt'"
mkdir folder
status 1 "$dvm" record -o folder -- ./prog
has err "'folder' is a folder; expected the name of a file"
empty out
[ ! -e folder.part ] || wrong "a trace was left beside a folder"
mkfifo pipe
status 1 "$dvm" record -o pipe -- ./prog
has err "'pipe' is not a regular file"
[ -p pipe ] || wrong "a pipe was replaced"
cp by.dvmt old.dvmt
status 1 "$dvm" record -o old.dvmt -- /bin/true
status 1 "$dvm" record -o old.dvmt -- ./nowhere
cmp -s by.dvmt old.dvmt && [ ! -e old.dvmt.part ] || wrong "an older trace was lost to a program that records nothing"
status 1 "$dvm" trace config -o /nowhere/t.conf -- ./prog
has err "cannot write '/nowhere/t.conf'"
empty out
status 2 "$dvm" record --levl full -- ./prog
has err "unknown option '--levl'; did you mean '--level'?"
status 2 "$dvm" trace dump --elemnt A by.dvmt
has err "did you mean '--element'?"
status 2 "$dvm" trace dump --limit
has err "option '--limit' needs a value"
status 0 "$dvm" trace dump --element nothing by.dvmt
has err "'by.dvmt' has no record of 'nothing'"
status 0 "$dvm" trace dump --construct part.c:999 by.dvmt
has err "'by.dvmt' has no record of 'part.c:999'"
status 1 "$dvm" trace info nothing.dvmt
has err "cannot read 'nothing.dvmt'"
echo "not a trace, but long enough to hold a whole header" >text.dvmt
status 1 "$dvm" trace info text.dvmt
has err "'text.dvmt' is not a trace"

# The exit status is kept, told and compared.
cat >ends.c <<'C'
int main(void) { double y = 1; y += 1; return WITH; }
C
for with in 0 7; do
  status 0 "$dvmcc" -fdvm=trace -w -DWITH=$with ends.c -o ends$with
  status $with "$dvm" record -o ends$with.dvmt -- ./ends$with
done
status 0 "$dvm" trace info ends7.dvmt
has out "ended      7"
status 66 "$dvm" diff ends0.dvmt ends7.dvmt
has err "error: the program ends with status 7 here, in the reference with 0"
status 66 "$dvm" compare ends0.dvmt -- ./ends7
has err "error: the program ends with status 7 here, in the reference with 0"
status 7 "$dvm" compare ends7.dvmt -- ./ends7
status 7 "$dvm" compare --accept end ends0.dvmt -- ./ends7
has err "warning: the program ends with status 7"

# What fits nothing is told.
status 0 "$dvm" diff --rename other=another ends0.dvmt ends0.dvmt
has err "warning: '--rename other=another' fits no file or variable of the reference"
status 0 "$dvm" diff --rename ends.c=ends.c ends0.dvmt ends0.dvmt
if grep -q warning err; then wrong "warned of a rename that fits: $(cat err)"; fi
status 2 "$dvm" trace dump --from 5 --to 2 ends0.dvmt
has err "'--to' is before '--from'"
cat >nest.c <<'C'
static double A[5][4];
int main(void) {
  for (int t = 0; t < 3; t++) {
#pragma dvm parallel([i][j])
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 4; j++)
        A[i][j] = i + j + t;
  }
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w nest.c -o nest
echo 'parallel nest.c:4 level modify 3:1..1' >nest.conf
status 0 "$dvm" record --config nest.conf -o nest.dvmt -- ./nest
has err "the construct at nest.c:4 has 2 dimensions: the range of dimension 3 says nothing"
printf 'start nest.c:4 3\nfinish nest.c:4 1\n' >nest.conf
status 0 "$dvm" record --config nest.conf -o nest.dvmt -- ./nest
has err "recording finishes before it starts: nothing is recorded"

# Addresses that become numbers are the same in every run.
cat >hash.c <<'C'
#include <stdlib.h>
static unsigned long h;
int main(void) { char *p = malloc(8); h = (unsigned long)p % 1009; return 0; }
C
status 0 "$dvmcc" -fdvm=trace -w hash.c -o hash
status 0 "$dvm" record -o hash.dvmt -- ./hash
for i in 1 2 3; do status 0 "$dvm" compare hash.dvmt -- ./hash; done

# Places in files whose names have blanks.
cp nest.c 'a nest.c'
status 0 "$dvmcc" -fdvm=trace -w 'a nest.c' -o nest
status 0 "$dvm" trace config -o blank.conf -- ./nest
grep -q '^parallel "a nest.c:4" level modify' blank.conf || wrong "no quoted place: $(cat blank.conf)"
status 0 "$dvm" record --config blank.conf -o nest.dvmt -- ./nest
[ -s err ] && wrong "told of a configuration that is right: $(cat err)"
echo 'start "a nest.c:4' >blank.conf
status 2 "$dvm" record --config blank.conf -o nest.dvmt -- ./nest
has err "blank.conf:1:"

# What the run has ended with, and a changed type, is told.
printf 'static REAL d;\nint main(int c, char **v) { d = 0.5; (void)v; if (c > 1) return 0; d += 1; return 0; }\n' >where.c
status 0 "$dvmcc" -fdvm=trace -g -w -DREAL=double where.c -o where
status 0 "$dvm" record -o where.dvmt -- ./where
status 66 "$dvm" compare where.dvmt -- ./where early
has err "the reference continues with the write of 'd'; the last record of the run, 0, is of where.c:2:29"
status 0 "$dvmcc" -fdvm=trace -g -w -DREAL=float where.c -o float
status 0 "$dvm" compare where.dvmt -- ./float
has err "; of another type: 'd' (float, double in the reference)"

# A bit of the index.
python3 -c "d = bytearray(open('where.dvmt', 'rb').read()); d[-50] ^= 16; open('index.dvmt', 'wb').write(d)"
status 1 "$dvm" trace verify index.dvmt
has out "the index is damaged"
status 0 "$dvm" trace verify where.dvmt
finish
