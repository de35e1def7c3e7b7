// Intent: what has a value before anybody can see it is not told to have none: only its place is told where others may write it, and
// nothing where they may not.  Small copies are tested inline; what they bring without a value then begins to live.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
void use(long *);
long seen(long k) { long x = k; use(&x); return x; }
// CHECK-LABEL: define {{.*}}@seen(
// CHECK-NOT: __dvmrt_born
// CHECK: call void @__dvmrt_live(ptr %x, i64 8)
// CHECK-NOT: __dvmrt_born
// CHECK: ret i64
long partly(long k) { long x; if (k) x = k; use(&x); return x; }
// CHECK-LABEL: define {{.*}}@partly(
// CHECK: call void @__dvmrt_born(ptr %x, i64 8)
// CHECK: ret i64
long closed(const void *p) { long x; __builtin_memcpy(&x, p, 8); return x; }
// CHECK-LABEL: define {{.*}}@closed(
// CHECK-NOT: __dvmrt_live
// CHECK: %[[NESTED:.*]] = icmp eq i64 %dvm.doubt.mask, 0
// CHECK: br i1 %[[NESTED]],
// CHECK: call void @__dvmrt_born(ptr %x, i64 8)
// CHECK: load i16, ptr
// CHECK: load i16, ptr
// CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label
// CHECK: {{^}}[[SLOW]]:
// CHECK: call void @__dvmrt_look_copy(ptr {{.*}}%x, ptr {{.*}}, i64 8, ptr null, ptr null, i32 1)
// CHECK: ret i64
