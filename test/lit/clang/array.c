// Intent: declarations of arrays become directives that run where the array begins to live: static ones in a constructor, local
// ones at their declaration, pointers when they get a value.
// RUN: %dvm_marks %s | FileCheck %s
#include <stdlib.h>
#pragma dvm template[20] distribute[block]
void *T;
#pragma dvm array align([i] with T[2 * i])
static float A[10];
void f(int n) {
#pragma dvm array distribute[block][*] shadow[2:1][0:0]
  double V[n][5];
#pragma dvm array distribute[block]
  int *P;
  P = malloc(n * sizeof(int));
#pragma dvm redistribute(T[*])
  V[1][2] = P[0] = (int)A[3];
}
// CHECK-DAG: @[[V:[.a-z0-9]*]] = {{.*}}c"K array\0A{{.*}}\0AA V af8 & 8 2 # 5\0AD block *\0AW 2:1 0:0\00"
// CHECK-DAG: @[[P:[.a-z0-9]*]] = {{.*}}c"K bind\0A{{.*}}\0AA P pi4 & 4 1 *\0AD block\00"
// CHECK-DAG: @[[R:[.a-z0-9]*]] = {{.*}}c"K redistribute\0A{{.*}}\0AA T t & 0 0\0AD *\00"
// CHECK-DAG: @[[T:[.a-z0-9]*]] = {{.*}}c"K template\0A{{.*}}\0AT T & 1 20\0AD block\0Av visible\00"
// CHECK-DAG: @[[A:[.a-z0-9]*]] = {{.*}}c"K array\0A{{.*}}\0AA A af4 & 4 1 10\0AG T t & 0 0\0AX a0:2:0\0AN 1 i\00"
// CHECK-DAG: @llvm.global_ctors = {{.*}} @dvm_register,
// CHECK-LABEL: define {{.*}}@f(
// CHECK: call void (ptr, ...) @__dvmm_direct(ptr noundef @[[V]], ptr noundef %vla, i64 noundef %{{.*}})
// CHECK: %[[NEW:.*]] = call {{.*}}ptr @malloc(
// CHECK: %[[VALUE:.*]] = call ptr (ptr, ptr, ...) @__dvmm_bind(ptr noundef %[[NEW]], ptr noundef @[[P]]
// CHECK: store ptr %[[VALUE]], ptr %
// CHECK: call void (ptr, ...) @__dvmm_direct(ptr noundef @[[R]], ptr noundef @T)
// An extent that is known at run time comes with the access.
// CHECK: call i64 @__dvmm_index(i64 noundef %{{.*}}, i64 noundef [[ID:[0-9]+]], i64 noundef 16)
// CHECK: call ptr @__dvmm_access(ptr noundef %{{.*}}, i64 noundef [[ID]],
// CHECK-LABEL: define {{.*}}@dvm_register(
// CHECK: call void (ptr, ...) @__dvmm_direct(ptr noundef @[[T]], ptr noundef @T)
// CHECK: call void (ptr, ...) @__dvmm_direct(ptr noundef @[[A]], ptr noundef @A, ptr noundef @T)
