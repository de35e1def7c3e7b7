// Intent: a parallel loop becomes one statement that is entered once; rows and iterations are marked inside; its text has the
// clauses, in which '&' and '#' stand for the arguments.
// RUN: %dvm_marks %s | FileCheck %s
#define N 10
#pragma dvm array distribute[block][block] shadow[1:1][0:2]
double A[N][N];
#pragma dvm array align([i][j] with A[i][j + 1])
double B[N][N - 1];
void f(int n) {
  double s = 0, t;
  int i, j;
#pragma dvm parallel([i][j] on A[i][2 * j + n]) private(t) reduction(max(s)) shadow_renew(A[1:0][0:1]) remote_access(B[][n])
  for (i = N - 2; i > 0; i--)
    for (j = 0; j < n; j += 3) {
      t = A[i - 1][j] + B[i][n];
      if (t > s)
        s = t;
    }
}
// CHECK-DAG: @[[SITE:[.a-z0-9]*]] = {{.*}}c"K parallel 1\0Af {{[0-9]+}}\0AF {{[^ ]*}}nest.c\0AP 12 13\0AN 2 i j\0AQ 13 3\0AS -1 3\0AO A af8 & 8 2 10 10\0AX a0:1:0\0AX a1:2:#\0AV t & 8 f8\0AR max s & 8 1 f8\0AH A af8 & 8 2 10 10\0AW 1:0 0:1\0AM B af8 & 8 2 10 9\0AX e\0AX c#\0AU A & r\0AU B & r\00"
// CHECK-DAG: c"K r\0A{{.*}}\0AT i\0A{{.*}}\0AC 1\0AI 0\00"
// CHECK-DAG: c"K r\0A{{.*}}\0AT A[i - 1][j]\0A{{.*}}\0AC 1\0AX a0:1:-1\0AB 10\0AX a1:1:0\0AB 10\0AE 8\0AD 0\00"
// The reference agrees with the section: it uses the buffer.
// CHECK-DAG: c"K r\0A{{.*}}\0AT B[i][n]\0A{{.*}}\0AC 1\0AX a0:1:0\0AB 10\0AX o n\0AB 9\0AE 8\0AD 1\0AM 1\00"
// CHECK-LABEL: define {{.*}}@f(
// CHECK: %[[GO:.*]] = call i32 (ptr, ...) @__dvmm_enter(ptr noundef @[[SITE]], ptr noundef @A, i64 noundef %{{.*}}, ptr noundef %t, ptr noundef %s, ptr noundef @A, ptr noundef @B, i64 noundef %{{.*}}, ptr noundef @A, ptr noundef @B)
// CHECK: %[[TRUE:.*]] = icmp ne i32 %[[GO]], 0
// CHECK: br i1 %[[TRUE]],
// CHECK: call void @__dvmm_row(i64 noundef 1)
// CHECK: store i32 0, ptr %j
// CHECK: call void (i64, i64, ...) @__dvmm_iter(i64 noundef 1, i64 noundef 2, ptr noundef %i, i64 noundef -4, ptr noundef %j, i64 noundef -4)
// CHECK: call void @__dvmm_leave(i64 noundef 1)
// CHECK-NOT: call {{.*}}__dvmm_leave
