/* The objects of a build, each compiled in more than one way, and programs of any mixture of them. */
#ifndef DVMT_FLAGS_BUILD_H
#define DVMT_FLAGS_BUILD_H
#include "base/error.h"
#include "driver/folder.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmt_words {
  char **w;
  size_t n;
}; /* owned; ends with NULL */
int dvmt_words_add(struct dvmt_words *l, const char *word);
/* Words of a text, split at blanks. */
int dvmt_words_split(struct dvmt_words *l, const char *text);
void dvmt_words_fini(struct dvmt_words *l);

struct dvmt_object {
  char *folder, *source, *output;  /* owned; output: a whole path */
  struct dvmt_words args;          /* of its compilation, without source and output */
  bool of_archive, holds_main;
};
enum { DVMT_FLAGS_PATH = CC_TEMPORARY_MAX + 64 }; /* of files in the temporary folder */
struct dvmt_build {
  char folder[CC_TEMPORARY_MAX];   /* temporary */
  char dvmcc[4096], self[4096];
  const char *flags[2], *other;    /* other: the second compiler, or NULL: dvmcc */
  struct dvmt_object *object;      /* owned */
  size_t nobjects;
  char *link_folder;
  struct dvmt_words link;          /* the last call that linked */
  unsigned nprograms;
};

/* The compiler's place in a build: compiles as it is asked to, with the first flags, and keeps what it was asked.  Its exit status. */
int dvmt_build_compiler(const char *folder, int argc, char **argv);
int dvmt_build_init(struct dvmt_build *b, struct dvm_error *err);
void dvmt_build_fini(struct dvmt_build *b);
/* Reads what the compiler has kept. */
int dvmt_build_read(struct dvmt_build *b, struct dvm_error *err);

enum dvmt_variant {
  DVMT_FIRST,
  DVMT_SECOND,
  DVMT_PLAIN /* the first flags, not recorded */,
  DVMT_FIRST_PARTS,
  DVMT_PLAIN_PARTS,
  DVMT_SECOND_PARTS /* by function */,
  DVMT_NVARIANTS
};
/* The object's file; compiled when it is first asked for.  Valid until the next call; NULL: 'err'. */
const char *dvmt_build_object(struct dvmt_build *b, size_t n, enum dvmt_variant v, struct dvm_error *err);
/* Links with 'objects' (one or two files each, the second may be NULL) in place of the build's own.  'program': DVMT_FLAGS_PATH bytes. */
int dvmt_build_link(struct dvmt_build *b, char *(*objects)[2], char *program, size_t size, struct dvm_error *err);
/* Functions and variables that others can use of an object file: all, or functions alone. */
int dvmt_build_symbols(const char *object, bool functions, struct dvmt_words *names, struct dvm_error *err);
/* A wait status; -1: it could not be started.  Without words to say if 'quiet'. */
int dvmt_build_run(const char *folder, char *const *command, bool quiet);
#endif
