#!/bin/bash
# Ranks that part ways are named, with the places of both, and the job ends: it never hangs.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cat >program.c <<'END'
#include <mpi.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define N 12
#pragma dvm array distribute[block] shadow[1:1]
int a[N];
#pragma dvm array distribute[block] dynamic
int b[N];
#pragma dvm processors P[3]
void *P;
#pragma dvm task T[2]
void *T;
static int rank;
static jmp_buf out;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void fill(int by) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = by * i;
}
static int sum(void) {
  int s = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i];
  return s;
}
static int renew(void) {
  int s = 0;
#pragma dvm parallel([i] on a[i]) shadow_renew(a) reduction(sum(s))
  for (int i = 1; i < N - 1; i++)
    s += a[i - 1] + a[i + 1];
  return s;
}
static void set(int by) {
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = by;
}
static void add(int by) {
#pragma dvm parallel([i] on b[i]) reduction(sum(by))
  for (int i = 0; i < N; i++)
    by += b[i];
}
static void tasks(void) {
#pragma dvm map(T[0] onto P[0:1])
#pragma dvm map(T[1] onto P[2])
#pragma dvm redistribute(b[block] onto T[0])
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
      add(1);
      IN_TASK
    }
#pragma dvm on(T[1])
    { rank++; }
  }
}
int main(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill(1);
  CASE
  printf("%d %d\n", sum(), rank < 0);
  return 0;
}
END
# NAME STATEMENT TEXT..: on 3 ranks it ends with 66, and says each text.
parts() {
  local name=$1 statement=$2 place='  CASE' other='      IN_TASK'
  shift 2
  [[ $name != task_* ]] || { place='      IN_TASK' other='  CASE'; }
  sed "s~^$place~  $statement~; s~^$other~  ;~" program.c >"$name.c"
  status 0 "$dvmcc" -fdvm=parallel -g -O2 -w "$name.c" -o "$name" $(mpicc --showme:compile) $(mpicc --showme:link)
  status 66 env DVM_OPTIONS=patience=1 timeout 100 mpirun --oversubscribe -n 3 "./$name"
  for text; do
    has err "$text"
  done
}
parted="the ranks have diverged: each is waiting for others, and none can continue [dvm-divergence]"
parts branch 'if (rank == 1) sum(); else renew();' "$parted" "branch.c:31: note: rank 1: " "branch.c:38: note: rank 0,2: "
parts left_out 'if (rank) sum();' "$parted" "left_out.c:31: note: rank "
parts trips 'for (int i = 0; i < 3 + rank; i++) sum();' "$parted" "note: rank "
parts early 'if (rank == 2) return 0;' "$parted" "early.c:31: note: rank 0-1: " "note: rank 2: at the end of the program"
parts leaves 'if (rank == 1) exit(3);' "$parted" "note: rank 1: at the end of the program"
parts at_end 'if (rank == 1) { printf("%d %d\\n", sum(), rank \< 0); fill(2); return 0; }' "$parted" "at_end.c:25: note: rank 1: " "note: rank 0,2: at the end of the program"
parts order 'if (rank == 1) { renew(); sum(); } else { sum(); renew(); }' "$parted" "order.c:38: note: rank 1: " "order.c:31: note: rank 0,2: "
parts address 'if ((uintptr_t)\&rank \>\> 62 || rank == 1) renew(); else fill(2);' "$parted" "note: rank "
parts moves 'if (rank == 1) {\n#pragma dvm redistribute(a[*])\n  } else sum();' "$parted" "note: rank "
parts started 'if (rank == 1) printf("%ld\\n", (long)time(NULL)); else sum();' "$parted" "started.c:31: note: rank 0,2: "
parts waits 'int r = 0, s = 0;\n#pragma dvm parallel([i] on a[i]) reduction(g: sum(s))\n  for (int i = 0; i < N; i++) s += a[i];\n#pragma dvm reduction_start(g)\n  if (rank) {\n#pragma dvm reduction_wait(g)\n  }' "$parted" "note: rank "
parts own_clock 'double t = 0;\n#pragma dvm parallel([i] on a[i])\n  for (int i = 0; i < N; i++) t = rank + now();\n  if (t - (long)t \>= 0 \&\& rank == 1) renew();' "$parted" "note: rank "
parts element 'if (a[2] > 0) sum();' "[dvm-sequential-access]"
# Ranks of a task among themselves; rank 2 executes another one.
sed -i 's~^  CASE~  tasks();\n  CASE~' program.c
parts task_branch 'if (rank == 1) set(2); else add(3);' "$parted" "task_branch.c:49: note: rank 0: " "task_branch.c:64: note: rank 1-2: "
parts task_order 'if (rank == 1) { set(2); add(3); } else { add(3); set(2); }' "$parted" "task_order.c:49: note: rank 0: " "task_order.c:44: note: rank 1: "
parts task_early 'if (rank == 1) exit(3);' "$parted" "note: rank 1: at the end of the program"
parts task_trips 'for (int i = 0; i < 2 + rank; i++) add(i);' "$parted" "note: rank "
parts task_element 'if (b[2] > 0) add(1);' "[dvm-sequential-access]"
parts task_other 'fill(3);' "'a' is used in a task, but lies on ranks that do not execute the task" "[dvm-nonlocal-access]"
sed -i '/^  tasks();$/d' program.c
# A jump out of a loop leaves it open; the next construct is no construct of all.
parts jump 'if (!setjmp(out)) {\n#pragma dvm parallel([i] on a[i])\n  for (int i = 0; i < N; i++) if (i == 5) longjmp(out, 1);\n  }' "[dvm-"
# One that is late is waited for, however long.
sed 's~^  CASE~  if (rank == 1) sleep(2);~; s~^      IN_TASK~  ;~' program.c >late.c
status 0 "$dvmcc" -fdvm=parallel -O2 -w late.c -o late $(mpicc --showme:compile) $(mpicc --showme:link)
status 0 env DVM_OPTIONS=patience=0.5 mpirun --oversubscribe -n 3 ./late
has out "66 0"
finish
