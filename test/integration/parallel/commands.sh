#!/bin/bash
# What a user meets around parallel programs: without a launcher, options, objects that do not mix, mistakes that stop the run.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
job() { local n=$1; shift; mpirun --oversubscribe -n "$n" "$@"; }

cp "$source/samples/jacobi.c" .
status 0 "$dvmcc" -fdvm=parallel -O2 jacobi.c -o jacobi -lm
empty err
status 0 ./jacobi
has out "200 steps, last change 0.121253"
status 0 job 2 ./jacobi
has out "200 steps, last change 0.121253"
[ "$(wc -l <out)" = 1 ] || wrong "more than one rank prints"

# Options: all are told of a mistake once, before main.
status 2 env DVM_OPTIONS=grdi=2x2 ./jacobi
has err "unknown key 'grdi'; did you mean 'grid'?"
status 2 env DVM_OPTIONS=grid=2y2 ./jacobi
has err "expected numbers of processors with 'x' between them"
status 2 env DVM_OPTIONS=grid=3x2 mpirun --oversubscribe -n 2 ./jacobi
has err "the grid of 'grid=' has 6 processors, but the program runs on 2 ranks"
[ "$(grep -c 'has 6 processors' err)" = 1 ] || wrong "told more than once"
empty out
status 2 env DVM_OPTIONS=report=x.jsonl ./jacobi
has err "was compiled for parallel execution, not for checking"
status 0 env DVM_OPTIONS=help=1 ./jacobi
has out "grid="

# What the library says of wrong options, and complaints of the program, once.
cat >complain.c <<'END'
#include <err.h>
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  const struct option known[] = {{"yes", no_argument, NULL, 'y'}, {NULL, 0, NULL, 0}};
  int c;
  while ((c = getopt_long(argc, argv, "y", known, NULL)) != -1)
    printf("%c\n", c);
  errno = ENOENT;
  warn("first %d", 1);
  warnx("second");
  error(0, 0, "third");
  if (optind < argc)
    errx(7, "last: %s", argv[optind]);
  err(3, "none");
}
END
status 0 "$dvmcc" -fdvm=parallel -O2 complain.c -o complain
status 7 job 3 ./complain -y --maybe word
for text in "complain: unrecognized option '--maybe'" "complain: first 1: No such file or directory" "complain: second" "complain: third" "complain: last: word"; do
  [ "$(grep -c "$text" err)" = 1 ] || wrong "'$text' is not there once: $(cat err)"
done
[ "$(cat out)" = "y
?" ] || wrong "output is $(cat out)"
status 3 ./complain
has err "complain: none: No such file or directory"

cat >claims.c <<'END'
#include <assert.h>
int main(int argc, char **argv) {
  (void)argv;
  assert(argc > 1);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -O2 claims.c -o claims
status 0 job 3 ./claims word
status 134 job 3 ./claims
[ "$(grep -c "Assertion .argc > 1. failed" err)" = 1 ] || wrong "the assertion is not told once: $(cat err)"

# Larger than memory: static arrays are told of while compiling, allocated ones are for ranks that use their parts.
echo '#pragma dvm array distribute[block]
double a[1L << 44];' >large.c
status 0 "$dvmcc" -fdvm=parallel -c large.c -o large.o
has err "large.c:2:8: warning: 'a' is larger than the memory of this machine"
has err "allocate it with 'malloc'"

# Objects of two kinds.
status 0 "$dvmcc" -c jacobi.c -o checked.o
status 1 "$dvmcc" -fdvm=parallel checked.o -o mixed -lm
has err "an object was compiled with '-fdvm=check', which is the default: compile all of the program with '-fdvm=parallel'"
status 0 "$dvmcc" -fdvm=parallel -c jacobi.c -o parallel.o
status 2 "$dvmcc" parallel.o -o mixed -lm
has err "dvmcc: error: 'parallel.o' was compiled with '-fdvm=parallel': compile and link all of the program with it"
ar rc parallel.a parallel.o
status 1 "$dvmcc" parallel.a -o mixed -lm -Wl,--undefined=main
has err "link_with_fdvm_parallel"
status 0 "$dvmcc" -fdvm=parallel parallel.o -o whole -lm
status 2 "$dvmcc" -fdvm=parallel -static jacobi.c -o whole -lm
has err "cannot be used together"

# A read that needs remote_access: never another value.
cat >read.c <<'END'
#include <stdio.h>
#pragma dvm array distribute[block]
int a[10];
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 10; i++)
    a[i] = i;
  int x = a[7];
  printf("%d\n", x);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel read.c -o read
status 0 ./read
has out 7
status 66 job 2 ./read
has err "read.c:8:11: error: 'a[7]' is read in the sequential part by rank 0, but rank 1 has it"
has err "remote_access"

# Foreign elements: by pages for any code, by element with poison=1; memset and memcpy do a rank's own part.
cat >foreign.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 8192 };
#pragma dvm array distribute[block] shadow[0:0]
static double a[N];
#pragma dvm array align([i] with a[i]) shadow[0:0]
static double b[N];
__attribute__((noinline)) static double sum(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}
int main(int argc, char **argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0;
  double t = 0, *p = a, row[4];
  memset(a, 0, sizeof a);
  p[7] = 2;
  memcpy(b, a, sizeof a);
  if (which == 1)
    t = sum(a, N);
  if (which == 2)
    memcpy(row, &a[N - 4], sizeof row);
#pragma dvm parallel([i] on a[i]) reduction(sum(t))
  for (int i = 0; i < N; i++)
    t += b[which == 3 ? N - 1 - i : i];
  printf("%g\n", t);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -g -O2 foreign.c -o foreign
for options in guard=1 poison=1; do
  status 0 env DVM_OPTIONS=$options mpirun --oversubscribe -n 3 ./foreign
  has out 2
  status 66 env DVM_OPTIONS=$options mpirun --oversubscribe -n 3 ./foreign 1
  has err "foreign.c:12"
  has err " is read"
  has err "[dvm-sequential-access]"
  status 66 env DVM_OPTIONS=$options mpirun --oversubscribe -n 3 ./foreign 2
  has err "foreign.c:24:18: error: 'a[8188]' is read in the sequential part by rank"
  status 66 env DVM_OPTIONS=$options mpirun --oversubscribe -n 3 ./foreign 3
  has err "which has 'b["
  has err "[dvm-nonlocal-access]"
done

# A block of remote_access that assigns what it has fetched: reading that again is an error, the statement itself, and other elements, are right.
cat >again.c <<'END'
#include <stdio.h>
#define N 12
#pragma dvm array distribute[block]
int k[N];
int main(int argc, char **argv) {
  int x = 0;
#pragma dvm parallel([i] on k[i])
  for (int i = 0; i < N; i++)
    k[i] = i;
#pragma dvm remote_access(k[])
  {
    x += k[7];
    k[7] = k[8] + 1;
    k[2] += x++;
    x += k[8];
    if (argc > 1)
      x += k[7];
  }
  printf("%d\n", x);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -g -O2 again.c -o again
status 0 mpirun --oversubscribe -n 3 ./again
has out 16
status 66 mpirun --oversubscribe -n 3 ./again 1
has err "again.c:17:12: error: 'k[7]' is read by rank"
has err "has been given another value since"
status 0 env DVM_OPTIONS=guard=0 mpirun --oversubscribe -n 3 ./foreign 3
# A static array keeps a rank's memory to its part, whatever is set to zero.
cat >large.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#pragma dvm array distribute[block] shadow[0:0]
static char a[400 << 20];
int main(void) {
  struct rusage u;
  memset(a, 1, sizeof a);
  getrusage(RUSAGE_SELF, &u);
  printf("%d\n", u.ru_maxrss < 200 << 10);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -O2 large.c -o large
status 0 job 4 ./large
has out 1
status 0 env DVM_OPTIONS=digest=1 ./foreign
digest=$(grep digest err | sort)
status 0 env DVM_OPTIONS=digest=1 mpirun --oversubscribe -n 3 ./foreign
[ -n "$digest" ] && [ "$(grep digest err | sort)" = "$digest" ] || wrong "digests of 1 and 3 ranks differ: $digest; $(cat err)"

# Iterations that nobody has.
sed 's/i < 10; i++/i <= 10; i++/' read.c >outside.c
status 0 "$dvmcc" -fdvm=parallel outside.c -o outside
cat >fixed.c <<'END'
#define N 8
#pragma dvm array distribute[block][*]
static double a[N][N];
int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= N; j++)
      a[i][0] = j;
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -O2 fixed.c -o fixed
status 66 job 2 ./fixed
has err "fixed.c:5:13: error: the iteration j=8 lies outside 'a' [dvm-usage]"
# Also of an array that is aligned with it: as many bounds are the rank's.
sed -e 's/<= N/< N/' fixed.c >given.c
sed -e 's/^int main/#pragma dvm array align([i][j] with a[i][j])\nstatic double b[N][N];\n&/; s/on a/on b/; s/a\[i\]\[0\] =/b[i][0] =/' given.c >aligned.c
for f in given aligned; do status 0 "$dvmcc" -fdvm=parallel -O2 -S -emit-llvm $f.c -o $f.ll; done
[ "$(grep -c 'call i64 @llvm.smin' given.ll)" = "$(grep -c 'call i64 @llvm.smin' aligned.ll)" ] || wrong "the bounds of a loop over an aligned array are the rank's"
cat >move.c <<'END'
#pragma dvm inherit(x)
void move(double x[8][8]) {
#pragma dvm redistribute(x[*][block])
}
END
sed 's/<= N/< N/; s/^  return/  move(a);\n&/; 1s/^/void move(double x[8][8]);\n/' fixed.c >still.c
status 0 "$dvmcc" -fdvm=parallel -O2 still.c move.c -o still
status 0 job 1 ./still
status 66 job 2 ./still
has err "move.c:3:13: error: 'a' is given another place, but its directive does not say 'dynamic' [dvm-usage]"
has err "help: add 'dynamic' to the directive at still.c:3"
status 66 job 2 ./outside
has err "the iteration i=10 lies outside 'a' [dvm-usage]"

# A pointer in 'consistent' stands for what is left of an allocation of the program; of another object's data nobody knows the size.
cat >pointed.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define N 20
#pragma dvm array distribute[block]
int a[N];
double V[N];
static void f(double *p) {
#pragma dvm parallel([i] on a[i]) consistent(p[i])
  for (int i = 0; i < N; i++)
    p[i] = 2 * i;
}
static void g(int *p) {
#pragma dvm parallel([i] on a[i]) consistent(p[i])
  for (int i = 0; i < N; i++)
    p[i] = 2 * i;
}
int main(int argc, char **argv) {
  double local[N], *p = malloc((N + 1) * sizeof(*p)), *last = malloc(N * sizeof(*last));
  p[0] = -1;
  f(p + 1);
  f(last);
  printf("%g %g %g %g\n", p[0], p[1], p[N], last[N - 1]);
  if (argc > 1)
    switch (*argv[1]) {
    case 'g': f(V); break;
    case 'l': f(local); break;
    case 'e': f(last + N); break;
    case 'd': g(a + 3); break;
    default: free(last); f(last);
    }
  free(p);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -w pointed.c -o pointed
status 0 job 3 ./pointed
has out "-1 0 38 38"
for what in global local end freed; do
  status 66 job 3 ./pointed $what
  has err "pointed.c:8:13: error: the size of 'p' in 'consistent' is not known here: allocate it with malloc or calloc [dvm-usage]"
done
status 66 job 3 ./pointed distributed
has err "pointed.c:13:13: error: 'p' in 'consistent' is distributed: the clause is for replicated arrays [dvm-usage]"

# Members of what is consistent may be assigned by several ranks, one by one; their values hold also where they agree in part.
cat >members.c <<'END'
#include <stdlib.h>
#define N 20
struct three {
  int first, second;
  char tag, pad[3];
  struct {
    double x, y;
    int bits : 4, more : 5;
  } inner[2];
};
#pragma dvm array distribute[block]
int a[N];
struct three named[N];
int main(int argc, char **argv) {
  struct three *behind = malloc(N * sizeof(*behind));
#pragma dvm parallel([i] on a[i]) consistent(named[i])
  for (int i = 0; i < N; i++) {
    if (i == 1)
      named[3].first = argc;
    if (argc >= 2 && i == N - 2) {
      named[3].second = 0x10003;
      named[3].pad[2] = 'p';
      named[3].inner[1].y = 0.5;
    }
    if (i == 0)
      named[3].inner[1].x = 7;
    if (argc == 4 && i == N - 2)
      named[3].inner[1].x = 8;
  }
#pragma dvm parallel([i] on a[i]) consistent(behind[i])
  for (int i = 0; i < N; i++) {
    if (i == 1)
      behind[5].second = argc;
    if (argc == 3 && i == N - 2)
      behind[5].second = argc + 1;
  }
  const int both = argc == 1 || (named[3].second == 0x10003 && named[3].pad[2] == 'p' && named[3].inner[1].y == 0.5);
  return !(named[3].first == argc && named[3].inner[1].x == 7 && both && behind[5].second == argc);
}
END
status 0 "$dvmcc" -w members.c -o checked
status 0 ./checked 1
status 66 ./checked 1 2 3
has err "named[3].inner[1].x"
status 0 "$dvmcc" -fdvm=parallel -w members.c -o members
status 0 job 2 ./members
status 0 job 2 ./members 1
status 66 job 2 ./members 1 2 3
has err "members.c:16:13: error: element 3 of 'named', counted from 0, is assigned by iterations of rank 0 and of rank 1 [dvm-loop-dependence]"
status 66 job 2 ./members 1 2
has err "members.c:30:13: error: element 5 of 'behind', counted from 0, is assigned by iterations of rank 0 and of rank 1 [dvm-loop-dependence]"

# A rank between two elements of what is passed from rank to rank.
cat >between.c <<'END'
#pragma dvm array distribute[block]
int t[9];
#pragma dvm array align([i] with t[2 * i]) shadow[1:1]
int a[5];
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 5; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) across(a[1:0])
  for (int i = 1; i < 5; i++)
    a[i] += a[i - 1];
#pragma dvm parallel([i] on t[i]) across(a[1:0])
  for (int i = 1; i < 9; i++)
    if (i % 2 == 0)
      a[i / 2] += a[i / 2 - 1];
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -w between.c -o between
status 0 job 4 ./between
status 1 job 9 ./between
has err "between.c:12:13: error: 'across' over 'a', of which rank 1 has no element but executes iterations between two of them"

# Sizes that do not fit, and statuses of the program.
cat >sizes.c <<'END'
#include <stdlib.h>
int sizes[2] = {3, 4};
#pragma dvm array distribute[genblock(sizes)]
int a[10];
int main(int argc, char **argv) { return argc > 1 ? atoi(argv[1]) : 0; }
END
status 0 "$dvmcc" -fdvm=parallel sizes.c -o sizes
status 66 job 2 ./sizes
has err "sizes.c:3:13: error: 'genblock' divides dimension 1 of 'a' into parts with a total of 7 elements on 2 processors, but it has 10 [dvm-usage]"
sed -i 's/{3, 4}/{3, 7}/' sizes.c
status 0 "$dvmcc" -fdvm=parallel sizes.c -o sizes
status 5 job 2 ./sizes 5
sed -i 's/genblock(sizes)/multblock(3)/' sizes.c
status 0 "$dvmcc" -fdvm=parallel sizes.c -o sizes
status 66 ./sizes
status 66 job 2 ./sizes
has err "sizes.c:3:13: error: 'multblock' (3) does not divide dimension 1 of 'a', which has 10 elements [dvm-usage]"
cat >derived.c <<'END'
int n = 2;
#pragma dvm array distribute[block]
double a[10];
int main(void) {
#pragma dvm array distribute[derived(2 * i : 2 * i + n with a[@i])]
  double b[20];
  b[3] = 1;
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel derived.c -o derived
status 66 job 2 ./derived
has err "derived.c:5:13: error: 'derived' gives a place to element 20 of 'b', whose dimension has 20 [dvm-usage]"
sed -i 's/n = 2/n = 1/' derived.c
status 0 "$dvmcc" -fdvm=parallel derived.c -o derived
status 0 job 2 ./derived
sed -i 's/@i/@i + "near"/' derived.c
status 0 "$dvmcc" -fdvm=parallel derived.c -o derived
status 66 job 2 ./derived
has err "derived.c:5:13: error: the rule of 'b' names the edge \"near\", which 'shadow_add' has not made [dvm-usage]"
sed -i 's/+ "near"/- 1/' derived.c
status 1 "$dvmcc" -fdvm=parallel derived.c -o derived
has err "error: expected ']' or '+' and the name of an edge, in quotes, in 'derived'"

# Ranks that part ways are named in place of waiting for ever.
cat >parted.c <<'END'
#include <stdlib.h>
#pragma dvm array distribute[block]
int a[10];
int main(void) {
  int sum = 0;
  if (*getenv("OMPI_COMM_WORLD_RANK") == '1')
    return 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < 10; i++)
    sum += a[i] = i;
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel parted.c -o parted
status 66 env DVM_OPTIONS=patience=0.5 mpirun --oversubscribe -n 3 ./parted
has err "the ranks have diverged: each is waiting for others, and none can continue [dvm-divergence]"
has err "parted.c:8: note: rank 0,2: at or after this directive"
has err "note: rank 1: at the end of the program"

# Programs with MPI calls of their own, and input of rank 0.
cat >own.c <<'END'
#include <mpi.h>
#include <stdio.h>
#pragma dvm array distribute[block]
int a[10];
int main(int argc, char **argv) {
  int sum = 0, all = 0, rank, n = 0, over = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (scanf("%d", &n) != 1)
    return 1;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < 10; i++)
    sum += a[i] = i;
  rank += n;
  MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%d %d\n", sum, all);
  MPI_Finalized(&over);
  printf("%d", over != 0);
  MPI_Finalize();
  MPI_Finalized(&over);
  printf(" %d\n", over != 0);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel own.c -o own $(mpicc --showme:compile) $(mpicc --showme:link)
echo 20 | status 0 job 3 ./own
has out "45 63"
has out "0 1"
# A signal that the program sends itself is for each rank, and waits while it is blocked; children have no part in the job.
cat >signals.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#pragma dvm array distribute[block]
int a[10];
static volatile sig_atomic_t met;
static void meet(int s) { met += s; }
int main(int argc, char **argv) {
  sigset_t set;
  int sum = 0;
  signal(SIGUSR1, meet);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR1);
  if (met)
    puts("too early");
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  for (int k = 0; k < met; k++)
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < 10; i++)
      a[i] = k;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < 10; i++)
    sum += a[i] + 1 == SIGUSR1;
  printf("%d of 10\n", sum);
  if (argc > 1 && fork() == 0)
    exit(0);
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel -g signals.c -o signals
status 0 job 3 ./signals
has out "10 of 10"
! grep -q 'too early' out || wrong "a thread of MPI has taken a blocked signal"
status 1 job 3 ./signals fork
has err "'fork' by many ranks is not supported"
status 0 ./signals fork
# A program that ends in a task region, and tasks within a task that all ranks execute.
cat >leaves.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define N 24
#pragma dvm processors P[2]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block] dynamic
double a[N];

static void within(int k) {
#pragma dvm task_region(T)
  {
#pragma dvm on(T[1])
    {
      printf("within %d\n", k);
    }
  }
}

int main(int argc, char **argv) {
#pragma dvm map(T[0] onto P[0 : 1])
#pragma dvm map(T[1] onto P[1 : 1])
#pragma dvm redistribute(a[block] onto P[1 : 1])
#pragma dvm task_region(T)
  {
    printf("before\n");
#pragma dvm on(T[0])
    {
      within(argc);
      printf("all\n");
    }
#pragma dvm on(T[1])
    {
      printf("one\n");
    }
    if (argc > 1)
      exit(3);
  }
  printf("behind\n");
  return 0;
}
END
status 0 "$dvmcc" -fdvm=parallel leaves.c -o leaves
status 0 job 2 ./leaves
test "$(tr '\n' ' ' <out)" = "before within 1 all one behind " || wrong "a region in a task printed: $(cat out)"
status 3 mpirun --oversubscribe -n 2 ./leaves now
test "$(sort out | tr '\n' ' ')" = "all before one within 2 " || wrong "a program that ended in a region printed: $(cat out)"
finish

# Large pages lie in the rank's own part.
cat >huge.c <<'END'
enum { N = 4 << 20 };
void tell_huge(void);
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  tell_huge();
  return 0;
}
END
cat >smaps.c <<'END' # the MiB of mappings that are to have large pages
#include <stdio.h>
#include <string.h>
void tell_huge(void);
void tell_huge(void) {
  char line[4096];
  long all = 0, now = 0;
  FILE *f = fopen("/proc/self/smaps", "r");
  while (f && fgets(line, sizeof(line), f)) {
    sscanf(line, "Size: %ld", &now);
    if (!strncmp(line, "VmFlags:", 8) && strstr(line, " hg"))
      all += now;
  }
  fprintf(stderr, "large: %ld\n", all >> 10);
}
END
cat >can.c <<'END'
#include <stdlib.h>
#include <sys/mman.h>
int main(void) { return madvise(aligned_alloc(2 << 20, 4 << 20), 4 << 20, MADV_HUGEPAGE) != 0; }
END
clang-19 -c smaps.c -o smaps.o
clang-19 can.c -o can
if ./can; then
  status 0 "$dvmcc" -fdvm=parallel -O2 huge.c smaps.o -o huge
  status 0 job 2 ./huge
  [ "$(grep -cE '^large: 1[46]$' err)" = 2 ] || wrong "not the part of each rank has large pages"
  status 0 env DVM_OPTIONS=huge=0 mpirun --oversubscribe -n 2 ./huge
  [ "$(grep -c '^large: 0$' err)" = 2 ] || wrong "large pages with 'huge=0'"
fi
