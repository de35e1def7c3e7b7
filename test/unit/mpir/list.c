/* Names of images: a shell reads them as they were; a folder's listing has whole images alone, oldest first. */
#include "mpir/commands/list.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "test/unit/mpir/made_image.h"

static void a_shell_reads_names_as_they_were(void **state) {
  static const char *const names[] = {"/plain/name-1.ckpt", "/with blank", "/it's", "/$HOME `id` \"x\" \\", "/ä\nö",
                                      "/a*b?[c]",           "''",          "-n"};

  (void)state;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char *quoted = NULL, command[512], got[256] = "";
    size_t size = 0;
    FILE *f = open_memstream(&quoted, &size);

    mpir_list_quote(f, names[i]);
    fclose(f);
    snprintf(command, sizeof(command), "printf '%%s|' %s", quoted);
    f = popen(command, "r");
    got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
    pclose(f);
    free(quoted);
    assert_int_equal(got[strlen(got) - 1], '|');
    got[strlen(got) - 1] = '\0';
    assert_string_equal(got, names[i]); /* one word, and that one */
  }
}

static void put(const char *folder, const char *name, const void *bytes, size_t size) {
  char path[256];
  FILE *f;

  snprintf(path, sizeof(path), "%s/%s", folder, name);
  f = fopen(path, "w");
  assert_true(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

static void whole_images_alone_are_listed(void **state) {
  static struct made_image made;
  char folder[] = "/tmp/dvm-list.XXXXXX", command[64], out[64], text[4096] = "";
  struct dvm_error err = DVM_ERROR_INIT;
  int before, rc;
  FILE *f;

  (void)state;
  made_init(&made);
  assert_non_null(mkdtemp(folder));
  made.header.taken_at_ns = 2000;
  made_close(&made);
  put(folder, "a-1-1.ckpt", made.bytes, made.size);
  made.header.taken_at_ns = 1000;
  made_close(&made);
  put(folder, "b-1-2.ckpt", made.bytes, made.size);
  put(folder, "cut.ckpt", made.bytes, made.size / 2);
  put(folder, "none.ckpt", "no image", 8);
  put(folder, "b-1-2.ckpt.breakpoints", "{}", 2);
  snprintf(out, sizeof(out), "%s/out", folder);
  fflush(stdout);
  before = dup(1);
  assert_non_null(freopen(out, "w", stdout));
  rc = mpir_list(folder, true, &err);
  fflush(stdout);
  dup2(before, 1);
  close(before);
  assert_int_equal(rc, 0);
  f = fopen(out, "r");
  text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
  fclose(f);
  const char *first = strstr(text, "b-1-2.ckpt\n"), *second = strstr(text, "a-1-1.ckpt\n");
  assert_true(first && second && first < second); /* oldest first, each a line */
  assert_true(!strncmp(text, "MPIR_checkpoint_handle) ", 24)); /* as a debugger reads it */
  assert_true(!strstr(text, "cut") && !strstr(text, "none") && !strstr(text, "breakpoints")); /* nothing else */
  snprintf(command, sizeof(command), "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(mpir_list("/no/such/folder", true, &err), 0); /* one that comes with the first image */
  assert_true(mpir_list("/proc/self/status", true, &err) < 0);  /* and what is no folder */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_shell_reads_names_as_they_were), cmocka_unit_test(whole_images_alone_are_listed)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
