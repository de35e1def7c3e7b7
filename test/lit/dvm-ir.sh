# dvm-ir.sh LLVM-TOOLS PASS INCLUDES FILE [CLANG-FLAG..]: IR of FILE behind the pass, verified, on standard output.
tools=$1 pass=$2 includes=$3
shift 3
set -e
"$tools"/clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -w -I"$includes" "$@" -S -emit-llvm -o - |
  "$tools"/opt -load-pass-plugin="$pass" -passes=dvm,dvm-look,verify -S
