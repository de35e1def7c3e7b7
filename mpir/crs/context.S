/* struct mpir_context: rbx rbp r12 r13 r14 r15 rsp rip, eight bytes each. */
	.text
	.globl	mpir_context_save
	.hidden	mpir_context_save
	.type	mpir_context_save, @function
mpir_context_save:
	.cfi_startproc
	endbr64
	movq	%rbx, 0(%rdi)
	movq	%rbp, 8(%rdi)
	movq	%r12, 16(%rdi)
	movq	%r13, 24(%rdi)
	movq	%r14, 32(%rdi)
	movq	%r15, 40(%rdi)
	leaq	8(%rsp), %rdx		/* the stack pointer after our return */
	movq	%rdx, 48(%rdi)
	movq	(%rsp), %rdx
	movq	%rdx, 56(%rdi)
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	mpir_context_save, .-mpir_context_save
	.section .note.GNU-stack,"",@progbits
