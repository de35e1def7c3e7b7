/* What a checked program knows, read out of an image of its memory. */
#include "sdm/gdb/facts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/unit/sdm/facts_image.h"

static struct image image;

static uint64_t address; /* of the element that is asked for */

static json_t *facts(const char *what, struct dvm_error *err) {
  struct sdm_facts_source source = {image_read, &image};
  *err = (struct dvm_error)DVM_ERROR_INIT;
  return sdm_facts_read(&source, IMAGE_BASE, what, address, err);
}

static void expect(const char *what, const char *json) {
  struct dvm_error err;
  json_t *found = facts(what, &err), *wanted = json_loads(json, 0, NULL);
  char *text = found ? json_dumps(found, JSON_SORT_KEYS) : NULL;
  assert_non_null(wanted);
  if (!json_equal(found, wanted))
    print_error("%s: %s\n", what, text ? text : err.text);
  assert_true(json_equal(found, wanted));
  free(text);
  json_decref(found);
  json_decref(wanted);
}

static void refuse(const char *what, int code) {
  struct dvm_error err;
  json_t *found = facts(what, &err);
  assert_null(found);
  assert_int_equal(err.code, code);
  assert_true(err.text[0]);
}

static void reads_everything(void **state) {
  (void)state;
  image_make(&image);
  assert_true(image.used < IMAGE_BYTES);
  expect("construct", "{\"constructs\":[{\"kind\":\"parallel\",\"file\":\"a.c\",\"line\":6,\"iteration\":3,"
                      "\"indices\":[{\"name\":\"i\",\"value\":-4}]}]}");
  expect("arrays", "{\"arrays\":["
                   "{\"name\":\"B\",\"file\":\"a.c\",\"line\":3,\"extents\":[10,20],\"type\":\"double\",\"shadow\":\"[1:2][0:0]\","
                   "\"distribution\":\"align([][j] with A[-1 * j + 19][4][])\"},"
                   "{\"name\":\"A\",\"file\":\"a.c\",\"line\":3,\"extents\":[10,20],\"type\":\"double\",\"shadow\":\"[1:2][0:0]\","
                   "\"distribution\":\"distribute[block][*]\"}]}");
  expect("shadow", "{\"edges\":["
                   "{\"name\":\"B\",\"shadow\":\"[1:2][0:0]\",\"state\":\"pending\",\"renewed\":[],"
                   "\"pending\":[{\"group\":\"g\",\"edge\":\"[0:0][0:0]\"}]},"
                   "{\"name\":\"A\",\"shadow\":\"[1:2][0:0]\",\"state\":\"renewed\",\"renewed\":[\"[0:2][0:0]\"],"
                   "\"written\":{\"file\":\"a.c\",\"line\":9,\"in\":{\"kind\":\"parallel\",\"file\":\"a.c\",\"line\":6}}}]}");
  expect("diagnostics", "{\"diagnostics\":[{\"id\":\"dvm-shadow-stale\",\"severity\":\"error\",\"file\":\"a.c\",\"line\":12,\"column\":5,"
                        "\"what\":\"A\",\"count\":7,\"message\":\"'A[1]' ? is ? read\",\"clause\":\"shadow_renew(A[1:0])\","
                        "\"in\":{\"kind\":\"parallel\",\"file\":\"a.c\",\"line\":6}}]}");
  expect("stats", "{\"accesses\":11,\"loops\":[{\"kind\":\"parallel\",\"file\":\"a.c\",\"line\":6,\"entries\":2,\"iterations\":30,"
                  "\"proved\":0}]}");
}

static void sequential_part(void **state) {
  (void)state;
  image_make(&image);
  image_head(&image)->frame = 0;
  expect("construct", "{\"constructs\":[]}");
  memset(image.bytes + (image_head(&image)->findings - IMAGE_BASE), 0, 8);
  expect("diagnostics", "{\"diagnostics\":[]}");
  expect("last", "{\"diagnostic\":null}");
}

static void of_a_parallel_run(void **state) {
  (void)state;
  image_parallel(&image);
  assert_true(image.used < IMAGE_BYTES);
  expect("construct", "{\"constructs\":[{\"kind\":\"parallel\",\"file\":\"a.c\",\"line\":6,\"turn\":2,\"turns\":4,"
                      "\"indices\":[{\"name\":\"i\",\"part\":\"[5..8]\"}]}]}");
  struct dvm_error err;
  json_t *arrays = facts("arrays", &err), *a = json_array_get(json_object_get(arrays, "arrays"), 1);
  assert_string_equal(json_string_value(json_object_get(a, "own")), "[5..9][0..19]");
  assert_string_equal(json_string_value(json_object_get(a, "held")), "[4..9][0..19]");
  assert_int_equal(json_integer_value(json_array_get(json_object_get(a, "grid"), 0)), 2);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(a, "place"), 0)), 1);
  json_decref(arrays);
  address = 0x500000 + 8 * (7 * 20 + 3);
  expect("element", "{\"element\":\"A[7][3]\",\"owners\":\"1\",\"rank\":1,\"bytes\":8,\"here\":\"own\",\"state\":\"has a value\"}");
  address = 0x500000 + 8 * (4 * 20 + 5) + 7;
  expect("element",
         "{\"element\":\"A[4][5]\",\"owners\":\"0\",\"rank\":1,\"bytes\":8,\"here\":\"edge\",\"state\":\"edge, which is stale\"}");
  address = 0x500000 + 8 * 20;
  expect("element", "{\"element\":\"A[1][0]\",\"owners\":\"0\",\"rank\":1,\"bytes\":8,\"here\":\"no\",\"state\":\"has a value\"}");
  address = 0x500000 + 8 * 200;
  refuse("element", -ENOENT);
  address = 0x4fffff;
  refuse("element", -ENOENT);
  refuse("shadow", -ENOTSUP);
  refuse("stats", -ENOTSUP);
  image_make(&image);
  refuse("element", -ENOTSUP);
  image_parallel(&image);
  image_head(&image)->fields[DVM_FACTS_ARRAY_OWN].bytes = 16; /* of one dimension */
  refuse("arrays", -EPROTO);
  image_parallel(&image);
  image_head(&image)->fields[DVM_FACTS_AXIS_BYTES].bytes = 0;
  refuse("arrays", -EPROTO);
}

static void refuses_what_it_does_not_know(void **state) {
  (void)state;
  image_make(&image);
  refuse("sets", -EINVAL);
  image_head(&image)->version = 2;
  refuse("construct", -EPROTO);
  image_make(&image);
  image_head(&image)->magic[0] = 'd';
  refuse("construct", -EPROTO);
  image_make(&image);
  image_head(&image)->nfields--;
  refuse("construct", -EPROTO);
  image_make(&image);
  image_head(&image)->fields[DVM_FACTS_FRAME_OUTER].offset = UINT32_MAX;
  refuse("construct", -EPROTO);
  image_make(&image);
  image_head(&image)->arrays = 8; /* no memory */
  refuse("arrays", -EFAULT);
  image_make(&image);
  uint64_t a;
  memcpy(&a, image.bytes + (image_head(&image)->arrays - IMAGE_BASE), 8);
  image_put(&image, a, DVM_FACTS_ARRAY_NDIMS, 0, 8);
  refuse("arrays", -EPROTO);
  refuse("shadow", -EPROTO);
  image_make(&image);
  image_put(&image, a, DVM_FACTS_ARRAY_NBOXES, 0, 3); /* the field has room for two */
  refuse("shadow", -EPROTO);
}

/* A list that bites its tail. */
static void ends(void **state) {
  struct dvm_error err;
  uint64_t a;
  (void)state;
  image_make(&image);
  memcpy(&a, image.bytes + (image_head(&image)->arrays - IMAGE_BASE), 8);
  image_put(&image, a, DVM_FACTS_ARRAY_NEXT, 0, a);
  json_t *found = facts("arrays", &err);
  if (found) {
    assert_true(json_is_true(json_object_get(found, "more")));
    json_decref(found);
  } else
    assert_int_equal(err.code, -EPROTO);
}

/* A source that has nothing at hand and fetches 64 bytes at a time: the same result, after so many beginnings. */
struct slow {
  bool have[IMAGE_BYTES / 64];
  uint64_t wanted;
};

static int slow_read(void *arg, uint64_t at, void *to, size_t n) {
  struct slow *s = arg;
  for (uint64_t b = (at - IMAGE_BASE) / 64; b <= (at - IMAGE_BASE + n - 1) / 64 && b < IMAGE_BYTES / 64; b++)
    if (!s->have[b]) {
      s->wanted = b;
      return -EAGAIN;
    }
  return image_read(&image, at, to, n);
}

static void begins_anew(void **state) {
  static struct slow slow;
  struct sdm_facts_source source = {slow_read, &slow};
  struct dvm_error err = DVM_ERROR_INIT;
  json_t *found, *at_once;
  unsigned rounds = 0;
  (void)state;
  image_make(&image);
  while (!(found = sdm_facts_read(&source, IMAGE_BASE, "shadow", 0, &err)) && err.code == -EAGAIN && rounds++ < 1000)
    slow.have[slow.wanted] = true;
  at_once = facts("shadow", &err);
  assert_non_null(found);
  assert_true(rounds > 10);
  assert_true(json_equal(found, at_once));
  json_decref(found);
  json_decref(at_once);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_everything),
      cmocka_unit_test(sequential_part),
      cmocka_unit_test(refuses_what_it_does_not_know),
      cmocka_unit_test(of_a_parallel_run),
      cmocka_unit_test(ends),
      cmocka_unit_test(begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
