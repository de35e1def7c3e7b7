/* Not one warning from directives, whatever the user has switched on; errors out of warnings too. */
// FLAGS -std=c11 -Weverything -Werror -Wno-unsafe-buffer-usage -Wno-unknown-pragmas -Wno-declaration-after-statement
#include <stdio.h>
enum { N = 12 };

#pragma dvm template[N] distribute[block]
static void *line;
#pragma dvm array align([i] with line[i]) shadow[1:1]
static double a[N];
#pragma dvm array align([i] with line[i])
static double b[N];

int main(void) {
  double sum = 0;
  (void)line;
#pragma dvm interval 1
#pragma dvm parallel([i] on line[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm region in(a), out(b)
  {
#pragma dvm parallel([i] on b[i]) shadow_renew(a[1:1])
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
  }
#pragma dvm endinterval
#pragma dvm get_actual(b)
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    sum += b[i];
#pragma dvm get_actual(sum)
  printf("%g\n", sum);
  return 0;
}
