// Intent: a nest outside of parallel loops asks once for all that it touches of each object, also where rows grow from turn to turn; the
// copy that is executed where nothing is in doubt has no questions.  What cannot be told before (the address is loaded, or another
// definition of a common variable may be larger), what may allocate, and nests whose rows hold what is told without a question keep theirs.
// RUN: %dvm_clang -O2 -S -emit-llvm -fcommon %s -o - | FileCheck %s
#include "marks.h"
extern void any(void);
double table[64], shared[64];
double lower(double *p, long n) {
  double s = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i; ++j)
      s += R8(p[i * 100 + j], 1, "C 0\nG h\nT p[i*100+j]");
  return s;
}
// CHECK-LABEL: define {{.*}}@lower(
// CHECK: call i32 @__dvmrt_sure(ptr {{.*}}, ptr %p, i64 %{{.*}}, i64 %{{.*}})
// CHECK-NOT: @__dvmrt_sure
// CHECK: ret double
double through(double **p, long n) {
  double s = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      s += R8(p[i][j], 2, "C 0\nG h\nT p[i][j]");
  return s;
}
// CHECK-LABEL: define {{.*}}@through(
// CHECK-NOT: @__dvmrt_sure
// CHECK: ret double
double allocates(double *p, long n) {
  double s = 0;
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j)
      s += R8(p[i * 100 + j], 3, "C 0\nG h\nT p[i*100+j]");
    any();
  }
  return s;
}
// CHECK-LABEL: define {{.*}}@allocates(
// CHECK-NOT: @__dvmrt_sure
// CHECK: ret double
double common(long *at, long n) {
  double s = 0;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      s += R8(shared[(at[i] * 3 + j) & 1023], 4, "C 0\nG h\nT shared[..]");
  return s;
}
// CHECK-LABEL: define {{.*}}@common(
// CHECK: call i32 @__dvmrt_sure(ptr {{.*}}, ptr {{.*}}@shared, i64 8192,
// CHECK: ret double
static double inner[64] = {1};
double own(long *at, long n) {
  double s = 0;
  inner[n] = 1;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      s += R8(inner[(at[i] * 3 + j) & 1023], 5, "C 0\nG h\nT inner[..]");
  return s;
}
// CHECK-LABEL: define {{.*}}@own(
// CHECK: call i32 @__dvmrt_sure(ptr {{.*}}, ptr {{.*}}@inner, i64 512,
// CHECK: ret double
