# dvmcc with checks on: every kind of call works, and a mistake is reported whichever way the program was built.
. "$(dirname "$0")/lib.sh"
plugin=$("$dvmcc" --dvm-print-plugin)
runtime=$("$dvmcc" --dvm-print-runtime)
[ -f "$plugin" ] || wrong "no plug-in at $plugin"
[ -f "$runtime" ] || wrong "no run-time library at $runtime"
cp "$source/samples/jacobi.c" right.c
cp "$source/samples/jacobi_wrong.c" wrong.c
diagnosis='[dvm-shadow-stale]'

# built PROGRAM: the program made of wrong.c reports the mistake.
built() { status 66 "./$1"; has err "$diagnosis"; rm -f "$1"; }

status 0 "$dvmcc" -Werror -Wall -Wextra -Wno-unknown-pragmas right.c -o right
empty err
status 0 ./right
empty err
status 0 "$dvmcc" wrong.c -o prog; built prog
for level in -O0 -O1 -O2 -O3 -Os; do
  status 0 "$dvmcc" $level wrong.c -o prog; built prog
done
for lto in -flto -flto=thin; do
  status 0 "$dvmcc" -O2 $lto wrong.c -o prog; built prog
  status 0 "$dvmcc" -O2 $lto -c wrong.c -o wrong.o
  status 0 "$dvmcc" -O2 $lto wrong.o -o prog; built prog
done
status 0 "$dvmcc" -c wrong.c -o wrong.o
status 0 "$dvmcc" wrong.o -o prog; built prog
status 0 "$dvmcc" -static wrong.c -o prog; built prog
status 0 "$dvmcc" -static-pie -fPIE wrong.c -o prog; built prog
status 0 "$dvmcc" -no-pie -fno-pie wrong.c -o prog; built prog
status 0 "$dvmcc" -x c - -o prog <wrong.c; built prog
status 0 "$dvmcc" -S -o - wrong.c; mv out wrong.s
status 0 "$dvmcc" wrong.s -o prog; built prog
status 0 "$dvmcc" -S -emit-llvm -o wrong.ll wrong.c
status 0 "$dvmcc" wrong.ll -o prog; built prog
status 0 "$dvmcc" -E wrong.c -o wrong.i
has wrong.i "#pragma dvm parallel"
status 0 "$dvmcc" wrong.i -o prog; built prog
status 0 "$dvmcc" -save-temps wrong.c -o prog; built prog

# What is preprocessed first, in whatever way, is reported at the same places as what is compiled at once.
# A directive that is broken into lines becomes one line; it must not move what follows.
{ printf '#define BROKEN \\\n  1\n'
  sed 's/^#pragma dvm parallel(.* on B/  #pragma  dvm parallel([i][j]   on B/; s/^#pragma dvm parallel(.* on A\[i\]\[j\])$/#pragma dvm \\\n  parallel([i][j] on A[i][j])/' wrong.c
} >lines.c
reported() { sed 's/ in [0-9.]* s;/ in N s;/; /^ *[0-9]* |/d' err >"$1"; }
status 0 "$dvmcc" lines.c -o prog
status 66 ./prog
reported direct
has direct "lines.c:42:20"
for how in "-E" "-E -C" "-E -dD" "-E -frewrite-includes" "-E -fdirectives-only"; do
  status 0 "$dvmcc" $how lines.c -o lines.i
  status 0 "$dvmcc" -x cpp-output lines.i -o prog
  status 66 ./prog
  reported piped
  diff direct piped || wrong "after '$how' the report differs"
done
"$dvmcc" -E lines.c | status 0 "$dvmcc" -x cpp-output - -o prog
status 66 ./prog
reported piped
diff direct piped || wrong "through a pipe the report differs"
status 0 "$dvmcc" -r wrong.c -o joined.o
status 0 "$dvmcc" joined.o -o prog; built prog
echo '-g wrong.c -o prog' >words
status 0 "$dvmcc" @words; built prog
status 0 "$dvmcc" -o prog -- wrong.c; built prog
status 0 "$dvmcc" -static -o prog -- wrong.c; built prog
status 66 "$dvm" check wrong.c -O2
has err "$diagnosis"

# Macros are expanded in directives under -E, and the directive is there once.
printf '#define D block\n#pragma dvm array distribute[D][D]\ndouble A[8][8];\n' >macro.c
status 0 "$dvmcc" -E macro.c
has out "distribute"
lacks out "[D]"
[ "$(grep -c '#pragma dvm' out)" = 1 ] || wrong "not one directive after -E"
status 0 "$dvmcc" -E -dM -x c /dev/null
has out "#define _DVMH"
status 0 "$dvmcc" -fdvm=off -E -dM -x c /dev/null
lacks out _DVMH

# Nothing of ours goes where it has no business.
echo 'int plain = 3;' >plain.c
status 0 "$dvmcc" -shared -fPIC plain.c -o libplain.so
readelf -d libplain.so >dynamic
lacks dynamic libdvmrt
status 0 "$dvmcc" -r plain.c -o plain.o
status 0 "$dvmcc" -c plain.c -Werror -M
status 0 "$dvmcc" -nostdlib -shared plain.c -fPIC -o libplain.so
echo '.globl start_here; start_here: ret' >code.s
status 0 "$dvmcc" -Werror -c code.s
status 0 "$dvmcc" -Werror -c code.s -o code.o -g
empty err
printf '#pragma dvm array distribute[block]\ndouble A[8];\nvoid set(void) { int i;\n#pragma dvm parallel([i] on A[i])\nfor (i = 0; i < 8; i++) A[i] = i; }\n' >array.c
status 0 "$dvmcc" -shared -fPIC array.c -o libarray.so -Wl,-z,defs
readelf -d libarray.so >dynamic
has dynamic libdvmrt
# A program that clang links runs with a library of ours: the library brings its own.
echo 'void set(void); int main(void) { set(); return 4; }' >user.c
status 0 "$clang" user.c -L. -larray -Wl,-rpath,"$scratch" -o user
status 4 ./user

# The environment is obeyed also by a program without directives.
echo 'int main(void) { return 3; }' >empty.c
status 0 "$dvmcc" empty.c -o empty
status 3 ./empty
DVM_OPTIONS=no_such_key=1 status 2 ./empty

# Warnings of directives are options as clang's are.
cat >private.c <<'X'
#pragma dvm array distribute[block]
double A[8];
int main(void) {
  int i; double t;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < 8; i++) { t = i; A[i] = t; }
  return 0;
}
X
status 0 "$dvmcc" -Werror private.c -o private
has err "[-Wdvm-undeclared-private"
status 0 "$dvmcc" -Wno-dvm-undeclared-private private.c -o private
empty err
status 1 "$dvmcc" -Werror=dvm-undeclared-private private.c -o private
has err "error:"

# What is compiled without checks is said to be, and what is linked without the run-time library.
status 0 "$dvmcc" -nostdlib -nostartfiles -shared -fPIC plain.c -o libplain.so
empty err
status 1 "$dvmcc" -nostdlib -Wl,--entry=main private.c -o freestanding
has err "dvmcc: warning: '-nostdlib' excludes the run-time library, which the checks need; '-fdvm=off' compiles without them [-Wdvm-unchecked]"
echo 'int main() { return sizeof(bool) == 1 ? 9 : 1; }' >cxx.cpp
status 0 "$dvmcc" cxx.cpp -o cxx
has err "dvmcc: warning: 'cxx.cpp' is not C: compiled without DVM checks [-Wdvm-unchecked]"
status 9 ./cxx
status 0 "$dvmcc" -Wno-dvm-unchecked cxx.cpp -o cxx
empty err
status 0 "$dvmcc" -c --target=riscv64-linux-gnu plain.c -o plain.o
has err "no run-time library for the target of '--target=riscv64-linux-gnu'"

# A precompiled header without directives is of use; one with directives would lose them.
echo '#include <stdio.h>' >plain.h
printf '#pragma dvm array distribute[block]\nextern double far[8];\n' >arrays.h
status 0 "$dvmcc" -x c-header plain.h -o plain.pch
status 0 "$dvmcc" -include-pch plain.pch right.c -o right
status 0 ./right
status 1 "$dvmcc" -x c-header arrays.h -o arrays.pch
grep -q "^arrays.h:1:13: error: a precompiled header cannot hold '#pragma dvm'" err || wrong "no word of the directive: $(cat err)"
# A list that is not written is told.
DVM_OPTIONS=help=1 ./right >/dev/full 2>err
[ $? = 1 ] || wrong "a list that was lost"
grep -q '^dvm: error: cannot write the keys of DVM_OPTIONS: No space left on device' err || wrong "$(cat err)"
# An object of another version of the interface between inserted code and library: the linker's message says what to do.
echo 'int value; int main(void) { value = 1; return 0; }' >old.c
for mode in check trace; do
  status 0 "$dvmcc" -fdvm=$mode -S old.c -o old.s
  sed -i -E 's/(__dvmr?t_module_)[0-9]+/\10/' old.s
  status 0 "$dvmcc" -fdvm=off -c old.s -o old.o
  "$dvmcc" -fdvm=$mode old.o -o old >out 2>err && wrong "an object of another version links ($mode)"
  has err "compile_this_file_again_with_the_present_dvmcc"
done
finish
