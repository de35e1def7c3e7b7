// Intent: subscripts that go by way of locals, parameters and pointers are told as what they are, and a function's accesses as those of an array of the nest
// that it is put inline in; what a call no longer hides is read or written. A local that has two values stays what it is.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -passes=dvm,verify -S | FileCheck %s
#include "marks.h"
double A[10][8], B[10][8];
#define TEXT "K parallel 1\nN 1 i\nO B af8 & 8 2 10 8\nX a0:1:0\nX e\nU B & w\nU A & ?"
#define A_(line, i, j, id, cid, use)                                                                                                       \
  (*(double *)__dvmm_access(&A[__dvmm_index(i, id, 0)][__dvmm_index(j, id, 1)], id,                                                        \
                            "K r\nP " #line " 1\nT a\nV A\nG g\nS 8\nC " #cid "\nX o\nB 10\nX o\nB 8\nE 8\nD " #use))
#define NEST(...)                                                                                                                          \
  while (__dvmm_enter(TEXT, B, B, A)) {                                                                                                    \
    for (int i = 1; i < 9; i++) {                                                                                                          \
      __dvmm_iter(1, 1, &i, -4L);                                                                                                          \
      __VA_ARGS__;                                                                                                                         \
    }                                                                                                                                      \
    __dvmm_leave(1);                                                                                                                       \
  }
// CHECK-DAG: K r\0AP 11 1\0AT a\0AV A\0AG g\0AS 8\0AC 1\0AX a0:1:-1\0AB 10\0AX c3\0AB 8\0AE 8\0AD 1\00
double local(void) {
  double s = 0;
  NEST(int up = i - 1; s = A_(11, up, 3, 1, 1, 1))
  return s;
}
// CHECK-DAG: K r\0AP 12 1\0AT a\0AV A\0AG g\0AS 8\0AC 0\0AX a0:2:1\0AB 10\0AX o\0AB 8\0AE 8\0AD 1\00
// CHECK-DAG: U B & w\0AU A & r
static double called(int k, int n) { return A_(12, 2 * k + 1, n, 1, 0, -); }
double function(int n) {
  double s = 0;
  NEST(int m = i; s = called(m, n))
  return s;
}
// CHECK-DAG: K r\0AP 13 1\0AT r[4]\0AV r\0AS 8\0AC 0\0AX a0:1:1\0AB 10\0AX c4\0AB 8\0AD 1\00
double pointer(void) {
  double s = 0;
  NEST(double *r = A[i + 1]; s = *(double *)__dvmm_access(&r[4], 1, "K r\nP 13 1\nT r[4]\nV r\nS 8\nC 1\nX c4\nB *"))
  return s;
}
// CHECK-DAG: K r\0AP 14 1\0AT a\0AV A\0AG g\0AS 8\0AC 1\0AX o\0AB 10\0AX o\0AB 8\0AE 8\0AD 1\00
double changed(int n) {
  double s = 0;
  NEST(int k = i - 1; if (n) k = i; s = A_(14, k, k, 1, 1, 1))
  return s;
}
