# The page of 'dvm compare --html' in a browser: the script draws what the data says, for each place of the slider.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/trace
command -v chromium >/dev/null || { echo "FAILED: no chromium"; exit 1; }
cp "$here"/samples/*.c .

# page SAMPLE MISTAKE REFERENCE: the page of a run with a mistake (0: none) against one without.
page() {
  status 0 "$dvmcc" -fdvm=trace -w -O2 "$1.c" -o right -lm
  status 0 "$dvmcc" -fdvm=trace -w -O2 "$1.c" -o wrong -DMISTAKE="$2" -lm
  status 0 "$dvm" record -o "$3" -- ./right
  status $(($2 ? 66 : 0)) "$dvm" compare --html page.html "$3" -- ./wrong
  status 0 python3 "$here/look.py" page.html "./wrong, compared with $3"
}
page jacobi 4 '<b>&amp;"jacobi".dvmt'
page cg 2 cg.dvmt # arrays of one dimension, folded
page sor 0 sor.dvmt
has out "0 maps"
page sor 3 sor.dvmt # structure
cat >nan.c <<'C'
#include <math.h>
#ifndef MISTAKE
#define MISTAKE 0
#endif
static double a[8], b;
int main(void) {
  for (int t = 0; t < 5; t++)
    for (int i = 0; i < 8; i++) {
      a[i] = sqrt(MISTAKE && t > 1 && i == 3 ? -1.0 : i);
      b = b * 0.5 + a[i] + MISTAKE * 1e-3;
    }
  return 0;
}
C
page nan 1 nan.dvmt
status 66 "$dvm" compare --html page.html nan.dvmt -- ./wrong
has page.html dvm-trace-nan
finish
