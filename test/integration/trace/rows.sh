# Arrays that are summed up row by row while a construct writes them: the sums are those of the whole arrays.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
for level in -O0 -O2 '-O3 -ffast-math'; do
  status 0 "$dvmcc" -fdvm=trace -w $level "$here/rows.c" -o rows -lm
  status 0 "$dvm" record --level checksum -o rows.dvmt -- ./rows
  status 0 env DVM_OPTIONS=trace_rows=0 "$dvm" record --level checksum -o whole.dvmt -- ./rows
  status 0 "$dvm" diff --exact whole.dvmt rows.dvmt
  agreed
done
# A difference in a row is still one.
status 0 "$dvmcc" -fdvm=trace -w -O2 "$here/rows.c" -o rows -lm
status 0 "$dvmcc" -fdvm=trace -w -O2 -DWRONG=1 "$here/rows.c" -o wrong -lm
status 0 "$dvm" record --level checksum -o rows.dvmt -- ./rows
status 66 "$dvm" compare rows.dvmt -- ./wrong
has err "'A' differs"
status 66 "$dvm" compare --bisect rows.dvmt -- ./wrong
has err "'A[40][50]' is"
finish
