#define _GNU_SOURCE
#include "driver/fix/project.h"
#include "base/text.h"
#include "driver/fix/spawn.h"
#include "driver/fix/tree.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each name that a build may call its compiler by. */
static const char *const names[] = {"cc", "gcc", "clang", "clang-19", "c99", "dvmcc", NULL};
static const char *const fortran_names[] = {"fc",  "gfortran", "flang", "flang-19", "flang-new", "flang-new-19",
                                            "f77", "f90",      "f95",   "dvmfc",    NULL};

/* The program that a build links is moved away; what stands in its place runs it on two ranks, and notes how it ended. */
static const char ranks_script[] = "link=1 out=a.out next=\n"
                                   "for a; do\n"
                                   "  [ \"$next\" ] && { out=$a next=; continue; }\n"
                                   "  case $a in\n"
                                   "  -c|-S|-E|-M|-MM|-shared|-fsyntax-only|-r|--version|-v|-dump*|-print*) link= ;;\n"
                                   "  -o) next=1 ;;\n"
                                   "  -o*) out=${a#-o} ;;\n"
                                   "  esac\n"
                                   "done\n"
                                   "compile \"$@\" ||\n"
                                   "  { s=$?; echo \"$s\" >>\"$folder/bad\"; exit \"$s\"; }\n"
                                   "[ \"$link\" ] && [ -f \"$out\" ] && [ -x \"$out\" ] || exit 0\n"
                                   "case $out in /*) ;; *) out=$PWD/$out ;; esac\n"
                                   "mv \"$out\" \"$out.dvm-ranks\" || exit\n"
                                   "cat >\"$out\" <<END\n"
                                   "#!/bin/sh\n"
                                   "timeout 120 \"$dvm\" run -n 2 \"$out.dvm-ranks\" \"\\$@\"\n"
                                   "s=\\$?\n"
                                   "[ \\$s = 0 ] || echo \"\\$s\" >>\"$folder/bad\"\n"
                                   "exit \\$s\n"
                                   "END\n"
                                   "chmod +x \"$out\"\n";

/* The function 'compile' of the script, by kind, for C and for Fortran. */
static const char *const compilers[][2] = {
    [FIX_CHECKED] = {"\"$dvmcc\" -g \"$@\" --start-no-unused-arguments -fplugin-arg-dvm-absolute -fplugin-arg-dvm-at-run "
                     "--end-no-unused-arguments -fdvm=check",
                     "\"$dvmfc\" -g \"$@\" -fdvm-absolute -fdvm=check"},
    [FIX_PLAIN] = {"\"$dvmcc\" -g \"$@\" --start-no-unused-arguments -Wno-unknown-pragmas --end-no-unused-arguments -fdvm=off",
                   "\"$dvmfc\" -g \"$@\" -fdvm=off"},
    [FIX_RANKS] = {"\"$dvmcc\" -g \"$@\" --start-no-unused-arguments -fplugin-arg-dvm-absolute --end-no-unused-arguments -fdvm=parallel",
                   "\"$dvmfc\" -g \"$@\" -fdvm-absolute -fdvm=parallel"},
};

static int write_names(const struct fix_program *p, const struct dvm_text *head, enum fix_kind kind, bool fortran, struct dvm_error *err) {
  struct dvm_text t = DVM_TEXT_INIT;
  char path[PATH_MAX];
  int rc = 0;
  dvm_text_printf(&t, "%scompile() { %s; }\n%s", head->s, compilers[kind][fortran], kind == FIX_RANKS ? ranks_script : "compile \"$@\"\n");
  for (const char *const *name = fortran ? fortran_names : names; *name && !rc; name++) {
    snprintf(path, sizeof path, "%s/bin/%s", p->folder, *name);
    rc = t.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : fix_file_write(path, t.s, t.len, err);
    if (!rc && chmod(path, 0700))
      rc = dvm_error_errno(err, "cannot write '%s'", path);
  }
  dvm_text_fini(&t);
  return rc;
}

/* FOLDER/bin, with the compilers under all their names. */
static int write_compiler(const struct fix_program *p, enum fix_kind kind, struct dvm_error *err) {
  struct dvm_text t = DVM_TEXT_INIT;
  char path[PATH_MAX];
  const char *search = getenv("PATH");
  const char *const variables[][2] = {{"PATH", search ? search : "/usr/bin:/bin"}, {"folder", p->folder}};
  dvm_text_add(&t, "#!/bin/sh\n");
  for (size_t i = 0; i < 2; i++) {
    dvm_text_printf(&t, "%s=", variables[i][0]);
    dvm_text_add_shell_word(&t, variables[i][1]);
    dvm_text_add(&t, "\n");
  }
  for (size_t i = 0; i < 3; i++) {
    static const char *const programs[] = {"dvmcc", "dvmfc", "dvm"};
    snprintf(path, sizeof path, "%s/%s", p->bin, programs[i]);
    dvm_text_printf(&t, "%s=", programs[i]);
    dvm_text_add_shell_word(&t, path);
    dvm_text_add(&t, "\n");
  }
  dvm_text_add(&t, ": >\"$folder/called\"\n");
  snprintf(path, sizeof path, "%s/bin", p->folder);
  mkdir(path, 0700);
  int rc = t.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : write_names(p, &t, kind, false, err);
  rc = rc ? rc : write_names(p, &t, kind, true, err);
  dvm_text_fini(&t);
  return rc;
}

/* What is tried, in the copy; the files' times are those of now. */
static int put_texts(const struct fix_program *p, const struct fix_files *files, struct dvm_error *err) {
  size_t n = strlen(p->root);
  char path[PATH_MAX];
  int rc = 0;
  for (size_t i = 0; files && i < files->n && !rc; i++) {
    const struct fix_file *f = &files->v[i];
    if (strncmp(f->path, p->root, n) || f->path[n] != '/')
      return dvm_error_set(err, -EINVAL, "'%s' lies outside of '%s', which is what is copied", f->name, p->root);
    snprintf(path, sizeof path, "%s/tree%s", p->folder, f->path + n);
    rc = fix_file_write(path, f->tried.s, f->tried.n, err);
  }
  return rc;
}

/* make lets what stands in a Makefile give way to what MAKEFLAGS defines. */
static void set_environment(const struct fix_program *p, struct dvm_list *to) {
  static const char *const fortran[] = {"FC", "F77", "F90"};
  const char *path = getenv("PATH"), *flags = getenv("MAKEFLAGS");
  dvm_list_printf(to, "PATH=%s/bin:%s", p->folder, path ? path : "/usr/bin:/bin");
  dvm_list_printf(to, "CC=%s/bin/cc", p->folder);
  for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++)
    dvm_list_printf(to, "%s=%s/bin/fc", fortran[i], p->folder);
  dvm_list_printf(to, "MAKEFLAGS=%s%s CC=%s/bin/cc FC=%s/bin/fc F77=%s/bin/fc F90=%s/bin/fc", flags ? flags : "",
                  flags && strstr(flags, " -- ") ? "" : " --", p->folder, p->folder, p->folder, p->folder);
}

static bool is_there(const struct fix_program *p, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", p->folder, name);
  return !access(path, F_OK);
}

static void drop(const struct fix_program *p, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", p->folder, name);
  unlink(path);
}

bool fix_project_compiled(const struct fix_program *p) { return is_there(p, "called"); }
bool fix_project_ranks_ran(const struct fix_program *p) { return !is_there(p, "bad"); }

int fix_project_begin(struct fix_program *p, const char *root, struct dvm_error *err) {
  char *here = realpath(".", NULL);
  p->root = root ? realpath(root, NULL) : fix_tree_root(".");
  size_t n = p->root ? strlen(p->root) : 0;
  int rc = 0;
  if (!p->root || !here)
    rc = dvm_error_errno(err, "cannot find '%s'", root ? root : ".");
  else if (strncmp(here, p->root, n) || (here[n] && here[n] != '/'))
    rc = dvm_error_set(err, -EINVAL, "this folder does not lie in '%s'", p->root);
  else
    p->below = strdup(here + n);
  free(here);
  return rc || p->below ? rc : dvm_error_set(err, -ENOMEM, "out of memory");
}

int fix_project_run(const struct fix_program *p, const struct fix_files *files, enum fix_kind kind, const char *name, const char *options,
                    int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT, environment = DVM_LIST_INIT;
  char tree[PATH_MAX], here[2 * PATH_MAX], out[PATH_MAX], log[PATH_MAX];
  snprintf(tree, sizeof tree, "%s/tree", p->folder);
  snprintf(here, sizeof here, "%s%s", tree, p->below);
  snprintf(out, sizeof out, "%s/%s", p->folder, name);
  snprintf(log, sizeof log, "%s/log", p->folder);
  drop(p, "called");
  drop(p, "bad");
  int rc = fix_tree_copy(p->root, tree, err);
  rc = rc ? rc : put_texts(p, files, err);
  rc = rc ? rc : write_compiler(p, kind, err);
  for (size_t i = 0; i < p->nrun; i++)
    dvm_list_add(&command, p->run[i]);
  set_environment(p, &environment);
  if (!rc && (command.failed || environment.failed))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  const struct fix_spawn how = {&command, true, out, log, options, here, &environment};
  rc = rc ? rc : fix_spawn(&how, status, err);
  dvm_list_fini(&command);
  dvm_list_fini(&environment);
  return rc;
}
