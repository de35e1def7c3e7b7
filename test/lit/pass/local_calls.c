// Intent: a function that writes nothing but its own variables, what it is given and distributed elements is put inline in nests, with all that it
// calls, and moves what it is given; one that comes back to itself, writes a global variable or is given what a reduction adds up stays a call.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -passes=dvm,verify -S | FileCheck %s
#include "marks.h"
double A[10], G;
double sqrt(double);
#define NEST(...)                                                                                                                          \
  while (__dvmm_enter("K parallel 1\nN 1 i\nO A af8 & 8 1 10\nX a0:1:0\nU A & w", A, A)) {                                                 \
    for (int i = 0; i < 10; i++) {                                                                                                         \
      __dvmm_iter(1, 1, &i, -4L);                                                                                                          \
      __VA_ARGS__;                                                                                                                         \
    }                                                                                                                                      \
    __dvmm_leave(1);                                                                                                                       \
  }
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }
static double norm(const double *a) { return sqrt(dot(a, a)); }
static double deep(const double *a, int n) { return n ? a[n - 1] + deep(a, n - 1) : 0; }
static void sum(const double *a) { G += a[0]; }
static double whole(const double *a) {
  double modf(double, double *);
  return modf(a[0], &G);
}
static double walk(const double *a) {
  double s = *a++;
  return s + *a;
}
__attribute__((noinline)) static double kept(const double *a) { return a[0]; }
__attribute__((target("avx2"))) static double wide(const double *a) { return a[0]; }
// CHECK-LABEL: define {{.*}}@local(
// CHECK-NOT: call double @{{norm|dot|walk}}(
// CHECK: call double @sqrt(
// CHECK: ret void
void local(void) { NEST(double v[2] = {i, 1}; A[i] = norm(v) + walk(v)) }
// CHECK-LABEL: define {{.*}}@others(
// CHECK: call double @deep(
// CHECK: call void @sum(
// CHECK: call double @whole(
// CHECK: call double @kept(
// CHECK: call double @wide(
void others(void) { NEST(double v[2] = {i, 1}; A[i] = deep(v, 2); sum(v); A[i] += whole(v) + kept(v) + wide(v)) }
// CHECK-LABEL: define {{.*}}@outside(
// CHECK: call double @norm(
double outside(double x) {
  double v[2] = {x, 1};
  return norm(v);
}
// A result that it puts where a pointer leads is a variable of the nest, not memory.
static void put(double x, double *to) { *(double *)__dvmm_access(to, 1, "K w\nC 0\nG h\nT *to\nS 8\nY f") = x; }
// CHECK-LABEL: define {{.*}}@result(
// CHECK-NOT: __dvmrt_born
// CHECK: ret void
void result(void) {
  NEST(double r; put(i, &r); A[i] = R8(r, 2, "C 0\nG l\nT r"));
}
