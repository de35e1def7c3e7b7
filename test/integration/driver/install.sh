# The installed tree works, also after it was moved, and other CMake projects find it.
. "$(dirname "$0")/lib.sh"
status 0 cmake --install "$build" --prefix "$scratch/first"
mv first moved
"$scratch/moved/bin/dvmcc" --dvm-version >version
has version "plug-in: $scratch/moved/"
has version "run-time library: $scratch/moved/"
lacks version "$build"
for file in bin/dvm bin/dvmcc share/man/man1/dvmcc.1 share/man/man1/dvm.1 share/man/man1/dvm-check.1 \
  share/bash-completion/completions/dvm share/bash-completion/completions/dvmcc; do
  [ -f "moved/$file" ] || wrong "not installed: $file"
done
[ -n "$(find moved -name LICENSE)" ] || wrong "no licence installed"
status 0 moved/bin/dvm help dvm-shadow-stale
has out "# dvm-shadow-stale"
cp "$source/samples/jacobi_wrong.c" wrong.c
status 0 moved/bin/dvmcc -O2 wrong.c -o wrong
status 66 ./wrong
has err "[dvm-shadow-stale]"
status 0 moved/bin/dvmcc -static wrong.c -o wrong
status 66 ./wrong
status 66 moved/bin/dvm check wrong.c
readelf -d wrong moved/bin/dvmcc moved/bin/dvm >dynamic
lacks dynamic "$build"

# Recording and comparing, from the place that the tree was moved to.
if [ -x moved/libexec/dvm/dvm-record ]; then
  cp "$source/samples/jacobi.c" right.c
  status 0 moved/bin/dvmcc -fdvm=trace -O2 right.c -o right
  status 0 moved/bin/dvm record -o right.dvmt -- ./right
  status 0 moved/bin/dvm compare right.dvmt -- ./right
  DVM_OPTIONS=trace=record:trace_file=by.dvmt status 0 ./right
  status 0 moved/bin/dvm diff right.dvmt by.dvmt
  status 0 moved/bin/dvmcc -fdvm=trace -static right.c -o right
  status 0 moved/bin/dvm compare right.dvmt -- ./right
fi

# Pages that are installed lead to installed ones.
python3 - moved/share/doc <<'X' >missing || wrong "links of the installed pages were not looked at"
import glob, os, re, sys
pages = glob.glob(sys.argv[1] + "/**/*.md", recursive=True)
for page in pages:
    for link in re.findall(r"\]\(([^)#\s`]+)[^)`]*\)", open(page).read()):
        if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
            print(page, link)
sys.exit(len(pages) < 20)
X
[ -s missing ] && wrong "links that lead nowhere: $(cat missing)"

# A project with clang 19 as compiler, and one with dvmcc.
mkdir user && cp wrong.c user/main.c
cat >user/CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(Dvm 0.1 REQUIRED)
add_executable(prog main.c)
target_link_libraries(prog Dvm::check)
X
for compiler in "$clang" "$scratch/moved/bin/dvmcc"; do
  rm -rf user/build
  status 0 cmake -S user -B user/build -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/moved"
  status 0 cmake --build user/build
  status 66 user/build/prog
  has err "[dvm-shadow-stale]"
  sed -i 's/find_package(Dvm/find_package(DVM/' user/CMakeLists.txt # for the next one: both spellings are found
done
# Another compiler is told, not silently unchecked.
if command -v gcc >/dev/null; then
  rm -rf user/build
  status 1 cmake -S user -B user/build -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_PREFIX_PATH="$scratch/moved"
  has err "Dvm::check needs dvmcc or clang 19 as C compiler"
fi
finish
