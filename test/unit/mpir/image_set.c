/* The list of a set: what is written is read again, what is not as it should be is refused. */
#include "mpir/image/image_set.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "mpir/image/crc32c.h"

/* The text with its sum behind it. */
static struct mpir_set *parse(const char *text) {
  struct dvm_error err = DVM_ERROR_INIT;
  char whole[4096];
  int n = snprintf(whole, sizeof(whole), "%schecksum %08x\n", text, mpir_crc32c(0, text, strlen(text)));

  return mpir_set_parse(whole, (size_t)n, &err);
}

static bool refuses(const char *text) {
  struct mpir_set *set = parse(text);

  mpir_set_free(set);
  return !set;
}

static void what_is_written_is_read(void **state) {
  struct mpir_set_member members[] = {
      {.pid = 10, .ppid = 0, .pgid = 0, .sid = 0, .image = "10.ckpt"},
      {.pid = 12, .ppid = 10, .pgid = 12, .sid = 12, .image = "12.ckpt"},
      {.pid = 11, .ppid = 12, .pgid = 12, .sid = 12, .ended = true, .status = 256},
  };
  struct mpir_set_end ends[] = {{0, 1}, {1, 3}};
  struct mpir_set_share shares[] = {{0, 2}};
  struct mpir_set set = {members, ends, shares, 3, 2, 1, 12}, *back;
  struct dvm_error err = DVM_ERROR_INIT;
  char folder[] = "/tmp/dvm-set.XXXXXX";

  (void)state;
  assert_true(mkdtemp(folder) && !mpir_set_write(&set, folder, &err)); /* a list is written */
  assert_true(mpir_set_is(folder)); /* its folder is a set */
  back = mpir_set_read(folder, &err);
  assert_true(back && back->member_count == 3 && !memcmp(back->members, members, sizeof(members))); /* its processes are read again */
  assert_true(back && back->share_count == 1 && back->end_count == 2 && back->ends[1].member == 1 && back->ends[1].fd == 3 &&
              back->foreground == 12); /* and what they share */
  assert_true(mpir_set_write(&set, folder, &err) < 0); /* a list is not written over another */
  mpir_set_free(back);
  mpir_set_remove(folder);
  assert_true(access(folder, F_OK) != 0 && !mpir_set_is(folder)); /* a set is removed */
}

static void what_is_wrong_is_refused(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  const char good[] = "dvm-set 1\nmember 1 0 0 0 1.ckpt\nmember 2 1 0 0 2.ckpt\n";
  struct mpir_set *set = parse(good);

  (void)state;
  assert_true(set && mpir_set_find(set, 2) == 1 && mpir_set_find(set, 3) == -1); /* processes are found by number */
  mpir_set_free(set);
  assert_true(!mpir_set_parse(good, strlen(good), &err)); /* a list without a sum is refused */
  assert_true(refuses("dvm-set 2\nmember 1 0 0 0 1.ckpt\n")); /* another version */
  assert_true(refuses("dvm-set 1\n")); /* no process */
  assert_true(refuses("dvm-set 1\nended 1 0 0 0 0\n")); /* one that has ended, without a parent */
  assert_true(refuses("dvm-set 1\nmember 2 1 0 0 2.ckpt\nmember 1 0 0 0 1.ckpt\n")); /* a child before its parent */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 1.ckpt\nmember 1 0 0 0 1.ckpt\n")); /* a number twice */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 ../1.ckpt\n")); /* an image outside the folder */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 ..\n")); /* the folder above as an image */
  assert_true(refuses("dvm-set 1\nmember 99999999999 0 0 0 1.ckpt\n")); /* a number that is too large */
  assert_true(refuses("dvm-set 1\nmember -1 0 0 0 1.ckpt\n")); /* a negative number */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 1.ckpt\nshare 1:2\n")); /* a share of one */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 1.ckpt\nshare 1:2 2:2\n")); /* a share with a stranger */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 1.ckpt\nshare 1:2 1:\n")); /* a share without a descriptor */
  assert_true(refuses("dvm-set 1\nmember 1 0 0 0 1.ckpt\nunknown 1\n")); /* an unknown line */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(what_is_wrong_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
