#!/bin/bash
# What ranks have recorded survives the death of one of them, of all, of the launcher and of the recorder: every trace can be read up to
# its last whole block, and compared as far as it goes.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader

cat >long.c <<'END_C'
#include <stdio.h>
#include <unistd.h>
enum { N = 40 };
int tell_pid(void);
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  tell_pid();
  FILE *f;
  for (int step = 0; !(f = fopen("stop", "r")); step++) { /* rank 0 looks, for all */
#pragma dvm parallel([i] on a[i]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      a[i] = a[i] + step;
    usleep(1000);
  }
  return 0;
}
END_C
cat >pid.c <<'END_C' # of each rank its own
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int tell_pid(void);
int tell_pid(void) {
  char name[64];
  snprintf(name, sizeof(name), "pid.%s", getenv("OMPI_COMM_WORLD_RANK"));
  FILE *f = fopen(name, "w");
  if (!f)
    return 1;
  fprintf(f, "%d\n", getpid());
  return fclose(f);
}
END_C
status 0 "$clang" -c pid.c -o pid.o
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 long.c pid.o -o long
status 0 "$dvmcc" -fdvm=trace -g -O1 long.c pid.o -o alone
touch stop
status 0 env OMPI_COMM_WORLD_RANK= "$dvm" record --level checksum -o ref.dvmt -- ./alone
rm stop

has_begun() { "$dvm" trace dump "$1" 2>/dev/null | grep -c enter | { read -r n && [ "$n" -gt 5 ]; }; }
until_true() { # a command that will come true
  local n=0
  until "$@"; do
    n=$((n + 1))
    [ $n -lt 300 ] || { wrong "never: $*"; return; }
    sleep 0.1
  done
}
gone() { ! kill -0 "$(cat pid.0)" 2>/dev/null && ! kill -0 "$(cat pid.1)" 2>/dev/null; }
whole() { "$dvm" trace verify "$1" >out 2>/dev/null; }

for who in one all launcher recorder; do
  rm -f pid.[01]
  "$dvm" record -o $who.dvmt -- mpirun --oversubscribe -n 2 ./long 2>err &
  recorder=$!
  until_true has_begun $who.dvmt.0
  until_true has_begun $who.dvmt.1
  case $who in
  one) kill -9 "$(cat pid.1)" ;;
  all) kill -9 "$(cat pid.0)" "$(cat pid.1)" ;;
  launcher) read -r child <"/proc/$recorder/task/$recorder/children"; kill -9 $child ;;
  recorder) kill -9 $recorder ;;
  esac
  wait $recorder 2>/dev/null
  [ $? = 137 ] || wrong "$who: dvm record ends with another status"
  if [ $who = recorder ]; then # the ranks go on, and their streams are whole
    touch stop
    until_true whole $who.dvmt.0
    until_true whole $who.dvmt.1
    rm stop
  else
    has err "recorded the 2 ranks of a job in '$who.dvmt'"
    has err "what its ranks did in their last second may be missing"
  fi
  for rank in 0 1; do
    "$dvm" trace dump $who.dvmt.$rank >out 2>/dev/null
    [ "$(grep -c enter out)" -gt 5 ] || wrong "$who: rank $rank has lost what was on the disk"
  done
  status 66 "$dvm" diff ref.dvmt $who.dvmt
  has err "(100 % of the reference" # the run has more steps
  lacks err "damaged"
done

# Ranks that hang have all that they did in their streams, whoever kills them.
cat >stands.c <<'END_C'
enum { N = 40 };
int tell_pid(void);
int stand(void);
#pragma dvm array distribute[block]
double a[N];
int main(void) {
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] = i + step;
  }
  tell_pid();
  return stand();
}
END_C
cat >stand.c <<'END_C'
#include <unistd.h>
int stand(void);
int stand(void) { return pause(); }
END_C
status 0 "$clang" -c stand.c -o stand.o
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 stands.c pid.o stand.o -o stands
has_all() { "$dvm" trace dump "$1" 2>/dev/null | grep -c leave | { read -r n && [ "$n" = 3 ]; }; }
rm -f pid.[01]
"$dvm" record -o stands.dvmt -- mpirun --oversubscribe -n 2 ./stands 2>err &
recorder=$!
until_true has_all stands.dvmt.0
until_true has_all stands.dvmt.1
kill -9 "$(cat pid.0)" "$(cat pid.1)"
wait $recorder 2>/dev/null
has err "the last construct that all ranks have executed is execution 3 of the 'parallel' at stands.c:8"

# A run that ends early knows some of the constructs only: they are the ones at their lines, though others have the same variables.
cat >early.c <<'END_C'
#include <stdlib.h>
enum { N = 40 };
#pragma dvm array distribute[block]
double a[N];
static void sweep(int stop) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] += 1;
  if (stop)
    exit(3);
#pragma dvm parallel([i] on a[i])
  for (int i = 1; i < N; i++)
    a[i] *= 2;
}
int main(int argc, char **argv) {
  (void)argv;
#pragma dvm parallel([i] on a[i])
  for (int i = 2; i < N; i++)
    a[i] = i;
  sweep(argc > 1);
#pragma dvm parallel([i] on a[i])
  for (int i = 3; i < N; i++)
    a[i] -= 1;
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 early.c -o early_alone
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 early.c -o early
status 0 "$dvm" record --level checksum -o early.dvmt -- ./early_alone
status 66 "$dvm" compare early.dvmt -- mpirun --oversubscribe -n 2 ./early stop
has err "early.c:11:13: error: the run ends here; the reference continues with the start of the parallel at early.c:11"
has err "1 error (1 occurrence)"
finish
