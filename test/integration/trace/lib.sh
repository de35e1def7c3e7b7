# Common to the tests here: test/driver/lib.sh, and what a comparison without a difference says.
. "$(dirname "$0")/../driver/lib.sh"

# agreed [REST]: nothing but the closing line in 'err', without a difference, whose text has REST.
agreed() {
  if [ "$(wc -l <err)" != 1 ] || ! grep -qE '^dvm: compared [0-9]+ records .* 0 different' err || ! grep -qF -- "${1:-}" err; then
    wrong "not only the closing line${1:+ with '$1'}:"
    sed 's/^/  | /' err
  fi
}
