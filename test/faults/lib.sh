# Common to the tests here, on top of the driver's: programs with mistakes, and what a report of them must hold.
. "$(dirname "${BASH_SOURCE[0]}")/../integration/driver/lib.sh"
ulimit -c 0

# program NAME FLAGS..: compiles NAME.c, made of standard input.
program() {
  local name=$1
  shift
  cat >"$name.c"
  "$dvmcc" -g -O1 "$name.c" -o "$name" "$@" 2>compile-err || { wrong "$name.c does not compile"; cat compile-err; }
}

# What is included by the programs: mistake(n) reads n elements that nobody has assigned, each in a line of its own.
cat >mistake.h <<'X'
#include <stdio.h>
#include <stdlib.h>
#pragma dvm array distribute[block]
static double field[100];
static double sum;
#define READ(k) if (n > k) sum += field[k];
static void mistake(int n) {
#pragma dvm parallel([i] on field[i]) reduction(sum(sum))
  for (int i = 0; i < 100; i++) {
    if (i == 0 && n > 0) sum += field[i];
    if (i == 1 && n > 1) sum += field[i];
    if (i == 2 && n > 2) sum += field[i];
    if (i == 3 && n > 3) sum += field[i];
    if (i == 4 && n > 4) sum += field[i];
  }
}
X
sed -i '/define READ/d' mistake.h
first='mistake.h:9:33: error: '
diagnosis='[dvm-uninitialized]'

# count N FILE TEXT: N lines of the file hold the text.
count() {
  local n
  n=$(grep -cF -- "$3" "$2")
  [ "$n" = "$1" ] || { wrong "$n lines with '$3' in $2, not $1:"; sed 's/^/  | /' "$2"; }
}
# json FILE: what is there can be read, line by line.
json_lines() { python3 -c 'import json,sys; [json.loads(l) for l in open(sys.argv[1])]' "$1" 2>json-err || { wrong "$1 is not JSON lines"; cat "$1"; }; }
json() { python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$1" 2>json-err || { wrong "$1 is not JSON"; cat "$1"; }; }
