// Intent: once functions have been put inline, an object that nobody else can see and that has a value before it is read is told of no
// more; what a copy brings without a value is kept for a home of it, behind one test, of the source.
// RUN: %dvm_clang -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "marks.h"
static void *wrapped(void *to, const void *from, unsigned long n) { return __builtin_memcpy(to, from, n); }
static long value(const void *p) {
  long v;
  wrapped(&v, p, sizeof v);
  return R8(v, 1, "C 0\nG l\nT v");
}
long one(const void *p) { return value(p); }
// CHECK-LABEL: define {{.*}}@one(
// CHECK-NOT: __dvmrt_born
// CHECK: load i16, ptr
// CHECK-NOT: load i16
// CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label
// CHECK: {{^}}[[SLOW]]:
// CHECK: call void @__dvmrt_look_copy(ptr {{.*}} %[[HOME:.*]], ptr {{.*}}, i64 8, ptr null, ptr null, i32 1)
// CHECK: call void @__dvmrt_touch(ptr {{.*}}%[[HOME]], i64 8,
// CHECK: call void @__dvmrt_assign(ptr {{.*}}%[[HOME]], i64 8)
// CHECK-NOT: __dvmrt_
// CHECK: ret i64
static void set(long *p, long k) { *p = k; }
long given(long k) {
  long v;
  set(&v, k);
  return R8(v, 2, "C 0\nG l\nT v") + 1;
}
// CHECK-LABEL: define {{.*}}@given(
// CHECK-NOT: __dvmrt_{{born|look|touch|assign}}
// CHECK: ret i64
long maybe(const void *p, int k) {
  long v;
  if (k)
    wrapped(&v, p, sizeof v);
  return R8(v, 3, "C 0\nG l\nT v");
}
// CHECK-LABEL: define {{.*}}@maybe(
// CHECK: call void @__dvmrt_born(
// CHECK: ret i64
long sum(const char *p, long n) {
  long s = 0;
  for (long i = 0; i < n; i++, p += 8)
    s += value(p);
  return s;
}
// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call i32 @__dvmrt_run(ptr %{{.*}}, i64 8, i64 %{{.*}}, i64 8, i32 1)
// CHECK: ret i64
// Members have their values each for itself, as those of a struct that is passed by value.
struct pair {
  long a, b;
};
static void put(struct pair *p, long a, long b) {
  p->a = a;
  p->b = b;
}
static long both(const struct pair *p) { return R8(p->a, 4, "C 0\nG p\nT p->a") + R8(p->b, 5, "C 0\nG p\nT p->b"); }
long parts(long a, long b) {
  struct pair p;
  put(&p, a, b);
  return both(&p);
}
// CHECK-LABEL: define {{.*}}@parts(
// CHECK-NOT: __dvmrt_{{born|look|touch|assign}}
// CHECK: ret i64
long by_value(struct pair p) { return both(&p); }
// CHECK-LABEL: define {{.*}}@by_value(
// CHECK-NOT: __dvmrt_{{born|look|touch|assign}}
// CHECK: ret i64
long half(long a, int k) {
  struct pair p;
  p.a = a;
  if (k)
    p.b = 1;
  return both(&p);
}
// CHECK-LABEL: define {{.*}}@half(
// CHECK: call void @__dvmrt_born(
// CHECK: ret i64
