/* Gap: "Messages name operand text and one line only: never the other access, never the missing clause, never a fix". */
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i])
  for (int i = 2; i < N - 1; i++)
    b[i] = a[i + 1];
  //       ^ error dvm-shadow-stale 'a[3]'
  // stderr ^other_side\.c:13:5: note: 'a' was last written here, in the parallel loop at other_side\.c:11
  // stderr ^other_side\.c:14:\d+: note: in this parallel loop, iteration \(i=2\)
  // help add 'shadow_renew\(a\)?.*' to the directive at other_side\.c:14
  // stderr ^dvm: other_side\.c:16:12 \[dvm-shadow-stale\] 5 times; smallest clause: shadow_renew\(a\[0:1\]\)
  // stderr ^dvm: 1 error \(5 occurrences\) in .* s; 2 parallel loops, 2 arrays
  printf("%g\n", b[2]);
  return 0;
}
