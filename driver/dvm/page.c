#define _GNU_SOURCE
#include "driver/dvm/page.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_page(const char *folder, const char *id) {
  char *path;
  if (strchr(id, '/') || asprintf(&path, "%s/%s%s.md", folder, strncmp(id, "dvm-", 4) ? "dvm-" : "", id) < 0)
    return NULL;
  FILE *page = fopen(path, "r");
  free(path);
  return page;
}

int dvm_page_show(const char *folder, const char *id, struct dvm_error *err) {
  char part[4096];
  size_t n;
  int rc = 0;
  FILE *page = open_page(folder, id);
  if (!page)
    return dvm_error_set(err, -ENOENT, "there is no page on '%s' in '%s'", id, folder);
  while ((n = fread(part, 1, sizeof part, page)) > 0)
    if (fwrite(part, 1, n, stdout) != n) /* the end of the command says so */
      break;
  if (ferror(page))
    rc = dvm_error_errno(err, "cannot read the page on '%s'", id);
  fclose(page);
  return rc;
}

static int is_page(const struct dirent *entry) {
  size_t n = strlen(entry->d_name);
  return !strncmp(entry->d_name, "dvm-", 4) && n > 7 && !strcmp(entry->d_name + n - 3, ".md");
}

void dvm_page_list(const char *folder, struct dvm_list *ids) {
  struct dirent **entries;
  int n = scandir(folder, &entries, is_page, alphasort);
  for (int i = 0; i < n; i++) {
    dvm_list_printf(ids, "%.*s", (int)strlen(entries[i]->d_name) - 3, entries[i]->d_name);
    free(entries[i]);
  }
  if (n >= 0)
    free(entries);
}
