// Intent: what no mark covers gives values and is not tested: stores through unknown pointers, copies, atomics,
// parameters by value; what is covered by a mark, or private to the function, is left alone.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
struct s { int x[8]; };
void use(void *);
void store(int *p) { *p = 1; }
// CHECK-LABEL: define {{.*}}@store(
// CHECK: getelementptr i8, ptr %dvm.doubt, i64
// CHECK: call void @__dvmrt_assign(ptr %{{.*}}, i64 4)
// CHECK: store i32 1, ptr
// CHECK: ret void
void marked(int *p) { W4(*p, 1, "C 0\nG h\nT *p") = 1; }
// CHECK-LABEL: define {{.*}}@marked(
// CHECK-NOT: __dvmrt_assign
// CHECK: ret void
void copy(struct s *p, struct s *q) { *p = *q; }
// CHECK-LABEL: define {{.*}}@copy(
// CHECK: call void @__dvmrt_look_copy(ptr {{.*}}%[[TO:[0-9]+]], ptr {{.*}}%[[FROM:[0-9]+]], i64 32, ptr null, ptr null, i32 0)
// CHECK: call void @llvm.memcpy{{.*}}(ptr {{.*}}%[[TO]], ptr {{.*}}%[[FROM]], i64 32
void marked_copy(struct s *p, struct s *q) {
  MARK("w", 32, *p, 1, "C 0\nG h\nT *p") = MARK("r", 32, *q, 2, "C 0\nG h\nT *q");
}
// The copy carries what the source has; reading it is no use of its value.
// CHECK-LABEL: define {{.*}}@marked_copy(
// CHECK-NOT: i32 1)
// CHECK: call void @__dvmrt_look_copy(
// CHECK: ret void
void zero(struct s *p) { __builtin_memset(p, 0, sizeof *p); }
// CHECK-LABEL: define {{.*}}@zero(
// CHECK: call void @__dvmrt_fill(ptr %{{.*}}, i64 32)
int by_value(struct s s) { use(&s); return 0; }
// CHECK-LABEL: define {{.*}}@by_value(
// CHECK: call void @__dvmrt_assign(ptr %s, i64 32)
void initialiser(void) { struct s s = {{1, 2}}; use(&s); }
// CHECK-LABEL: define {{.*}}@initialiser(
// CHECK: call void @llvm.lifetime.start.p0(i64 32, ptr %s)
// CHECK-NEXT: call void @__dvmrt_live(ptr %s, i64 32)
// CHECK: call void @__dvmrt_assign(ptr %s, i64 32)
// What is left on the stack may be used by code that we do not see.
// CHECK: call void @llvm.lifetime.end.p0(i64 32, ptr %s)
// CHECK: call void @__dvmrt_assign(ptr %s, i64 32)
// CHECK: ret void
void variable_length(int n) { int a[n]; use(a); }
// CHECK-LABEL: define {{.*}}@variable_length(
// CHECK: %[[VLA:.*]] = alloca i32, i64 %[[N:.*]], align
// CHECK-NEXT: %[[N64:.*]] = mul i64 4, %[[N]]
// CHECK-NEXT: call void @__dvmrt_born(ptr %[[VLA]], i64 %[[N64]])
void atomic(_Atomic int *p) { *p += 1; }
// CHECK-LABEL: define {{.*}}@atomic(
// CHECK: call void @__dvmrt_assign(ptr %{{.*}}, i64 4)
// CHECK: atomicrmw
int nothing(int a) { int b = a; return b; }
// CHECK-LABEL: define {{.*}}@nothing(
// CHECK-NOT: call {{.*}}@{{dvmi_|__dvmrt_[a-z]+\(}}
// CHECK: ret i32
