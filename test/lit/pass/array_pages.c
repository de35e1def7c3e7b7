// Intent: distributed arrays of the file lie together on pages of their own, in the order of the file; what has a section already, a pointer to an
// array and one of another file stay where they are.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -passes=dvm,verify -S | FileCheck %s
// RUN: %clang -O1 -fsanitize=address -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %opt -load=%dvm_pass -passes=dvm,verify -S | FileCheck %s --check-prefix=ASAN
// ASAN-NOT: section ".bss.dvm"
// ASAN: define
#include "marks.h"
double A[10], other[10], B[10], G[2] = {1, 2}, *P;
double named[10] __attribute__((section("mine")));
extern double far[10];
// CHECK-DAG: @A = {{.*}}global [10 x double] zeroinitializer, section ".bss.dvm", align 4096
// CHECK-DAG: @other = {{.*}}global [10 x double] zeroinitializer, align 16
// CHECK-DAG: @B = {{.*}}global [10 x double] zeroinitializer, section ".bss.dvm", align 16
// CHECK-DAG: @G = {{.*}}global [2 x double] {{.*}}, section ".data.dvm", align 4096
// CHECK-DAG: @P = {{.*}}global ptr null, align 8
// CHECK-DAG: @named = {{.*}}, section "mine", align 16
// CHECK-DAG: @dvm.bss.end = private global [4096 x i8] zeroinitializer, section ".bss.dvm", align 1
// CHECK-DAG: @dvm.data.end = private global [4096 x i8] zeroinitializer, section ".data.dvm", align 1
void declare(void) {
  __dvmm_direct("K array\nA A af8 & 8 1 10\nD block", A);
  __dvmm_direct("K array\nA B af8 & 8 1 10\nD block", B);
  __dvmm_direct("K array\nA G af8 & 8 1 2\nD block", G);
  __dvmm_direct("K array\nA P pf8 & 8 1 10\nD block", &P);
  __dvmm_direct("K array\nA named af8 & 8 1 10\nD block", named);
  __dvmm_direct("K array\nA far af8 & 8 1 10\nD block", far);
  other[1] = 2;
}
