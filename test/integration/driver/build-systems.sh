# CC=dvmcc under make, CMake and autotools, as a user's project would have it.
. "$(dirname "$0")/lib.sh"
mkdir project && cd project || exit 1
cp "$source/samples/jacobi_wrong.c" main.c
sed -i 's/^int main/int helper(void);\nint main/; s/return 0/return helper()/' main.c
echo 'int helper(void) { return 0; }' >helper.c

cat >Makefile <<'X'
CFLAGS = -O2 -Wall -Wno-unknown-pragmas -MMD
prog: main.o libhelper.a
	$(CC) $(LDFLAGS) $^ -o $@
libhelper.a: helper.o
	$(AR) rcs $@ $^
X
status 0 make CC="$dvmcc"
status 66 ./prog
has err "[dvm-shadow-stale]"
[ -f main.d ] || wrong "no dependency file"

cat >CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.20)
project(user C)
include(CheckCCompilerFlag)
include(CheckFunctionExists)
check_c_compiler_flag(-Wall HAS_WALL)
check_c_compiler_flag(-Wno-such-flag-at-all HAS_NONSENSE)
check_function_exists(printf HAS_PRINTF)
check_function_exists(no_such_function HAS_NO_SUCH_FUNCTION)
if(NOT HAS_WALL OR HAS_NONSENSE OR NOT HAS_PRINTF OR HAS_NO_SUCH_FUNCTION OR NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "the compiler is not understood")
endif()
include(CheckIPOSupported)
check_ipo_supported(RESULT ipo LANGUAGES C)
if(NOT ipo)
  message(FATAL_ERROR "no link-time optimisation")
endif()
add_library(helper SHARED helper.c)
add_executable(prog main.c)
target_link_libraries(prog helper)
set_target_properties(prog PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
X
for type in Debug Release; do
  status 0 cmake -S . -B $type -G Ninja -DCMAKE_C_COMPILER="$dvmcc" -DCMAKE_BUILD_TYPE=$type
  status 0 cmake --build $type
  status 66 $type/prog
  has err "[dvm-shadow-stale]"
done

# Autotools: configure asks the compiler many things, make builds with what it was told.
mkdir auto && cp main.c helper.c auto/ && cd auto || exit 1
cat >configure.ac <<'X'
AC_INIT([user], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CHECK_HEADERS([math.h no_such_header.h])
AC_CHECK_FUNCS([fabs no_such_function])
AC_CHECK_LIB([m], [cos])
AC_C_INLINE
AC_CHECK_SIZEOF([long])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
X
printf 'bin_PROGRAMS = prog\nprog_SOURCES = main.c helper.c\n' >Makefile.am
status 0 autoreconf --install
status 0 ./configure CC="$dvmcc" CFLAGS=-O2 LDFLAGS=-Wl,--as-needed
has out "checking for C compiler default output file name... a.out"
has out "checking for math.h... yes"
has out "checking for no_such_header.h... no"
has out "checking for no_such_function... no"
has out "checking size of long... 8"
status 0 make
status 66 ./prog
has err "[dvm-shadow-stale]"
status 0 make clean
status 0 ./configure CC="$dvmcc -fdvm=off"
status 0 make
status 0 ./prog
cd "$scratch" || exit 1
finish
