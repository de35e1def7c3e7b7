# Objects of all kinds together: shared libraries that come and go, static ones, C++, objects of other compilers, LTO and not.
. "$(dirname "$0")/lib.sh"

# ---- dlopen and dlclose ----
cat >plugin.c <<'X'
#pragma dvm array distribute[block] shadow[1:1]
static double part[50];
double sweep(const double *in, int n, int wrong) {
  double sum = 0;
#pragma dvm parallel([i] on part[i])
  for (int i = 0; i < 50; i++) part[i] = i < n ? in[i] : 0;
#pragma dvm parallel([i] on part[i]) reduction(sum(sum))
  for (int i = 1; i < 50; i++)
    sum += wrong ? part[i - 1] : part[i];
  return sum;
}
X
status 0 "$dvmcc" -g -O1 -shared -fPIC plugin.c -o plugin.so
program loads -ldl <<'X'
#include <dlfcn.h>
#include "mistake.h"
int main(int argc, char **argv) {
  double *in = malloc(40 * sizeof *in), total = 0;
  for (int i = 0; i < 40; i++) in[i] = i;
  for (int round = 0; round < 3; round++) {
    void *so = dlopen("./plugin.so", RTLD_NOW);
    if (!so) { puts(dlerror()); return 1; }
    double (*sweep)(const double *, int, int) = (double (*)(const double *, int, int))dlsym(so, "sweep");
    total += sweep(in, 40, argc > 1);
    dlclose(so);
  }
  free(in);
  printf("%g\n", total);
  mistake(argv[0] ? argc - 1 : 0);
  return 0;
}
X
status 0 ./loads
has out 2340
empty err
status 66 ./loads wrong
has err "plugin.c:9:20: error: 'part[0]' is read from the shadow edge"
has err "$first'field[0]'"
# A plain program that loads a checked library.
status 0 "$clang" -Wno-unknown-pragmas loads.c -ldl -o plain-loads
status 66 ./plain-loads wrong
has err "plugin.c:9:20: error:"

# The library writes an array of the main program and goes: a later mistake names the last writer no more, and other data may
# come to lie where its arrays lay.
cat >writer.c <<'X'
#pragma dvm array distribute[block] shadow[1:1]
static double own[4000];
#pragma dvm array distribute[block] shadow[1:1]
extern double given[50];
double *where(void) { return own; }
void write_all(void) {
#pragma dvm parallel([i] on own[i])
  for (int i = 0; i < 4000; i++) own[i] = i;
#pragma dvm parallel([i] on given[i])
  for (int i = 0; i < 50; i++) given[i] = i;
}
X
status 0 "$dvmcc" -g -O1 -shared -fPIC writer.c -o writer.so
program reader -D_GNU_SOURCE -rdynamic -ldl <<'X'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#pragma dvm array distribute[block] shadow[1:1]
double given[50];
#pragma dvm array align([i] with given[i])
double result[50];
static char unused[8192];
int main(int argc, char **argv) {
  void *so = dlopen("./writer.so", RTLD_NOW);
  if (!so) { puts(dlerror()); return 1; }
  void (*write_all)(void) = (void (*)(void))dlsym(so, "write_all");
  write_all();
  double *(*where)(void) = (double *(*)(void))dlsym(so, "where");
  uintptr_t page = ((uintptr_t)where() + 4095) & ~(uintptr_t)4095;
  dlclose(so);
  double *p = mmap((void *)page, 1 << 14, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), sum = 0;
  if (p == MAP_FAILED) { puts("another place"); return 5; }
  for (int i = 0; i < (1 << 11); i++) sum += p[i];
#pragma dvm parallel([i] on result[i]) reduction(sum(sum))
  for (int i = 1; i < 49; i++) { result[i] = argc > 1 ? given[i - 1] : given[i]; sum += result[i] - i; }
  printf("%g %d\n", sum, unused[5]);
  return argv[0] ? 0 : 1;
}
X
status 0 ./reader
has out "0 0"
empty err
status 66 ./reader wrong
has err "reader.c:"
has err "[dvm-shadow-stale]"

# ---- static libraries, LTO mixes, objects of other compilers ----
cat >unit.c <<'X'
#include <stdlib.h>
double *fill(int n) { double *p = malloc(n * sizeof *p); for (int i = 0; p && i < n; i++) p[i] = i; return p; }
void into(double *p, int n) { for (int i = 0; i < n; i++) p[i] = 2 * i; }
X
cat >whole.c <<'X'
#include <stdio.h>
#include <stdlib.h>
double *fill(int n);
void into(double *p, int n);
#pragma dvm array distribute[block]
static double a[20];
int main(void) {
  double *p = fill(20), q[20], r[20], sum = 0;
  into(q, 20);
#ifdef WRONG
  if (p) into(r, 19);
#else
  if (p) into(r, 20);
#endif
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < 20; i++) { a[i] = p[i] + q[i]; sum += a[i] + r[i]; }
  printf("%g\n", sum);
  free(p);
  return 0;
}
X
whole() { status 0 ./whole; has out 950; empty err; }
for unit_flags in "-O0" "-O2" "-O2 -flto" "-O2 -flto=thin"; do
  for whole_flags in "-O0" "-O2" "-O2 -flto"; do
    case $unit_flags in *lto*) link=-flto ;; *) link= ;; esac # as clang needs it
    status 0 "$dvmcc" $unit_flags -c unit.c -o unit.o
    status 0 "$dvmcc" $whole_flags unit.o whole.c $link -o whole; whole
    # Instrumented code is not foreign: what it does not assign has no value.
    status 0 "$dvmcc" $whole_flags -DWRONG unit.o whole.c $link -o whole
    status 66 ./whole
    has err "'r[19]' is read before any value"
  done
done
status 0 "$dvmcc" -O2 -c unit.c -o unit.o
ar crs libunit.a unit.o
status 0 "$dvmcc" -O2 whole.c -L. -lunit -o whole; whole
for other in "$clang -O1" "$clang -O2 -flto" "gcc -O2" "$dvmcc -fdvm=off -O2"; do
  command -v ${other%% *} >/dev/null || continue
  status 0 $other -c unit.c -o unit.o
  case $other in *lto*) link=-flto ;; *) link= ;; esac
  status 0 "$dvmcc" -O2 unit.o whole.c $link -o whole; whole
done
status 0 "$dvmcc" -O2 -fopenmp=libgomp -c unit.c -o unit.o
status 0 "$dvmcc" unit.o whole.c -o whole; whole

# ---- C++ beside C ----
cat >more.cpp <<'X'
#include <vector>
#include <stdexcept>
extern "C" { void into(double *p, int n); double *fill(int n); double each(double (*f)(double), int n); }
void into(double *p, int n) { std::vector<double> v(n); for (int i = 0; i < n; i++) v[i] = 2 * i; for (int i = 0; i < n; i++) p[i] = v[i]; }
double *fill(int n) { double *p = static_cast<double *>(malloc(n * sizeof *p)); for (int i = 0; i < n; i++) p[i] = i; return p; }
X
for compiler in "$clang++" clang++-19 g++; do
  command -v "$compiler" >/dev/null || continue
  status 0 "$compiler" -O1 -include cstdlib -c more.cpp -o more.o
  status 0 "$dvmcc" -O2 -c whole.c -o whole.o
  status 0 "$dvmcc" whole.o more.o -lstdc++ -o whole; whole
  # The C++ compiler links; the run-time library is named as dvmcc names it.
  status 0 "$compiler" whole.o more.o "$("$dvmcc" --dvm-print-runtime)" -Wl,-rpath,"$(dirname "$("$dvmcc" --dvm-print-runtime)")" -o whole; whole
done
# A function that runs before everything else is not judged, and what it has done is taken as it is.
program early <<'X'
#include <stdio.h>
#include <stdlib.h>
#define N 8
static int early, *memory;
static void before(void) {
  int local[4];
  early = 3;
  for (int i = 0; i < 3; i++)
    local[i] = i;
  memory = malloc(sizeof *memory);
  *memory = local[early - 1];
}
__attribute__((section(".preinit_array"), used)) static void (*first)(void) = before;
#pragma dvm array distribute[block]
static int a[N];
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = early + *memory;
  puts("ends");
  free(memory);
  return 0;
}
X
status 0 ./early
has out ends
count 1 err "dvm: functions in '.preinit_array' ran before checking began and were not checked"
count 0 err "error: "
finish
