# Libraries that come and go: what their functions assign is known while they are there, and of those that came later.
. "$(dirname "$0")/lib.sh"
cat >nest.c <<'C'
#pragma dvm array distribute[block]
extern double part[50];
void work(int i);
double sweep(void) {
#pragma dvm parallel([i] on part[i])
  for (int i = 0; i < 50; i++) { part[i] = i; work(i); }
  return part[9];
}
C
cat >work.c <<'C'
#ifdef FAR
const char far[1 << 22] = {1}; /* so that the other one lies elsewhere */
#endif
extern double kept;
void work(int i) { kept = VALUE + i; }
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#pragma dvm array distribute[block]
double part[50];
double kept;
int main(int argc, char **argv) {
  double total = 0;
  kept = 1;
  part[0] = 1;
  for (int n = 1; n < argc; n++) {
    void *so = dlopen(argv[n], RTLD_NOW);
    if (!so) { puts(dlerror()); return 1; }
    total += ((double (*)(void))dlsym(so, "sweep"))();
    dlclose(so);
  }
  printf("%g\n", total);
  return 0;
}
C
plugin() { status 0 "$dvmcc" -fdvm=trace -g -O1 -w -shared -fPIC nest.c work.c "${@:2}" -o "$1"; }
plugin a.so -DFAR -DVALUE=0
plugin b.so -DVALUE=0
status 0 "$dvmcc" -fdvm=trace -g -O1 -w main.c -rdynamic -ldl -o main
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./main ./a.so ./b.so
has out 18
status 0 "$dvm" compare ref.dvmt -- ./main ./a.so ./b.so
agreed "100 % of the reference, 100 % of the run"
# What the second one assigns is seen, where another of the same name was.
plugin b.so -DVALUE=7
status 66 "$dvm" compare ref.dvmt -- ./main ./a.so ./b.so
has err "'kept' differs"

# What a library says of itself goes with it: its variables, its functions, holes of elements that it has declared, constructs that are left by a jump.
cat >own.c <<'C'
#include <setjmp.h>
#ifdef FAR
const char far[1 << 22] = {1};
#endif
struct element { char c; double d; };
#pragma dvm array distribute[block]
struct element *elements;
extern jmp_buf back;
double own = VALUE, others[40];
void plain(double *x);
void fill(struct element *of, int n) {
  elements = of;
#pragma dvm parallel([i] on elements[i])
  for (int i = 0; i < n; i++) { elements[i].c = (char)i; elements[i].d = own; }
  plain(&own);
  others[3] = own;
}
void leave(void) {
#pragma dvm parallel([i] on elements[i])
  for (int i = 0; i < 20; i++) {
    own += i;
    if (i == 7) longjmp(back, 1);
  }
}
C
cat >plain.c <<'C'
#include <dlfcn.h>
extern double seen[30];
void plain(double *x) { *x += 1; seen[4] = *x; }
void unload(void *so) { dlclose(so); seen[5]++; }
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
struct element { char c; double d; };
jmp_buf back;
double seen[30];
#pragma dvm array distribute[block]
struct element *kept;
void plain(double *x);
void unload(void *so);
int main(int argc, char **argv) {
  double total = 0;
  kept = malloc(20 * sizeof(*kept));
  for (int n = 1; n < argc; n++) {
    void *so = dlopen(argv[n], RTLD_NOW);
    if (!so) { puts(dlerror()); return 1; }
    ((void (*)(void *, int))dlsym(so, "fill"))(kept, 20);
    if (!setjmp(back))
      ((void (*)(void))dlsym(so, "leave"))();
    if (n % 2) unload(so); else dlclose(so);
#pragma dvm parallel([i] on kept[i])
    for (int i = 0; i < 20; i++) kept[i].d += i;
    plain(&total);
  }
  printf("%g %g %g\n", total, seen[4], seen[5]);
  return 0;
}
C
own() { status 0 "$dvmcc" -fdvm=trace -g -O1 -w -shared -fPIC own.c "${@:2}" -o "$1"; }
own own_a.so -DFAR -DVALUE=3
own own_b.so -DVALUE=4
status 0 clang-19 -O1 -w -fPIC -shared plain.c -o libplain.so -ldl
status 0 "$dvmcc" -fdvm=trace -g -O1 -w host.c -rdynamic -L. -lplain -Wl,-rpath,"$PWD" -ldl -o host
for level in modify checksum; do
  status 0 "$dvm" record --level $level -o own.dvmt -- ./host ./own_a.so ./own_b.so ./own_a.so ./own_b.so
  has out "4 4 2"
  status 0 "$dvm" compare own.dvmt -- ./host ./own_a.so ./own_b.so ./own_a.so ./own_b.so
  agreed "100 % of the reference, 100 % of the run"
done

# A function of a plain library that lies where one of a recorded library lay is none that is recorded.
cat >same.c <<'C'
extern double seen[30];
void work(int i) { seen[i] += VALUE; }
C
status 0 "$dvmcc" -fdvm=trace -g -O1 -w -shared -fPIC -DVALUE=1 same.c -o recorded.so
status 0 clang-19 -g -O1 -w -shared -fPIC -DVALUE=2 same.c -o plain2.so
status 0 clang-19 -g -O1 -w -shared -fPIC -DVALUE=3 same.c -o plain3.so
cat >place.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
double seen[30];
int main(int argc, char **argv) {
  seen[1] = 5;
  for (int n = 1; n < argc; n++) {
    void *so = dlopen(argv[n], RTLD_NOW);
    void (*work)(int) = (void (*)(int))dlsym(so, "work");
    work(n);
    dlclose(so);
  }
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -g -O1 -w place.c -rdynamic -ldl -o place
status 0 "$dvm" record -o place.dvmt -- ./place ./recorded.so ./plain2.so
status 66 "$dvm" compare place.dvmt -- ./place ./recorded.so ./plain3.so
has err "'seen[2]' is 3, the reference has 2"
finish
