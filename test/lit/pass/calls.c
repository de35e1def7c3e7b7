// Intent: memory management and copies have hooks; functions known to read leave things as they are; what an unknown
// function was given counts as assigned if the callee proves to be foreign; our own functions are trusted.
// RUN: %dvm_ir %s -fno-builtin | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void unknown(int *, double);
void numbers(int, double);
__attribute__((pure)) int pure(int *);
void own(int *p) { }
void heap(long n) {
  void *p = malloc(n), *q = calloc(n, 8), *r;
  q = realloc(q, 2 * n);
  posix_memalign(&r, 64, n);
  free(p);
}
// CHECK-LABEL: define {{.*}}@heap(
// CHECK: %[[P:.*]] = call {{.*}}@malloc(i64
// CHECK-NEXT: call void @__dvmrt_heap_new(ptr %[[P]], i64
// CHECK: %[[Q:.*]] = call {{.*}}@calloc(
// CHECK-NEXT: mul i64 %{{.*}}, 8
// CHECK-NEXT: call void @__dvmrt_heap_zero(ptr %[[Q]], i64
// CHECK-NOT: @realloc(
// CHECK: call ptr @__dvmrt_realloc(ptr %{{.*}}, i64
// CHECK: %[[RC:.*]] = call i32 @posix_memalign(ptr {{.*}}%r,
// CHECK-NEXT: call void @__dvmrt_assign(ptr %r, i64 8)
// CHECK: %[[OK:.*]] = icmp eq i32 %[[RC]], 0
// CHECK: select i1 %[[OK]],
// CHECK: call void @__dvmrt_heap_new(
// CHECK: call void @__dvmrt_heap_free(
// CHECK-NEXT: call void @free(
void copies(char *p, char *q, long n) { memmove(p, q, n); memset(p, 0, n); strcpy(p, q); }
// CHECK-LABEL: define {{.*}}@copies(
// CHECK: call void @__dvmrt_copy_at(
// CHECK: call {{.*}}@memmove(
// CHECK: call void @__dvmrt_write_at(
// CHECK: call {{.*}}@memset(
// CHECK: call {{.*}}@strcpy(ptr {{[^%]*}}%[[TO:.*]], ptr
// CHECK-NEXT: %[[SIZE:.*]] = call i64 @__dvmrt_length(ptr %[[TO]], i64 -1)
// CHECK-NEXT: call void @__dvmrt_write_at(ptr %[[TO]], i64 %[[SIZE]], ptr null)
// CHECK-NOT: call void @__dvmrt_foreign
// CHECK: ret void
void readers(char *p) { printf("%s\n", p); puts(p); strlen(p); pure((int *)p); numbers(1, 2); own((int *)p); }
// CHECK-LABEL: define {{.*}}@readers(
// CHECK-NOT: call {{.*}}@{{dvmi_|__dvmrt_[a-z]+\(}}
// CHECK: ret void
void general(int *p, void (*f)(int *)) {
  int x;
  unknown(&x, 1);
  f(p);
}
// CHECK-LABEL: define {{.*}}@general(
// CHECK: select i1 %{{.*}}, ptr null, ptr
// CHECK: %[[BEFORE:.*]] = load ptr, ptr %{{.*}}, {{.*}}!nosanitize
// CHECK: store ptr @unknown, ptr %{{.*}}, {{.*}}!nosanitize
// CHECK-NEXT: call void @unknown(ptr {{.*}}%x,
// CHECK: %[[CALLEE:.*]] = load ptr, ptr
// CHECK: %[[FOREIGN:.*]] = icmp eq ptr %[[CALLEE]], @unknown
// CHECK: store ptr %[[BEFORE]], ptr %{{.*}}, {{.*}}!nosanitize
// CHECK: br i1 %[[FOREIGN]], label %[[THEN:.*]], label
// CHECK: {{^}}[[THEN]]:
// CHECK-NEXT: call void @__dvmrt_assign(ptr %x, i64 4)
// CHECK: call void %[[F:.*]](ptr
// CHECK: call void (ptr, ptr, i32, ...) @__dvmrt_handed_to(ptr %[[F]], ptr @dvm.table{{[.0-9]*}}, i32 1, ptr %{{.*}})
void several(int *, double *, int *, long *);
void many(int *p) {
  double x;
  int y;
  long z;
  several(p, &x, &y, &z);
}
// CHECK-LABEL: define {{.*}}@many(
// CHECK: br i1 %{{.*}}, label %[[MANY:.*]], label
// CHECK: {{^}}[[MANY]]:
// CHECK-NOT: call void @__dvmrt_{{assign|foreign|given}}
// CHECK: call void (ptr, i32, ...) @__dvmrt_handed(ptr @dvm.table{{[.0-9]*}}, i32 4, ptr %{{.*}}, ptr %x, ptr %y, ptr %z)
void assembly(int *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
// CHECK-LABEL: define {{.*}}@assembly(
// CHECK: call void asm
// CHECK-NEXT: call void @__dvmrt_foreign(ptr
