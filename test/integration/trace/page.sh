# The page of 'dvm compare --html' in a browser: the script draws what the data says, for each place of the slider.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/trace
command -v chromium >/dev/null || { echo "FAILED: no chromium"; exit 1; }
cp "$here"/samples/*.c .

# page SAMPLE MISTAKE REFERENCE: the page of a run with a mistake (0: none) against one without.
page() {
  status 0 "$dvmcc" -fdvm=trace -w -O2 "$1.c" -o right
  status 0 "$dvmcc" -fdvm=trace -w -O2 "$1.c" -o wrong -DMISTAKE="$2"
  status 0 "$dvm" record -o "$3" -- ./right
  status $(($2 ? 66 : 0)) "$dvm" compare --html page.html "$3" -- ./wrong
  status 0 python3 "$here/look.py" page.html "$3"
}
page jacobi 4 '<b>&amp;"jacobi".dvmt'
page cg 2 cg.dvmt # arrays of one dimension, folded
page sor 0 sor.dvmt
has out "0 maps"
finish
