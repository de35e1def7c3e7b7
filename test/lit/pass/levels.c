// Intent: no mark is left at any level, with link-time optimisation too, and the fast paths are inline everywhere.
// RUN: %dvm_clang -O0 -g -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O1 -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O2 -g -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O3 -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -Os -fPIC -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O2 -flto -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O2 -flto=thin -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O2 -flto -ffat-lto-objects -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O1 -fsanitize=address,undefined -c %s -o %t.o && %nm %t.o | FileCheck %s
// RUN: %dvm_clang -O0 -g -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
#include "marks.h"
double A[10];
__attribute__((optnone, noinline)) double f(int i) {
  double t;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nV t & 8 f8\nU A & w\nQ 1 1", A, &t, A)) {
    __dvmm_iter(1, 1, &i, -4L);
    W8(t, 1, "C 1\nT t") = 1;
    M8(A[__dvmm_index(i, 2, 0)], 2, "C 1\nD 0\nX a0:1:0\nB 10\nE 8\nT A[i]") += R8(t, 3, "C 1\nT t");
    __dvmm_leave(1);
  }
  return R8(A[3], 4, "C 0\nX c3\nB 10\nT A[3]");
}
// CHECK-DAG: {{T|t}} f
// CHECK-DAG: U __dvmrt_touch
// CHECK-NOT: __dvmm_
// IR-NOT: call {{.*}}@dvmi_
// IR: call {{.*}}@__dvmrt_touch
