// Intent: a pointer or number that each turn of a counting loop moves by the same distance is read as where it began and what the counter says, before
// it moves and behind that; one that some turns move, that begins outside of the loop around, or that lives on from turn to turn there, is read itself.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -passes=dvm,mem2reg,instcombine -S | FileCheck %s
#include "marks.h"
double A[10], D[10][8];
#define NEST(...)                                                                                                                          \
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nU A & w", A, A)) {                                                 \
    for (int i = 0; i < 10; i++) {                                                                                                         \
      __dvmm_iter(1, 1, &i, -4L);                                                                                                          \
      __VA_ARGS__;                                                                                                                         \
    }                                                                                                                                      \
    __dvmm_leave(1);                                                                                                                       \
  }
int use(double);
// CHECK-LABEL: define {{.*}}@moves(
// CHECK-NOT: phi ptr
// CHECK: ret void
void moves(void) { NEST(double *p = D[i]; for (int j = 2; j < 8; j++, p++) use(*p)) }
// CHECK-LABEL: define {{.*}}@behind(
// CHECK-NOT: phi ptr
// CHECK: ret void
void behind(void) {
  NEST(double *p = D[i] + 7; for (int j = 7; j > 0; j--) {
    use(p[0]);
    p--;
    use(p[0]);
  })
}
// CHECK-LABEL: define {{.*}}@some(
// CHECK: phi ptr
// CHECK: ret void
void some(void) {
  NEST(double *p = D[i]; for (int j = 0; j < 8; j++) {
    use(*p);
    if (j & 1)
      p++;
  })
}
// CHECK-LABEL: define {{.*}}@goes_on(
// CHECK: phi ptr
// CHECK: ret void
void goes_on(void) { NEST(double *p = D[i]; for (int l = 0; l < 2; l++) for (int j = 0; j < 4; j++) use(*p++)) }
// CHECK-LABEL: define {{.*}}@shared(
// CHECK: phi ptr
// CHECK: ret void
void shared(void) {
  double *p;
  NEST(p = D[i]; for (int j = 0; j < 8; j++, p++) use(*p))
}
