# Report files of comparisons: values, structure, NaN, sums of arrays; of odd file names and columns; of two traces.
. "$(dirname "$0")/lib.sh"
cp "$source"/test/integration/trace/samples/*.c .

# compared STATUS NAME COUNT FILE FLAGS..: a run compiled with FLAGS against one without, and the reports of that.
level=modify
compared() {
  local expected=$1 name=$2 count=$3 file=$4
  status 0 "$dvmcc" -fdvm=trace -w "$file" -o right -lm
  status 0 "$dvmcc" -fdvm=trace -w "$file" -o wrong -lm "${@:5}"
  status 0 "$dvm" record --level $level -o ref.dvmt -- ./right
  status "$expected" "$dvm" compare --report "$name.sarif" --report "$name.jsonl" ref.dvmt -- ./wrong
  reported "$name" "$count"
}
compared 0 none 0 jacobi.c
compared 66 value 2 jacobi.c -DMISTAKE=4
has value.jsonl '"greatestElement":'
compared 66 structure 7 sor.c -DMISTAKE=3
has structure.sarif '"dvm-trace-structure"'
level=checksum
compared 66 sums 2 jacobi.c -DMISTAKE=4
level=modify

# A warning, an infinite difference, no construct; a column behind characters of several bytes; names that need escapes.
mkdir 'a b'
cat >'a b/größe "50%"+1.c' <<'C'
#include <math.h>
#ifndef BAD
#define BAD 0
#endif
static double a[8], b[2];
int main(void) {
  for (int i = 0; i < 8; i++)
    /* größer als € */ a[i] = sqrt(BAD && i == 3 ? -1.0 : i);
  /* ä */ b[0] = 1 / (BAD ? 0.0 : 1);
  b[1] = log(0.0);
  return 0;
}
C
cp 'a b/größe "50%"+1.c' absolute.c
compared 66 odd 3 'a b/größe "50%"+1.c' -DBAD
has odd.sarif '"level": "warning"'
compared 66 absolute 3 "$PWD/absolute.c" -DBAD
has absolute.sarif '"uri": "file:///'

# Two traces.
status 0 "$dvm" record -o wrong.dvmt -- ./wrong
status 66 "$dvm" diff --report diff.sarif --report diff.jsonl ref.dvmt wrong.dvmt
reported diff 3
cmp diff.jsonl absolute.jsonl || wrong "a comparison of files and one of a run differ"
finish
