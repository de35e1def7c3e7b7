/* Program files, for texts that compiled code leaves in them. */
#ifndef DVM_TRACE_OBJECT_FILE_H
#define DVM_TRACE_OBJECT_FILE_H
#include <stdbool.h>
#include <stddef.h>

/* An ELF file in memory. */
struct dvmt_object_file {
  const char *bytes;            /* NULL: it is none */
  size_t n;
};
struct dvmt_object_file dvmt_object_file_open(const char *path);
void dvmt_object_file_close(struct dvmt_object_file *f);
bool dvmt_object_file_holds(const struct dvmt_object_file *f, const char *text);

/* The words of a command that are files, or found by PATH, in their order, until one is 'wanted': its path in 'buf', else NULL.  'folder': where
 * the command was given, or NULL: here. */
const char *dvmt_object_file_find(char *const *command, const char *folder, bool (*wanted)(void *arg, const char *path), void *arg,
                                  char *buf, size_t size);
/* The shared libraries that the loader finds for the program, but for ours, until 'f' says false; then false. */
bool dvmt_object_file_libraries(const char *program, bool (*f)(void *arg, const char *path), void *arg);
/* The same of libraries that texts in the file name ("..so", "..so.1"): from here, else in the folder of the program. */
bool dvmt_object_file_named(const struct dvmt_object_file *file, const char *program, bool (*f)(void *arg, const char *path), void *arg);
#endif
