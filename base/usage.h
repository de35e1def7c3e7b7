/* What commands say about a wrong command line: one line on standard error that names the word, and the exit status 2.
 * 'command' is the command's name as the user typed it after 'dvm'. */
#ifndef DVM_BASE_USAGE_H
#define DVM_BASE_USAGE_H
#include <getopt.h>
#include <stdbool.h>

enum { DVM_USAGE_STATUS = 2 };

/* "dvm COMMAND: error: TEXT; 'dvm help COMMAND' says more".  Returns DVM_USAGE_STATUS. */
int dvm_usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The option that getopt_long refused just now by returning 'c'.  The caller has set 'opterr' to 0 and begins its short
 * options with ':' (behind '+').  Returns DVM_USAGE_STATUS. */
int dvm_usage_refused(const char *command, int c, char *const *argv, const struct option *options);

/* Whether 'text' as a whole is a decimal number from 'low' to 'high'; then '*to' is it, else it is unchanged.  The second
 * takes fractions too. */
bool dvm_usage_number(const char *text, unsigned long low, unsigned long high, unsigned long *to);
bool dvm_usage_real(const char *text, double low, double high, double *to);
#endif
