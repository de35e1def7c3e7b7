// Intent: a nest asks the runtime at its entry with all arguments as 64 bits, advances the iteration with the values of
// its index variables, and tells rows and the end.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
double A[10][10];
void f(long n, unsigned char j) {
  int i = 0;
  while (__dvmm_enter("K parallel 7\nN 2 i j\nO A af8 & 8 2 10 10\nX a0:1:#\nX a1:1:0\nQ 1 1", A, n)) {
    __dvmm_row(7);
    __dvmm_iter(7, 2, &i, -4L, &j, 1L);
    __dvmm_leave(7);
  }
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %dvm.args = alloca [2 x i64]
// The prologue says that this is no foreign function, if that was asked.
// CHECK: %[[NOW:.*]] = call {{.*}}ptr @llvm.threadlocal.address.p0(ptr align 8 @__dvmrt_now)
// CHECK-NEXT: %[[CALLEE:.*]] = getelementptr inbounds i8, ptr %[[NOW]], i64 24
// CHECK-NEXT: %[[ASKED:.*]] = load ptr, ptr %[[CALLEE]], {{.*}}!nosanitize
// CHECK-NEXT: %[[ME:.*]] = icmp eq ptr %[[ASKED]], @f
// CHECK-NEXT: %[[ANSWER:.*]] = select i1 %[[ME]], ptr null, ptr %[[ASKED]]
// CHECK: store ptr %[[ANSWER]], {{.*}}!nosanitize
// CHECK: store i64 ptrtoint (ptr @A to i64), ptr %[[ARG0:.*]], align 8
// CHECK: store i64 %{{.*}}, ptr %[[ARG1:.*]], align 8
// CHECK: %[[FRAME:.*]] = call ptr @llvm.frameaddress.p0(i32 0)
// CHECK: %[[GO:.*]] = call i32 @__dvmrt_enter(ptr @dvm.site[[SITE:.*]], ptr %[[FRAME]], ptr %dvm.args)
// CHECK: icmp ne i32 %[[GO]], 0
// Inside, copies of the limits.
// CHECK: store i32 %{{.*}}, ptr %dvm.write
// CHECK: store i32 %{{.*}}, ptr %dvm.first_read
// CHECK: store i32 %{{.*}}, ptr %dvm.first_write
// CHECK: store i32 %{{.*}}, ptr %dvm.mask
// CHECK: store i32 %{{.*}}, ptr %dvm.base
// CHECK: call void @__dvmrt_row(ptr @dvm.site[[SITE]])
// CHECK: %[[OLD:.*]] = load i32, ptr %dvm.write
// CHECK: %[[NEW:.*]] = add i32 %[[OLD]], 2
// CHECK: store i32 %[[NEW]], {{.*}}!tbaa ![[TAG:[0-9]+]], !nosanitize
// CHECK: store i32 %[[NEW]], ptr %dvm.write
// CHECK: %[[I:.*]] = load i32, ptr %i
// CHECK: %[[I64:.*]] = sext i32 %[[I]] to i64
// CHECK: store i64 %[[I64]], {{.*}}!nosanitize
// CHECK: %[[J:.*]] = load i8, ptr %j.addr
// CHECK: zext i8 %[[J]] to i64
// CHECK: call void @__dvmrt_leave(ptr @dvm.site[[SITE]], ptr %
// CHECK-NOT: __dvmm_
// Our memory is beside 'omnipotent char': it aliases nothing of the user's.
// CHECK: ![[TAG]] = !{![[KIND:[0-9]+]], ![[KIND]], i64 0}
// CHECK: ![[KIND]] = !{!"dvm now", ![[ROOT:[0-9]+]], i64 0}
// CHECK: ![[ROOT]] = !{!"Simple C/C++ TBAA"}
