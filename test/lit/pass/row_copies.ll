; Intent: a copy in a loop whose rows are told becomes one that the run-time library sums; one of a few bytes, of another loop, or in a function that
; tells no rows stays.  Of ranks the plain copy stays beside it, for rows that are not wanted.
; RUN: %opt -load=%dvm_pass -passes=dvm-row-copy,verify -S %s | FileCheck %s
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @__dvmp_row(ptr, ptr, i64)
declare void @__dvmt_row(ptr, ptr, i64)

; CHECK-LABEL: define void @rows(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
; CHECK-NEXT: [[WANTED:%.*]] = load i32, ptr @__dvmp_rows_wanted
; CHECK-NEXT: [[YES:%.*]] = icmp ne i32 [[WANTED]], 0
; CHECK-NEXT: br i1 [[YES]], label %[[SUM:.*]], label %[[COPY:.*]]
; CHECK: [[SUM]]:
; CHECK-NEXT: call void @__dvmp_row_copy(ptr %to, ptr %from, i64 %n)
; CHECK-NEXT: br label
; CHECK: [[COPY]]:
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
; CHECK-NEXT: br label
; CHECK: call void @__dvmp_row_copy(ptr %to, ptr %from, i64 %n)
; CHECK: call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
; CHECK: call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 true)
; CHECK: call void @__dvmp_row(
define void @rows(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  br label %loop
loop:
  %i = phi i64 [0, %0], [%next, %behind]
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 true)
  %wanted = icmp ne ptr %to, null
  br i1 %wanted, label %tell, label %behind
tell:
  call void @__dvmp_row(ptr %to, ptr %from, i64 8)
  br label %behind
behind:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @recorded(
; CHECK-NEXT: call void @__dvmt_row_copy(ptr %to, ptr %from, i64 4096)
define void @recorded(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4096, i1 false)
  call void @__dvmt_row(ptr %to, ptr %from, i64 8)
  ret void
}

; CHECK-LABEL: define void @plain(
; CHECK-NEXT: call void @llvm.memcpy
define void @plain(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4096, i1 false)
  ret void
}
