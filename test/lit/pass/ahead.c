// Intent: elements of a large array that a table names are fetched some turns before, with their words; the place in the table stays
// inside of it.  Not so for small arrays, for tables of unknown size, and for elements that move by constant distances.
// RUN: %dvm_clang -O2 -S -emit-llvm -o - %s | FileCheck %s
#include "marks.h"
double a[100000], few[100];
int t[50000];
#define NEST(body)                                                                                                                         \
  while (__dvmm_enter("K parallel 1\nN 1 i\nS 1\nQ 1 0")) {                                                                                \
    for (int i = 0; i < n; i++) {                                                                                                          \
      __dvmm_iter(1, 1, &i, -4L);                                                                                                          \
      body;                                                                                                                                \
    }                                                                                                                                      \
    __dvmm_leave(1);                                                                                                                       \
  }
void scattered(int n, int *unknown) { NEST(W8(a[R4(t[i], 2, "C 1\nT t[i]")], 1, "C 1\nT a[t[i]]") = i) }
void small(int n, int *unknown) { NEST(W8(few[R4(t[i], 2, "C 1\nT t[i]")], 1, "C 1\nT few[t[i]]") = i) }
void open(int n, int *unknown) { NEST(W8(a[R4(unknown[i], 2, "C 1\nT unknown[i]")], 1, "C 1\nT a[unknown[i]]") = i) }
void straight(int n, int *unknown) { NEST(W8(a[R4(t[i], 2, "C 1\nT t[i]") * 0 + i], 1, "C 1\nT a[i]") = i) }
// CHECK-LABEL: define {{.*}}@scattered(
// CHECK: icmp ult ptr %[[LATER:.*]], getelementptr {{.*}}(i8, ptr @t, i64 199996)
// CHECK: %[[AT:.*]] = select i1 %{{.*}}, ptr %[[LATER]], ptr getelementptr {{.*}}(i8, ptr @t, i64 199996)
// CHECK: load i32, ptr %[[AT]]
// CHECK-COUNT-2: call void @llvm.prefetch.p0(
// CHECK-NOT: call void @llvm.prefetch
// CHECK-LABEL: define {{.*}}@small(
// CHECK-NOT: call void @llvm.prefetch
// CHECK-LABEL: define {{.*}}@open(
// CHECK-NOT: call void @llvm.prefetch
// CHECK-LABEL: define {{.*}}@straight(
// CHECK-NOT: call void @llvm.prefetch
// CHECK: declare void @llvm.prefetch
