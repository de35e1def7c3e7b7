// Intent: an array of the file that a nest reads, and that it does not write, is asked for once, at the nest's entry; reads in
// its bounds are then done.  A nest that writes ordinary data, or calls a function, asks each time, but where nobody else knows the array,
// and the function does not come back.
// RUN: %dvm_ir %s | FileCheck %s
#include "marks.h"
extern double A[100];
int T[50];
void f(void) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nU A & w\nS 1\nQ 1 1", A, A)) {
    for (i = 0; i < 50; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W8(A[__dvmm_index(i, 1, 0)], 1, "C 1\nD 0\nX a0:1:0\nB 100\nE 8\nT A[i]") =
          R4(T[__dvmm_index(i * i, 2, 0)], 2, "C 1\nX o\nB 50\nE 4\nT T[i*i]");
    }
    __dvmm_leave(1);
  }
}
void g(int *p) {
  int i;
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 100\nX a0:1:0\nS 1\nQ 1 1", A)) {
    for (i = 0; i < 50; i++) {
      __dvmm_iter(1, 1, &i, -4L);
      W4(*p, 1, "C 1\nG h\nT *p") = R4(T[__dvmm_index(i * i, 2, 0)], 2, "C 1\nX o\nB 50\nE 4\nT T[i*i]");
    }
    __dvmm_leave(1);
  }
}
static int U[50], V[50];
static void leaf(int *p) { *p = 1; }
void elsewhere(int *p);
#define NEST(array, call)                                                                                                                  \
  int i;                                                                                                                                   \
  array[3] = 1;                                                                                                                            \
  while (__dvmm_enter("K parallel 1\nN 1 i\nS 1\nQ 1 0")) {                                                                                \
    for (i = 0; i < 50; i++) {                                                                                                             \
      __dvmm_iter(1, 1, &i, -4L);                                                                                                          \
      call(p);                                                                                                                             \
      W4(*p, 1, "C 1\nT *p") = R4(array[__dvmm_index(i, 2, 0)], 2, "C 1\nX o\nB 50\nE 4\nT array[i]");                                    \
    }                                                                                                                                      \
    __dvmm_leave(1);                                                                                                                       \
  }
void h(int *p) { NEST(U, leaf) }
void k(int *p) { NEST(V, elsewhere) }
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %[[ALL:.*]] = call i32 @__dvmrt_data(ptr @dvm.site{{.*}}, ptr @T, i64 200)
// CHECK: store i32 %[[ALL]], ptr %dvm.known
// CHECK: icmp uge i64 %{{.*}}, 50
// CHECK: %[[KNOWN:.*]] = load i32, ptr %dvm.known
// CHECK: %[[DONE:.*]] = icmp ne i32 %[[KNOWN]], 0
// CHECK: br i1 %[[DONE]],
// CHECK: call i1 @dvmi_read_4(
// CHECK-LABEL: define {{.*}}@g(
// CHECK-NOT: call {{.*}}@__dvmrt_data(
// CHECK: ret void
// CHECK-LABEL: define {{.*}}@h(
// CHECK: call i32 @__dvmrt_data(ptr @dvm.site{{.*}}, ptr @U, i64 200)
// CHECK-LABEL: define {{.*}}@k(
// CHECK-NOT: call {{.*}}@__dvmrt_data(
// CHECK: ret void
