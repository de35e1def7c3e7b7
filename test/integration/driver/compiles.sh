# Every right program compiles to be recorded too, and what comes out is the same each time: builds are compared by their bytes.
. "$(dirname "$0")/lib.sh"
for file in "$source"/test/programs/{right,quiet}/*.c; do
  "$dvmcc" -fdvm=trace -O0 -w -c "$file" -o trace.o 2>err || {
    head -n 5 err >&2
    wrong "$(basename "$file") does not compile to be recorded"
  }
done
{
  printf '#pragma dvm array distribute[block]\ndouble a[8];\n'
  for i in $(seq 40); do printf 'double data%d[8];\ndouble of%d(int i) { return data%d[i]; }\n' "$i" "$i" "$i"; done
} > "$scratch/many.c"
for file in "$source"/test/programs/right/{redblack,cg,pointers}.c "$scratch/many.c"; do
  name=$(basename "$file" .c)
  for mode in -fdvm=check -fdvm=trace; do
    for run in 1 2 3 4 5; do
      "$dvmcc" $mode -g -O2 -c "$file" -o "$name$run.o" || wrong "$name.c does not compile"
      cmp -s "$name"{1,$run}.o || wrong "$name.c, $mode: compiled once more it is another object"
    done
  done
done
# What is only declared, and used in no code that is generated, may be nowhere.
cat > old.c <<'END'
enum { OLD = 0 };
#pragma dvm array distribute[block]
double a[8];
extern double old_table[4], *old_list;
double of(int i) {
  if (OLD)
    return old_table[i] + old_list[i];
  return i;
}
int main(void) { return of(0) != 0; }
END
for level in -O0 -O2; do
  for mode in -fdvm=check -fdvm=trace; do
    status 0 "$dvmcc" $mode $level old.c -o old
    [ $mode = -fdvm=trace ] || status 0 ./old
  done
done
# .. in regions, too, and in what they call.
cat > region.c <<'END'
#include <stdio.h>
enum { OLD = 0 };
#pragma dvm array distribute[block]
double a[8];
extern double old_table[4], *old_list, old_values[8], *old_values_list;
extern double table[4], *list;
double of(int i) {
  if (OLD)
    return old_table[i] + old_list[i];
  return table[i % 4] + list[i % 4];
}
int main(void) {
#pragma dvm region
  {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < 8; i++)
      a[i] = of(i) + (OLD ? old_values[i] + old_values_list[i] : 0);
  }
  table[2] = 3;
#pragma dvm region
  {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < 8; i++)
      a[i] += table[i % 4];
  }
#pragma dvm get_actual(a)
  return printf("%g\n", a[2]) < 0;
}
double data[4] = {1, 2, 4, 8}, table[4] = {1, 1, 2, 2}, *list = data;
END
for level in -O0 -O2; do
  for mode in -fdvm=check -fdvm=trace -fdvm=parallel; do
    status 0 "$dvmcc" $mode $level region.c -o region
    [ $mode != -fdvm=check ] || status 66 ./region
    [ $mode != -fdvm=check ] || has err "region.c:24:15: error: 'table[2]' is read in a region"
  done
done
finish
