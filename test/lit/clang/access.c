// Intent: each access of the source is marked with what it is: kind, place, text, root, size, subscripts; constants, index
// variables in headers and struct copies are not.
// RUN: %dvm_marks %s | FileCheck %s
struct pair { int a, b; };
const int limit = 10;
int f(double *x, int n, struct pair *p) {
  static int count;
  int t[4], i;
  t[1] = n;
  count++;
  struct pair q = *p;
  for (i = 0; i < limit; i++)
    x[i + 1] += t[1];
  return q.a + sizeof(t[n]);
}
// CHECK-DAG: c"K r\0AF {{[^ ]*}}access.c\0AP 9 10\0AT n\0AV n\0AQ 6 22 {{[^ ]*}}access.c\0AG p\0AS 4\0AC 0\00"
// CHECK-DAG: c"K w\0AF {{[^ ]*}}access.c\0AP 9 3\0AT t[1]\0AV t\0AQ 8 7 {{[^ ]*}}access.c\0AG l\0AS 4\0A{{.*}}C 0\0AX c1\0AB 4\0AE 4\00"
// CHECK-DAG: @[[COUNT:[.a-z0-9]*]] = {{.*}}c"K m\0A{{.*}}\0AT count\0AV count\0A{{.*}}\0AG s\0AS 4\0A
// CHECK-DAG: @[[X:[.a-z0-9]*]] = {{.*}}c"K m\0A{{.*}}\0AT x[i + 1]\0AV x\0A{{.*}}\0AG h\0AS 8\0A{{.*}}C 0\0AX o\0AB *\0AE 8\0AZ lhs [[NUMBER:[0-9]+]]\00"
// CHECK-DAG: c"K r\0A{{.*}}\0AT t[1]\0A{{.*}}\0AZ rhs [[NUMBER]]\00"
// CHECK-NOT: T limit
// CHECK-NOT: T *p
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %[[AT:.*]] = call ptr @__dvmm_access(ptr noundef @f.count, i64 noundef {{[0-9]+}}, ptr noundef @[[COUNT]])
// CHECK-NEXT: %[[OLD:.*]] = load i32, ptr %[[AT]]
// CHECK-NEXT: %[[NEW:.*]] = add nsw i32 %[[OLD]], 1
// CHECK-NEXT: store i32 %[[NEW]], ptr %[[AT]]
// The subscript before the element, both with the element's number.
// CHECK: %[[IX:.*]] = call i64 @__dvmm_index(i64 noundef %{{.*}}, i64 noundef [[ID:[0-9]+]], i64 noundef 0)
// CHECK: %[[ELEMENT:.*]] = getelementptr inbounds double, ptr %{{.*}}, i64 %[[IX]]
// CHECK: call ptr @__dvmm_access(ptr noundef %[[ELEMENT]], i64 noundef [[ID]], ptr noundef @[[X]])
