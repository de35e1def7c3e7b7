/* Sections with too many brackets, locations that are too long, what cannot be reduced, and other slips. */
#define N 8
#pragma dvm array distribute[block] shadow[-1:1]
//                                        ^ compile-error a width cannot be negative
double n[N];
#pragma dvm array distribute[block]
double a[N];
double b[N][N], s;
int at, place[2];
void f(void)
{
#pragma dvm get_actual(a[0:1][2])
//                     ^ compile-error 'a' has 1 dimension, 'get_actual' gives 2
#pragma dvm actual(s, b[1])
//                    ^ compile-error 'b' has 2 dimensions, 'actual' gives 1
#pragma dvm region in(a[1:2]), out(a[][])
//                                 ^ compile-error 'a' has 1 dimension, 'out' gives 2
  { a[0] = 0; }
#pragma dvm realign(a[i] with a[i])
//                            ^ compile-error 'a' cannot be aligned with itself
#pragma dvm parallel([i] on a[i]) reduction(maxloc(s, at, 2))
//                                                        ^ compile-error 'at' has 1 element, 'maxloc' takes 2
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(minloc(s, place, 0))
//                                                           ^ compile-error a location cannot have 0 elements
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(s + 1))
//                                                ^ compile-error expected a variable in 'sum', found '\+'
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(3))
//                                              ^ compile-error expected a variable in 'sum', found '3'
  for (int i = 0; i < N; i++)
    a[i] = i;
}
#pragma dvm array distribute[block]
//          ^ compile-error '#pragma dvm array' must stand before the declaration of an array
