/* Programs that a launcher would read from a file: taken from there, since it is servers that it is to start. */
#ifndef SDM_PROGRAMS_H
#define SDM_PROGRAMS_H
#include "base/error.h"

#define SDM_PROGRAMS_MAX 1024 /* lines */

/* A line "0-3,6 ./prog arguments" of 'srun --multi-prog'. */
struct sdm_program {
  char *ranks;  /* a set, or "*": all others */
  char **words; /* the program and its arguments, NULL ends them; '%t' in them is the rank, '%o' its place among 'ranks' */
};

/* A launcher's command line as it would be without the file: 'mpirun --app F' and 'mpiexec -configfile F' with the lines of F as its parts,
 * 'srun --multi-prog F' with one of the programs of F, which then are in 'programs'; others are left as they are.  Returns the number of
 * words, in '*words', whose memory is kept to the end of the process; or a negative code. */
int sdm_programs_expand(int argc, char **argv, char ***words, struct sdm_program programs[SDM_PROGRAMS_MAX], int *nprograms,
                        struct dvm_error *err);
#endif
