// Intent: an innermost loop that moves pointers asks once for all of its turns; a copy of it without questions is executed then, and as
// plain code would be.  Stores that are no access of the source are told for all turns, whatever they store to.  Few turns, or a loop
// whose end the data decide, keep their questions.
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "marks.h"
double sum(double *p, long n) {
  double s = 0;
  while (n-- > 0)
    s += R8(*p++, 1, "C 0\nG h\nT *p++");
  return s;
}
// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call i32 @__dvmrt_run(ptr {{.*}}, i64 8, i64 %{{.*}}, i64 8, i32 1)
// CHECK: call void @__dvmrt_touch(
// CHECK: ret double
void zero(double *p, double *end) {
  do
    W8(*p, 2, "C 0\nG h\nT *p") = 0;
  while (++p != end);
}
// CHECK-LABEL: define {{.*}}@zero(
// CHECK: call i32 @__dvmrt_run(ptr {{.*}}, i64 8, i64 %{{.*}}, i64 8, i32 2)
// CHECK: ret void
void copy(double *p, double *q) {
  for (long i = 0; i < 1000; ++i)
    p[i] = R8(q[i], 4, "C 0\nG h\nT q[i]");
}
// CHECK-LABEL: define {{.*}}@copy(
// CHECK: call i32 @__dvmrt_run(ptr {{.*}}, i64 8, i64 999, i64 8, i32 1)
// CHECK: call i32 @__dvmrt_run(ptr {{.*}}, i64 8, i64 999, i64 8, i32 66)
// CHECK: ret void
// CHECK: call void @__dvmrt_touch(
// CHECK: call void @__dvmrt_assign(
long length(double *p) {
  long n = 0;
  while (R8(*p, 3, "C 0\nG h\nT *p") != 0)
    ++p, ++n;
  return n;
}
// CHECK-LABEL: define {{.*}}@length(
// CHECK-NOT: __dvmrt_run
// CHECK: ret i64
