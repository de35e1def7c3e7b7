/* The texts of the source files: as they are, as repaired so far, and as they are being tried. */
#ifndef DVM_FIX_TEXT_H
#define DVM_FIX_TEXT_H
#include "driver/fix/found.h"
#include <sys/stat.h>

/* A text, and of each of its lines which one of the file it comes from, from 1. */
struct fix_text {
  char *s;
  size_t n;
  uint32_t *origin;
  size_t nlines;
};

struct fix_file {
  char *name;            /* as the compiler was given it, and reports name it */
  char *path;            /* absolute */
  struct stat st;        /* when it was read */
  struct fix_text first; /* what it holds */
  struct fix_text good;  /* with the repairs that are accepted */
  struct fix_text tried; /* with those that are being tried, too */
};

struct fix_files {
  struct fix_file *v;
  size_t n;
};

int fix_file_write(const char *path, const char *s, size_t n, struct dvm_error *err);

void fix_files_fini(struct fix_files *files);
/* The file of that name, read when it is first asked for.  NULL and 'err': it cannot be read. */
struct fix_file *fix_files_get(struct fix_files *files, const char *name, struct dvm_error *err);
/* Makes the edits in 'tried'; they refer to it as it was before the first of them.  Equal ones are made once.  0; -EINVAL: they
 * overlap, or do not fit the text; -ENOMEM, -E.. of reading: 'tried' is to be set back. */
int fix_files_edit(struct fix_files *files, const struct fix_edit *const *edits, size_t n, struct dvm_error *err);
/* 'tried' becomes 'good', or the other way round. */
int fix_files_accept(struct fix_files *files, struct dvm_error *err);
int fix_files_back(struct fix_files *files, struct dvm_error *err);
/* The line of the file that line 'line' of 'tried' comes from. */
size_t fix_files_origin(const struct fix_files *files, const char *name, size_t line);
#endif
