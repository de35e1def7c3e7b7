/* Structs that are copied as a whole, through pointers and in functions that know nothing of the array: judged as elements are. */
// TWIN
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define RENEW(x) shadow_renew(x)
#define NEXT i
#define AT(x) own[0]
#else
#define RENEW(x)
#define NEXT i + 1
#define AT(x) x
#endif

struct cell {
  double value;
  int kind;
};
#pragma dvm array distribute[block]
struct cell c[N];
#pragma dvm array align([i] with c[i])
struct cell d[N];

static struct cell get(const struct cell *p) { return *p; }
//                                                    ^ error dvm-sequential-access 'c[2]'
//                                                    ^ error dvm-shadow-stale 'c[0]'
static double value(struct cell s) { return s.value; }
static void put(struct cell *p, struct cell s) { *p = s; }
//                                               ^ error dvm-shadow-write 'd[1]'
static double held(const struct cell *p) {
  struct cell s = *p;
  //              ^ error dvm-sequential-access 'c[4]'
  return s.value;
}

int main(void) {
  struct cell own[2] = {{1, 2}, {3, 4}};
  double sum = 0;
#pragma dvm parallel([i] on c[i])
  for (int i = 0; i < N; i++) {
    c[i].value = i;
    c[i].kind = d[i].kind = 0;
    d[i].value = 0;
  }
  struct cell seen = get(&AT(c[2]));
  sum += seen.value + held(&AT(c[4])) + value(*(&AT(c[3])));
  //                                          ^ error dvm-sequential-access 'c[3]'
#pragma dvm parallel([i] on d[i]) RENEW(c)
  for (int i = 1; i < N - 1; i++)
    d[i] = get(&c[i - 1]);
#pragma dvm parallel([i] on d[i])
  for (int i = 0; i < N - 1; i++)
    put(&d[NEXT], c[i]);
#pragma dvm parallel([i] on c[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += d[i].value;
  printf("%d\n", sum > 0);
  return 0;
}
