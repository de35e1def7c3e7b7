// Intent: small arrays have a word per element; the declared bounds are tested first, and no access, however it came
// about, leaves the words.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
double f(long i) {
  double a[4] = {1, 2, 3, 4}, big[100];
  W8(a[__dvmm_index(i, 1, 0)], 1, "C 0\nX o\nB 4\nT a[i]") = 0;
  W8(big[__dvmm_index(i, 2, 0)], 2, "C 0\nX o\nB 100\nT big[i]") = 0;
  return R8(a[2], 3, "C 0\nX c2\nB 4\nT a[2]");
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK-DAG: %a.dvm = alloca [4 x i32]
// CHECK-NOT: %big.dvm
// CHECK: call void @dvmi_local_fill(ptr %a.dvm, i64 4, i32 0)
// The initialiser.
// CHECK: call void @dvmi_local_part(ptr %a.dvm, i64 4, i64 8, i64 0, i64 32, i32 1025)
// The large one is in shadow memory.
// CHECK: call void @__dvmrt_born(ptr %big, i64 800)
// CHECK: %[[OUT:.*]] = icmp uge i64 %[[I:.*]], 4
// CHECK: br i1 %[[OUT]], label %[[BOUNDS:.*]], label %[[IN:.*]], !prof
// CHECK: {{^}}[[BOUNDS]]:
// CHECK-NEXT: %[[DIM:.*]] = phi i32 [ 0,
// CHECK-NEXT: %[[EXTENT:.*]] = phi i64 [ 4,
// CHECK: store i64 %[[I]], ptr
// CHECK: call void @__dvmrt_bounds(ptr null, ptr @dvm.site{{.*}}, ptr %dvm.ix, i32 %[[DIM]], i64 %[[EXTENT]], i32 2)
// CHECK-NEXT: br label %[[REST:.*]]
// CHECK: {{^}}[[IN]]:
// CHECK: %[[NUMBER:.*]] = lshr i64 %{{.*}}, 3
// CHECK: %[[WILD:.*]] = icmp uge i64 %[[NUMBER]], 4
// CHECK: br i1 %[[WILD]], label %[[REST]],
// CHECK: %[[WP:.*]] = getelementptr inbounds [4 x i32], ptr %a.dvm, i64 0, i64 %[[NUMBER]]
// CHECK: store i32 1025, ptr %[[WP]]
// CHECK: call void @__dvmrt_bounds(ptr %{{.+}}, ptr @dvm.site
// CHECK: getelementptr i8, ptr %dvm.doubt, i64
// CHECK: call void @__dvmrt_touch(ptr %{{.*}}, i64 8, ptr @dvm.site{{.*}}, ptr %dvm.ix{{[0-9]*}}, i32 2)
// CHECK: store i64 2, ptr
