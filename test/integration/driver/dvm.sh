# The command dvm: finding commands, help, and 'dvm check' with its clean-up, status and signals.
. "$(dirname "$0")/lib.sh"

status 2 "$dvm"
has err "usage: dvm COMMAND"
status 0 "$dvm" help
has out "check "
status 0 "$dvm" help check
has out "usage: dvm check FILE.c"
cp out help-check
status 0 "$dvm" check --help
cmp out help-check || wrong "'dvm check --help' is not 'dvm help check'"
status 0 "$dvm" version
has out "dvm 0."
status 2 "$dvm" chekc
has err "dvm: error: unknown command 'chekc'; did you mean 'check'?"
status 2 "$dvm" zzzzzzz
has err "dvm: error: unknown command 'zzzzzzz'; 'dvm help' lists what is available"
status 2 "$dvm" help zzzzzzz
status 0 "$dvm" help diagnostics
has out dvm-shadow-stale
status 0 "$dvm" help shadow-stale
has out "# dvm-shadow-stale"
status 2 "$dvm" help dvm-shadow-stal
has err "dvm: error: unknown command or diagnostic 'dvm-shadow-stal'; did you mean 'dvm-shadow-stale'?"
status 2 "$dvm" help ../diagnostics/dvm-shadow-stale
empty out

# Commands of other parts are programs: absent here, then present.
mkdir -p prefix/bin prefix/libexec/dvm
cp "$dvm" prefix/bin/dvm
status 2 prefix/bin/dvm record x
has err "dvm: error: this build has no command 'record' (no program 'dvm-record' in '$scratch/prefix/libexec/dvm')"
status 0 prefix/bin/dvm help
lacks out record
status 1 prefix/bin/dvm help dvm-shadow-stale
has err "there are no diagnostic pages in '$scratch/prefix/share/doc/dvm/diagnostics'"
printf '#!/bin/sh\necho "record: $*"\nexit 5\n' >prefix/libexec/dvm/dvm-record
chmod +x prefix/libexec/dvm/dvm-record
status 5 prefix/bin/dvm record -o 'a b' -- ./jac
has out "record: -o a b -- ./jac"
status 5 prefix/bin/dvm help record
has out "record: --help"
status 0 prefix/bin/dvm help
has out "record "

# dvm check: status, arguments, standard input, nothing left behind.
export TMPDIR=$scratch/tmp
mkdir tmp
cat >prog.c <<'X'
#include <signal.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  char line[64] = "";
  if (argc > 1 && !strcmp(argv[1], "die")) raise(SIGKILL);
  if (argc > 1 && !strcmp(argv[1], "wait")) { puts("waiting"); fflush(stdout); for (;;) ; }
  fgets(line, sizeof line, stdin);
  printf("%d %s %s%s\n", argc, argc > 1 ? argv[argc - 1] : "", line, strrchr(argv[0], '/'));
  return 7;
}
X
echo input | status 7 "$dvm" check -fdvm=off prog.c -O1 -- one "two words"
has out "3 two words input"
has out "/prog"
status 7 "$dvm" check prog.c -fdvm=off </dev/null
has out "1  /prog"
(status 137 "$dvm" check prog.c -fdvm=off -- die; exit "$failures") 2>/dev/null || wrong "death by a signal is not handed on"
echo 'int main(void) { return x; }' >broken.c
status 1 "$dvm" check broken.c -fdvm=off
has err "broken.c:1:25: error"
status 2 "$dvm" check
has err "needs a source file"
status 2 "$dvm" check prog.c -o prog -fdvm=off
has err "does not keep the program"
status 2 "$dvm" check -c prog.c -fdvm=off
has err "produced no program"
TMPDIR=/nowhere status 1 "$dvm" check prog.c -fdvm=off
has err "cannot create the temporary folder '/nowhere/dvm-check-"

# Ended from outside while the program runs: both end, and the folder goes.
mkfifo started
"$dvm" check prog.c -fdvm=off -- wait >started &
pid=$!
read -r line <started
[ "$line" = waiting ] || wrong "the program did not start"
kill -TERM $pid
wait $pid
[ $? = 143 ] || wrong "SIGTERM was not passed on"
[ -z "$(ls tmp)" ] || wrong "left behind: $(ls tmp)"
finish
