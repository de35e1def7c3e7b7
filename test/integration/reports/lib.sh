# Common to the tests here: test/integration/driver/lib.sh, and a check of report files.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/reports
# The modules are Debian's, so Debian's python3 is asked too.
for python in python3 /usr/bin/python3; do
  "$python" -c 'import jsonschema, sarif_om' 2>/dev/null && break
  python=
done
[ -n "$python" ] || { echo "FAILED: no python3-jsonschema and python3-sarif-python-om"; exit 1; }

# reported NAME COUNT [folder]: NAME.sarif and NAME.jsonl are right and hold COUNT findings.
reported() { "$python" "$here/check.py" "$source/docs/report-formats.md" "$@" >said 2>&1 || wrong "$1: $(tail -n 1 said)"; }
