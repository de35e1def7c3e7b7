# Together with clang's sanitizers: both find their own kind of mistake, and neither takes the other for one.
. "$(dirname "$0")/lib.sh"

cat >both.c <<'X'
#include <string.h>
#include "mistake.h"
static int shifted(int by) { return 1 << by; }
int main(int argc, char **argv) {
  int *p = malloc(10 * sizeof *p), stack[8], *s = stack;
  memset(p, 0, 10 * sizeof *p);
  for (int i = 0; i < 8; i++) s[i] = i;
  char *text = strdup("text");
  p = realloc(p, 400);
  p[50] = s[3];
  mistake(argc > 1 ? argv[1][0] - '0' : 0);
  if (argc > 2 && argv[2][0] == 'a') s = p, free(p), p = NULL, s[0] = 1;
  if (argc > 2 && argv[2][0] == 'o') s[argc + 5] = 1;
  if (argc > 2 && argv[2][0] == 'u') p[1] = shifted(argc + 40);
  printf("%d %s\n", p ? p[50] : 0, text);
  free(text);
  free(p);
  return 3;
}
X
asan=ERROR:\ AddressSanitizer:\ 
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=0
for level in -O0 -O2; do
  status 0 "$dvmcc" -g $level -fsanitize=address both.c -o both
  status 3 ./both
  empty err
  status 66 ./both 2
  count 2 err "$diagnosis"
  lacks err Sanitizer
  status 1 ./both 0 after-free
  has err "${asan}heap-use-after-free"
  status 1 ./both 1 overflow
  has err "${asan}stack-buffer-overflow"
  count 1 err "$diagnosis"
  status 0 "$dvmcc" -g $level -fsanitize=undefined both.c -o both
  status 3 ./both
  empty err
  status 66 ./both 2 undefined
  count 2 err "$diagnosis"
  has err "runtime error: shift exponent 43 is too large"
  status 0 "$dvmcc" -g $level -fsanitize=address,undefined both.c -o both
  status 66 ./both 1 undefined
  has err "runtime error: shift exponent 43"
  status 0 "$dvmcc" -g $level -fsanitize=undefined -fsanitize-trap=undefined both.c -o both
  status 3 ./both
  status 0 "$dvmcc" -g $level -fsanitize=thread -pthread both.c -o both
  status 3 ./both
  empty err
  status 66 ./both 2
  lacks err Sanitizer
  status 0 "$dvmcc" -g $level -fstack-protector-all -D_FORTIFY_SOURCE=3 -ftrapv both.c -o both
  status 3 ./both
  empty err
  status 66 ./both 2
  status 0 "$dvmcc" -g $level -fprofile-instr-generate -fcoverage-mapping both.c -o both
  LLVM_PROFILE_FILE=p.raw status 66 ./both 2
  [ -s p.raw ] || wrong "no profile of a program that ends by our status"
  status 0 "$dvmcc" -g $level --coverage both.c -o both
  status 66 ./both 2
done
finish
