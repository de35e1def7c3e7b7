// Intent: an access outside of loops is looked at if what it touches is in doubt: all bytes at once for 8, its own of eight bytes for
// less; one that promises no alignment also if it may lie across a border.  Until the optimiser is done that is one call, which
// stands in the way of nothing; what has just been given a value is not asked for again.
// Functions that loops of the file call look at the words too.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
typedef int unaligned __attribute__((aligned(1)));
void f(double *d, float *x, char *c, unaligned *u) {
  M8(*d, 1, "C 0\nG h\nT *d") += W4(*x, 2, "C 0\nG h\nT *x") = 1;
  MARK("w", 1, *c, 3, "C 0\nG h\nT *c") = 1;
  W4(*u, 4, "C 0\nG h\nT *u") = 1;
}
void g(int *p) { W4(*p, 1, "C 0\nG h\nT *p") = 1; }
void loop(int n, int *p) {
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nQ 1 1", p)) {
    for (int i = 4; i < n; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      g(p);
    }
    __dvmm_leave(1);
  }
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %[[OUTSIDE:.*]] = icmp eq i32 %{{.*}}, 0
// CHECK: %dvm.doubt = select i1 %[[OUTSIDE]], ptr %{{.*}}, ptr getelementptr inbounds (i8, ptr @__dvmrt_doubt, i64 32)
// CHECK: %dvm.doubt.mask = select i1 %[[OUTSIDE]], i64 %{{.*}}, i64 0
// CHECK: %[[P:.*]] = ptrtoint ptr %{{.*}} to i64
// CHECK: %[[PIECE:.*]] = lshr i64 %[[P]], 3
// CHECK: %[[INDEX:.*]] = and i64 %[[PIECE]], %dvm.doubt.mask
// CHECK: %[[AT:.*]] = getelementptr i8, ptr %dvm.doubt, i64 %[[INDEX]]
// CHECK: %[[BITS:.*]] = load i8, ptr %[[AT]], align 1, !tbaa !{{[0-9]+}}, !nosanitize
// CHECK: %[[ANY:.*]] = icmp ne i8 %[[BITS]], 0
// CHECK: br i1 %[[ANY]], label %[[LOOK:.*]], label %{{.*}}, !prof
// CHECK: {{^}}[[LOOK]]:
// CHECK: lshr i32
// CHECK: %[[OWN:.*]] = and i32 %{{.*}}, 15
// CHECK: %[[LOST:.*]] = icmp ne i32 %[[OWN]], 0
// CHECK: br i1 %[[LOST]], label %[[SLOW:.*]], label
// CHECK: {{^}}[[SLOW]]:
// CHECK-NEXT: call void @__dvmrt_touch(ptr %{{.*}}, i64 4, ptr @dvm.site{{.*}}, ptr null, i32 2)
// CHECK: %[[ANY8:.*]] = icmp ne i8 %{{.*}}, 0
// CHECK: br i1 %[[ANY8]], label %[[SLOW8:.*]], label %{{.*}}, !prof
// CHECK: {{^}}[[SLOW8]]:
// CHECK-NEXT: call void @__dvmrt_touch(ptr %{{.*}}, i64 8, ptr @dvm.site{{.*}}, ptr null, i32 3)
// CHECK: call void @__dvmrt_touch(ptr %{{.*}}, i64 1,
// CHECK: %[[TWO:.*]] = load i16, ptr
// CHECK: icmp ne i16 %[[TWO]], 0
// CHECK: and i32 %{{.*}}, 15
// CHECK-LABEL: define {{.*}}@g(
// CHECK: load i8, ptr
// CHECK: call void @__dvmrt_touch(ptr %{{.*}}, i64 4, ptr @dvm.site{{.*}}, ptr null, i32 2){{ *$}}
// CHECK: call i1 @dvmi_write_4(i64 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}, i32 %{{.*}})
// CHECK: declare void @__dvmrt_touch({{.*}}) #[[COLD:[0-9]+]]
// CHECK: define internal i1 @dvmi_write_4({{.*}}) #[[FAST:[0-9]+]]
// CHECK: load i32, {{.*}}!tbaa ![[WORD:[0-9]+]], !nosanitize
// CHECK: attributes #[[COLD]] = { cold nounwind nonlazybind }
// CHECK: attributes #[[FAST]] = { alwaysinline nounwind }
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OPT
int twice(int *p) {
  W4(*p, 1, "C 0\nG h\nT *p") = 1;
  return R4(*p, 2, "C 0\nG h\nT *p");
}
// OPT-LABEL: define {{.*}}@twice(
// OPT-COUNT-1: call void @__dvmrt_touch(
// OPT-NOT: __dvmrt_
// OPT: ret i32 1
