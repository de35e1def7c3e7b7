// Intent: a reference that uses the buffer of remote_access marks nothing, but must not see what other iterations have written.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
extern double A[100];
void f(int n) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nM A af8 & 8 1 100\nU A & w\nQ 1 1", A, A, A)) {
    for (i = 0; i < 100; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") =
          R8(A[__dvmm_index(n, 2, 0)], 2, "C 1\nD 0\nX o\nB 100\nE 8\nM 1\nT A[n]") +
          R8(A[__dvmm_index(i, 3, 0)], 3, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]");
    }
    __dvmm_leave(1);
  }
}
// CHECK-LABEL: define {{.*}}@f(
// CHECK: call i1 @dvmi_view_buffer(
// CHECK-NOT: call i1 @dvmi_view_buffer(
// CHECK: call i1 @dvmi_view_read(
// CHECK: call i1 @dvmi_view_write(
