// Intent: stand-alone directives and bound pointers; in the text of 'bind' the array's own '&' is the value.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
void *malloc(unsigned long);
double A[10], *P;
void f(int n) {
  __dvmm_direct("K interval");
  __dvmm_direct("K array\nA A af8 & 8 1 10\nD block", A);
  P = __dvmm_bind(malloc(80), "K bind\nA P pf8 & 8 1 #\nZ &", n, &P);
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: call void @__dvmrt_direct(ptr @dvm.site{{.*}}, ptr null)
// CHECK: store i64 ptrtoint (ptr @A to i64)
// CHECK: call void @__dvmrt_direct(ptr @dvm.site{{.*}}, ptr %dvm.args{{.*}})
// CHECK: %[[P:.*]] = call {{.*}}ptr @malloc(
// CHECK: call void @__dvmrt_heap_new(ptr %[[P]], i64 80)
// CHECK: %[[WORD:.*]] = ptrtoint ptr %[[P]] to i64
// CHECK: store i64 %[[WORD]], ptr %[[AT:.*]], align 8
// CHECK: %[[N:.*]] = sext i32
// CHECK: store i64 %[[N]], ptr
// CHECK: store i64 ptrtoint (ptr @P to i64), ptr
// CHECK: call void @__dvmrt_direct(ptr @dvm.site{{.*}}, ptr %dvm.args{{.*}})
// CHECK: store ptr %[[P]], ptr @P
