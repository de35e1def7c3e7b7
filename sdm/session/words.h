/* Command lines of launchers: which words are the launcher's, which the programs, and what takes the session's secret along. */
#ifndef SDM_WORDS_H
#define SDM_WORDS_H
#include "base/error.h"

#define SDM_PARTS_MAX 64

/* "mpirun -n 2 ./a x : -n 2 ./b": one part for each program. */
struct sdm_part {
  int first, program, end; /* words [first, program) are the launcher's, [program, end) the program with its arguments */
};

/* Returns the number of parts, at least one, or -ENOENT (no launcher, no program), -E2BIG. */
int sdm_words_split(int argc, char *const *argv, struct sdm_part parts[SDM_PARTS_MAX], struct dvm_error *err);
/* Where the program of the first part is; 'argc': none. */
int sdm_words_program(int argc, char *const *argv);
/* Which word is an option that has the launcher read its programs from a file, see programs.h; 0: none. */
int sdm_words_file_option(int argc, char *const *argv);
/* The words [first, program) of a part, to be followed by the program: copies, in an array that ends with NULL.  An environment
 * variable of that name is handed on to other hosts where the launcher has to be told so.  The caller frees the words and the array. */
char **sdm_words_of_part(char *const *argv, const struct sdm_part *p, const char *variable);
/* The program that a user names: a path, a word of PATH, or a file of this folder, for which *word becomes its path.  -ENOENT, -EACCES. */
int sdm_words_find_program(char **word, struct dvm_error *err);
#endif
