# With -fdvm=off dvmcc is clang: same output, same files, same status.
. "$(dirname "$0")/lib.sh"

cat >main.c <<'X'
#include <stdio.h>
#define TEXT "hello"
int twice(int x);
int main(void) { printf("%s %d\n", TEXT, twice(21)); return twice(2) - 1; }
X
echo 'int twice(int x) { return 2 * x; }' >twice.c
echo 'int twice(int x) { return x' >broken.c
echo 'main.c "twice.c" -o response-program' >words

# same arguments...: output, messages and status of both are equal.
same() {
  "$clang" "$@" >out1 2>err1; local a=$?
  "$dvmcc" -fdvm=off "$@" >out2 2>err2; local b=$?
  [ $a = $b ] || wrong "status $b, clang's is $a: $*"
  # Names of temporary files differ from call to call.
  sed -i 's/-[0-9a-f]\{6\}\.\(o\|s\)/-N.\1/g' err1 err2
  cmp out1 out2 || wrong "output differs: $*"
  diff err1 err2 || wrong "messages differ: $*"
}
same --version
same -v
same -dumpmachine
same -print-search-dirs
same -print-file-name=libc.so
same
same -E main.c
same -M main.c
same -MM main.c twice.c
same -S -o - main.c
same -E -dM -x c /dev/null
same -fsyntax-only -Wall broken.c
same -c nothing.c
same -no-such-option main.c
same '-###' main.c twice.c -o x
same -c main.c -MD -MF deps.d -MT target -o main.o
same main.o -o incomplete
same @words
same @no-such-file
same -c -xc - -o stdin.o </dev/null

status 3 ./response-program
has out "hello 42"
status 0 "$dvmcc" -fdvm=off main.c -c -o main.o
status 0 "$dvmcc" -fdvm=off -shared -fPIC twice.c -o libtwice.so
status 0 "$dvmcc" -fdvm=off main.o -L. -ltwice -Wl,-rpath,"$scratch" -o linked
status 3 ./linked
for lto in -flto -flto=thin; do
  status 0 "$dvmcc" -fdvm=off -O2 $lto main.c twice.c -o lto
  status 3 ./lto
done

# Our options are taken out wherever they stand, also of response files.
echo '-fdvm=off -c main.c -o from-response.o' >with-mode
status 0 "$dvmcc" @with-mode
[ -f from-response.o ] || wrong "no from-response.o"
empty err

# More arguments than the system takes: 40 MB of them in a response file that must be unpacked for our option's sake.
{ echo '-fdvm=off -c main.c -o long.o'; for i in $(seq 4000); do printf -- '-DX%d=%09000d\n' "$i" 0; done; } >long
status 0 "$dvmcc" @long
[ -f long.o ] || wrong "no long.o"

# A clang that is not there.
DVM_CLANG=/nowhere/clang status 1 "$dvmcc" -fdvm=off main.c
has err "dvmcc: error: cannot find clang '/nowhere/clang': install clang-19 or name it in DVM_CLANG"
printf '#!/bin/sh\necho "other clang: $*"\nexit 7\n' >other && chmod +x other
DVM_CLANG=$scratch/other status 7 "$dvmcc" -fdvm=off main.c -v
has out "other clang: main.c -v"

# Wrong uses of our own options.
status 2 "$dvmcc" -fdvm=chek main.c
has err "dvmcc: error: unknown mode 'chek' in '-fdvm=chek'; did you mean 'check'?"
status 2 "$dvmcc" -c main.c -Wno-dvm-uncheckd
has err "dvmcc: error: unknown warning 'dvm-uncheckd' in '-Wno-dvm-uncheckd'; did you mean 'dvm-unchecked'?"
status 2 "$dvmcc" -E main.c -Wdvm-nothing-like-it
has err "'man dvmcc' lists the warnings"
status 2 "$dvmcc" -c main.c -Werror=dvm-unchecked
has err "'dvm-unchecked' cannot be made an error"
status 2 "$dvmcc" --dvm-versio
has err "did you mean '--dvm-version'?"
status 0 "$dvmcc" --dvm-version
has out "dvmcc 0."
has out "clang: $clang"
status 0 "$dvmcc" --dvm-help
has out "-fdvm=off"
finish
