/* The table of site keys: one meaning for each letter, and docs/site-text.md shows it.  With DVM_WRITE=1 the page is written. */
#include "runtime/site_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum scope { ANY, ACCESS, DIRECTIVE, TRACE };
static const struct row {
  enum scope scope;
  const char *scope_name, *name;
  char letter;
  int signs;
  const char *fields, *meaning;
} rows[] = {
#define DVMRT_SITE_KEY(scope, name, letter, signs, fields, meaning) {scope, #scope, #name, letter, signs, fields, meaning},
#include "runtime/site_keys.inc"
#undef DVMRT_SITE_KEY
};
enum { NROWS = sizeof(rows) / sizeof(*rows) };

/* May both stand in one text? */
static bool meet(enum scope a, enum scope b) {
  bool access_a = a != DIRECTIVE, access_b = b != DIRECTIVE;
  return a == ANY || b == ANY || access_a == access_b;
}

static void letters_have_one_meaning(void **state) {
  (void)state;
  for (size_t i = 0; i < NROWS; i++)
    for (size_t k = i + 1; k < NROWS; k++)
      if (rows[i].letter == rows[k].letter && meet(rows[i].scope, rows[k].scope))
        fail_msg("'%c' is %s and %s", rows[i].letter, rows[i].name, rows[k].name);
}

static void signs_are_told(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t signs;
  } lines[] = {{"O B af8 & 8 1 #", 13}, {"F a&b#.c", 0}, {"X o i & 3", 0}, {"X a0:#:1", 6},
               {"? anything &", 10},    {"T t &", 3},    {"N 1 i", 0}};
  for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
    const char *at = lines[i].text;
    struct dvmrt_site_line line;
    assert_true(dvmrt_site_next_line(&at, at + strlen(at), &line));
    assert_int_equal(dvmrt_site_signs(&line), lines[i].signs);
    assert_false(dvmrt_site_next_line(&at, at, &line));
  }
}

static void empty_lines_are_skipped(void **state) {
  (void)state;
  static const char text[] = "\n\nK r\n\nY\nV x";
  const char *at = text, *end = text + sizeof(text) - 1;
  struct dvmrt_site_line line;
  assert_true(dvmrt_site_next_line(&at, end, &line) && line.key == DVMRT_ANY_KIND && line.n == 1 && *line.s == 'r');
  assert_true(dvmrt_site_next_line(&at, end, &line) && line.key == 'Y' && line.n == 0);
  assert_true(dvmrt_site_next_line(&at, end, &line) && line.key == DVMRT_ACCESS_VARIABLE && line.n == 1);
  assert_false(dvmrt_site_next_line(&at, end, &line));
}

static void cell(FILE *f, const char *s) {
  for (; *s; s++) {
    if (*s == '|' || *s == '*' || *s == '<' || *s == '_' || *s == '[')
      putc('\\', f);
    putc(*s, f);
  }
}

static void write_page(FILE *f) {
  fputs("# Site texts\n"
        "<!-- Written by test/unit/runtime/site_keys.c (DVM_WRITE=1) from runtime/site_keys.inc. -->\n"
        "What the front end tells the pass, the run-time libraries and traces of an access or a directive: a text of lines, each a key\n"
        "letter, a blank and fields that single blanks separate. `runtime/site_text.h` has the grammar of a `<ref>` and the reader.\n"
        "`#` stands for the next integer argument, `&` for the next pointer argument.\n\n"
        "| scope | key | name | fields | meaning |\n|---|---|---|---|---|\n",
        f);
  for (size_t i = 0; i < NROWS; i++) {
    fprintf(f, "| %s | `%c` | %s | ", rows[i].scope_name, rows[i].letter, rows[i].name);
    cell(f, rows[i].fields);
    fputs(" | ", f);
    cell(f, rows[i].meaning);
    fputs(" |\n", f);
  }
}

static void the_page_shows_the_table(void **state) {
  (void)state;
  static const char path[] = DVM_SOURCE_DIR "/docs/site-text.md";
  char *page = NULL, *stored = calloc(1, 1 << 16);
  size_t size = 0;
  FILE *made = open_memstream(&page, &size);
  write_page(made);
  fclose(made);
  const char *write = getenv("DVM_WRITE");
  FILE *f = fopen(path, write ? "w+" : "r");
  assert_non_null(f);
  if (write) {
    fputs(page, f);
    rewind(f);
  }
  assert_true(fread(stored, 1, (1 << 16) - 1, f) > 0);
  fclose(f);
  assert_string_equal(stored, page); /* else: DVM_WRITE=1 <this program> */
  free(stored);
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(letters_have_one_meaning), cmocka_unit_test(signs_are_told),
                                     cmocka_unit_test(empty_lines_are_skipped), cmocka_unit_test(the_page_shows_the_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
