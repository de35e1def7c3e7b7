/* A command at a server, from the request to its answer. */
#ifndef SDM_CALL_H
#define SDM_CALL_H
#include "sdm/gdb/backend.h"

typedef void (*sdm_call_end_f)(void *arg, uint64_t request, const json_t *args, const json_t *result, const json_t *detail,
                               const char *failure);

/* 'args' is stolen.  'end' is called once, with a result or with a failure. */
struct sdm_call *sdm_call_new(uint64_t request, json_t *args, sdm_call_end_f end, void *arg);
#endif
