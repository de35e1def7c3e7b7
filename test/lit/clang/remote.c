// Intent: a reference under remote_access is bound to the values that its subscripts had at the directive only where the section
// has a subscript: what an empty bracket holds does not depend on them.
// RUN: %dvm_marks %s | FileCheck %s
#define N 8
#pragma dvm array distribute[block][*]
double A[N][N];
#pragma dvm array align([i] with A[i][])
double b[N];
int column[N];
void f(int n) {
#pragma dvm parallel([i] on b[i]) remote_access(A[][n])
  for (int i = 0; i < N; i++) {
    // CHECK-DAG: T A[column[i]][n]\0A{{.*}}\0AM ?\00
    b[i] = A[column[i]][n];
    n++;
  }
#pragma dvm parallel([i] on b[i]) remote_access(A[][])
  for (int i = 0; i < N; i++) {
    int k = column[i];
    // CHECK-DAG: T A[k][k + 1]\0A{{.*}}\0AM 1\00
    b[i] = A[k][k + 1];
    k++;
  }
}
