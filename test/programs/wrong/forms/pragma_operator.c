/* '_Pragma' in a macro: the lines are exact, also when the text is preprocessed by a call of its own. */
// TWIN
// FLAGS -save-temps=obj
// LEVELS O0
#include <stdio.h>
#define N 8
#define TEXT(x) #x
#define PRAGMA(x) _Pragma(TEXT(x))
#ifdef RIGHT
#define LOOP(to, from) PRAGMA(dvm parallel([i] on to[i]) shadow_renew(from)) for (int i = 1; i < N; i++)
#else
#define LOOP(to, from) PRAGMA(dvm parallel([i] on to[i])) for (int i = 1; i < N; i++)
#endif
#define FILL(to) PRAGMA(dvm parallel([i] on to[i])) for (int i = 0; i < N; i++) to[i] = i;

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
  FILL(a) FILL(b)
  LOOP(b, a) b[i] = a[i - 1];
  //                ^~~~~~~~~~~~~~~~~~~~~~ error dvm-shadow-stale 'a[0]'

  LOOP(a, b)
    a[i] = b[i - 1];
    //     ^ error dvm-shadow-stale 'b[0]'
  printf("%g\n", 1.0);
  return 0;
}
