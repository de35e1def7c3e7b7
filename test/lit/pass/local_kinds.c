// Intent: how a nest sees each variable: private, reduction, index, declared inside, only read, by the first access.
// RUN: %dvm_ir %s | FileCheck %s
// RUN: %dvm_ir %s -DUNMAPPED | FileCheck %s --check-prefix=UNMAPPED
#include "marks.h"
#ifdef UNMAPPED
#define ON
#else
#define ON "O A af8 & 8 1 10\nX a0:1:0\n"
#endif
double A[10];
int f(int n, int once) {
  int i, t, sum = 0, seen = 0;
  if (once)
    n = 1;
  while (__dvmm_enter("K parallel 1\nN 1 i\n" ON "V t & 4 i4\nR sum sum & 4 1 i4\nQ 1 1",
#ifndef UNMAPPED
                      A,
#endif
                      &t, &sum)) {
    for (i = 0; i < n; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      int inner;
      W4(inner, 1, "C 1\nT inner") = R4(n, 2, "C 1\nT n");
      W4(t, 3, "C 1\nT t") = R4(i, 4, "C 1\nI 0\nT i");
      M4(sum, 5, "C 1\nT sum") += R4(t, 6, "C 1\nT t") + R4(inner, 7, "C 1\nT inner");
      M4(seen, 8, "C 1\nT seen") += 1;
    }
    __dvmm_leave(1);
  }
  return R4(t, 9, "C 0\nT t");
}
// CHECK-LABEL: define {{.*}}@f(
// Whose words are here has no address for the runtime.
// CHECK: store i64 ptrtoint (ptr @A to i64), ptr %[[ARGS:.*]], align 8
// CHECK: store i64 0, ptr
// CHECK: store i64 0, ptr
// CHECK: call i32 @__dvmrt_enter(
// CHECK: store i32 1, ptr %t.dvm
// The loop's own assignment to the index variable belongs to the iteration; so does its value at the iteration's start.
// CHECK: %[[W0:.*]] = load i32, ptr %dvm.write
// CHECK: store i32 %[[W0]], ptr %i.dvm
// CHECK: %[[NEW:.*]] = add i32 %{{.*}}, 2
// CHECK: store i32 %[[NEW]], ptr %i.dvm
// Only read in the nest: it only has to have a value.
// CHECK: %[[N:.*]] = load i32, ptr %n.addr.dvm
// CHECK-NEXT: icmp ult i32 %[[N]], 1024
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[N]], i32 0, i32 1, ptr null)
// CHECK: store i32 1025, ptr %inner.dvm
// Index variable: kind 5.
// CHECK: %[[I:.*]] = load i32, ptr %i.dvm
// CHECK: %[[CW:.*]] = load i32, ptr %dvm.write
// CHECK: icmp ne i32 %[[I]], %[[CW]]
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[I]], i32 5, i32 1, ptr null)
// Private: kind 1, a write is of the iteration.
// CHECK: %[[CW1:.*]] = load i32, ptr %dvm.write
// CHECK: store i32 %[[CW1]], ptr %t.dvm
// CHECK: %[[T:.*]] = load i32, ptr %t.dvm
// CHECK: icmp ne i32 %[[T]], %
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[T]], i32 1, i32 1, ptr null)
// Declared inside: plain.
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %{{.*}}, i32 0, i32 1, ptr null)
// Reduction: kind 4.
// CHECK: %[[S:.*]] = load i32, ptr %sum.dvm
// CHECK: icmp ult i32 %[[S]], 1024
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[S]], i32 4, i32 1, ptr null)
// CHECK: store i32 1025, ptr %sum.dvm
// By the first access: kind 2, read and write apart.
// CHECK: %[[F:.*]] = load i32, ptr %seen.dvm
// CHECK: call i1 @dvmi_first_read_slow(i32 %[[F]],
// CHECK: call i32 @dvmi_first_read_word(i32 %[[F]],
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[F]], i32 2, i32 1, ptr null)
// CHECK: call i1 @dvmi_first_write_slow(
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %{{.*}}, i32 2, i32 2, ptr null)
// Behind the nest: private and index without a value, by first access as it was used.
// CHECK: call i32 @dvmi_local_leave(i32 %{{.*}}, i32 %{{.*}}, i32 1)
// CHECK-DAG: store i32 1, ptr %t.dvm
// CHECK: call void @__dvmrt_leave(
// CHECK: %[[AFTER:.*]] = load i32, ptr %t.dvm
// CHECK: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[AFTER]], i32 0, i32 1, ptr null)
// UNMAPPED: call i1 @dvmi_shared_read_slow(
// UNMAPPED: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 3, i32 1, ptr null)
// UNMAPPED: call i1 @dvmi_shared_write_slow(
// UNMAPPED: call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 3, i32 2, ptr null)
// UNMAPPED: call i32 @dvmi_local_leave(i32 %{{.*}}, i32 %{{.*}}, i32 1025)
