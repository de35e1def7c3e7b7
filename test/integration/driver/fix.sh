# dvm fix: what it writes, where, and what it leaves.
. "$(dirname "$0")/lib.sh"

# A stale edge, in a loop whose directive is given; the rest is the same.
stale() { # DIRECTIVE
  cat <<Y
#include <stdio.h>
#define N 16
#pragma dvm array distribute[block] shadow[2:2]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];
int main(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i;
$1
  for (int i = 1; i < N - 1; i++)
    B[i] = A[i - 1] + A[i + 1];
  double s = 0;
#pragma dvm parallel([i] on B[i]) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += B[i];
  printf("%g\n", s);
  return 0;
}
Y
}
# repaired NAME: NAME.c gets the one clause, is silent then, and has the line in NAME.expected.
repaired() {
  cp "$1.c" before.c
  status 0 "$dvm" fix --in-place "$1.c"
  empty out
  has err "repaired [dvm-shadow-stale]: add 'shadow_renew(A)'"
  grep -qxF -- "$2" "$1.c" || { wrong "$1: no line '$2':"; cat -A "$1.c" | sed -n 8,14p; }
  [ "$(diff before.c "$1.c" | grep -c '^>')" = 1 ] || wrong "$1: more than a line has changed"
  status 0 "$dvm" check "$1.c"
  empty err
}

stale '#pragma dvm parallel([i] on B[i])' >plain.c
cp plain.c again.c
status 0 "$dvm" fix again.c
cmp -s plain.c again.c || wrong "the file is changed without --in-place"
has out '+#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1])'
git apply --no-index -p0 out 2>said || wrong "the diff cannot be applied: $(cat said)"
repaired plain '#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1])'
cmp -s plain.c again.c || wrong "diff and --in-place do not give the same"

stale '#pragma dvm parallel([i] on B[i]) // the sums' >comment.c
repaired comment '#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1]) // the sums'
stale '#pragma dvm parallel([i] on B[i]) /* a */ /* b */' >comments.c
repaired comments '#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1]) /* a */ /* b */'
stale '#pragma dvm \
    parallel([i] \
             on B[i]) \
    // the sums' >lines.c
repaired lines '             on B[i]) shadow_renew(A[1:1]) \'
stale '  #  pragma  dvm  parallel ( [i] on B[i] )' >blanks.c
repaired blanks '  #  pragma  dvm  parallel ( [i] on B[i] ) shadow_renew(A[1:1])'
stale '#pragma dvm parallel([i] on B[i]) /* größer als € */' >umlaut.c
repaired umlaut '#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1]) /* größer als € */'
stale '#pragma dvm parallel([i] on B[i])' | sed 's/$/\r/' >crlf.c
repaired crlf '#pragma dvm parallel([i] on B[i]) shadow_renew(A[1:1])'$'\r'

# In a header, beside the source, named by a path; the source stays.
mkdir -p sub/inc
stale '#pragma dvm parallel([i] on B[i])' | sed '/^int main/,$d' >sub/main.c
stale '#pragma dvm parallel([i] on B[i])' | sed -n '/^int main/,$p' >sub/inc/main.h
echo '#include "inc/main.h"' >>sub/main.c
cp sub/main.c main.c
status 0 "$dvm" fix --in-place sub/main.c -Isub
grep -q 'shadow_renew(A\[1:1\])' sub/inc/main.h || wrong "the header is not repaired"
cmp -s main.c sub/main.c || wrong "the source is changed, where the header is wrong"

# Mode, links, arguments, standard input.
stale '#pragma dvm parallel([i] on B[i])' | sed 's/int main(void) {/int main(int argc, char **argv) { int c = getchar(); printf("%d %s %c\\n", argc, argv[1], c);/' >real.c
chmod 640 real.c
ln -s real.c link.c
echo x >input
status 0 "$dvm" fix --in-place link.c -O2 -- word <input
[ -h link.c ] && [ "$(stat -c %a real.c)" = 640 ] || wrong "the link or the mode of the file is lost"
grep -q 'shadow_renew(A\[1:1\])' real.c || wrong "what the link leads to is not repaired"

# A statement of several lines gets its directive before the first of them.
cat >statement.c <<'Y'
#include <stdio.h>
#pragma dvm array distribute[block]
double A[8];
int main(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < 8; i++)
    A[i] = i;
  double x;
  x = 1 +
      A[3];
  printf("%g\n", x);
  return 0;
}
Y
status 0 "$dvm" fix statement.c
[ "$(grep -FA1 '+  #pragma dvm remote_access(A[3])' out | tail -n 1)" = '   x = 1 +' ] || wrong "not before the statement: $(cat out)"

# What a macro writes is left, in the report's words.
stale '_Pragma("dvm parallel([i] on B[i])")' >macro.c
cp macro.c before.c
status 66 "$dvm" fix --in-place macro.c
empty out
has err 'error: '
has err "help: add 'shadow_renew(A)' to the directive at macro.c:11"
has err 'dvm: not repaired: '
cmp -s macro.c before.c || wrong "what is left is changed"
# A right program, one that does not compile, wrong calls.
cp plain.c right.c
status 0 "$dvm" fix right.c
empty out
has err 'nothing to repair'
echo 'int main(void) { return x; }' >bad.c
status 1 "$dvm" fix bad.c
has err "undeclared identifier 'x'"
status 2 "$dvm" fix
status 2 "$dvm" fix -O2
status 2 "$dvm" fix plain.c -o prog
status 2 "$dvm" fix plain.c -fdvm=off
status 1 "$dvm" fix none.c
status 0 "$dvm" fix --help
has out 'usage: dvm fix'

# A file that is not ours to write, and one that changes while the program runs: both stay.
stale '#pragma dvm parallel([i] on B[i])' >plain.c
cp plain.c before.c
if [ "$(id -u)" = 0 ]; then
  mkdir other && chmod 777 other && chmod 755 . && cp plain.c other/prog.c && chmod 644 other/prog.c
  (cd other && status 1 setpriv --reuid 65534 --regid 65534 --clear-groups env TMPDIR=/tmp "$dvm" fix --in-place prog.c 2>/dev/null)
  cmp -s other/prog.c before.c || wrong "another user's file is changed"
  [ "$(ls other | grep -c prog.c.)" = 0 ] || wrong "a temporary file is left beside it"
fi
sed 's/int main(void) {/int main(void) { FILE *f = fopen("changes.c", "a"); fputs("\/\/ more\\n", f); fclose(f);/' plain.c >changes.c
status 1 "$dvm" fix --in-place changes.c
has err 'has changed in the meantime'
lacks changes.c shadow_renew

# Interrupted while the program runs, which tells us by a pipe: the source stays, nothing is left behind.
sed 's/int main(void) {/#include <unistd.h>\nint main(void) { FILE *f = fopen("running", "w"); fputs("x\\n", f); fclose(f); pause();/' plain.c >waits.c
cp waits.c before.c
mkfifo running
mkdir temporary
TMPDIR=$PWD/temporary "$dvm" fix --in-place waits.c >out 2>err &
pid=$!
read -r _ <running
kill -TERM $pid
wait $pid
[ $? = 143 ] || wrong "interrupted, dvm fix does not end by the signal"
cmp -s waits.c before.c || wrong "interrupted, it changes the file"
[ -z "$(ls -A temporary)" ] || wrong "interrupted, it leaves temporary files"
finish
