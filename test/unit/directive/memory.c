/* Each allocation fails in turn: the answer is -ENOMEM, nothing is left behind, and the next try succeeds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/unit/directive/forms.h"
#include "test/unit/directive/print.h"

/* The linker leads malloc, calloc, realloc and free of the library here (--wrap). */
static long allocations_left = -1; /* -1: no limit */
static long held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

static int may_allocate(void) {
  if (allocations_left == 0)
    return 0;
  allocations_left -= allocations_left > 0;
  return 1;
}

void *__wrap_malloc(size_t size) {
  void *p = may_allocate() ? __real_malloc(size) : NULL;
  held += p != NULL;
  return p;
}
void *__wrap_calloc(size_t n, size_t size) {
  void *p = may_allocate() ? __real_calloc(n, size) : NULL;
  held += p != NULL;
  return p;
}
void *__wrap_realloc(void *old, size_t size) {
  void *p = may_allocate() ? __real_realloc(old, size) : NULL;
  held += p && !old;
  return p;
}
void __wrap_free(void *p) {
  held -= p != NULL;
  __real_free(p);
}

/* Parses with 'limit' allocations.  Returns 0 or -ENOMEM. */
static int parse_with(const char *text, long limit) {
  struct dvm_token *tokens;
  size_t ntokens;
  struct dvm_parse_error error;
  struct dvm_directive *d = NULL;
  long before = held;
  allocations_left = limit;
  int rc = dvm_directive_lex(text, strlen(text), &tokens, &ntokens, &error);
  if (!rc)
    rc = dvm_directive_parse(tokens, ntokens, strlen(text), &d, &error);
  allocations_left = -1;
  assert_true((rc == 0) == (d != NULL));
  if (rc)
    assert_true(rc == -ENOMEM && held == before + (tokens != NULL));
  dvm_directive_destroy(d);
  free(tokens);
  assert_int_equal(held, before);
  return rc;
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  for (const struct directive_form *f = directive_forms; f->text; f++) {
    long limit = 0;
    while (parse_with(f->text, limit) == -ENOMEM)
      limit++;
    assert_true(limit >= 2); /* the tokens and the directive */
  }
}

/* Long lists need many blocks; each of them is one that fails. */
static void long_lists_may_fail_too(void **state) {
  (void)state;
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_add(&t, "parallel([i] on A[i]) shadow_renew(B0");
  for (int i = 1; i < 200; i++)
    dvm_text_printf(&t, ", B%d[1:%d][0:0](corner)", i, i);
  dvm_text_add(&t, ") remote_access(C[i]");
  for (int i = 1; i < 200; i++)
    dvm_text_printf(&t, ", C%d[2*i+%d][]", i, i);
  dvm_text_add(&t, ")");
  assert_false(t.failed);
  long limit = 0;
  while (parse_with(t.s, limit) == -ENOMEM)
    limit++;
  assert_true(limit > 10);
  dvm_text_fini(&t);
}

static void destroy_takes_null(void **state) {
  (void)state;
  dvm_directive_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_allocation_may_fail),
      cmocka_unit_test(long_lists_may_fail_too),
      cmocka_unit_test(destroy_takes_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
