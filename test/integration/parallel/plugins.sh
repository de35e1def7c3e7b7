#!/bin/bash
# Libraries that a program executed by ranks loads itself and closes: their arrays go with them, what their functions assign is known while they are
# there, and elements that they have declared keep their holes.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }
cat >nest.c <<'END_C'
enum { N = 40 };
struct element { char c; double d; };
#pragma dvm array distribute[block]
double own[N];
#pragma dvm array distribute[block]
struct element *elements;
void work(int i);
double sweep(struct element *of) {
  double sum = 0;
  elements = of;
#pragma dvm parallel([i] on own[i])
  for (int i = 0; i < N; i++) { own[i] = i; work(i); }
#pragma dvm parallel([i] on elements[i])
  for (int i = 0; i < N; i++) { elements[i].c = (char)i; elements[i].d = i; }
#pragma dvm parallel([i] on own[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) sum += own[i];
  return sum;
}
END_C
cat >work.c <<'END_C'
#ifdef FAR
const char far[1 << 22] = {1}; /* so that the other one lies elsewhere */
#endif
extern double kept;
double mine;
void work(int i) { (void)i; kept = mine += VALUE; mine = VALUE; }
END_C
cat >main.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { N = 40 };
struct element { char c; double d; };
double kept;
int main(int argc, char **argv) {
  double total = 0;
  struct element *all = malloc(N * sizeof(*all));
  for (int n = 1; n < argc; n++) {
    void *so = dlopen(argv[n], RTLD_NOW), *own;
    if (!so) { puts(dlerror()); return 1; }
    own = dlsym(so, "own");
    total += ((double (*)(struct element *))dlsym(so, "sweep"))(all);
    dlclose(so);
    /* What lies there next is ordinary data. */
    char *page = (char *)((unsigned long)own & ~4095ul);
    char *again = mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (again == page) {
      for (int i = 0; i < 4096; i++) again[i] = (char)i;
      for (int i = 0; i < 4096; i++) total += again[i];
      munmap(again, 4096);
    }
  }
  printf("%g %g\n", total, kept);
  return 0;
}
END_C
plugin() { # MODE NAME OPTION..
  local mode=$1 name=$2
  shift 2
  status 0 "$dvmcc" -fdvm=$mode -g -O1 -w -shared -fPIC nest.c work.c "$@" -o "$name"
}
for mode in trace parallel,trace; do
  plugin $mode a-$mode.so -DFAR -DVALUE=1
  plugin $mode b-$mode.so -DVALUE=1
  status 0 "$dvmcc" -fdvm=$mode -g -O1 -w main.c -rdynamic -ldl -o $mode
done
set -- a b a b
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./trace $(printf "./%s-trace.so " "$@")
for n in 1 2 3; do
  status 0 $(ranks $n) ./parallel,trace $(printf "./%s-parallel,trace.so " "$@")
  status 0 "$dvm" compare ref.dvmt -- $(ranks $n) ./parallel,trace $(printf "./%s-parallel,trace.so " "$@")
  has err ' 0 different'
done
plugin parallel,trace b-parallel,trace.so -DVALUE=3
status 66 "$dvm" compare ref.dvmt -- $(ranks 2) ./parallel,trace $(printf "./%s-parallel,trace.so " "$@")
has err "'kept' differs"

# Results are replaced by the reference's at lines that have moved, too: in libraries that the command names, or the program in its text.
cat >sum.c <<'END_C'
enum { N = 1000 };
#pragma dvm array distribute[block]
double x[N];
double sum(void) {
  double s = 0;
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) x[i] = 1.0 / (i + 3);
#pragma dvm parallel([i] on x[i]) reduction(sum(s))
  for (int i = 0; i < N; i++) s += x[i];
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++) x[i] = s;
  return s;
}
END_C
cat >loads.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#pragma dvm array distribute[block]
double y[100];
int main(int argc, char **argv) {
  void *so = dlopen(argc > 1 ? argv[1] : "./libsum.so", RTLD_NOW);
  if (!so) { puts(dlerror()); return 1; }
#pragma dvm parallel([i] on y[i])
  for (int i = 0; i < 100; i++) y[i] = i;
  printf("%.9f\n", ((double (*)(void))dlsym(so, "sum"))());
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 -w loads.c -rdynamic -ldl -o loads-sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -w loads.c -rdynamic -ldl -o loads
status 0 "$dvmcc" -fdvm=trace -g -O1 -w -shared -fPIC sum.c -o libsum.so
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./loads-sequential
sed -i 's/^double sum/\n\n&/' sum.c
for name in libsum.so elsewhere.so; do
  rm -f libsum.so elsewhere.so
  status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -w -shared -fPIC sum.c -o $name
  argument=$([ $name = libsum.so ] || echo ./$name)
  status 66 env DVM_OPTIONS=substitute=0 "$dvm" compare ref.dvmt -- $(ranks 3 ./loads $argument)
  has err "'x' differs"
  status 0 "$dvm" compare ref.dvmt -- $(ranks 3 ./loads $argument)
  has err ' 0 different'
done
# Or neither: the run knows what it has loaded.
sed -i 's/.*dlopen(argc > 1.*/  char path[64], *of = getenv("OF");\n  snprintf(path, sizeof(path), ".\/%s%s", of, ".so");\n  void *so = dlopen(path, RTLD_NOW);/; s/#include <stdio.h>/&\n#include <stdlib.h>/' loads.c
status 0 "$dvmcc" -fdvm=trace -g -O1 -w loads.c -rdynamic -ldl -o loads-sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -w loads.c -rdynamic -ldl -o loads
sed '/^$/d' sum.c >unmoved.c
mkdir before
mv unmoved.c before/sum.c
(cd before && "$dvmcc" -fdvm=trace -g -O1 -w -shared -fPIC sum.c -o ../before.so)
status 0 env OF=before "$dvm" record --level checksum -o ref.dvmt -- ./loads-sequential
status 66 env OF=elsewhere DVM_OPTIONS=substitute=0 "$dvm" compare ref.dvmt -- $(ranks 3 ./loads)
has err "'x' differs"
status 0 env OF=elsewhere "$dvm" compare ref.dvmt -- $(ranks 3 ./loads)
has err ' 0 different'
finish
