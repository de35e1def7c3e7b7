# Common to the tests here: the programs under test, a scratch folder that goes away, and checks that say what they expected.
# Called with the build tree and the source tree.
set -u
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
dvmcc=$build/driver/dvmcc
dvm=$build/driver/dvm
clang=$("$dvmcc" --dvm-print-clang)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
unset DVM_OPTIONS DVM_CLANG

wrong() { printf 'FAILED: %s\n' "$*"; failures=$((failures + 1)); }

# status N command...: the command ends with status N; its output is in 'out' and 'err'.
status() {
  local expected=$1 got
  shift
  "$@" >out 2>err
  got=$?
  [ "$got" = "$expected" ] || { wrong "status $got, not $expected: $*"; sed 's/^/  | /' err; }
}
has() { grep -qF -- "$2" "$1" || { wrong "no '$2' in $1:"; sed 's/^/  | /' "$1"; }; }
lacks() { ! grep -qF -- "$2" "$1" || { wrong "'$2' in $1:"; sed 's/^/  | /' "$1"; }; }
empty() { [ ! -s "$1" ] || { wrong "$1 is not empty:"; sed 's/^/  | /' "$1"; }; }
finish() { [ "$failures" = 0 ] && echo "all as expected"; exit $((failures != 0)); }
