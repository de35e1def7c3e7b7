/* Part of libdvmcr.a alone: a note in the program that says that it holds the checkpointer, so that a preloaded one stays out of the way. */
	.globl	mpir_crs_linked_note
	.hidden	mpir_crs_linked_note
	.section .note.dvmcr, "a", @note
	.balign	4
mpir_crs_linked_note:
	.long	6, 4, 1
	.asciz	"DVMCR"
	.balign	4
	.long	1
	.section .note.GNU-stack,"",@progbits
