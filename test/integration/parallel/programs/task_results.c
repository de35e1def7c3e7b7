/* Results of tasks on groups of ranks: of regions and of loops, in registers and in arrays, extremes with places, asynchronous; groups that overlap;
 * regions in a function; files, memory and input of tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 12 };
#pragma dvm processors P[5]
void *P;
#pragma dvm task T[5]
void *T;
#pragma dvm task S[2]
void *S;
static double steps[3];

static int work(int k) {
  char line[32] = "";
  int n = 0;
  FILE *f = tmpfile();
  if (f) {
    fprintf(f, "%d of it\n", 3 * k);
    rewind(f);
    if (fgets(line, sizeof line, f))
      n = atoi(line);
    fclose(f);
  }
  return n;
}

static double divided(int k, int n) {
  double s = 0, *v = malloc(n * sizeof *v);
#pragma dvm array distribute[block][*] shadow[1 : 1][0 : 0]
  double(*w)[2] = malloc(n * sizeof *w);
  for (int i = 0; i < n; i++)
    v[i] = i % 4;
#pragma dvm parallel([i][j] on w[i][j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2; j++)
      w[i][j] = v[i] * k + j;
#pragma dvm parallel([i] on w[i][]) reduction(sum(s)) shadow_renew(w)
  for (int i = 1; i < n - 1; i++)
    s += w[i - 1][0] + w[i + 1][1];
  free(w);
  free(v);
  return s;
}

static int region(int base) {
  int most = -1, at[2] = {-1, -1}, least = 100, from = -1, n = 0, all[3] = {1, 1, 1};
#pragma dvm task_region(T) reduction(maxloc(most, at, 2), minloc(least, from), sum(n), sum(all))
  {
#pragma dvm on(T[3])
    {
      if (base > most) {
        most = base;
        at[0] = 3;
        at[1] = base;
      }
      n += 2;
      all[1] += 2;
    }
    for (int k = 4; k >= 0; k -= 2) {
#pragma dvm on(T[k])
      {
        int value = base + k % 4;
        if (value > most) {
          most = value;
          at[0] = k;
          at[1] = value;
        }
        if (value < least) {
          least = value;
          from = k;
        }
        n++;
        all[2]++;
      }
    }
#pragma dvm parallel([k] on T[k + 1])
    for (int k = 0; k < 2; k++) {
      n += 100 + work(k);
      all[0] += k;
    }
#pragma dvm parallel([k] on T[4 - k]) reduction(max(steps))
    for (int k = 4; k >= 0; k--) {
      double s = divided(k, N);
      printf("task %d %g\n", 4 - k, s);
      if (s > steps[k % 3])
        steps[k % 3] = s;
    }
  }
  printf("%d at %d %d, %d from %d, %d, %d %d %d\n", most, at[0], at[1], least, from, n, all[0], all[1], all[2]);
  return n;
}

/* The first rank has no part of the loop, but the value from before. */
static void later_ranks(void) {
  double s = 100, most = 30, t[2] = {4, 5};
  int at = -1;
#pragma dvm array distribute[block] dynamic
  double x[10];
#pragma dvm redistribute(x[block] onto P[3 : 4])
#pragma dvm parallel([i] on x[i]) reduction(sum(s))
  for (int i = 0; i < 10; i++)
    s += x[i] = i;
#pragma dvm parallel([i] on x[i]) reduction(maxloc(most, at), sum(t))
  for (int i = 0; i < 10; i++) {
    t[i % 2] += x[i];
    if (x[i] * 2 > most) {
      most = x[i] * 2;
      at = i;
    }
  }
  printf("%g %g at %d, %g %g\n", s, most, at, t[0], t[1]);
#pragma dvm parallel([i] on x[i]) reduction(maxloc(most, at))
  for (int i = 0; i < 10; i++)
    if (x[i] * 4 > most) {
      most = x[i] * 4;
      at = i;
    }
  printf("%g at %d\n", most, at);
}

int main(void) {
  double late = 1, sum = 0;
  int place = -1, best = 0, both = 0;
  for (int k = 0; k < 5; k++) {
#pragma dvm map(T[k] onto P[k])
  }
#pragma dvm map(S[0] onto P[0 : 3])
#pragma dvm map(S[1] onto P[1 : 4])
  for (int i = 0; i < 2; i++)
    sum += region(i);
  printf("%g %g %g %g\n", sum, steps[0], steps[1], steps[2]);
#pragma dvm task_region(S) reduction(g : sum(late), maxloc(best, place))
  {
#pragma dvm on(S[0])
    {
      late += 3;
      both = 1;
      if (7 > best) {
        best = 7;
        place = 0;
      }
    }
#pragma dvm on(S[1])
    {
      both = 2;
      late += 4 * divided(both, 5);
      if (7 > best) {
        best = 7;
        place = 1;
      }
    }
  }
#pragma dvm reduction_start(g)
  both = 3;
#pragma dvm reduction_wait(g)
  printf("%g %d %d %d\n", late, best, place, both);
  double again = 0;
#pragma dvm task_region(S)
  {
#pragma dvm parallel([k] on S[k]) reduction(h : sum(again))
    for (int k = 0; k < 2; k++)
      again += k + 1;
  }
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(h)
  printf("%g\n", again);
  later_ranks();
  return 0;
}
