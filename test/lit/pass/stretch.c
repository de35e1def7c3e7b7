// Intent: an innermost loop asks before its first turn, and has a copy without marks behind the answer; what cannot be told by then
// keeps its checks in the copy, and a loop with nothing else does not ask.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
extern double A[100], B[100];
extern int place[100];
int other(int);
// CHECK-DAG: [[ITERATES:@dvm.stretch[.0-9]*]] = private global { ptr, i32, i32, i64, ptr, ptr } { ptr @dvm.site{{[.0-9]*}}, i32 2, i32 1, i64 1, ptr {{.*}}, ptr null }
// CHECK-DAG: private constant [2 x { ptr, i32, i32, i64 }] [{ ptr, i32, i32, i64 } { ptr @dvm.site{{[.0-9]*}}, i32 1, i32 1, i64 8 }, { ptr, i32, i32, i64 } { ptr @dvm.site{{[.0-9]*}}, i32 0, i32 2, i64 8 }]
// CHECK-DAG: [[PARTLY:@dvm.stretch[.0-9]*]] = private global { ptr, i32, i32, i64, ptr, ptr } { ptr @dvm.site{{[.0-9]*}}, i32 1, i32 2, i64 1, ptr {{.*}}, ptr null }
// CHECK-LABEL: define{{.*}} @iterates(
// CHECK: dvm.ask:
// CHECK: icmp ult i64 {{.*}}, 100
// CHECK: load i64, ptr @__dvmrt_stretch_least
void iterates(int n) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nU B & r\nS 1\nQ 1 1", A, A, B)) {
    for (i = 1; i < n; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") =
          R8(B[__dvmm_index(R4(i, 3, "C 1\nI 0\nT i") - 1, 2, 0)], 2, "C 1\nD 1\nX a0:1:-1\nB *\nE 8\nT B[i-1]") + 1;
    }
    __dvmm_leave(1);
  }
}
// The copy accesses without asking; behind it stands what the runtime has counted.
// CHECK: dvm.done:
// CHECK: store i32 %{{.*}}, ptr %dvm.write
// CHECK: for.body.stretch:
// CHECK-NOT: @__dvmrt
// CHECK: load double, ptr
// CHECK-NOT: @__dvmrt
// CHECK: store double
// CHECK: dvm.call:
// CHECK: call i32 @__dvmrt_stretch(ptr [[ITERATES]], i64 %{{.*}}, ptr %dvm.first)

// CHECK-LABEL: define{{.*}} @indirect(
// CHECK: for.cond.stretch:
// CHECK: call void @__dvmrt_touch(
// CHECK: call i32 @__dvmrt_stretch(ptr [[PARTLY]], i64 %{{.*}}, ptr %dvm.first)
// CHECK-LABEL: define{{.*}} @calls(
// CHECK-NOT: @__dvmrt_stretch(
// CHECK-LABEL: define{{.*}} @sometimes(
// CHECK-NOT: @__dvmrt_stretch(
// CHECK: ret void
void indirect(int n) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nS 1\nQ 1 1", A, A)) {
    for (i = 1; i < n; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(R4(place[i], 2, "C 1\nX a0:1:0\nB 100\nT place[i]"), 1, 0)], 1, "C 1\nD 0\nX o\nB 100\nE 8\nT A[place[i]]") = 1;
    }
    __dvmm_leave(1);
  }
}
void calls(int n) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nS 1\nQ 1 1", A, A)) {
    for (i = 1; i < n; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") = other(i);
    }
    __dvmm_leave(1);
  }
}
// What is written under a condition cannot be marked as written.
void sometimes(int n) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nS 1\nQ 1 1", A, A)) {
    for (i = 1; i < n; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      if (i % 3)
        W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") = 1;
    }
    __dvmm_leave(1);
  }
}
