// Intent: an array that the nest names is looked up once at the entry; its accesses test bounds, place once, and word.
// RUN: %dvm_ir %s | FileCheck %s
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OPT
#include "marks.h"
extern double A[100], B[100];
void f(double *P) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nU P & r\nQ 1 1", A, A, P)) {
    for (i = 0; i < 100; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") =
          R8(P[__dvmm_index(i, 2, 0)], 2, "C 1\nD 1\nX a0:1:0\nB *\nE 8\nT P[i]");
    }
    __dvmm_leave(1);
  }
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: call i32 @__dvmrt_enter(
// CHECK: %[[VP:.*]] = call ptr @__dvmrt_view(ptr @dvm.site[[SITE:.*]], i32 1, i32 3)
// CHECK: store ptr %[[VP]], ptr %dvm.view
// CHECK: select i1 %{{.*}}, i64 %{{.*}}, i64 9223372036854775807
// CHECK: call ptr @__dvmrt_view(ptr @dvm.site[[SITE]], i32 0, i32 3)
// CHECK: store i32 0, ptr %dvm.settled
// CHECK: store i32 0, ptr %dvm.settled
// P[i]: its extent is the view's.
// CHECK: %[[EXTENT:.*]] = load i64, ptr %dvm.extent
// CHECK: icmp uge i64 %{{.*}}, %[[EXTENT]]
// CHECK: %[[SETTLED:.*]] = load i32, ptr %dvm.settled
// CHECK: %[[ASK:.*]] = icmp eq i32 %[[SETTLED]], 0
// CHECK: br i1 %[[ASK]],
// CHECK: load volatile ptr,
// Without words the runtime is told that this is an element by the text (16).
// CHECK: call void @__dvmrt_touch(ptr %{{.*}}, i64 8, ptr @dvm.site{{.*}}, ptr %dvm.ix, i32 17)
// CHECK: %[[ANSWER:.*]] = call i32 @__dvmrt_place(ptr %{{.*}}, ptr @dvm.site{{.*}}, ptr %{{.*}}, ptr %dvm.ix, i32 1)
// CHECK: store i32 %[[ANSWER]], ptr %dvm.settled
// Only read in the nest: the init test alone.
// CHECK: %[[NUMBER:.*]] = lshr exact i64 %{{.*}}, 3
// CHECK: %[[WORD:.*]] = getelementptr i32, ptr %{{.*}}, i64 %[[NUMBER]]
// CHECK: call i1 @dvmi_view_init(ptr %[[WORD]])
// CHECK: call void @__dvmrt_touch(ptr %{{.*}}, i64 8, ptr @dvm.site{{.*}}, ptr %dvm.ix, i32 5)
// CHECK: icmp uge i64 %{{.*}}, 100
// CHECK: call i1 @dvmi_view_write(
// CHECK: call void @__dvmrt_touch(ptr %{{.*}}, i64 8, ptr @dvm.site{{.*}}, ptr %dvm.ix, i32 6)
// Optimised, nothing of the view is looked up in the loop.
// OPT-LABEL: define {{.*}}@f(
// OPT: call ptr @__dvmrt_view
// OPT: call ptr @__dvmrt_view
// OPT-NOT: call ptr @__dvmrt_view
// OPT-NOT: @dvmi_
