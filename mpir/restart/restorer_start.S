/* First byte of the copied code: entered with the plan in rdi and the stack set. */
	.section .text.start, "ax", @progbits
	.globl	_start
_start:
	xorl	%ebp, %ebp
	andq	$-16, %rsp
	call	mpir_restorer_main
	ud2
	.section .note.GNU-stack,"",@progbits
