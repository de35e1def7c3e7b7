# What is written has the format of .clang-format: all product code and unit tests.
. "$(dirname "$0")/lib.sh"
command -v clang-format-19 >/dev/null || { echo "skipped: clang-format-19 is not installed"; exit 77; }
cd "$source" || exit 1
if git rev-parse --git-dir >/dev/null 2>&1; then
  mapfile -t files < <(git ls-files '*.c' '*.h' '*.cpp' | grep -E '^(base|driver|mpir|pass|runtime|sdm|test/unit)/')
else
  mapfile -t files < <(find base driver mpir pass runtime sdm test/unit -name '*.[ch]' -o -name '*.cpp')
fi
[ "${#files[@]}" -gt 300 ] || wrong "only ${#files[@]} files were found"
clang-format-19 --dry-run -Werror "${files[@]}" 2>"$scratch/err" || wrong "run 'clang-format-19 -i' on: $(sed -n 's/^\([^:]*\):[0-9]*:.*code should be clang-formatted.*/\1/p' "$scratch/err" | sort -u | tr '\n' ' ')"
finish
