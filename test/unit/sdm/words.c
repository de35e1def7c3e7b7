/* Command lines of launchers: where the program is, whatever the values of options are called. */
#include "sdm/session/programs.h"
#include "sdm/session/words.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* A line in words; programs that are there for certain: sh, test, sleep, true. */
static int split(const char *line, char **argv, struct sdm_part *parts) {
  static char copy[512];
  struct dvm_error err = DVM_ERROR_INIT;
  int argc = 0;
  strcpy(copy, line);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
    argv[argc++] = w;
  argv[argc] = NULL;
  return sdm_words_split(argc, argv, parts, &err);
}

static void programs(void **state) {
  (void)state;
  static const struct {
    const char *line, *program; /* NULL: none */
  } rows[] = {
      {"mpirun -n 4 sh x", "sh"},
      {"mpirun --map-by test -n 2 sleep 1", "sleep"},
      {"mpirun -x test --mca true sh -np 2 sleep", "sleep"},
      {"mpirun --map-by=test sleep", "sleep"},
      {"mpirun -host test,sh -wdir sh true", "true"},
      {"mpirun -- sh", "sh"},
      {"mpirun --tag-output -q --oversubscribe true sleep", "true"},
      {"nice -n 5 mpirun -n 2 true", "true"},
      {"env A=b mpirun -H test sleep 1", "sleep"},
      {"nice sleep 5", "sleep"},
      {"mpirun -n 4 /no/such/program sh", NULL},
      {"mpirun -n 4", NULL},
      {"sh", NULL},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    char *argv[64];
    struct sdm_part parts[SDM_PARTS_MAX];
    int n = split(rows[i].line, argv, parts);
    if (n > 0 && (!rows[i].program || strcmp(argv[parts[0].program], rows[i].program)))
      print_message("%s: %s\n", rows[i].line, argv[parts[0].program]);
    assert_int_equal(n > 0, rows[i].program != NULL);
    if (n > 0)
      assert_string_equal(argv[parts[0].program], rows[i].program);
  }
}

/* Launchers that are not installed: links with their names. */
static void other_launchers(void **state) {
  (void)state;
  static const struct {
    const char *launcher, *rest, *program;
  } rows[] = {
      {"srun", "-p test -n 4 sh", "sh"},
      {"srun", "-ptest -n4 sh", "sh"},
      {"srun", "--partition test --label sleep 1", "sleep"},
      {"srun", "--partition=test -l true", "true"},
      {"mpiexec.hydra", "-genv true sh -hosts test -n 2 sleep", "sleep"},
      {"mpiexec.hydra", "-bind-to test -prepend-rank sleep", "sleep"},
      {"flux", "run -n 4 --queue test sleep", "sleep"},
      {"jsrun", "-n 2 -a 1 --bind test sleep", "sleep"},
      {"aprun", "-n 4 -cc test sleep", "sleep"},
  };
  char folder[] = "/tmp/words-XXXXXX", line[256], path[128];
  assert_non_null(mkdtemp(folder));
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    char *argv[64];
    struct sdm_part parts[SDM_PARTS_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, rows[i].launcher);
    assert_int_equal(symlink("/bin/true", path), 0);
    snprintf(line, sizeof(line), "%s %s", path, rows[i].rest);
    int n = split(line, argv, parts);
    unlink(path);
    assert_int_equal(n, 1);
    assert_string_equal(argv[parts[0].program], rows[i].program);
  }
  rmdir(folder);
}

static void several_programs(void **state) {
  (void)state;
  char *argv[64];
  struct sdm_part p[SDM_PARTS_MAX];
  assert_int_equal(split("mpirun -n 1 sh a b : -n 2 --map-by test sleep 1 : true", argv, p), 3);
  assert_string_equal(argv[p[0].program], "sh");
  assert_int_equal(p[0].end, 6);
  assert_string_equal(argv[p[1].program], "sleep");
  assert_string_equal(argv[p[1].first], "-n");
  assert_string_equal(argv[p[2].program], "true");
  assert_int_equal(p[2].end, 15);
  assert_int_equal(split("mpirun -n 1 sh --app x", argv, p), 1); /* the program's own */
  assert_int_equal(split("mpirun -n 1 sh a : b", argv, p), -ENOENT); /* the launcher would not find 'b' either */
  assert_int_equal(split("nice sh : sleep", argv, p), 1); /* no launcher of several: an argument */
}

/* What the words become when programs are in a file; "PROGRAMS" in the line is its name. */
static const char *expanded(const char *line, const char *text, struct sdm_program *programs, int *n) {
  static char said[512];
  char path[] = "/tmp/programs-XXXXXX", copy[256], *argv[64], **words;
  struct dvm_error err = DVM_ERROR_INIT;
  int argc = 0, fd = mkstemp(path);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
  snprintf(copy, sizeof(copy), "%s", line);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
    argv[argc++] = strcmp(w, "PROGRAMS") ? w : path;
  argv[argc] = NULL;
  int nwords = sdm_programs_expand(argc, argv, &words, programs, n, &err);
  *said = 0;
  for (int i = 0; i < nwords; i++)
    snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s%s", i ? " " : "", words[i]);
  unlink(path);
  return nwords < 0 ? NULL : said;
}

static void programs_in_a_file(void **state) {
  (void)state;
  struct sdm_program p[SDM_PROGRAMS_MAX];
  int n;
  static const char parts[] = "# two\n-n 1 sh 'a b' \\\n c\n\n-n 3 sleep 1 # so long\n";
  assert_string_equal(expanded("mpirun --app PROGRAMS --tag-output", parts, p, &n), "mpirun --tag-output -n 1 sh a b c : -n 3 sleep 1");
  assert_string_equal(expanded("mpiexec.hydra -configfile PROGRAMS", parts, p, &n), "mpiexec.hydra -n 1 sh a b c : -n 3 sleep 1");
  assert_null(expanded("mpirun --app /nowhere", parts, p, &n));
  assert_null(expanded("mpirun --app PROGRAMS", "# none\n", p, &n));
  assert_string_equal(expanded("mpirun -n 1 sh --app PROGRAMS", parts, p, &n) ? "same" : "", "same");
  assert_non_null(expanded("srun -n 5 --multi-prog -l PROGRAMS", "0-1,4 sh -c 'echo %t'\n* sleep %o\n", p, &n));
  assert_string_equal(expanded("srun -n 5 --multi-prog -l PROGRAMS", "0-1,4 sh -c 'echo %t'\n* sleep %o\n", p, &n), "srun -n 5 -l sh");
  assert_int_equal(n, 2);
  assert_string_equal(p[0].ranks, "0-1,4");
  assert_string_equal(p[0].words[2], "echo %t");
  assert_string_equal(p[1].ranks, "*");
  assert_string_equal(p[1].words[0], "sleep");
  assert_null(expanded("srun --multi-prog PROGRAMS", "x sh\n", p, &n));
  assert_null(expanded("srun --multi-prog PROGRAMS", "0 /no/such/program\n", p, &n));
  assert_null(expanded("srun --multi-prog PROGRAMS", "0\n", p, &n));
  assert_null(expanded("srun --multi-prog", "", p, &n));
}

static void secret(void **state) {
  (void)state;
  static const struct {
    const char *line, *words;
  } rows[] = {
      {"srun --export=A,B -n 2 sh", "srun --export=A,B,S -n 2"},
      {"srun --export ALL sh", "srun --export ALL"},
      {"srun --export A sh", "srun --export A,S"},
      {"nice sh", "nice"},
  };
  char folder[] = "/tmp/words-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/srun", folder);
  assert_int_equal(symlink("/bin/true", path), 0);
  char *old = strdup(getenv("PATH")), both[4096];
  snprintf(both, sizeof(both), "%s:%s", folder, old);
  setenv("PATH", both, 1);
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    char *argv[64], said[256] = "";
    struct sdm_part parts[SDM_PARTS_MAX];
    assert_int_equal(split(rows[i].line, argv, parts), 1);
    char **words = sdm_words_of_part(argv, &parts[0], "S");
    for (char **w = words; *w; free(*w++))
      snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s%s", *said ? " " : "", *w);
    free(words);
    assert_string_equal(said, rows[i].words);
  }
  setenv("PATH", old, 1);
  free(old);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(programs), cmocka_unit_test(other_launchers), cmocka_unit_test(several_programs),
                                     cmocka_unit_test(programs_in_a_file), cmocka_unit_test(secret)};
  return cmocka_run_group_tests_name("sdm_words", tests, NULL, NULL);
}
