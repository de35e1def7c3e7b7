# CC=dvmcc under make and CMake, as a user's project would have it.
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
cd "$scratch" || exit 1
finish
