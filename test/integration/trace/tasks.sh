# Tasks in traces: 'on' blocks are iterations of their region, by the number of the task; levels, ranges, --partial; tasks in another order;
# 'trace off'.
. "$(dirname "$0")/lib.sh"

cat >tasks.c <<'Y'
#include <stdio.h>
#define N 6
#pragma dvm task T[3]
void *T;
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block]
double b[N];
int main(int argc, char **argv) {
  double s = 0;
#pragma dvm task_region(T)
  {
    if (argc < 2)
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = 0;
    }
#pragma dvm on(T[argc < 3 ? 2 : 0])
    {
#pragma dvm parallel([i] on b[i])
      for (int i = 0; i < N; i++)
        b[i] = 2 * i;
    }
  }
  if (argc == 4) {
#pragma dvm trace off
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 1;
#pragma dvm trace on
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i];
  return 0;
}
Y
"$dvmcc" -g -O1 -fdvm=trace tasks.c -o tasks || wrong "does not compile"
status 0 "$dvm" record -o both.dvmt ./tasks
status 0 "$dvm" trace dump both.dvmt
has out 'iteration  tasks.c:11:13         1'
has out 'iteration  tasks.c:11:13         2'
lacks out ' on, level'
status 0 "$dvm" compare both.dvmt -- ./tasks
agreed
# A task that does not happen: with --partial that is no difference; another one is.
status 66 "$dvm" compare both.dvmt -- ./tasks x
has err 'dvm-trace-structure'
status 0 "$dvm" compare --partial both.dvmt -- ./tasks x
agreed
status 66 "$dvm" compare --partial both.dvmt -- ./tasks x x
has err 'iteration (0) is not in the reference'
# The range and the level of the region.
printf 'parallel tasks.c:11 level modify 1:2..2\n' >range
status 0 "$dvm" record --config range -o one.dvmt ./tasks
status 0 "$dvm" trace stat one.dvmt
grep -qE '^task_region +tasks.c:11:13 +1 +1 ' out || wrong "not one task: $(cat out)"
lacks out 'tasks.c:16:13'
has out 'tasks.c:22:13'
printf 'parallel tasks.c:11 level none\n' >none
status 0 "$dvm" record --config none -o none.dvmt ./tasks
status 0 "$dvm" trace stat none.dvmt
grep -qE 'tasks.c:(11|16|22):13' out && wrong "the region is recorded: $(cat out)"
has out 'tasks.c:30:13'
# Pieces that are switched off.
status 0 "$dvm" record -o off.dvmt ./tasks x y z
status 0 "$dvm" trace stat off.dvmt
lacks out 'tasks.c:30:13'
has out 'tasks.c:34:13'
status 0 "$dvm" compare off.dvmt -- ./tasks x y z
agreed

# Tasks of a loop in another order, and one of a sequential loop and of a function, which is a construct of its own.
cat >loops.c <<'Y'
#define N 4
#ifdef BACK
#define TASKS for (int k = N - 1; k >= 0; k--)
#else
#define TASKS for (int k = 0; k < N; k++)
#endif
#pragma dvm task T[N]
void *T;
#pragma dvm array distribute[block]
double a[N];
static void one(int k) {
#pragma dvm on(T[k + 1])
  {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] = i + k;
  }
}
int main(void) {
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k])
    TASKS
    if (k == 2) {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
    }
  }
#pragma dvm task_region(T)
  {
    one(1);
    for (int k = 0; k < 2; k++)
#pragma dvm on(T[2])
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i;
    }
  }
  return 0;
}
Y
"$dvmcc" -g -fdvm=trace loops.c -o loops && "$dvmcc" -g -fdvm=trace -DBACK loops.c -o back || wrong "does not compile"
status 0 "$dvm" record -o loops.dvmt ./loops
status 0 "$dvm" compare loops.dvmt -- ./back
agreed '100 % of the reference'
status 0 "$dvm" trace dump loops.dvmt
[ "$(grep -c ' on, level' out)" = 3 ] || wrong "not three 'on' blocks as constructs: $(cat out)"
[ "$(grep -c 'iteration  loops.c:12:13         2' out)" = 1 ] || wrong "the task of a function has no number"
[ "$(grep -c 'iteration  loops.c:34:13         2' out)" = 2 ] || wrong "the tasks of a loop have no number"
finish
