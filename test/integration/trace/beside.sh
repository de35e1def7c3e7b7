# What is written by no assignment of the source: vectors, compound literals, atomic operations, other builtins, assembly; and what
# cannot be recorded is told.
. "$(dirname "$0")/lib.sh"
# written NAME DECLARATIONS STATEMENTS ELEMENT: what the statements, which use the value k, write is recorded as the element.
written() {
  cat >"$1.c" <<C
#include <stdatomic.h>
typedef double v4 __attribute__((vector_size(32)));
struct s { double x; int n; };
struct __attribute__((packed)) odd { char c; v4 v; };
static volatile long k = K;
static double of(const struct s *p) { return p->n; }
$2
int main(void) { $3; return 0; }
C
  for k in 1 2; do
    status 0 "$dvmcc" -fdvm=trace -w -DK=$k "$1.c" -o "$1$k"
    status 0 "$dvmcc" -fdvm=trace -w -O2 -DK=$k "$1.c" -o "$1-O2-$k"
  done
  status 0 "$dvm" record -o ref.dvmt -- "./$1"1
  status 0 "$dvm" compare ref.dvmt -- "./$1-O2-1"
  agreed "100 % of the reference, 100 % of the run"
  for other in "$1"2 "$1-O2-2"; do
    status 66 "$dvm" compare --exact ref.dvmt -- "./$other"
    has err "error: '$4' is 2, the reference has 1"
  done
}
written vector 'static v4 x;' 'x = (v4){3, k, 5, 6}' 'x[1]'
written start '' 'v4 y = {3, k, 5, 6}' 'y[1]'
written element '' 'v4 z; z[2] = k' 'z[2]'
written member '' 'struct odd o; v4 *p; o.v = (v4){1, 1, 1, k}; o.v[3]++; o.v[3]--' 'o.v[3]'
written behind 'static v4 x[2];' 'v4 *p = x + 1; *p = (v4){k}; (*p)[1] = 7' 'x[1][0]'
written volatile '' 'volatile double y = k' 'y'
written cell '' 'volatile int w[3] = {1, k, 3}' 'w[1]'
written literal '' 'double *q = (double[]){3, k, 5}' '(double[3])[1]'
written given '' 'of(&(struct s){3, k})' '(struct s).n'
written atomic 'static long n;' '__atomic_fetch_add(&n, k, __ATOMIC_SEQ_CST)' 'n'
written standard 'static atomic_int n;' 'atomic_store(&n, k)' 'n'
written exchange 'static long n, old;' 'n = k; __atomic_load(&n, &old, __ATOMIC_SEQ_CST)' 'old'
written expected '' 'long n = k, e = 7; __atomic_compare_exchange_n(&n, &e, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)' 'e'
written sync 'static int a[4];' 'int *p = a + 1; __sync_add_and_fetch(p + 1, k)' 'a[2]'
written overflow '' 'int sum; __builtin_add_overflow(k, 0, &sum)' 'sum'
written register '' 'long r; __asm__("mov %1,%0" : "=r"(r) : "r"(k))' 'r'
written memory 'static long a[4];' 'int i = 2; __asm__("movq %1,%0" : "=m"(a[i]) : "r"(k))' 'a[2]'

# told NAME STATEMENTS TEXT: that the statements are not recorded is told at their place; with an empty text nothing is.
told() {
  printf '#include <string.h>\n#include <sys/uio.h>\nint main(void) { long x[2] = {0}; char b[9] = "a b", *p = b;\n%s; return 0; }\n' "$2" >"$1.c"
  status 0 "$dvmcc" -fdvm=trace -w "$1.c" -o "$1"
  status 0 "$dvm" record -o ref.dvmt -- "./$1"
  if [ "$3" ]; then
    status 66 "$dvm" compare ref.dvmt -- "./$1"
    has err "$1.c:4:"
    has err "'$3' is executed: what it writes is not recorded and not compared"
    status 0 "$dvm" compare --accept unrecorded ref.dvmt -- "./$1"
  else
    status 0 "$dvm" compare ref.dvmt -- "./$1"
    agreed
  fi
}
told barrier '__asm__ volatile("" : : "r"(x) : "memory"); __asm__ volatile("mfence" : : : "memory")' ''
told clobber '__asm__ volatile("movq $1,(%0)" : : "r"(x) : "memory")' asm

# elsewhere NAME STATEMENTS TEXT..: what functions write where no argument of theirs points, and parts of elements, is recorded.
elsewhere() {
  cat >"$1.c" <<C
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static volatile long k = K;
int main(void) {
  char b[] = "a,b;c", *p = b, *s = 0;
  double x[4] = {0}, y = 1;
  struct iovec v = {x + 1, 16};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
  int two[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, two)) return 1;
  double in[2] = {k, 5};
  if (write(two[1], in, 16) != 16) return 1;
  $2;
  return 0;
}
C
  for k in 1 2; do
    status 0 "$dvmcc" -fdvm=trace -w -O$k -DK=$k "$1.c" -o "$1$k"
    status 0 "$dvmcc" -fdvm=trace -w -DK=$k "$1.c" -o "$1-O0-$k"
  done
  status 0 "$dvm" record -o ref.dvmt -- "./$1"1
  status 0 "$dvm" compare ref.dvmt -- "./$1-O0-1"
  agreed "100 % of the reference, 100 % of the run"
  status 66 "$dvm" compare --exact ref.dvmt -- "./$1"2
  has err "$3"
}
elsewhere strtok 'for (s = strtok(b, k == 1 ? "," : ";"); s; s = strtok(NULL, ","))' "the write of 'b[3]' is not in the reference"
elsewhere strtok_r 'strtok_r(b, k == 1 ? "," : ";", &s)' "the write of 'b[3]' is not in the reference"
elsewhere strsep 'strsep(&p, k == 1 ? "," : ";")' "the write of 'b[3]' is not in the reference"
elsewhere readv 'if (readv(two[0], &v, 1) != 16) return 1' "'x[1]' is 2, the reference has 1"
elsewhere recvmsg 'if (recvmsg(two[0], &m, 0) != 16) return 1' "'x[1]' is 2, the reference has 1"
elsewhere memcpy 'double z = k; memcpy((char *)&y + 6, (char *)&z + 6, 2)' "'y' is 2, the reference has 1"
elsewhere memset 'memset((char *)&x[2] + 7, k == 1 ? 0x40 : 0x41, 1)' "'x[2]' is"
finish
