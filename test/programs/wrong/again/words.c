/* Mistakes that the words tell of, in each iteration of each sweep: the counts are those of each access judged anew. */
#include <stdio.h>
#define N 40

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double never[N];
#pragma dvm array align([i] with a[i])
double half[N];
double total, table[N], last[2];
int index_of[N];

int main(void) {
  double s = 0, largest = 0, t;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 7;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i += 2)
    half[i] = i;
  for (int i = 0; i < N; i++)
    index_of[i] = i / 2;
  for (int sweep = 0; sweep < 5; sweep++) {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] = a[i] + 0 * never[i];
    //                  ^ error dvm-uninitialized 'never[0]'
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N - sweep; i++)
      a[i] = a[i] + 0 * half[i];
    //                  ^ error dvm-uninitialized 'half[1]'
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      s += a[i];
  //  ^ error dvm-readonly-write 's'
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      total = total + a[i];
  //  ^ error dvm-readonly-write 'total'
#pragma dvm parallel([i] on a[i]) private(t)
    for (int i = 0; i < N; i++) {
      if (a[i] > 3)
        t = a[i];
      a[i] = t;
      //     ^ error dvm-private-uninitialized 't'
    }
#pragma dvm parallel([i] on a[i]) reduction(max(largest))
    for (int i = 0; i < N; i++) {
      if (a[i] > largest)
        largest = a[i];
      a[i] += 0 * largest;
      //          ^ error dvm-reduction-escape 'largest'
    }
#pragma dvm parallel(1)
    for (int i = 0; i < N; i++)
      table[index_of[i]] = i;
  //  ^ error dvm-loop-dependence 'table[0]'
    for (int i = 0; i < N; i++)
      last[0] = a[i];
    //          ^ error dvm-sequential-access 'a[0]'
  }
  printf("%g\n", last[0] + table[3]);
  return 0;
}
