/* Directives of declarations before what is none, and twice before one. */
#define N 8
int f(int *p, int k) {
#pragma dvm array distribute[block]
//          ^ compile-error array' must stand before the declaration of an array
  for (k = 0; k < N; k++)
    p[k] = 0;
#pragma dvm template[N] distribute[block]
//          ^ compile-error template' must stand before a declaration of the form 'void
  *p = 1;
#pragma dvm array distribute[block]
//          ^ compile-error array' must stand before
  typedef double row[N];
#pragma dvm array distribute[block]
#pragma dvm array distribute[*]
//          ^ compile-error a second '#pragma dvm array' for the same declaration
  row twice;
  (void)twice;
#pragma dvm array distribute[genblock(k)]
//                                    ^ compile-error 'genblock' needs an array of integers, but 'k' is of type 'int'
  double blocks[N];
#pragma dvm array distribute[multblock(0)]
//                                     ^ compile-error 'multblock' needs a positive number, found 0
  double many[N];
  (void)blocks, (void)many;
#pragma dvm inherit(p)
//          ^ compile-error inherit' must stand before a function
  return k;
}
