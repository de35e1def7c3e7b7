# Under valgrind: the same diagnoses, and no complaint about the run-time library.
. "$(dirname "$0")/lib.sh"
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 1; }

# As valgrind of Debian 12 can read it.
program both -gdwarf-4 <<'X'
#include <string.h>
#include "mistake.h"
int main(int argc, char **argv) {
  int *p = malloc(40), stack[20], *s = stack;
  memset(p, 0, 40);
  for (int i = 0; i < 20; i++) s[i] = i;
  p = realloc(p, 400);
  p[50] = s[3];
  mistake(argc > 1 ? argv[1][0] - '0' : 0);
  int got = p[50];
  free(p);
  if (argc > 2) got += p[1];
  return got;
}
X
under() { status "$1" valgrind -q --error-exitcode=9 --leak-check=full "${@:2}"; }
under 3 ./both
empty err
under 66 ./both 2
count 2 err "$diagnosis"
lacks err Invalid
lacks err lost
lacks err uninitialised
under 9 ./both 0 after-free
has err "Invalid read of size 4"
lacks err libdvmrt
finish
