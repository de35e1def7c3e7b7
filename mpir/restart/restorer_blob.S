	.section .rodata
	.globl	mpir_restorer_code
	.globl	mpir_restorer_code_end
	.balign	16
mpir_restorer_code:
	.incbin RESTORER_BINARY
mpir_restorer_code_end:
	.section .note.GNU-stack,"",@progbits
