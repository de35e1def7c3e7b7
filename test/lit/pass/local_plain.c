// Intent: outside of constructs a variable whose address stays here has a word of its own: none at first, assigned by
// initialisations and stores; a read without a value goes to the runtime, which gives the word to keep.  Variables that are
// assigned before each read on all ways have no words.
// RUN: %dvm_ir %s | FileCheck %s
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OPT
#include "marks.h"
int f(int a, int c) {
  int x, y = 1;
  if (R4(c, 1, "T c"))
    W4(x, 2, "T x") = R4(a, 3, "T a");
  return R4(x, 4, "T x") + R4(y, 5, "T y");
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK-NOT: %a.addr.dvm
// CHECK-NOT: %y.dvm
// CHECK: store i32 0, ptr %x.dvm
// CHECK: call void @llvm.lifetime.start.p0(i64 4, ptr %x)
// CHECK-NEXT: store i32 0, ptr %x.dvm
// CHECK: store i32 1, ptr %y,
// CHECK: store i32 1025, ptr %x.dvm
// CHECK: %[[W:.*]] = load i32, ptr %x.dvm
// CHECK: %[[SLOW:.*]] = icmp ult i32 %[[W]], 1024
// CHECK: br i1 %[[SLOW]], label %[[THEN:.*]], label %{{.*}}, !prof
// CHECK: {{^}}[[THEN]]:
// CHECK-NEXT: %[[KEEP:.*]] = call i32 @__dvmrt_local(ptr @dvm.site{{.*}}, i32 %[[W]], i32 0, i32 1, ptr null)
// CHECK-NEXT: store i32 %[[KEEP]], ptr %x.dvm
// The optimiser sees through all but the one read that may go wrong.
// OPT-LABEL: define {{.*}}@f(
// OPT-COUNT-1: call i32 @__dvmrt_local
// OPT-NOT: call i32 @__dvmrt_local
