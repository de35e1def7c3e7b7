# dvm compare --flags: which objects, then which functions, carry the difference between two ways to compile.
. "$(dirname "$0")/lib.sh"
cat >main.c <<'C'
#include <stdio.h>
void fill(double *x, int n);
double sum_all(const double *x, int n), product(const double *x, int n), norm(const double *x, int n), mean(double s, int n);
static double x[50];
int main(void) {
  fill(x, 50);
  double s = sum_all(x, 50), m = mean(s, 50), p = product(x, 50), e = norm(x, 50);
  printf("%g %g %g %g\n", s, m, p, e);
  return 0;
}
C
echo 'void fill(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1 + i * 0.25; }' >fill.c
cat >sum.c <<'C'
static double twice(double a) { return a * 2; }
double sum_all(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
#ifdef SUM
    s += x[i] * 1.001;
#else
    s += x[i];
#endif
  return twice(s) / 2;
}
double unused(double a) { return a + 1; }
C
cat >mean.c <<'C'
#ifdef HALF
double gain = 2;
#else
double gain __attribute__((weak)) = 1;
#endif
double mean(double s, int n) { return s / n; }
C
cat >product.c <<'C'
static int calls;
static double step(double p, double v) {
  calls++;
#ifdef PRODUCT
  v *= 1.0001;
#endif
  return p * v / (1 + v);
}
double product(const double *x, int n) {
  double p = 1;
  for (int i = 0; i < n; i++)
    p = step(p, x[i]);
  return calls == n ? p : -1;
}
C
cat >norm.c <<'C'
#include <math.h>
extern double gain;
double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
#ifdef HALF
    s += gain > 1 ? x[i] : x[i] * x[i];
#else
    s += x[i] * x[i];
#endif
  return sqrt(s);
}
C
sources="main.c fill.c sum.c mean.c product.c norm.c -lm"
cat >Makefile <<'M'
CFLAGS = -O2
prog: main.o fill.o sum.o norm.o libparts.a
	$(CC) -o $@ main.o fill.o sum.o norm.o libparts.a -lm
libparts.a: mean.o product.o
	ar rcs $@ $^
M

# flags STATUS SECOND OPTIONS..
flags() { status "$1" "$dvm" compare --flags -O0 "$2" "${@:3}"; }
# shellcheck disable=SC2086
for how in "$sources" "--make make"; do
  flags 0 -O2 $how
  has err "dvm: no difference between '-O0' and '-O2' in 6 objects"
  has err "100 % of the reference, 100 % of the run"
  has out "356.25"
  flags 66 "-O2 -DPRODUCT" $how
  has err "dvm: the difference is in 'product.c', in 'step'"
  has err "product.c:5:3: error:"
  has err "dvm: 1 set of objects"
  flags 66 "-O2 -DSUM -DPRODUCT" $how
  has err "dvm: the difference is in 'sum.c', in 'sum_all'"
  has err "dvm: the difference is in 'product.c', in 'step'"
  has err "dvm: 2 sets of objects"
  flags 66 "-O1 -DHALF" $how
  grep -qE "^dvm: the difference is in 'mean.c' and 'norm.c' together|^dvm: the difference is in 'norm.c' and 'mean.c' together" err ||
    wrong "two that together matter: $(cat err)"
done
# shellcheck disable=SC2086
flags 0 "-O2 -DSUM" --tolerance 0.1 $sources

# Another compiler's objects, which do not record.
# shellcheck disable=SC2086
if command -v gcc >gcc.txt; then
  flags 0 -O2 --second-cc gcc $sources
  flags 66 "-O2 -DSUM" --second-cc gcc $sources
  has err "dvm: the difference is in 'sum.c', in 'sum_all'"
  lacks err "product.c'"
fi

# What cannot be done is said.
flags 2 -O2
has err "'--flags' needs sources, or '--make'"
flags 2 "-O2 -flto" main.c
has err "no objects to choose between"
flags 2 -O2 --make true
has err "the build has compiled nothing"
flags 1 -O2 missing.c
flags 0 -O2 --help
has out "usage: dvm compare --flags FIRST SECOND"
# A mixture that cannot be made is not taken for one without a difference.
mkdir tools place && printf '#!/bin/sh\nexit 1\n' >tools/objcopy && chmod +x tools/objcopy
before=$PATH PATH=$PWD/tools:$PATH
# shellcheck disable=SC2086
flags 66 "-O2 -DSUM" $sources
has err "dvm: the difference is in 'sum.c'; which of its functions cannot be determined: cannot make symbols of"
lacks err "in none of its functions"
PATH=$before
# The temporary place is the user's, and nothing is left there.
# shellcheck disable=SC2086
TMPDIR=$PWD/place flags 0 -O2 $sources
[ -z "$(ls -A place)" ] || wrong "left in TMPDIR: $(ls -A place)"
TMPDIR=$PWD/nowhere flags 1 -O2 main.c
has err "cannot create the temporary folder '$PWD/nowhere/dvm-flags-"
TMPDIR="$PWD/a b" && mkdir "$TMPDIR" && TMPDIR="$PWD/a b" flags 2 -O2 main.c
has err "use another TMPDIR"
unset TMPDIR
finish
