// Intent: a nest of which every store can be followed tells the rows that it writes behind the loop that moves them, and asks before it whether
// anybody wants to know; one with a store, or a call, that cannot be followed tells nothing.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -dvm-trace -passes=dvm,verify -S | FileCheck %s
#include "marks.h"
double A[10][10], B[10][10], D[100];
int C[10], n;
double *p;
void other(void);
double sqrt(double);
#define NEST(i, j, ...)                                                                                                                    \
  while (__dvmm_enter("K parallel 1\nN 2 i j\nO A af8 & 8 2 10 10\nX a0:1:0\nX a1:1:0\nU A & w", A, A)) {                                  \
    for (i = 0; i < 10; i++) {                                                                                                             \
      __dvmm_row(1);                                                                                                                       \
      for (j = 0; j < 10; j++) {                                                                                                           \
        __dvmm_iter(1, 2, &i, -4L, &j, -4L);                                                                                               \
        __VA_ARGS__;                                                                                                                       \
      }                                                                                                                                    \
    }                                                                                                                                      \
    __dvmm_leave(1);                                                                                                                       \
  }
#define TEXT "V A\nC 1\nD 0\ny f8"
// One row behind the inner loop, in both bodies.
// CHECK-LABEL: define {{.*}}@each(
// CHECK-COUNT-2: call void @dvm.row(ptr %{{.*}}, ptr %{{.*}}, i64 8)
// CHECK-NOT: call void @dvm.row
void each(void) { int i, j; NEST(i, j, W8(A[i][j], 1, TEXT) = sqrt(i)) }
// Under a condition, twice, by a loop of the body, as a row of its own where nothing moves it.
// CHECK-LABEL: define {{.*}}@more(
// CHECK-COUNT-6: call void @dvm.row(
// CHECK-NOT: call void @dvm.row
void more(int k) { int i, j; NEST(i, j, if (i & 1) W8(A[i][j], 1, TEXT) = 1; for (k = 9; k > 0; k -= 2) W8(B[j][k], 2, TEXT) = k; W8(D[7], 3, TEXT) = j) }
// Through a pointer that the nest does not assign; of an integer array, whose values could be those of 'n', by a subscript that needs 'n'.
// CHECK-LABEL: define {{.*}}@through(
// CHECK-COUNT-2: call void @dvm.row(
// CHECK-NOT: call void @dvm.row
void through(void) { int i, j; NEST(i, j, W8(p[10 * i + j], 1, TEXT) = 1) }
// CHECK-LABEL: define {{.*}}@unsure(
// CHECK-NOT: call void @dvm.row
void unsure(int *q) { int i, j; NEST(i, j, W4(q[n + j], 1, "V q\ny i4") = 1) }
// CHECK-LABEL: define {{.*}}@scattered(
// CHECK-NOT: call void @dvm.row
void scattered(void) { int i, j; NEST(i, j, W8(D[C[j]], 1, TEXT) = 1; W8(A[i][j], 2, TEXT) = 1) }
// CHECK-LABEL: define {{.*}}@squared(
// CHECK-NOT: call void @dvm.row
void squared(void) { int i, j; NEST(i, j, W8(D[j * j], 1, TEXT) = 1) }
// CHECK-LABEL: define {{.*}}@wraps(
// CHECK-NOT: call void @dvm.row
void wraps(unsigned k) { int i, j; NEST(i, j, for (k = 5; k < 6; k--) W8(A[i][k], 1, TEXT) = 1) }
// CHECK-LABEL: define {{.*}}@leaves(
// CHECK-NOT: call void @dvm.row
void leaves(int k) { int i, j; NEST(i, j, for (k = 0; k < 10; k++) { if (k == j) break; W8(A[i][k], 1, TEXT) = 1; }) }
// CHECK-LABEL: define {{.*}}@jumps(
// CHECK-NOT: call void @dvm.row
void jumps(int k) { int i, j; NEST(i, j, for (k = 0; k < 10; k++) { W8(A[i][k], 1, TEXT) = 1; if (C[k]) k += 2; }) }
// CHECK-LABEL: define {{.*}}@calls(
// CHECK-NOT: call void @dvm.row
void calls(void) { int i, j; NEST(i, j, W8(A[i][j], 1, TEXT) = 1; other()) }
// CHECK-LABEL: define {{.*}}@copies(
// CHECK-NOT: call void @dvm.row
void copies(void) { int i, j; NEST(i, j, W8(A[i][j], 1, TEXT) = 1; __builtin_memcpy(B[i], A[j], 80)) }
// CHECK-LABEL: define {{.*}}@atomic(
// CHECK-NOT: call void @dvm.row
void atomic(void) { int i, j; NEST(i, j, W8(A[i][j], 1, TEXT) = 1; __atomic_add_fetch(&C[j], 1, 0)) }
// CHECK: define internal void @dvm.row(ptr %0, ptr %1, i64 %2)
// CHECK: call void @__dvmt_row(
