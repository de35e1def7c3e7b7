/* Reports entries of a configuration that match nothing in a program, since a misspelt name would otherwise go unnoticed. */
#ifndef DVM_TRACE_CONFIG_CHECK_H
#define DVM_TRACE_CONFIG_CHECK_H
#include "driver/trace/format/reader.h"
#include "runtime/trace/config.h"

/* Against the definitions that 'trace' has read so far.  'records': it has some; 'places': those of constructs are of this program. */
void dvmt_config_check(const char *path, const struct dvmt_config *config, const struct dvmt_reader *trace, bool records, bool places);
/* The configuration in 'path' against a trace that was recorded with it.  0, or -E... */
int dvmt_config_check_file(const char *path, const char *trace, struct dvm_error *err);
#endif
