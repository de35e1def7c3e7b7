/* Distributed arrays hold no value until one is assigned: an initialiser cannot give them any. */
// TWIN
#define N 4
#ifdef RIGHT
#define VALUES
#else
#define VALUES = {1, 2, 3, 4}
#endif
#pragma dvm array distribute[block]
int a[N] VALUES;
//  ^~~~~~ compile-error 'a'

int get(void) {
#pragma dvm array distribute[block]
  int b[N] VALUES;
  //  ^~~~~~ compile-error 'b'
  b[0] = 1;
  return 0;
}
