// Intent: a reduction variable has a twin that starts each iteration from the neutral element; partial values are combined by
// the declared operation, and both results go to the runtime before the nest is left.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
double A[10];
double f(void) {
  int i;
  double s = 0;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nR sum s & 8 1 f8\nU A & r\nS 1\nQ 1 1", A, &s, A)) {
    for (i = 0; i < 10; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      M8(s, 1, "C 1\nT s") += R8(A[__dvmm_index(i, 2, 0)], 2, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]");
    }
    __dvmm_leave(1);
  }
  return s;
}
double g(void) {
  int i;
  double s = 0;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nR sum s & 8 1 f8\nU A & w\nS 1\nQ 1 1", A, &s, A)) {
    for (i = 0; i < 10; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 2, 0)], 2, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]") = M8(s, 1, "C 1\nT s") += 1;
    }
    __dvmm_leave(1);
  }
  return s;
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: call i32 @__dvmrt_enter(
// CHECK: %[[S:.*]] = load double, ptr %s,
// CHECK: store double %[[S]], ptr %dvm.twin.initial
// CHECK: store double -0.000000e+00, ptr %dvm.twin.total
// CHECK: store double -0.000000e+00, ptr %dvm.twin.s
// An iteration: what the one before contributed, then the update of both.
// CHECK-LABEL: for.body:
// CHECK: %[[X:.*]] = load double, ptr %dvm.twin.s
// CHECK: %[[T:.*]] = load double, ptr %dvm.twin.total
// CHECK: %[[SUM:.*]] = fadd double %[[T]], %[[X]]
// CHECK: store double %[[SUM]], ptr %dvm.twin.total
// What only adds differs by rounding alone: how much it explains is not asked.
// CHECK-NOT: call double @llvm.fabs
// CHECK: store double -0.000000e+00, ptr %dvm.twin.s
// CHECK: %[[TWIN:.*]] = load double, ptr %dvm.twin.s
// CHECK: fadd double %{{.*}}, %[[A:.*]]
// CHECK: fadd double %[[TWIN]], %[[A]]
// CHECK: store double %{{.*}}, ptr %s,
// CHECK: store double %{{.*}}, ptr %dvm.twin.s
// CHECK: call {{.*}}@__dvmrt_reduction(ptr @dvm.site{{.*}}, i32 0, i32 {{.*}}, ptr %dvm.twin.out{{.*}}, ptr %dvm.twin.out{{.*}}, ptr %dvm.twin.out{{.*}}, double 0x7FF0000000000000, double {{.*}}, ptr null, ptr null, ptr null, i64 0)
// CHECK: call void @__dvmrt_leave(
// The partial value goes into an array.
// CHECK-LABEL: define {{.*}}@g(
// CHECK: call void @__dvmrt_escape(ptr @dvm.site

// A maximum whose update is the declared operation gives the same in any order: no twin, the result alone is told.  Under another condition
// it has one.
double h(void) {
  int i;
  double m = 0;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nR max m & 8 1 f8\nU A & r\nS 1\nQ 1 1", A, &m, A)) {
    for (i = 0; i < 10; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      if (R8(A[__dvmm_index(i, 2, 0)], 2, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]") > R8(m, 3, "C 1\nT m"))
        W8(m, 4, "C 1\nT m") = R8(A[__dvmm_index(i, 5, 0)], 5, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]");
    }
    __dvmm_leave(1);
  }
  return m;
}
double k(void) {
  int i;
  double m = 0;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nR max m & 8 1 f8\nU A & r\nS 1\nQ 1 1", A, &m, A)) {
    for (i = 0; i < 10; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      if (R8(A[__dvmm_index(i, 2, 0)], 2, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]") < R8(m, 3, "C 1\nT m"))
        W8(m, 4, "C 1\nT m") = R8(A[__dvmm_index(i, 5, 0)], 5, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]");
    }
    __dvmm_leave(1);
  }
  return m;
}
// CHECK-LABEL: define {{.*}}@h(
// CHECK-NOT: %dvm.twin.m
// CHECK: call {{.*}}@__dvmrt_reduction(
// CHECK-LABEL: define {{.*}}@k(
// CHECK: %dvm.twin.m

// An update that does more than add has the bound of its rounding.
double scaled(void) {
  int i;
  double s = 0;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nR sum s & 8 1 f8\nU A & r\nS 1\nQ 1 1", A, &s, A)) {
    for (i = 0; i < 10; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(s, 1, "C 1\nT s") = 0.5 * R8(s, 3, "C 1\nT s") + R8(A[__dvmm_index(i, 2, 0)], 2, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]");
    }
    __dvmm_leave(1);
  }
  return s;
}
// CHECK-LABEL: define {{.*}}@scaled(
// CHECK: store double 0.000000e+00, ptr %dvm.twin.magnitude
// CHECK: call double @llvm.fabs
