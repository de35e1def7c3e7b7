// Intent: a nest of which everything can be told at its entry runs its headers alone first, asks, and has a body without marks
// beside the one with checks; a nest that has none says in its site why.
// RUN: %dvm_ir %s | FileCheck %s
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OPT
#include "marks.h"
extern double A[100], B[100];
int other(int);
void f(int n) {
  int i;
  if (n < 0)
    n = 1;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nU B & r\nS 1\nQ 1 1", A, A, B)) {
    for (i = 1; i < R4(n, 9, "C 1\nT n"); i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") =
          R8(B[__dvmm_index(R4(i, 3, "C 1\nI 0\nT i") - 1, 2, 0)], 2, "C 1\nD 1\nX a0:1:-1\nB *\nE 8\nT B[i-1]") + 1;
    }
    __dvmm_leave(1);
  }
}
void g(int n) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nS 1\nQ 1 1", A, A)) {
    for (i = 0; i < 100; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") = other(i);
    }
    __dvmm_leave(1);
  }
}
// B[i - 1]: coefficient, constant, no value; its limit.  A[i] likewise.
// CHECK-DAG: @dvm.summary{{.*}} = private constant [2 x { ptr, i32, i32, i32, i32, i64 }] [{ ptr, i32, i32, i32, i32, i64 } { ptr @dvm.site{{[.0-9]*}}, i32 1, i32 1, i32 1, i32 0, i64 0 }, { ptr, i32, i32, i32, i32, i64 } { ptr @dvm.site{{[.0-9]*}}, i32 0, i32 2, i32 1, i32 6, i64 0 }]
// CHECK-DAG: private constant [12 x i64] [i64 1, i64 -1, i64 -1, i64 0, i64 9223372036854775807, i64 -1, i64 1, i64 0, i64 -1, i64 0, i64 100, i64 -1]
// CHECK-DAG: c"{{.*}}\0Ay it calls a function\00"
// CHECK-LABEL: define {{.*}}@f(
// CHECK: call i32 @__dvmrt_enter(
// A read of 'n' that has no value is found by the checks alone.
// CHECK: call i1 @dvmi_view_init(
// CHECK: call void @__dvmrt_leave(
// CHECK-LABEL: while.body.plain:
// CHECK-NOT: dvmi_
// CHECK-NOT: __dvmm_
// CHECK: store i32 %{{.*}}, ptr %i.dvm
// CHECK: call void @__dvmrt_leave(
// CHECK-LABEL: while.body.range:
// CHECK: %[[N:.*]] = load i32, ptr %n.addr.dvm
// CHECK: %[[FINE:.*]] = icmp uge i32 %[[N]], 1024
// CHECK: select i1 %{{.*}}, i64 %{{.*}}, i64 -1
// CHECK: %[[YES:.*]] = call i32 @__dvmrt_summary(ptr @dvm.site{{.*}}, ptr @dvm.summary{{.*}}, ptr %dvm.box, ptr %dvm.values)
// CHECK: %[[BR:.*]] = icmp ne i32 %[[YES]], 0
// CHECK: br i1 %[[BR]], label %while.body.plain, label %while.body
// CHECK-LABEL: define {{.*}}@g(
// CHECK-NOT: call {{.*}}@__dvmrt_summary(
// CHECK: ret void
// The headers cost nothing, the plain body is vector code.
// OPT-LABEL: define {{.*}}@f(
// OPT: call i32 @__dvmrt_summary(
// OPT: load <2 x double>
// OPT-LABEL: define {{.*}}@g(
