/* What another host has: what is written is read, what is no such text is refused, and what an image would miss there is counted. */
#include "mpir/image/host_facts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct mpir_host_facts *parse(const char *text) {
  struct dvm_error err = DVM_ERROR_INIT;

  return mpir_host_facts_parse(text, strlen(text), &err);
}

static bool refuses(const char *text) {
  struct mpir_host_facts *facts = parse(text);

  mpir_host_facts_free(facts);
  return !facts;
}

static void what_is_written_is_read(void **state) {
  char *text = NULL, *folders[] = {NULL};
  struct dvm_error err = DVM_ERROR_INIT;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);

  (void)state;
  assert_int_equal(mpir_host_facts_write(f, folders, &err), 0); /* this host's */
  fclose(f);
  struct mpir_host_facts *facts = mpir_host_facts_parse(text, size, &err);
  assert_non_null(facts); /* can be read */
  mpir_host_facts_free(facts);
  for (size_t cut = 1; cut < 5; cut++)
    assert_null(mpir_host_facts_parse(text, size * cut / 5, &err)); /* what was cut off on its way is refused */
  free(text);
}

static void what_is_wrong_is_refused(void **state) {
  (void)state;
  assert_false(refuses("dvm-host 1\nkernel 6.1\nvdso 8192 00000001\nend\n"));
  assert_true(refuses(""));
  assert_true(refuses("dvm-host 2\nkernel 6.1\nend\n"));                        /* another version */
  assert_true(refuses("dvm-host 1\nkernel 6.1\n"));                             /* no end */
  assert_true(refuses("dvm-host 1\nkernel 6.1\nfile 1 2 relative\nend\n"));     /* a path that is none */
  assert_true(refuses("dvm-host 1\nkernel 6.1\nfile one 2 /lib/x\nend\n"));     /* a size that is none */
  assert_true(refuses("dvm-host 1\nkernel 6.1\nsomething else\nend\n"));
}

static void areas_have_a_limit(void **state) {
  char text[4096] = "dvm-host 1\nkernel 6.1\n";

  (void)state;
  for (int i = 0; i < 17; i++)
    strcat(text, "area [vvar] 4096\n");
  strcat(text, "end\n");
  assert_true(refuses(text)); /* no more than there is room for */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(what_is_wrong_is_refused),
                                     cmocka_unit_test(areas_have_a_limit)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
