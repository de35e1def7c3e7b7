# Report files that cannot be written: told before the program runs where that can be known, else once, and the run goes on.
. "$(dirname "$0")/lib.sh"

program wrong <<'X'
#include "mistake.h"
#include <unistd.h>
int main(int argc, char **argv) { if (argc > 1 && chdir(argv[1])) return 9; puts("runs"); fflush(stdout); mistake(3); return 0; }
X
unwritable() { # file reason
  DVM_OPTIONS=report=$1 status 2 ./wrong
  has err "dvm: error: cannot write report '"
  has err "$1': $2"
  count 1 err ""
  empty out
}
touch plain-file
ln -s /dev/full full.sarif
ln -s /dev/full full.jsonl
mkdir folder.sarif
unwritable missing/r.jsonl "No such file or directory"
unwritable missing/r.sarif "No such file or directory"
unwritable plain-file/r.sarif "Not a directory"
unwritable folder.sarif "Is a directory"
unwritable full.sarif "No space left on device"
if [ "$(id -u)" != 0 ]; then
  mkdir -m 555 locked
  unwritable locked/r.jsonl "Permission denied"
fi

# The disk fills later: one line a file, the diagnostics on the screen and the status are as always.
DVM_OPTIONS=report=full.jsonl status 66 ./wrong
has err "full.jsonl': No space left on device"
count 1 err "cannot write report"
count 3 err "$diagnosis"
has err "dvm: 3 errors (3 occurrences) in "
has out runs

# A file that vanishes, a folder that the program leaves.
mkdir sub
DVM_OPTIONS=report=r.jsonl:report=sub/r.sarif status 66 ./wrong sub
json_lines r.jsonl
json sub/r.sarif
count 3 r.jsonl '"id":"dvm-uninitialized"'
[ ! -e sub/r.jsonl ] || wrong "the report follows the program's folder"

# Two of them, the second unwritable: nothing runs.
DVM_OPTIONS=report=ok.jsonl:report=missing/r.jsonl status 2 ./wrong
empty out

# Nothing found: the files are there and say so.
program fine <<'X'
#include "mistake.h"
int main(void) { mistake(0); return 0; }
X
DVM_OPTIONS=report=fine.jsonl:report=fine.sarif status 0 ./fine
empty err
[ -f fine.jsonl ] && empty fine.jsonl || wrong "no fine.jsonl"
json fine.sarif
finish
