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
finish
