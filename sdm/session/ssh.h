/* Commands on other hosts, by ssh or what takes its place. */
#ifndef SDM_SSH_H
#define SDM_SSH_H
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define SDM_SSH_WORDS 64

/* The command line that has the shell of 'host' run 'script' into 'words' (SDM_SSH_WORDS of them, NULL-terminated), which point into 'host',
 * 'script' and the returned copy, to be freed.  'ssh': its words; NULL: those of DVM_SSH, or "ssh -o BatchMode=yes". */
char *sdm_ssh_words(const char *ssh, const char *host, const char *script, const char **words);
/* Adds what 'script' prints on 'host' to 'answer'.  0; -EIO: it failed, or said nothing for 'patience_ms'. */
int sdm_ssh_ask(const char *ssh, const char *host, const char *script, int patience_ms, struct dvm_text *answer, struct dvm_error *err);
#endif
