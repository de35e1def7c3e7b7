#!/usr/bin/env bash
# 'dvm fix' of Fortran projects: by a command that builds and runs them, by a compilation database, and directives of included files.
# fix-projects.sh BUILD
set -u
dvm=$1/driver/dvm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }

# project FOLDER: a module, an included file and a program, which lack a clause each; and C beside.
project() {
  mkdir -p "$1/src" "$1/inc"
  cat >"$1/src/grid.f90" <<'Y'
module grid
  integer, parameter :: n = 16
contains
  subroutine twice(a, b)
    real :: a(n), b(n)
!DVM$ INHERIT a, b
    integer :: i
!DVM$ PARALLEL (i) ON b(i)
    do i = 1, n - 1
      b(i) = a(i + 1)
    end do
  end subroutine
end module
Y
  cat >"$1/inc/arrays.h" <<'Y'
      REAL A(N), B(N)
CDVM$ DISTRIBUTE A(BLOCK)
CDVM$ SHADOW A(0:1)
CDVM$ ALIGN B(I) WITH A(I)
Y
  cat >"$1/src/main.f" <<'Y'
      PROGRAM MAIN
      USE GRID
      INTEGER I
      INCLUDE 'arrays.h'
      REAL S
CDVM$ PARALLEL (I) ON A(I)
      DO I = 1, N
        A(I) = I
        B(I) = 0
      END DO
CDVM$ PARALLEL (I) ON B(I), SHADOW_RENEW(A)
      DO I = 2, N - 1
        B(I) = A(I - 1)
      END DO
      A(3) = 4
      CALL TWICE(A, B)
      S = 0
CDVM$ PARALLEL (I) ON A(I)
      DO I = 1, N
        S = S + B(I)
      END DO
      PRINT *, S, NINE()
      CONTAINS
        INTEGER FUNCTION NINE()
        INTERFACE
          INTEGER FUNCTION CNINE() BIND(C)
          END FUNCTION
        END INTERFACE
        NINE = CNINE()
        END FUNCTION
      END
Y
  echo 'int cnine(void) { return 9; }' >"$1/src/nine.c"
  printf '%s\n' 'FC = gfortran' 'prog: src/grid.o src/main.o src/nine.o' '	$(FC) $^ -o $@' 'src/%.o: src/%.f90' '	$(FC) -c $< -o $@' \
    'src/%.o: src/%.f src/grid.o' '	$(FC) -Iinc -c $< -o $@' 'check: prog' '	./prog | grep 9' >"$1/Makefile"
}

# repaired FOLDER
repaired() {
  grep -qxF 'CDVM$ SHADOW A(1:1)' "$1/inc/arrays.h" || fail "$2: the included file: $(cat "$1/inc/arrays.h" said)"
  grep -qF '!DVM$ PARALLEL (i) ON b(i), shadow_renew(a' "$1/src/grid.f90" || fail "$2: the module: $(grep PARALLEL "$1/src/grid.f90")"
  grep -qF 'CDVM$ PARALLEL (I) ON A(I), reduction(sum(S))' "$1/src/main.f" || fail "$2: the program: $(cat said)"
  grep -q 'the program is silent' said || fail "$2: $(cat said)"
}

cd "$work" && project make && cd make || exit 1
"$dvm" fix --in-place -- make check >../diff 2>said || fail "make: $(cat said)"
repaired . make
[ -e prog ] && fail 'make: the project itself was built'

cd "$work" && project database && cd database || exit 1
cat >compile_commands.json <<Y
[{"directory": "$PWD/src", "command": "gfortran -J../mod -I../inc -c main.f -o main.o", "file": "main.f"},
 {"directory": "$PWD/src", "command": "gfortran -J../mod -c grid.f90 -o grid.o", "file": "grid.f90"},
 {"directory": "$PWD", "command": "gcc -c src/nine.c -o nine.o", "file": "src/nine.c"}]
Y
"$dvm" fix --in-place --compile-commands >../diff 2>said || fail "database: $(cat said)"
repaired . database

cd "$work" && project sources && cd sources || exit 1
"$dvm" fix --in-place -Iinc src/grid.f90 src/main.f src/nine.c >../diff 2>said || fail "sources: $(cat said)"
repaired . sources
exit "$failed"
