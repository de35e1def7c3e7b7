// Intent: an innermost loop that moves pointers asks once for all of its turns; a copy of it without questions is executed then, and as
// plain code would be.  Few turns, or a loop whose end the data decide, keep their questions.
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
long length(double *p) {
  long n = 0;
  while (R8(*p, 3, "C 0\nG h\nT *p") != 0)
    ++p, ++n;
  return n;
}
// CHECK-LABEL: define {{.*}}@length(
// CHECK-NOT: __dvmrt_run
// CHECK: ret i64
