// Intent: a module that records gets no checks: an enter that chooses between the recording body and a plain copy, records of
// values and iterations behind a test of the thread's flags, notes of allocations, a constructor of its own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -dvm-trace -passes=dvm,verify -S >%t.ll
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=NONE <%t.ll
// NONE-NOT: __dvmrt_
// NONE-NOT: __dvmm_
#include "marks.h"
void *malloc(unsigned long);
double A[10];
double *f(void) {
  int i = 0;
  while (__dvmm_enter("K parallel 7\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0", A)) {
    __dvmm_iter(7, 1, &i, -4L);
    W8(A[3], 1, "V A\nD 0\ny f8") = 0.5;
    __dvmm_leave(7);
  }
  return malloc(80);
}
// The site of the access knows the variable's place and size; 11 is 'address' of an 8-byte value in one word.
// CHECK: @dvm.trace.site{{.*}} = private global { {{.*}} } { ptr @{{.*}}, ptr @A, i64 80, i8 0, i8 1, i8 8, i8 5, {{.*}} }, section "dvmt_sites", align 16
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %[[MODE:.*]] = call i32 @__dvmt_enter(ptr @dvm.trace.site
// CHECK: %[[PLAIN:.*]] = icmp eq i32 %[[MODE]], 2
// CHECK: br i1 %[[PLAIN]], label %[[COPY:.*]], label
// CHECK: call void @__dvmt_iter(
// The value: flags, then a record.
// CHECK: store double 5.000000e-01, ptr
// CHECK: and i32 %{{.*}}, 1
// CHECK: store i64 4602678819172646912, ptr
// CHECK: call void @__dvmt_full()
// CHECK: call void @__dvmt_leave(
// CHECK: call void @__dvmt_heap_new(ptr %{{.*}}, i64 80)
// The copy: the store and the end, no record; iterations are counted in both.
// CHECK: [[COPY]]:
// CHECK-NOT: __dvmt_
// CHECK: store double 5.000000e-01
// CHECK-NOT: __dvmt_state
// CHECK: call void @__dvmt_executed(
// CHECK: call void @__dvmt_leave(
// CHECK: define {{.*}}@dvmt.module_ctor()
