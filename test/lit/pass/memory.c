// Intent: an access of 4 or 8 bytes is judged inline, others only as far as nothing is known of the page; an access that
// promises no alignment is tested for it.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
typedef int unaligned __attribute__((aligned(1)));
void f(double *d, float *x, char *c, unaligned *u) {
  M8(*d, 1, "C 0\nG h\nT *d") += W4(*x, 2, "C 0\nG h\nT *x") = 1;
  MARK("w", 1, *c, 3, "C 0\nG h\nT *c") = 1;
  W4(*u, 4, "C 0\nG h\nT *u") = 1;
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %[[WS:.*]] = call i1 @dvmi_write_4(i64 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}, i32 %{{.*}})
// CHECK: br i1 %[[WS]], label %[[SLOW:.*]], label %{{.*}}, !prof
// CHECK: {{^}}[[SLOW]]:
// CHECK-NEXT: call void @__dvmrt_touch(ptr %{{.*}}, i64 4, ptr @dvm.site{{.*}}, ptr null, i32 2)
// CHECK: %[[R:.*]] = call i1 @dvmi_read_8(i64 %[[P:[0-9]+]], i32
// CHECK: br i1 %[[R]], label %[[SLOW8:.*]], label
// CHECK: {{^}}[[SLOW8]]:
// CHECK-NEXT: call void @__dvmrt_touch(ptr %{{.*}}, i64 8, ptr @dvm.site{{.*}}, ptr null, i32 3)
// CHECK: %[[W:.*]] = call i1 @dvmi_write_8(i64 %[[P]], i32
// CHECK: br i1 %[[W]], label %[[SLOW8]], label
// CHECK: call i1 @dvmi_known(i64 %{{.*}}, i64 1, i32
// CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 3
// CHECK: %[[ODD:.*]] = icmp ne i64 %[[LOW]], 0
// CHECK: br i1 %[[ODD]], label
// CHECK: call i1 @dvmi_write_4(
// CHECK: declare void @__dvmrt_touch({{.*}}) #[[COLD:[0-9]+]]
// CHECK: define internal i1 @dvmi_write_4({{.*}}) #[[FAST:[0-9]+]]
// CHECK: load i32, {{.*}}!tbaa ![[WORD:[0-9]+]], !nosanitize
// CHECK: attributes #[[COLD]] = { cold nounwind nonlazybind }
// CHECK: attributes #[[FAST]] = { alwaysinline nounwind }
