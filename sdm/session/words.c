#define _GNU_SOURCE
#include "sdm/session/words.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text.h"
#include "sdm/bytes.h"

/* Options that take a value as a word of its own, by launcher; from the manual pages of Open MPI 4 and 5, hydra 4, Slurm 22,
 * PALS, Flux, and ALPS.  Without them a value that is also the name of a program ("--map-by node", "-p test") would be taken for it. */
static const struct family {
  const char *launchers;
  const char *one, *two; /* without their dashes */
  const char *letters;   /* options of one letter with a value that may be glued to it: "-n4" */
  const char *command;   /* words that stand before the options: "flux run"; or NULL */
} families[] = {
    {" mpirun mpiexec orterun prterun prun oshrun shmemrun mpirun.openmpi mpiexec.openmpi mpiexec.hydra mpiexec.mpich mpirun.mpich"
     " mpiexec.gforker hydra mpirun_rsh mpiexec.lam aprun.mpi ",
     " am amca app bind-to c np n N cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile H host hnp"
     " hostfile launch-agent machinefile map-by max-restarts max-vm-size npernode npersocket ompi-server output-filename path personality"
     " ppr prefix preload-files rank-by report-events report-pid report-uri rf rankfile stdin timeout tune wd wdir x xml-file xterm"
     " display dvm-uri output runtime-options rtos pset add-host add-hostfile tool-timeout allow-run-as-user num-connect-retries"
     " genvlist f hosts configfile envlist launcher launcher-exec bootstrap bootstrap-exec rmk topolib membind demux iface ppn perhost "
     "rr-ppn"
     " prepend-pattern outfile-pattern errfile-pattern nameserver localhost usize gpus-per-proc machine arch soft file"
     " info-key depth cpu-bind hostlist env-file gtool gtoolfile ",
     " mca gmca omca pmixmca prtemca gpmixmca gprtemca genv env ", "", NULL},
    {" srun ",
     " account acctg-freq bb bbf bcast bcast-exclude begin cpus-per-task comment container cpu-freq dependency deadline delay-boot chdir"
     " export error epilog gres gres-flags input jobid job-name licenses clusters distribution mail-type mail-user mcs-label mpi"
     " network ntasks ntasks-per-node nodes output open-mode het-group partition power priority prolog profile qos relative core-spec"
     " signal slurmd-debug switches task-epilog task-prolog thread-spec threads time time-min wait wckey cluster-constraint"
     " constraint mem mincpus reservation tmp nodelist nodefile exclude mem-per-cpu sockets-per-node cores-per-socket"
     " threads-per-core ntasks-per-core ntasks-per-socket ntasks-per-gpu cpus-per-gpu gpus gpu-bind gpu-freq gpus-per-node"
     " gpus-per-socket gpus-per-task mem-per-gpu mem-bind cpu-bind hint extra-node-info tres-per-task tres-bind prefer ",
     " ", "AbcdDeGiJLMmnNopqrStTWwxCB", NULL},
    {" aprun ", " cc cp sn sl ss ", " ", "nNdSLemFpjrtTRPbD", NULL},
    {" jsrun ",
     " nrs np tasks_per_rs cpu_per_rs gpu_per_rs rs_per_host latency_priority launch_distribution bind stdio_input stdio_stderr"
     " stdio_stdout stdio_mode env exp_file erf_input erf_output chdir env_eval smpiargs ",
     " ", "npacgrldbetokIEFhDUSMAL", NULL},
    {" flux ",
     " nslots cores-per-slot gpus-per-slot nodes ntasks cores tasks-per-node tasks-per-core gpus-per-node time-limit urgency job-name"
     " queue bank requires begin-time setopt setattr dependency input output error label-io env env-remove env-file rlimit cwd signal"
     " taskmap add-file conf flags ",
     " ", "ncgNtoOBqS", " run submit alloc mini "},
};

static bool among(const char *list, const char *word, size_t len) {
  char padded[80];
  if (!len || len > sizeof(padded) - 3)
    return false;
  snprintf(padded, sizeof(padded), " %.*s ", (int)len, word);
  return strstr(list, padded) != NULL;
}

/* The launcher that a word names, also behind a link with another name; NULL: none that is known. */
static const struct family *family_of(const char *word) {
  char *path = strchr(word, '/') ? realpath(word, NULL) : NULL;
  const char *names[2] = {strrchr(word, '/') ? strrchr(word, '/') + 1 : word, path ? strrchr(path, '/') + 1 : ""};
  const struct family *found = NULL;
  for (size_t i = 0; i < sizeof(families) / sizeof(*families) && !found; i++)
    for (size_t k = 0; k < 2 && !found; k++)
      if (among(families[i].launchers, names[k], strlen(names[k])))
        found = &families[i];
  free(path);
  return found;
}

/* How many words after 'word' belong to it. */
static int values_of(const struct family *f, const char *word) {
  const char *name = word + strspn(word, "-");
  bool one_dash = name == word + 1;
  size_t n = strlen(name);
  if (!f || strchr(name, '='))
    return 0;
  if (among(f->two, name, n))
    return 2;
  if (among(f->one, name, n))
    return 1;
  return one_dash && n == 1 && strchr(f->letters, name[0]) ? 1 : 0;
}

/* Index of the program in [at, end), options of 'f' before it; 'end': none. */
static int find_program(const struct family *f, int at, int end, char *const *argv) {
  if (f && f->command && at < end && among(f->command, argv[at], strlen(argv[at])))
    at++;
  for (; at < end; at++) {
    const char *w = argv[at];
    if (!strcmp(w, "--"))
      return at + 1 < end ? at + 1 : end;
    if (w[0] == '-')
      at += values_of(f, w);
    else if (family_of(w) && dvm_path_executable(w)) { /* "nice mpirun ...": what came before runs the launcher */
      f = family_of(w);
      if (f->command && at + 1 < end && among(f->command, argv[at + 1], strlen(argv[at + 1])))
        at++;
    } else if (f || dvm_path_executable(w))
      return at;
  }
  return end;
}

/* A ':' begins another part if a program follows before the next one; else it is an argument. */
static int end_of_part(const struct family *f, int at, int argc, char *const *argv) {
  for (; at < argc; at++)
    if (!strcmp(argv[at], ":") && find_program(f, at + 1, argc, argv) < argc)
      break;
  return at;
}

int sdm_words_program(int argc, char *const *argv) { return find_program(family_of(argv[0]), 1, argc, argv); }

int sdm_words_file_option(int argc, char *const *argv) {
  static const char *const options[] = {"--multi-prog", "--app", "-app", "-configfile", "--configfile"};
  int end = sdm_words_program(argc, argv);
  for (int i = 1; i < end && family_of(argv[0]); i++)
    for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++)
      if (!strcmp(argv[i], options[k]))
        return i;
  return 0;
}

int sdm_words_split(int argc, char *const *argv, struct sdm_part parts[SDM_PARTS_MAX], struct dvm_error *err) {
  const struct family *f = family_of(argv[0]);
  int n = 0, at = 0;
  if (!dvm_path_executable(argv[0]))
    return dvm_error_set(err, -ENOENT, "there is no program '%s'", argv[0]);
  while (at < argc) {
    int program = find_program(f, n ? at : at + 1, argc, argv);
    if (n == SDM_PARTS_MAX)
      return dvm_error_set(err, -E2BIG, "the command line has more than %d parts", SDM_PARTS_MAX);
    if (program == argc)
      return dvm_error_set(err, -ENOENT, "no program found after the launcher '%s'", argv[0]);
    if (!dvm_path_executable(argv[program]))
      return dvm_error_set(
          err, -ENOENT,
          "there is no program '%s'; it was taken for the program that '%s' starts; if that is wrong, put '--' before the program",
          argv[program], argv[0]);
    for (int i = 0; i < program && !f; i++)
      f = family_of(argv[i]);
    int end = f ? end_of_part(f, program, argc, argv) : argc;
    parts[n++] = (struct sdm_part){at, program, end};
    at = end + 1;
  }
  return n;
}

/* "a,b" for "-genvlist a" and the like: the variable must be in such a list, if there is one. */
static char *extend_list(const char *before, const char *word, const char *variable) {
  static const char *const lists[] = {"-genvlist", "--genvlist", "-envlist", "--envlist", "--export", NULL};
  struct dvm_text t = DVM_TEXT_INIT;
  bool list = before && strcmp(word, "NONE") && strcmp(word, "ALL");
  bool named = false;
  for (int i = 0; lists[i] && list; i++)
    named |= !strcmp(before, lists[i]);
  named |= !strncmp(word, "--export=", 9) && strcmp(word, "--export=NONE") && strcmp(word, "--export=ALL");
  dvm_text_add(&t, word);
  if (named)
    dvm_text_printf(&t, ",%s", variable);
  return t.s ? t.s : sdm_strdup("");
}

static bool is_script(const char *path) {
  char begin[2] = "";
  FILE *f = fopen(path, "r");
  bool is = f && fread(begin, 1, 2, f) == 2 && !memcmp(begin, "#!", 2);
  if (f)
    fclose(f);
  return is;
}

static bool is_open_mpi(const char *word) {
  const struct family *f = family_of(word);
  const char *base = strrchr(word, '/') ? strrchr(word, '/') + 1 : word, *path = getenv("PATH");
  char full[PATH_MAX], *real = NULL;
  if (f != &families[0])
    return false;
  for (const char *p = path; !strchr(word, '/') && p && !real; p = strchr(p, ':') ? strchr(p, ':') + 1 : NULL) {
    snprintf(full, sizeof(full), "%.*s/%s", (int)strcspn(p, ":"), p, word);
    real = realpath(full, NULL);
  }
  if (!real)
    real = realpath(word, NULL);
  if (real)
    base = strrchr(real, '/') + 1;
  /* Others' mpirun is a script, or a link to something else. */
  bool is = !strncmp(base, "orte", 4) || !strncmp(base, "prte", 4) || !strncmp(base, "prun", 4) || strstr(base, "openmpi") ||
            (!strcmp(base, "mpirun") && real && !is_script(real));
  free(real);
  return is;
}

char **sdm_words_of_part(char *const *argv, const struct sdm_part *p, const char *variable) {
  char **words = sdm_alloc((size_t)(p->program - p->first + 3) * sizeof(*words));
  size_t n = 0;
  bool told = false, later = false; /* Open MPI takes variables along by name, told for each part, but not in two ways at once */
  for (int i = 0; i < p->program; i++)
    told |= !strcmp(argv[i], "mca_base_env_list");
  for (int i = 0; i < p->first && !later; i++)
    later = is_open_mpi(argv[i]);
  if (later && !told) {
    words[n++] = sdm_strdup("-x");
    words[n++] = sdm_strdup(variable);
    told = true;
  }
  for (int i = p->first; i < p->program; i++) {
    words[n++] = extend_list(i > p->first ? argv[i - 1] : NULL, argv[i], variable);
    if (!told && is_open_mpi(argv[i])) {
      words[n++] = sdm_strdup("-x");
      words[n++] = sdm_strdup(variable);
      told = true;
    }
  }
  words[n] = NULL;
  return words;
}

/* Sources as people name them, who forget what they have called the program. */
static bool is_source(const char *name) {
  static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".f", ".f90", ".F90"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
    if (!strcmp(dot, ends[i]))
      return true;
  return false;
}

int sdm_words_find_program(char **word, struct dvm_error *err) {
  struct dvm_text here = DVM_TEXT_INIT;
  struct stat st;
  if (dvm_path_executable(*word))
    return 0;
  dvm_text_printf(&here, "./%s", *word);
  if (!strchr(*word, '/') && dvm_path_executable(dvm_text_str(&here))) { /* as gdb does, and mpirun */
    *word = here.s;                                                     /* kept to the end */
    return 0;
  }
  dvm_text_fini(&here);
  if (stat(*word, &st))
    return dvm_error_set(err, -ENOENT, "there is no program '%s'", *word);
  return dvm_error_set(err, -EACCES, "'%s' is %s%s", *word, S_ISDIR(st.st_mode) ? "a folder" : "not executable",
                       is_source(*word) ? ", but a source file: compile it and name the program" : "");
}
