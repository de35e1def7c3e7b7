// Intent: each mark has a site of its own in the section, one constructor per linked object registers them (and a
// destructor takes them back), and IR that went through the pass once is left alone.
// RUN: %dvm_ir %s > %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %opt -passes=dvm -S %t.ll | FileCheck %s
#include "marks.h"
int f(int *a) { return R4(*a, 1, "T a") + R4(*a, 2, "T a"); }
// CHECK: $dvmrt.module_ctor = comdat any
// CHECK: $dvmrt.module_dtor = comdat any
// CHECK: @[[TEXT:.*]] = private unnamed_addr constant [12 x i8] c"K r\0AS 4\0AT a\00"
// CHECK: @dvm.site = private global { ptr, ptr } { ptr @[[TEXT]], ptr null }, section "dvmrt_sites", align 8
// CHECK: @dvm.site.1 = private global { ptr, ptr } { ptr @[[TEXT]], ptr null }, section "dvmrt_sites", align 8
// CHECK-NOT: @dvm.site
// CHECK: @__start_dvmrt_sites = extern_weak hidden global i8
// CHECK: @__stop_dvmrt_sites = extern_weak hidden global i8
// CHECK: @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @dvmrt.module_ctor, ptr @dvmrt.module_ctor }]
// CHECK: @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @dvmrt.module_dtor, ptr @dvmrt.module_dtor }]
// CHECK-NOT: __dvmm_
// CHECK: define linkonce_odr hidden void @dvmrt.module_ctor() {{.*}}comdat
// CHECK-NEXT: call void @__dvmrt_module_{{[0-9]+}}_compile_this_file_again_with_the_present_dvmcc(ptr @__start_dvmrt_sites, ptr @__stop_dvmrt_sites)
// CHECK-NOT: define {{.*}}module_ctor
// CHECK: define linkonce_odr hidden void @dvmrt.module_dtor() {{.*}}comdat
// CHECK-NEXT: call void @__dvmrt_module_gone(ptr @__start_dvmrt_sites, ptr @__stop_dvmrt_sites)
// CHECK: !"dvm-instrumented", i32 1}
