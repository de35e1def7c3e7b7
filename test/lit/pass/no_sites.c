// Intent: a module without marks gets no constructor and no sites.
// RUN: %dvm_ir %s | FileCheck %s
// CHECK-NOT: module_ctor
// CHECK-NOT: dvmrt_sites
int f(int a) { return a; }
