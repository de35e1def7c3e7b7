// Intent: questions of one block about bytes beside each other are one test, of their own bytes where it is promised where they lie; none
// is asked across what may change the answers, or may end the block.
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "marks.h"
struct s {
  double *p;
  int a, b, c, d;
  double far[8];
};
void one(struct s *s, double *(*next)(void)) {
  W8(s->p, 1, "C 0\nG h\nT s->p") = 0;
  W4(s->a, 2, "C 0\nG h\nT s->a") = 1;
  W4(s->c, 3, "C 0\nG h\nT s->c") = R4(s->a, 4, "C 0\nG h\nT s->a");
  W8(s->far[7], 5, "C 0\nG h\nT s->far[7]") = 1;
}
// CHECK-LABEL: define {{.*}}@one(
// CHECK: %[[BITS:.*]] = load i32, ptr {{.*}} align 1, !tbaa
// CHECK: %[[OWN:.*]] = and i32 %[[BITS]], 987135
// CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label %{{.*}}, !prof
// CHECK: {{^}}[[SLOW]]:
// CHECK: call void (ptr, i64, ptr, i32, i32, ...) @__dvmrt_look({{.*}} i64 8,
// CHECK: call void (ptr, i64, ptr, i32, i32, ...) @__dvmrt_look({{.*}} i64 4,
// CHECK: call void (ptr, i64, ptr, i32, i32, ...) @__dvmrt_look({{.*}} i64 4,
// CHECK: load i8, ptr {{.*}} align 1, !tbaa
// CHECK: call void @__dvmrt_touch({{.*}} i64 8,
// CHECK-NOT: align 1, !tbaa
// CHECK: ret void
int apart(int *p, int (*f)(void)) {
  W4(p[0], 6, "C 0\nG h\nT p[0]") = 1;
  int k = f();
  W4(p[1], 7, "C 0\nG h\nT p[1]") = 1;
  return k;
}
// CHECK-LABEL: define {{.*}}@apart(
// CHECK: call void @__dvmrt_touch({{.*}} i64 4,
// CHECK: call i32 %
// CHECK: call void @__dvmrt_touch({{.*}} i64 4,
// CHECK: ret i32
int beside(int *p) { return R4(p[0], 8, "C 0\nG h\nT p[0]") + R4(p[2], 9, "C 0\nG h\nT p[2]"); }
// CHECK-LABEL: define {{.*}}@beside(
// CHECK: %[[AROUND:.*]] = load i32, ptr {{.*}} align 1, !tbaa
// CHECK: icmp ne i32 %[[AROUND]], 0
// CHECK: and i32 %{{.*}}, 3855
// CHECK: call void (ptr, i64, ptr, i32, i32, ...) @__dvmrt_look({{.*}} i64 4,
// CHECK: call void (ptr, i64, ptr, i32, i32, ...) @__dvmrt_look({{.*}} i64 4,
// CHECK: ret i32
