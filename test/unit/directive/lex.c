/* The text lexer: kinds, extents, positions, and what it refuses. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "pass/directive/directive.h"

static const struct sample {
  const char *text, *tokens; /* kind letter and text of each: w n s c p */
} samples[] = {
    {"", ""},
    {" \t\r\n\v\f", ""},
    {"parallel([i]on A[i+1])", "w'parallel' p'(' p'[' w'i' p']' w'on' w'A' p'[' w'i' p'+' n'1' p']' p')'"},
    {"a.b->c ...", "w'a' p'.' w'b' p'->' w'c' p'...'"},
    {"x<<=1>>2<=3<4", "w'x' p'<<=' n'1' p'>>' n'2' p'<=' n'3' p'<' n'4'"},
    {"a+++b---c", "w'a' p'++' p'+' w'b' p'--' p'-' w'c'"},
    {"1.5e+3f 0x1p-3 .5 1..2 0xe+1 1+1", "n'1.5e+3f' n'0x1p-3' n'.5' n'1..2' n'0xe+1' n'1' p'+' n'1'"},
    {"\"a\\\"b\" L\"w\" u8\"x\" 'c' L'\\''", "s'\"a\\\"b\"' s'L\"w\"' s'u8\"x\"' c''c'' c'L'\\'''"},
    {"u8 L u8x", "w'u8' w'L' w'u8x'"},
    {"a/**/b/* x */c//d\ne", "w'a' w'b' w'c' w'e'"},
    {"a/b", "w'a' p'/' w'b'"},
    {"a\\\nb\\\r\nc", "w'a' w'b' w'c'"},
    {"<:i:> <% %>", "p'<:' w'i' p':>' p'<%' p'%>'"},
    {"a=>b", "w'a' p'=' p'>' w'b'"},
    {"@d$1 _x9", "p'@' w'd$1' w'_x9'"},
    {"\xd1\x8f=1", "w'\xd1\x8f' p'=' n'1'"},
    {"a?b:c!=d==e&&f||g&h|i^j~k!l%m", "w'a' p'?' w'b' p':' w'c' p'!=' w'd' p'==' w'e' p'&&' w'f' p'||' w'g' p'&' "
                                      "w'h' p'|' w'i' p'^' w'j' p'~' w'k' p'!' w'l' p'%' w'm'"},
};

static void tokens_have_kind_extent_and_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    struct dvm_token *tokens;
    size_t ntokens;
    struct dvm_parse_error error;
    struct dvm_text shown = DVM_TEXT_INIT;
    const char *text = samples[i].text;
    assert_int_equal(dvm_directive_lex(text, strlen(text), &tokens, &ntokens, &error), 0);
    for (size_t k = 0; k < ntokens; k++) {
      assert_ptr_equal(tokens[k].text, text + tokens[k].loc);
      dvm_text_printf(&shown, "%s%c'%.*s'", k ? " " : "", "wnscp"[tokens[k].kind], (int)tokens[k].len, tokens[k].text);
    }
    assert_string_equal(dvm_text_str(&shown), samples[i].tokens);
    dvm_text_fini(&shown);
    free(tokens);
  }
}

static const struct bad {
  const char *text;
  size_t len, loc;
  const char *error;
} bads[] = {
    {"a \"b", 4, 2, "this string is not terminated"},          {"a \"b\n\"", 6, 2, "this string is not terminated"},
    {"a \"b\\", 5, 2, "this string is not terminated"},        {"a \"b\\\"", 6, 2, "this string is not terminated"},
    {"L'", 2, 0, "this character constant is not terminated"}, {"a /* b *", 8, 2, "this comment is not terminated"},
    {"/*/", 3, 0, "this comment is not terminated"},           {"a`b", 3, 1, "this byte does not begin a C token"},
    {"a\0b", 3, 1, "this byte does not begin a C token"},      {"a\\b", 3, 1, "this byte does not begin a C token"},
    {"a\\", 2, 1, "this byte does not begin a C token"},       {"\177", 1, 0, "this byte does not begin a C token"},
};

static void bad_bytes_are_refused_at_their_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
    struct dvm_token *tokens = (struct dvm_token *)1;
    size_t ntokens = 1;
    struct dvm_parse_error error;
    assert_int_equal(dvm_directive_lex(bads[i].text, bads[i].len, &tokens, &ntokens, &error), -EINVAL);
    assert_string_equal(error.text, bads[i].error);
    assert_int_equal(error.loc, bads[i].loc);
    assert_null(tokens);
    assert_int_equal(ntokens, 0);
  }
}

/* The text need not be terminated: nothing past 'len' is read (a sanitizer run would tell). */
static void text_ends_at_its_length(void **state) {
  (void)state;
  static const char *const ends[] = {"a+", "a<", "1e", "1e+", "u8", "L", "a/", "a//", "a.", "..", "%:%"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t len = strlen(ends[i]), ntokens;
    char *text = malloc(len);
    struct dvm_token *tokens;
    struct dvm_parse_error error;
    assert_non_null(text);
    memcpy(text, ends[i], len);
    assert_int_equal(dvm_directive_lex(text, len, &tokens, &ntokens, &error), 0);
    assert_true(ntokens > 0 && tokens[ntokens - 1].loc + tokens[ntokens - 1].len <= len);
    free(tokens);
    free(text);
  }
}

static void too_many_tokens_are_refused(void **state) {
  (void)state;
  size_t len = DVM_TOKENS_MAX + 1, ntokens;
  char *text = malloc(len);
  struct dvm_token *tokens;
  struct dvm_parse_error error;
  assert_non_null(text);
  memset(text, ',', len);
  assert_int_equal(dvm_directive_lex(text, len - 1, &tokens, &ntokens, &error), 0);
  assert_int_equal(ntokens, DVM_TOKENS_MAX);
  free(tokens);
  assert_int_equal(dvm_directive_lex(text, len, &tokens, &ntokens, &error), -EINVAL);
  assert_int_equal(error.loc, DVM_TOKENS_MAX);
  assert_string_equal(error.text, "the directive is too long");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tokens_have_kind_extent_and_place),
      cmocka_unit_test(bad_bytes_are_refused_at_their_place),
      cmocka_unit_test(text_ends_at_its_length),
      cmocka_unit_test(too_many_tokens_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
