/* The macro form of C-DVM: what is not honoured is a warning, what cannot be read an error, each at its word. */
#define DVM(dvmdir)
#define DO(v, l, h, s) for (v = l; v <= h; v += s)
#define N 8
DVM(TASK) void *jobs[2];
DVM(PROCESSORS) void *P[4];
DVM(DISTRIBUTE [BLOCK]) double A[N];

void f(void)
{
  int i;
  DVM(CREATE_TEMPLATE [4]);
  //                  ^ compile-error expected the name of a template
  DVM(CREATE_TEMPLATE T[i]);
  //  ^ compile-warning 'CREATE_TEMPLATE' has sizes that are not known where 'T' is declared
  DVM(MAP jobs[0] TO P[0:1]);
  //              ^ compile-error expected 'ONTO'
  DVM(FROBNICATE A);
  //  ^ compile-warning 'FROBNICATE' is no directive of C-DVM
  DVM(PARALLEL [i] AT A[i])
  //               ^ compile-error expected 'ON'
  DO(i, 0, N - 1, 1)
    A[i] = 0;
  DVM(PARALLEL [i] ON A[i]; REDUCTION PLUS(i))
  //                                  ^ compile-error expected an operation
  DO(i, 0, N - 1, 1)
    A[i] = 0;
  DVM(PARALLEL [i] ON B[i])
  //                  ^ compile-error undeclared identifier 'B'
  DO(i, 0, N - 1, 1)
    A[i] = 0;
}
