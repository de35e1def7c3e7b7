# dvm fix: projects, by a command that builds and runs them, and by a compilation database.
. "$(dirname "$0")/lib.sh"

# project FOLDER: two sources and a header, of which the last one and src/main.c lack a clause each.
project() {
  mkdir -p "$1/src" "$1/inc"
  cat >"$1/inc/grid.h" <<'Y'
#include <stdio.h>
#define N 16
void fill(void);
#pragma dvm array distribute[block] shadow[2:2]
extern double A[N];
#pragma dvm array align([i] with A[i]) shadow[2:2]
extern double B[N];
static inline void twice(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 2; i < N; i++)
    A[i] = B[i - 2] + B[i];
}
Y
  cat >"$1/src/fill.c" <<'Y'
#include "grid.h"
#pragma dvm array distribute[block] shadow[2:2]
double A[N];
#pragma dvm array align([i] with A[i]) shadow[2:2]
double B[N];
void fill(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i, B[i] = 0;
}
Y
  cat >"$1/src/main.c" <<'Y'
#include "../inc/grid.h"
#include <assert.h>
int main(int argc, char **argv) {
  fill();
#pragma dvm parallel([i] on B[i]) // neighbours
  for (int i = 1; i < N - 1; i++)
    B[i] = A[i - 1] + A[i + 1];
  twice();
  double s = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += A[i];
  printf("%s %s %g\n", argc > 1 ? argv[1] : "", __FILE__, s);
  return 0;
}
Y
  cat >"$1/Makefile" <<'Y'
CC = gcc
prog: src/main.o src/fill.o
	$(CC) $^ -o $@
src/%.o: src/%.c
	$(CC) -O1 -Iinc -c $< -o $@
check: prog
	./prog one >out
	./prog two
	grep '^one src/main.c 3' out
	[ ! -e prog.dvm-ranks ] || [ -z "$$RANKS" ] || echo ran >>"$$RANKS"
Y
}
clean() { [ "$(cd "$1" && find . -type f | sort | tr '\n' ' ')" = "$2" ] || wrong "$1 holds other files: $(cd "$1" && find . -type f)"; }
all='./Makefile ./inc/grid.h ./src/fill.c ./src/main.c '

project made
cp -r made before

RANKS=$PWD/ranks status 0 env -C made "$dvm" fix -- make check
[ -s ranks ] || wrong "it was not run on two ranks: $(cat err)"
has out '+#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1]) // neighbours'
has out '+++ inc/grid.h'
has err '2 of 2 repaired; the program is silent'
diff -r made before >said || wrong "the project is changed without --in-place: $(cat said)"
# From a folder below, and in place.
git init -q made
status 0 env -C made/src "$dvm" fix --in-place -- make -C .. check
grep -qF 'on B[i]) shadow_renew(A[1:1]) // neighbours' made/src/main.c || wrong "main.c is not repaired: $(cat err)"
grep -qF 'shadow_renew(B[2:0])' made/inc/grid.h || wrong "grid.h is not repaired: $(cat err)"
has err 'main.c:'
lacks err "/tree/"
rm -rf made/.git
clean made "$all"
status 0 env -C made "$dvm" fix -- make check
empty out
has err 'nothing to repair'

# What the command says is told where it fails: at once, with checks, or because it does nothing of what is needed.
failing() { # STATUS TEXT COMMAND..
  local expected=$1 text=$2
  shift 2
  status "$expected" env -C made "$dvm" fix -- "$@"
  has err "$text"
}
failing 2 "'make' fails in a copy of" make none
failing 2 'No rule to make target' make none
failing 3 'already without checks: status 3' sh -c 'exit 3'
failing 2 'did not call the compiler' true
failing 2 'ran no program that it had compiled' make prog
failing 1 "cannot run 'no-such-program'" no-such-program
failing 7 'when dvmcc compiles it with checks: status 7' sh -c 'make prog && if nm prog | grep -q dvmrt; then exit 7; fi; ./prog'
status 2 "$dvm" fix --root made made/src/main.c
has err "'--root' goes with a command"
status 2 "$dvm" fix --root made
status 2 "$dvm" fix --root made -- true
has err 'does not lie in'

# A compilation database: folders and options of its own, one of C++, lists of dependences that nobody gets.
project based
mkdir build
cat >build/compile_commands.json <<Y
[{"directory": "$PWD/based", "command": "gcc -O1 -Iinc -DX=\"a b\" -MD -MF x.d -o src/fill.o -c src/fill.c", "file": "src/fill.c"},
 {"directory": "$PWD/based/src", "arguments": ["gcc", "-I", "../inc", "-c", "main.c", "-omain.o"], "file": "main.c"},
 {"directory": "$PWD/based/src", "arguments": ["g++", "-c", "other.cc"], "file": "other.cc"}]
Y
status 0 "$dvm" fix --compile-commands=build -lm -- one
has out '+++ based/src/main.c'
has out '+++ based/inc/grid.h'
has err '2 of 2 repaired; the program is silent'
clean based "$all"
status 0 "$dvm" fix --in-place --compile-commands build/compile_commands.json based/src/main.c based/src/fill.c -- one
grep -qF 'shadow_renew(A[1:1]) // neighbours' based/src/main.c || wrong "main.c is not repaired"
grep -qF 'shadow_renew(B[2:0])' based/inc/grid.h || wrong "grid.h is not repaired"
clean based "$all"
# What is not in it, does not make a program, or is no database.
status 2 "$dvm" fix --compile-commands=build based/inc/grid.h.c
has err 'is not in'
status 1 "$dvm" fix --compile-commands=build based/src/main.c
has err 'fill'
status 2 "$dvm" fix --compile-commands=none.json
has err "there is no 'none.json'; CMake writes it with"
status 2 env -C based "$dvm" fix --compile-commands
has err "no './compile_commands.json'"
echo '{' >bad.json
status 2 "$dvm" fix --compile-commands=bad.json
has err "'bad.json' is no compilation database: line"
echo '[{"file": "x.c"}]' >bad.json
status 2 "$dvm" fix --compile-commands=bad.json
has err "an entry has no 'directory'"
echo '[]' >bad.json
status 2 "$dvm" fix --compile-commands=bad.json
has err 'lists no source in C or Fortran'
status 2 "$dvm" fix plain.c --compile-commands=bad.json
has err "must come first"
finish
