// Intent: code that leaves little room: setjmp, calls that must be tail calls, naked functions, resolvers, cleanups.
// RUN: %dvm_ir %s -fexceptions | FileCheck %s
#include "marks.h"
#include <setjmp.h>
jmp_buf buf;
int jumps(void) {
  int x;
  if (setjmp(buf))
    return R4(x, 1, "C 0\nT x");
  W4(x, 2, "C 0\nT x") = 1;
  return 0;
}
// Its words must survive longjmp as the variable does.
// CHECK-LABEL: define {{.*}}@jumps(
// CHECK: store volatile i32 0, ptr %x.dvm
// CHECK: load volatile i32, ptr %x.dvm
// CHECK: store volatile i32 1025, ptr %x.dvm
void other(int *p);
void tail(int *p) { __attribute__((musttail)) return other(p); }
// CHECK-LABEL: define {{.*}}@tail(
// CHECK: musttail call void @other(
// CHECK-NEXT: ret void
__attribute__((naked)) void naked(void) { __asm__("ret"); }
// CHECK-LABEL: define {{.*}}@naked(
// CHECK-NOT: dvmrt
// CHECK: unreachable
static void impl(void) {}
static void *resolve(void) { return impl; }
void chosen(void) __attribute__((ifunc("resolve")));
void tidy(int *p);
int cleanups(int *p) {
  __attribute__((cleanup(tidy))) int a = 1;
  other(p);
  return R4(*p, 1, "C 0\nG h\nT *p");
}
// CHECK-LABEL: define {{.*}}@cleanups(
// CHECK: invoke void @other(
// CHECK: call void @__dvmrt_touch(
// CHECK-NOT: __dvmm_access
// Functions that a declaration refers to come behind the others.
// CHECK-LABEL: define {{.*}}@resolve(
// CHECK-NOT: dvmrt
// CHECK: ret ptr
