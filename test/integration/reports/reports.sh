# Report files of real runs: of single diagnostics, of odd file names, of a forked child, of a program that dies.
. "$(dirname "$0")/lib.sh"

for id in shadow-stale undeclared-private usage reduction-protocol readonly-write across-distance; do
  awk '/^```c$/ {inside = 1; next} /^```/ {inside = 0} inside' "$source/docs/diagnostics/dvm-$id.md" >$id.c
  status 0 "$dvmcc" $id.c -o prog
  DVM_OPTIONS=report=$id.sarif:report=$id.jsonl ./prog >out 2>err
  reported $id 1
  has $id.sarif "dvm-$id"
done

# The user wants no more than one: others are not counted, and the report says so.
status 0 "$dvmcc" shadow-stale.c -o prog
DVM_OPTIONS=max_errors=1:report=first.sarif:report=first.jsonl ./prog >out 2>err
reported first 1
has first.jsonl '"exact":false'

# Nothing found: files that say so.
printf 'int main(void) { return 0; }\n' >none.c
status 0 "$dvmcc" none.c -o prog
DVM_OPTIONS=report=none.sarif:report=none.jsonl status 0 ./prog
reported none 0

# Names and lines that need escapes; columns behind characters of several bytes; an absolute name.
mkdir 'a b'
odd='a b/größe "50%"#.c'
sed 's,A\[i - 1\],/* größer als € */ A[i - 1],' shadow-stale.c >"$odd"
cp "$odd" absolute.c
for file in "$odd" "$PWD/absolute.c"; do
  status 0 "$dvmcc" "$file" -o prog
  DVM_OPTIONS=report=odd.sarif:report=odd.jsonl status 66 ./prog
  reported odd 1
done
has odd.sarif '"uri":"file:///'

# The helps hold '](', which a reader of SARIF would take for a link.
cat >corner.c <<'Y'
#define N 8
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
double B[N][N];
int main(void)
{
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = i;
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A[1:1][1:1])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      B[i][j] = A[i - 1][j - 1];
  return 0;
}
Y
status 0 "$dvmcc" corner.c -o prog
DVM_OPTIONS=report=corner.sarif:report=corner.jsonl status 66 ./prog
reported corner 1

# A child that finds something has files of its own; a program that dies leaves whole ones.
sed 's/^int main.*/#include <stdlib.h>\n#include <sys\/wait.h>\n#include <unistd.h>\nint main(void)/
     s/^  return 0;/  if (!fork()) { child(); exit(0); }\n  wait(NULL); abort();/' shadow-stale.c >fork.c
sed -i 's/^int main/static void child(void)\n{\n#pragma dvm parallel([i] on B[i])\n  for (int i = 1; i < N; i++)\n    B[i] = A[i - 1];\n}\n\nint main/' fork.c
status 0 "$dvmcc" fork.c -o prog
DVM_OPTIONS=report=fork.sarif:report=fork.jsonl status 134 ./prog 2>/dev/null
reported fork 1
for file in fork.sarif.*; do
  pid=${file##*.}
  [ -f "fork.jsonl.$pid" ] || { wrong "no report of the child"; continue; }
  mv "fork.sarif.$pid" child.sarif && mv "fork.jsonl.$pid" child.jsonl
  reported child 1
done

# Wrong names are refused before the program begins.
DVM_OPTIONS=report=x.txt status 2 ./prog
has err "expected a file name that ends in .jsonl or .sarif"
DVM_OPTIONS=report=/nowhere/x.sarif status 2 ./prog
has err "cannot write report '/nowhere/x.sarif'"

# stats=1 counts what was run, whatever the optimiser has made of it.
cp "$source/samples/jacobi.c" .
for level in -O0 -O2; do
  status 0 "$dvmcc" $level jacobi.c -o prog
  DVM_OPTIONS=stats=1 status 0 ./prog
  has err "dvm: stats: 3 parallel loops run 401 times, 1592096 iterations"
  has err "dvm: stats: jacobi.c:36 run 200 times, 768800 iterations"
  has err "accesses decided by the run-time library"
  has err "dvm: stats: memory: "
done
finish
