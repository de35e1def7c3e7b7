# FC=dvmfc under make and CMake: modules in files of their own, C beside Fortran, preprocessed sources; what is said names the user's files.
. "$(dirname "$0")/../integration/driver/lib.sh"
dvmfc=$build/driver/dvmfc
cat >field.f90 <<'END'
module field
  real :: a(10)
!DVM$ DISTRIBUTE a(BLOCK)
end module
END
cat >main.F90 <<'END'
#define COUNT 10
program main
  use field
  real :: b(COUNT)
  integer :: i
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, COUNT
    a(i) = i
  end do
!DVM$ PARALLEL (i) ON b(i)
  do i = 2, 10
    b(i) = a(i - 1)
  end do
  call library()
end program
END
cat >library.c <<'END'
#pragma dvm array distribute[block]
double c[10];
void library_(void) {
#pragma dvm parallel([i] on c[i])
  for (int i = 0; i < 9; i++)
    c[i + 1] = i;
}
END
check() { # how it was built
  status 66 "$2"
  has err "main.F90:13:12: error: 'a(1)' is read from the shadow edge, which was never renewed [dvm-shadow-stale]"
  has err "help: add 'shadow_renew(a)' to the directive at"
  has err "library.c:6:5: error: 'c[1]' is written in the shadow edge"
}
# One call; a link-only call of objects; 'dvm check'.
status 0 "$dvmfc" field.f90 main.F90 library.c -o one
check "one call" ./one
printf 'objects = field.o main.o library.o\nmade: $(objects)\n\t$(FC) $^ -o $@\n%%.o: %%.f90\n\t$(FC) -c $<\n%%.o: %%.F90\n\t$(FC) -c $<\nmain.o: field.o\n' >Makefile
status 0 make -s FC="$dvmfc" CC="$dvmcc"
check "make" ./made
status 66 "$dvm" check field.f90 main.F90 library.c
has err "main.F90:13:12: error:"
# Names of files as people type them.
mkdir -p sub
for name in ./main.F90 .//main.F90 sub/../main.F90; do
  status 0 "$dvmfc" ./field.f90 "$name" ./library.c -o typed
  status 66 ./typed
  has err "$name:13:12: error: 'a(1)' is read from the shadow edge"
done
# Directives in branches that are not compiled count as little as statements there; positions are those of the file.
cat >branches.F90 <<'END'
program branches
  implicit none
  integer, parameter :: n = 12
#ifdef WHOLE
  integer :: a(n), b(n)
!DVM$ DISTRIBUTE a(*)
#elif ROWS > 3
  integer :: a(n), &
             b(n)
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
#endif
  integer i
#if defined(WHOLE) && !defined(ROWS)
  this is no Fortran
!DVM$ NONSENSE
#else
!DVM$ PARALLEL (i) &
!DVM$& ON a(i)
#endif
  do i = 2, n
    b(i) = &
#ifndef WRONG
      2 * &
#else
      b(i - 1) + &
#endif
      i
  end do
!DVM$ REMOTE_ACCESS (b(3))
  print *, b(3)
end program
END
status 0 "$dvmfc" -DROWS=4 branches.F90 -o branches
status 0 ./branches
has out " 6"
status 0 "$dvmfc" -DROWS=4 -DWRONG branches.F90 -o branches
status 66 ./branches
has err "branches.F90:26:7: error: 'b(1)' is read"
# Text that is preprocessed first keeps its directives and its places.
status 0 "$dvmfc" -E main.F90 -o expanded.f90
has expanded.f90 "!DVM\$ PARALLEL (i) ON b(i)"
lacks expanded.f90 "COUNT"
status 0 "$dvmfc" field.f90 expanded.f90 library.c -o expanded
check "preprocessed" ./expanded
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES Fortran C)\nadd_executable(program main.F90 library.c field.f90)\n' >CMakeLists.txt
status 0 env FC="$dvmfc" CC="$dvmcc" cmake -G Ninja -B with-cmake .
status 0 cmake --build with-cmake
check "cmake" with-cmake/program
if command -v meson > /dev/null; then
  printf "project('p', 'fortran', 'c')\nexecutable('program', 'main.F90', 'field.f90', 'library.c', link_language: 'fortran')\n" >meson.build
  status 0 env FC="$dvmfc" CC="$dvmcc" meson setup with-meson
  status 0 meson compile -C with-meson
  check "meson" with-meson/program
  status 0 env FC="$dvmfc -fdvm=off" meson setup plain-meson # it is flang
  status 0 meson compile -C plain-meson
  status 0 plain-meson/program
fi
# What is refused, and what is passed on.
status 2 "$dvmfc" -fdvm=chek main.F90
has err "did you mean 'check'?"
status 1 "$dvmfc" missing.f90
printf '      PROGRAM P\n!DVM$ CP_SAVE C\n      PRINT *, 1\n      END\n' >saved.f
status 0 "$dvmfc" saved.f -o saved
has err "saved.f:2:7: warning: the directive CP_SAVE is not judged in this version of dvmfc [-Wdvm-unjudged]"
status 0 ./saved
empty err
status 1 "$dvmfc" -Werror=dvm-unjudged saved.f -o saved
has err "saved.f:2:7: error: the directive CP_SAVE is not judged"
has err "help: the program runs without it; 'dvm run --checkpointable'"
status 0 "$dvmfc" -fdvm=off main.F90 field.f90 -c
status 0 "$dvmfc" -S -emit-llvm field.f90 -o field.ll
has field.ll "K array"
# What files are made from: included files, modules, headers of C files beside.
mkdir -p depends/inc depends/mod && cd depends
echo 'int alone;' >inc/alone.h
printf '#include "alone.h"\n' >alone.c
printf '      INTEGER I\n      INCLUDE "deeper.inc"\n' >inc/common.inc
echo '      INTEGER J' >inc/deeper.inc
printf 'module base\n  interface\n    module subroutine s()\n    end subroutine\n  end interface\nend module\n' >base.f90
printf 'submodule (base) more\ncontains\n  module procedure s\n  end procedure\nend submodule\n' >more.f90
printf '      PROGRAM P\n      USE, INTRINSIC :: ISO_C_BINDING\n      USE BASE\n      USE BESIDE, ONLY: X\n      INCLUDE %s\n      END\n' \
  "'common.inc'" >main.f
printf 'module beside\n  use :: base ! s\n  integer :: x\nend module\n' >beside.f90
# rule FILE TEXT
rule() {
  [ "$(cat "$1")" = "$2" ] || fail "$1 holds '$(cat "$1")', not '$2'"
}
status 0 "$dvmfc" -MD -J mod -c base.f90 -o obj.o
rule obj.d 'obj.o mod/base.mod: base.f90'
status 0 "$dvmfc" -MD -J mod -c more.f90
rule more.d 'more.o mod/base-more.mod: more.f90 mod/base.mod'
status 0 "$dvmfc" -MMD -Jmod -c beside.f90 -MT a.o -MT b.o
rule beside.d 'a.o b.o mod/beside.mod: beside.f90 mod/base.mod'
status 0 "$dvmfc" -MD -MP -J mod -I inc -MF all.d -c main.f
rule all.d "main.o: main.f mod/base.mod mod/beside.mod inc/common.inc inc/deeper.inc
mod/base.mod:
mod/beside.mod:
inc/common.inc:
inc/deeper.inc:"
empty err
for mode in check off; do
  status 0 "$dvmfc" -fdvm=$mode -MD -Iinc -c alone.c
  empty err
  tr -d '\\\n' <alone.d | grep -q '^alone.o: *alone.c *inc/alone.h$' || fail "alone.d holds '$(cat alone.d)'"
  rm alone.d
done
printf '%s\n' 'FC := '"$dvmfc" 'p: main.o base.o beside.o more.o' '	$(FC) $^ -o $@' '%.o: %.f90' '	$(FC) -MD -c $< -o $@' \
  '%.o: %.f' '	$(FC) -MD -Iinc -c $< -o $@' 'main.o: beside.o' 'beside.o more.o: base.o' '-include *.d' >Makefile
rm -f ./*.d ./*.o
status 0 make
status 0 make
has out "'p' is up to date"
touch inc/deeper.inc
status 0 make
has out '-c main.f '
cd ..
status 0 "$dvmfc" -fdvm=off -MD -MF field.d -MQ field.o -c field.f90
empty err
# Recording and comparing.
mkdir changed
cp "$source/test/fortran/right/freeform.f90" .
sed 's/i + 10 \* j/i + 11 * j/' freeform.f90 >changed/freeform.f90
status 0 "$dvmfc" -fdvm=trace -O2 freeform.f90 -o recorded
status 0 "$dvm" record -o reference.dvmt -- ./recorded
status 0 "$dvm" compare reference.dvmt -- ./recorded
has err "0 different"
status 0 "$dvmfc" -fdvm=trace -O2 changed/freeform.f90 -o recorded
status 66 "$dvm" compare reference.dvmt -- ./recorded
has err "changed/freeform.f90:33:7: error: 'u("
has err "[dvm-trace-value]"
# References of the text and uses of the compiler go together: no guess is printed, and there is nothing to guess.
for program in "$source"/samples/*.f "$source"/samples/*.f90 "$source"/test/fortran/right/*; do
  case $program in */allocated.f90) continue ;; esac # a name that USE changes
  status 0 "$dvmfc" -c -mllvm -dvm-fortran-pairing -I"$source/test/fortran/include" "$program" -o object.o
  has err "exact, 0 not"
done
finish
