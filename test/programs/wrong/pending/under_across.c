// Ordinary data under 'across' wait for their reduction as all others do; what every processor holds needs no buffer.
#include <stdio.h>

#pragma dvm array distribute[*][block]
static int B[7][6];
#pragma dvm array align([] with B[][])
static int C[2];

int main(void) {
  float w[4] = {0};
#pragma dvm parallel([i] on B[][i]) reduction(g: sum(w))
  for (int i = 0; i <= 5; i++)
    w[0] += 1;
#pragma dvm parallel([i]) across(w[1:1])
  for (int i = 1; i <= 2; i++)
    w[i] = w[i - 1];
  //       ^ error dvm-reduction-pending 'w[0]'
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
#pragma dvm parallel([i] on B[][i]) remote_access(C[0])
  for (int i = 1; i <= 5; i++)
    C[0] = i;
  //^ warning dvm-undeclared-private 'C[0]'
  return 0;
}
