# What was lost of a command's output: every command says so and does not end with 0.  Standard streams that are closed.
. "$(dirname "$0")/lib.sh"

# A command of a part that was not built is left out.
there() { "$dvm" help | grep -q "^  $1 "; }

# lost command...: status 1, and one line that says why.
lost() {
  "$@" >/dev/full 2>err
  [ $? = 1 ] || wrong "not status 1 on a full disk: $*"
  has err "dvm: error: "
  grep -q "No space left on device\|is the disk full" err || wrong "$* does not say why: $(cat err)"
  [ "$(wc -l <err)" = 1 ] || wrong "$* says more than that: $(cat err)"
  "$@" >&- 2>err
  [ $? = 1 ] || wrong "not status 1 without standard output: $*"
  has err "Bad file descriptor"
}

lost "$dvm" version
lost "$dvm" help
lost "$dvm" help diagnostics
lost "$dvm" help dvm-shadow-stale
for command in check record compare diff trace run debug checkpoint restart; do
  if [ $command = check ] || there $command; then
    lost "$dvm" help $command
    lost "$dvm" $command --help
  fi
done
lost "$dvmcc" --dvm-help
lost "$dvmcc" --dvm-print-clang

# What is read by a pipe's other end no more is no error.
(set -o pipefail; "$dvm" help dvm-shadow-stale | head -n 1 >out) 2>err
empty err

if there record && [ -e "$build/runtime/libdvmtrace.so" ]; then
  cat >prog.c <<'C'
#include <stdio.h>
#include <unistd.h>
static double A[9];
int main(int argc, char **argv) {
  for (int i = 0; i < 9; i++)
    A[i] = i;
  dprintf(1, "output%1000d\n", 0);
  dprintf(2, "errors%1000d\n", 0);
  return argc > 1 ? printf("%f %s\n", A[3], argv[1]) < 0 : 0;
}
C
  status 0 "$dvmcc" -fdvm=trace prog.c -o prog
  status 0 "$dvm" record -o t.dvmt -- ./prog
  for action in info stat dump; do
    lost "$dvm" trace $action t.dvmt
    lost "$dvm" trace $action --json t.dvmt
  done
  # Nobody writes into a file that got the descriptor of a stream.
  "$dvm" trace stat t.dvmt >whole
  for closed in '>&-' '2>&-' '<&-' '<&- >&- 2>&-'; do
    eval '"$dvm" record -v -o closed.dvmt -- ./prog '"$closed" >out 2>err || wrong "record $closed: status $?"
    "$dvm" trace stat closed.dvmt >out 2>err
    cmp -s out whole || wrong "another trace with $closed: $(cat err)"
    eval '"$dvm" compare --report r.jsonl t.dvmt -- ./prog '"$closed" >out 2>err || wrong "compare $closed: status $?"
    empty r.jsonl
    eval '"$dvm" trace config -o made.conf -- ./prog '"$closed" >out 2>err || wrong "trace config $closed: status $?"
    lacks made.conf output
    lacks made.conf errors
    has made.conf "level modify"
    rm -f r.jsonl made.conf closed.dvmt
  done
fi
finish
