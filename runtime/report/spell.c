#include "runtime/report/spell.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { GROUPS_MAX = 8 };

struct group {
  const char *s;
  size_t n;
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The bracket groups at *at, which begins with one; *at is set behind them. */
static int read_groups(const char **at, struct group *group) {
  int n = 0;
  for (const char *s = *at; *s == '[' && n < GROUPS_MAX;) {
    int depth = 0;
    const char *end = s;
    do
      depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
    while (*++end && depth);
    if (depth)
      return n; /* cut off */
    group[n++] = (struct group){s + 1, (size_t)(end - s) - 2};
    *at = s = end;
  }
  return n;
}

static bool ends_with(const struct dvmrt_text *t, const char *word) {
  size_t n = strlen(word);
  return t->n >= n && !memcmp(t->s + t->n - n, word, n) && (t->n == n || !is_word(t->s[t->n - n - 1]));
}

/* Dimensions the other way round behind a name; index names and single widths as they stand. */
static void write_groups(struct dvmrt_text *out, const struct group *group, int n, bool reversed) {
  dvmrt_text_add(out, "(");
  for (int i = 0; i < n; i++) {
    const struct group *g = &group[reversed ? n - 1 - i : i];
    dvmrt_text_add(out, "%s%.*s", i ? "," : "", g->n ? (int)g->n : 1, g->n ? g->s : ":");
  }
  dvmrt_text_add(out, ")");
}

/* Words that have another name; how many characters it takes the place of. */
static size_t write_name(struct dvmrt_text *out, const char *s) {
  static const char *const names[][2] = {{"remote_start(", "PREFETCH ("}, {"remote_reset(", "RESET ("},  {"copy_wait(", "ASYNCWAIT ("},
                                         {"'genblock'", "'gen_block'"},   {"'wgtblock'", "'wgt_block'"}, {"'multblock'", "'mult_block'"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(s, names[i][0], strlen(names[i][0]))) {
      dvmrt_text_add(out, "%s", names[i][1]);
      return strlen(names[i][0]);
    }
  return 0;
}

void dvmrt_spell_fortran(struct dvmrt_text *t) {
  static const char pragma[] = "#pragma dvm ", parallel[] = "parallel([";
  struct dvmrt_text out = {.n = 0};
  int open = 0; /* parentheses of 'parallel(' that Fortran has not: the depth at which its ')' goes */
  int depth = 0;
  if (!strpbrk(t->s, "[#('"))
    return;
  for (const char *s = t->s; *s;) {
    struct group group[GROUPS_MAX];
    const size_t named_otherwise = write_name(&out, s);
    if (named_otherwise) {
      s += named_otherwise;
    } else if (!strncmp(s, pragma, strlen(pragma))) {
      dvmrt_text_add(&out, "!DVM$ ");
      s += strlen(pragma);
    } else if (!strncmp(s, parallel, strlen(parallel))) {
      dvmrt_text_add(&out, "parallel ");
      s += strlen(parallel) - 1;
      open = depth + 1;
    } else if (*s == '[') {
      bool named = out.n && is_word(out.s[out.n - 1]) && !ends_with(&out, "parallel");
      int n = read_groups(&s, group);
      if (!n)
        break;
      write_groups(&out, group, n, named);
    } else if (open && !depth && *s == ')') {
      open = 0;
      s++;
    } else {
      depth += open ? (*s == '(') - (*s == ')') : 0;
      dvmrt_text_add(&out, "%c", *s++);
    }
  }
  *t = out;
}
