/* What a directive or a construct was called with, for people. */
#ifndef DVMT_CALL_H
#define DVMT_CALL_H
#include <stddef.h>
#include <stdint.h>

/* "E[17][17], distribute [block][*]": the clauses of a directive's site text, with 'args' for its '#' and '&'; "" without any. */
void dvmt_call_text(const char *text, const uint64_t *args, uint32_t nargs, char *buf, size_t size);
#endif
