/* The MI parser, on records as gdb 13 writes them, whole and in pieces. */
#include "sdm/gdb/mi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct seen {
  unsigned n;
  char kind[16], name[16][32], text[16][64];
  uint64_t token[16];
  char *json[16];
};

static void on_record(void *arg, const struct sdm_mi_record *r) {
  struct seen *s = arg;
  unsigned i = s->n++;
  assert_true(i < 16);
  s->kind[i] = r->kind;
  s->token[i] = r->token;
  strncpy(s->name[i], r->name ? r->name : "", 31);
  strncpy(s->text[i], r->text ? r->text : "", 63);
  s->json[i] = r->results ? json_dumps(r->results, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
}

static void feed(const char *text, size_t piece, struct seen *s) {
  struct sdm_mi mi = {0};
  memset(s, 0, sizeof(*s));
  for (size_t at = 0, n = strlen(text); at < n; at += piece)
    sdm_mi_feed(&mi, text + at, n - at < piece ? n - at : piece, on_record, s);
  sdm_mi_fini(&mi);
}

static void drop(struct seen *s) {
  for (unsigned i = 0; i < s->n; i++)
    free(s->json[i]);
}

static void records_in_any_pieces(void **state) {
  (void)state;
  static const char text[] = "=thread-group-added,id=\"i1\"\n~\"GNU gdb\\n\"\n(gdb) \n"
                             "12^done,bkpt={number=\"1\",type=\"breakpoint\",addr=\"<MULTIPLE>\",times=\"0\",locations=[{number=\"1.1\"},"
                             "{number=\"1.2\"}]}\n"
                             "*stopped,reason=\"breakpoint-hit\",bkptno=\"1\",frame={addr=\"0x1\",func=\"f\",args=[{name=\"s\",value=\"0x2 "
                             "\\\"a\\\\nb\\\"\"}],file=\"a b.c\",line=\"3\"},thread-id=\"1\",stopped-threads=\"all\"\r\n"
                             "3^error,msg=\"No symbol \\\"x\\\" in current context.\"\n"
                             "&\"warning: \\303\\244\\n\"\n"
                             "program output\n"
                             "7^done,stack=[frame={level=\"0\"},frame={level=\"1\"}]\n8^running\n";
  for (size_t piece = 1; piece < 200; piece += 13) {
    struct seen s;
    feed(text, piece, &s);
    assert_int_equal(s.n, 10);
    assert_true(!memcmp(s.kind, "=~(^*^&\0^^", 10));
    assert_string_equal(s.text[1], "GNU gdb\n");
    assert_int_equal(s.token[3], 12);
    assert_string_equal(s.json[3], "{\"bkpt\":{\"addr\":\"<MULTIPLE>\",\"locations\":[{\"number\":\"1.1\"},{\"number\":"
                                   "\"1.2\"}],\"number\":\"1\",\"times\":\"0\",\"type\":\"breakpoint\"}}");
    assert_non_null(strstr(s.json[4], "\"value\":\"0x2 \\\"a\\\\nb\\\"\""));
    assert_string_equal(s.json[5], "{\"msg\":\"No symbol \\\"x\\\" in current context.\"}");
    assert_string_equal(s.text[6], "warning: \xc3\xa4\n");
    assert_string_equal(s.text[7], "program output");
    assert_string_equal(s.json[8], "{\"stack\":[{\"level\":\"0\"},{\"level\":\"1\"}]}");
    assert_string_equal(s.name[9], "running");
    drop(&s);
  }
}

static void what_is_no_mi_is_handed_on(void **state) {
  (void)state;
  static const char *const bad[] = {"^done,x=", "^done,x={a=\"b\"", "^done,x=[\"a\"", "^done,=\"a\"", "^done,x=\"\\", "~\"open", "^",
                                    "12",       "^done,x=\"a\"y"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    char line[64];
    struct seen s;
    snprintf(line, sizeof(line), "%s\n", bad[i]);
    feed(line, 64, &s);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.kind[0], SDM_MI_OTHER);
    assert_string_equal(s.text[0], bad[i]);
    assert_null(s.json[0]);
    drop(&s);
  }
}

static void bytes_that_are_no_utf8_survive(void **state) {
  (void)state;
  struct seen s;
  feed("1^done,value=\"\\377x\"\n", 100, &s);
  assert_string_equal(s.json[0], "{\"value\":\"\\\\xffx\"}");
  drop(&s);
  struct dvm_text deep = DVM_TEXT_INIT;
  dvm_text_add(&deep, "^done,a=");
  for (int i = 0; i < 100000; i++)
    dvm_text_add(&deep, "[");
  dvm_text_add(&deep, "\n");
  feed(dvm_text_str(&deep), 1 << 20, &s); /* depth is bounded */
  assert_int_equal(s.kind[0], SDM_MI_OTHER);
  dvm_text_fini(&deep);
  drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_in_any_pieces),
      cmocka_unit_test(what_is_no_mi_is_handed_on),
      cmocka_unit_test(bytes_that_are_no_utf8_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
