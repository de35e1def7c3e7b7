/* syscall(2): calls that may wait are made by mpir_crs_syscall_waiting, all others here, as libc makes them: without a frame, so that a child made
   by clone(2) returns as it does from libc's. */
	.text
	.globl	syscall
	.type	syscall, @function
syscall:
	.cfi_startproc
	endbr64
	cmpq	$512, %rdi
	jae	1f
	leaq	mpir_crs_waiting_calls(%rip), %rax
	btq	%rdi, (%rax)
	jc	mpir_crs_syscall_waiting
1:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	2f
	ret
2:	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	syscall, .-syscall
	.section .note.GNU-stack,"",@progbits
