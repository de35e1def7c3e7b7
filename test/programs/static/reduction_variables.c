/* What cannot be a reduction variable, and sizes that cannot be. */
#define N 8
#pragma dvm array distribute[block]
double A[N];
double s;
unsigned bits;
int f(void) {
#pragma dvm parallel([i] on A[i]) reduction(sum(f))
//                                              ^ compile-error 'f' in 'reduction' is not a variable of an arithmetic type
  for (int i = 0; i < N; i++)
    A[i] = 1;
#pragma dvm parallel([i] on A[i]) reduction(sum(s), max(s))
//                                                      ^ compile-error 's' is under 'reduction' twice
  for (int i = 0; i < N; i++)
    s += A[i];
#pragma dvm parallel([i] on A[i]) reduction(sum(s)) reduction(max(s))
//                                                                ^ compile-error 's' is under 'reduction' twice
  for (int i = 0; i < N; i++)
    s += A[i];
  int place, other;
#pragma dvm parallel([i] on A[i]) reduction(maxloc(s, place), sum(place))
//                                                                ^ compile-error 'place' is under 'reduction' twice
  for (int i = 0; i < N; i++)
    if (A[i] > s)
      s = A[i], place = i;
  double least;
#pragma dvm parallel([i] on A[i]) reduction(maxloc(s, place), minloc(least, place))
//                                                                          ^ compile-error 'place' is under 'reduction' twice
  for (int i = 0; i < N; i++)
    least = A[i];
#pragma dvm parallel([i] on A[i]) private(place, other) private(place)
//                                                              ^ compile-warning 'place' is under 'private' twice
  for (int i = 0; i < N; i++)
    place = i;
#pragma dvm parallel([i] on A[i]) reduction(xor(bits), or(s))
//                                                        ^ compile-error 'or' combines bits, but 's' is of type 'double'
  for (int i = 0; i < N; i++)
    bits ^= (unsigned)i;
  _Complex double turned = 0;
#pragma dvm parallel([i] on A[i]) reduction(max(turned))
//                                              ^ compile-error 'max' orders values, but 'turned' is of type '_Complex double'
  for (int i = 0; i < N; i++)
    turned += A[i];
  int j;
#pragma dvm parallel([j] on A[j]) reduction(max(j))
//                                              ^ compile-error 'j' is the index variable of loop 1: it cannot be a reduction variable
  for (j = 0; j < N; j++)
    A[j] = 1;
#pragma dvm parallel([i] on A[i]) across(A[1:0]) stage(-1)
//                                                     ^ compile-error 'stage' cannot be -1
  for (int i = 1; i < N; i++)
    A[i] = A[i - 1];
#pragma dvm parallel([i] on A[i]) cuda_block(0)
//                                           ^ compile-error 'cuda_block' cannot be 0
  for (int i = 1; i < N; i++)
    A[i] = 1;
  return 0;
}
