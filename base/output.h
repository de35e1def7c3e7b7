/* What may go wrong with the files that a command writes. */
#ifndef DVM_BASE_OUTPUT_H
#define DVM_BASE_OUTPUT_H

/* From now on a write beyond the limit of file sizes ('ulimit -f') fails with EFBIG, as one on a full disk does with ENOSPC, and
 * does not end this process, whose unfinished files nobody would remove.  Programs that it starts find the limit as it was. */
void dvm_output_limit_fails(void);
#endif
