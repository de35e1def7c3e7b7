/* Errors of files that a command writes, including its standard output. */
#ifndef DVM_BASE_OUTPUT_H
#define DVM_BASE_OUTPUT_H

/* First in 'main'.  Programs that are started from here find both as they were.
 * A write beyond the limit of file sizes ('ulimit -f') fails with EFBIG, as one on a full disk does with ENOSPC, and does not end
 * this process, whose unfinished files nobody would remove.
 * A standard stream that is closed stays so: no file that is opened gets its descriptor, and then its output. */
void dvm_output_begin(void);

/* Last in 'main', with the exit status: writes what standard output holds back.  If any of it was lost says so on standard error and
 * makes a status of 0 to 1. */
int dvm_output_end(int status);
#endif
