# Reference and run at different levels, with different configurations: what both have is compared.
. "$(dirname "$0")/lib.sh"
cat >p.c <<'C'
#define N 20
#pragma dvm array distribute[block]
static double A[N];
static double s, B[N];
int main(void) {
  int i, t;
  for (t = 0; t < 4; t++) {
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++)
      A[i] = i + t + (WRONG == 1 && i == 7 && t == 2);
    s = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
    for (i = 0; i < N; i++)
      s += A[i] + (WRONG == 2 && i == 3) * 1e-3;
    for (i = 0; i < N; i++)
      B[i] = s + i + (WRONG == 3 && i == 5);
  }
  return 0;
}
C
for w in 0 1 2 3; do
  status 0 "$dvmcc" -fdvm=trace -w p.c -o p$w -DWRONG=$w
  for level in none system checksum minimal modify full; do
    status 0 "$dvm" record --level $level -o $level$w.dvmt -- ./p$w
  done
done
printf 'level modify\nparallel p.c:8 level none\n' >first.conf
printf 'level modify\nloop p.c:14 level none\nparallel p.c:8 level modify 1:0..9\n' >part.conf
for conf in first part; do
  for w in 0 1 2 3; do status 0 "$dvm" record --config $conf.conf -o $conf$w.dvmt -- ./p$w; done
  status 0 "$dvm" trace info $conf"0.dvmt"
done
for a in system checksum minimal modify full first part; do
  for b in system checksum minimal modify full first part; do
    status 0 "$dvm" diff ${a}0.dvmt ${b}0.dvmt
    [ "$(wc -l <err)" = 1 ] || wrong "$a against $b: $(cat err)"
    status 66 "$dvm" diff ${a}0.dvmt ${b}2.dvmt # a result is in all of them
    has err "'s' is"
  done
done
for pair in "modify full" "full modify" "full part" "part modify"; do
  # shellcheck disable=SC2086
  set -- $pair
  status 66 "$dvm" diff ${1}0.dvmt ${2}1.dvmt
  has err "'A[7]' is"
  status 66 "$dvm" diff ${1}0.dvmt ${2}3.dvmt
  has err "'B[5]' is"
done
status 66 "$dvm" diff first0.dvmt modify1.dvmt # by its consequences
lacks err "'A[7]' is"
status 66 "$dvm" diff none0.dvmt modify0.dvmt
has err "nothing was compared"

# The run is recorded as the reference was; the user's own configuration has the common part compared.
for conf in first part; do
  status 0 "$dvm" compare ${conf}0.dvmt -- ./p0
  agreed
  status 66 "$dvm" compare ${conf}0.dvmt -- ./p2
  status 0 "$dvm" compare --config $conf.conf full0.dvmt -- ./p0
  agreed
done
status 66 "$dvm" compare part0.dvmt -- ./p1
has err "'A[7]' is"
finish
