/* Any bytes as a directive: lexer and parser answer, every range of the tree lies in the directive, every error is at
 * one of its tokens.  The same tokens are tried cut short and with wrong kinds, as a caller with another lexer might
 * send. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/directive/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct dvm_parse_error *e, const struct dvm_token *tokens, size_t ntokens, size_t end) {
  if (e->token > ntokens || e->loc != (e->token < ntokens ? tokens[e->token].loc : end))
    abort();
  if (!e->text[0] || !memchr(e->text, 0, sizeof e->text) || !memchr(e->suggestion, 0, sizeof e->suggestion))
    abort();
}

static void parse(const struct dvm_token *tokens, size_t ntokens, size_t end) {
  struct dvm_parse_error error;
  struct dvm_directive *d;
  int rc = dvm_directive_parse(tokens, ntokens, end, &d, &error);
  if (rc == -EINVAL)
    check_error(&error, tokens, ntokens, end);
  else if (rc == 0) {
    struct dvm_text printed = DVM_TEXT_INIT;
    print_directive(&printed, d, tokens, ntokens);
    dvm_text_fini(&printed);
  }
  dvm_directive_destroy(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvm_token *tokens;
  size_t ntokens;
  struct dvm_parse_error error;
  uint32_t hash = 2166136261u;
  if (dvm_directive_lex((const char *)data, size, &tokens, &ntokens, &error)) {
    if (error.loc >= size || !error.text[0])
      abort();
    return 0;
  }
  parse(tokens, ntokens, size);
  parse(tokens, ntokens / 2, size);
  for (size_t i = 0; i < ntokens; i++) {
    hash = (hash ^ data[tokens[i].loc]) * 16777619u;
    if (hash % 16 == 0)
      tokens[i].kind = (enum dvm_token_kind)(hash / 16 % (DVM_TOK_PUNCT + 1));
    if (hash % 64 == 1)
      tokens[i].len = 0;
  }
  parse(tokens, ntokens, size);
  free(tokens);
  return 0;
}
