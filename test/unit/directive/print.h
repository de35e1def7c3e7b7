/* A directive as an s-expression, every field and range of it, so that a test compares the whole tree. */
#ifndef DVM_TEST_DIRECTIVE_PRINT_H
#define DVM_TEST_DIRECTIVE_PRINT_H
#include <stddef.h>

#include "base/text.h"
#include "pass/directive/directive.h"

/* Appends d.  Aborts if a range or token lies outside of tokens[ntokens). */
void print_directive(struct dvm_text *out, const struct dvm_directive *d, const struct dvm_token *tokens, size_t ntokens);
#endif
