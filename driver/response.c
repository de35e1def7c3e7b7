#include "driver/response.h"
#include "base/text.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 20 };

void cc_line_split(const char *text, struct dvm_list *out) {
  struct dvm_text word = DVM_TEXT_INIT;
  const char *p = text;
  for (;;) {
    while (isspace((unsigned char)*p))
      p++;
    if (!*p)
      break;
    char quote = 0;
    dvm_text_clear(&word);
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
      if (*p == '\\' && p[1])
        dvm_text_add_n(&word, ++p, 1);
      else if (quote ? *p == quote : *p == '\'' || *p == '"')
        quote = quote ? 0 : *p;
      else
        dvm_text_add_n(&word, p, 1);
    }
    out->failed |= word.failed;
    dvm_list_add(out, dvm_text_str(&word));
  }
  dvm_text_fini(&word);
}

/* Returns 1 when the file was read, 0 when there is no such file. */
static int read_file(const char *path, struct dvm_text *text) {
  FILE *f = fopen(path, "re");
  if (!f)
    return 0;
  char buf[4096];
  size_t n;
  while ((n = fread(buf, 1, sizeof buf, f)) > 0)
    dvm_text_add_n(text, buf, n);
  int ok = !ferror(f); /* a folder can be opened but not read */
  fclose(f);
  return ok;
}

static void skip_byte_order_mark(struct dvm_text *text) {
  if (text->len >= 3 && !memcmp(text->s, "\xef\xbb\xbf", 3))
    memmove(text->s, text->s + 3, text->len - 2);
}

static int expand(const char *arg, unsigned depth, struct dvm_list *out, struct dvm_error *err) {
  struct dvm_text text = DVM_TEXT_INIT;
  struct dvm_list words = DVM_LIST_INIT;
  int rc = 0;
  if (arg[0] != '@' || !read_file(arg + 1, &text)) {
    dvm_list_add(out, arg);
  } else if (depth >= DEPTH_MAX) {
    rc = dvm_error_set(err, -ELOOP, "response file '%s' includes itself", arg + 1);
  } else {
    skip_byte_order_mark(&text);
    cc_line_split(dvm_text_str(&text), &words);
    for (size_t i = 0; i < words.n && !rc; i++)
      rc = expand(words.v[i], depth + 1, out, err);
    out->failed |= words.failed || text.failed;
  }
  dvm_list_fini(&words);
  dvm_text_fini(&text);
  return rc;
}

int cc_line_read(struct cc_line *line, int argc, char *const *argv, struct dvm_error *err) {
  *line = (struct cc_line){.ncall = argc > 0 ? (size_t)argc - 1 : 0};
  for (size_t i = 0; i < line->ncall; i++) {
    size_t before = line->args.n;
    int rc = expand(argv[i + 1], 0, &line->args, err);
    size_t *origin = rc ? NULL : realloc(line->origin, (line->args.n + 1) * sizeof *origin);
    if (origin) {
      line->origin = origin;
      for (size_t k = before; k < line->args.n; k++)
        origin[k] = i;
    } else if (!rc) {
      line->args.failed = true;
    }
    if (rc || line->args.failed) {
      cc_line_fini(line);
      return rc ? rc : dvm_error_set(err, -ENOMEM, "out of memory");
    }
  }
  return 0;
}

void cc_line_fini(struct cc_line *line) {
  dvm_list_fini(&line->args);
  free(line->origin);
  *line = (struct cc_line){.ncall = 0};
}
