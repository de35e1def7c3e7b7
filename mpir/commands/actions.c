/* What dvm-checkpoint does with images that are there: "dvm checkpoint inspect" and its like. */
#include "mpir/commands/actions.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/path.h"
#include "base/usage.h"
#include "mpir/commands/copy.h"
#include "mpir/commands/inspect.h"
#include "mpir/commands/job_client.h"
#include "mpir/commands/job_messages.h"
#include "mpir/image/chain.h"
#include "mpir/image/compress.h"
#include "mpir/image/host_facts.h"
#include "mpir/image/image_set.h"

const char mpir_checkpoint_usage[] =
    "usage: dvm checkpoint [OPTIONS] PID|JOB        take a checkpoint; JOB: name or process number of a 'dvm run'\n"
    "       dvm checkpoint -l [--crdebug] [FOLDER]  list images\n"
    "       dvm checkpoint inspect [--no-backtraces] IMAGE\n"
    "       dvm checkpoint facts [FOLDER|FILE...]   what this host has, as text for --check on another\n"
    "       dvm checkpoint inspect --check FACTS IMAGE  what a restart on the host of FACTS would miss\n"
    "       dvm checkpoint compress [--zlib] IMAGE  (zstd unless told otherwise)\n"
    "       dvm checkpoint compact IMAGE            (an incremental image becomes a full one)\n"
    "       dvm checkpoint expand IMAGE OUT\n"
    "       dvm checkpoint copy IMAGE FOLDER        (with all that it needs)\n"
    "  --tree              with its children, as a set of images (the default if it has children)\n"
    "  --group, --session  PID is the number of a process group or session: save all of it, as a set\n"
    "  --alone             the process alone; refused if it has children\n"
    "  -o, --output PATH   image file, or folder if it ends in '/'\n"
    "  --ranks LIST        of a job, only these ranks (0,2-3): for inspection, not for a restart\n"
    "  --all-files         put mapped files (program, libraries) into the image too\n"
    "  --no-fork           write while the process is stopped\n"
    "  --no-sync           do not wait until the data are on disk\n"
    "  --allow-traced      proceed even if a debugger is attached\n"
    "  --strict            refuse if anything would not be restored as it was\n"
    "  --save-files        the contents of open files too, for 'dvm restart --restore-files'\n"
    "  --to FOLDER         a copy in a second place, when the image is safe in the first\n"
    "  --ignore-files      leave out descriptors that cannot be restored\n"
    "  --incremental[=N]   save what has changed since the previous image; a full one after every N (16)\n"
    "  --sockets=reset     break external connections at a restart instead of refusing\n"
    "  --keep N            keep the last N images of the process\n"
    "  --timeout MS        for all threads to stop (default 10000)\n"
    "  --compress[=zlib]   compress the image when it is complete\n"
    "  --stats             print times and sizes\n"
    "  --kill              kill the process when the image is complete\n"
    "  --crdebug           requested by a debugger\n";

static int fail(const struct dvm_error *err) {
  fprintf(stderr, "dvm checkpoint: error: %s\n", err->text);
  return 1;
}

static int compress_in_place(const char *path, enum mpir_codec codec, struct dvm_error *err) {
  struct mpir_image *image = mpir_image_open(path, err);
  int rc;

  if (!image)
    return err->code;
  rc = image->header->flags & MPIR_IMAGE_COMPRESSED ? 0 : mpir_image_compress(image, path, codec, err);
  mpir_image_close(image);
  return rc;
}

/* A set's images one after another; an image is one. */
int mpir_each_image(const char *path, int (*fn)(const char *, void *, struct dvm_error *), void *arg, struct dvm_error *err) {
  struct mpir_set *set = mpir_set_is(path) ? mpir_set_read(path, err) : NULL;
  char file[PATH_MAX];
  int rc = 0;

  if (!set)
    return mpir_set_is(path) ? err->code : fn(path, arg, err);
  for (size_t i = 0; i < set->member_count && !rc; i++) {
    if (set->members[i].ended)
      continue;
    snprintf(file, sizeof(file), "%s/%s", path, set->members[i].image);
    rc = fn(file, arg, err);
  }
  mpir_set_free(set);
  return rc;
}

/* Images were written in another form: a job's manifest has their sums. */
static int renewed(const char *path, struct dvm_error *err) {
  return mpir_job_is(path) && mpir_job_manifest_renew(path, err) ? fail(err) : 0;
}

int mpir_compress_one(const char *path, void *codec, struct dvm_error *err) {
  return compress_in_place(path, *(enum mpir_codec *)codec, err);
}

static int inspect_one(const char *path, void *options, struct dvm_error *err) {
  struct mpir_image *image = mpir_image_open(path, err);
  int rc = image ? mpir_inspect(image, path, options, err) : err->code;

  mpir_image_close(image);
  return rc;
}

struct host_check {
  struct mpir_host_facts *facts;
  unsigned missing;
};

static int check_one(const char *path, void *arg, struct dvm_error *err) {
  struct host_check *check = arg;
  struct mpir_image *image = mpir_image_open(path, err);

  if (!image)
    return err->code;
  check->missing += mpir_host_facts_check(check->facts, image, stdout);
  mpir_image_close(image);
  return 0;
}

/* 1 where something is missing on that host. */
static int check_main(const char *facts, const char *path) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct host_check check = {mpir_host_facts_read(facts, &err), 0};
  int rc = check.facts ? mpir_each_image(path, check_one, &check, &err) : err.code;

  mpir_host_facts_free(check.facts);
  if (rc)
    return fail(&err);
  if (!check.missing)
    puts("nothing is missing there");
  return check.missing != 0;
}

static int facts_main(char **folders) {
  struct dvm_error err = DVM_ERROR_INIT;

  return mpir_host_facts_write(stdout, folders, &err) ? fail(&err) : 0;
}

static int inspect_main(int argc, char **argv) {
  struct mpir_inspect_options options = {.backtraces = true, .verify = true};
  struct dvm_error err = DVM_ERROR_INIT;

  if (argc == 4 && strcmp(argv[1], "--check") == 0)
    return check_main(argv[2], argv[3]);
  if (argc == 3 && strcmp(argv[1], "--no-backtraces") == 0) {
    options.backtraces = false;
    argv++;
    argc--;
  }
  if (argc != 2) {
    fputs(mpir_checkpoint_usage, stderr);
    return 2;
  }
  if (mpir_job_is(argv[1]) && mpir_job_inspect(stdout, argv[1], &err))
    return fail(&err);
  return mpir_each_image(argv[1], inspect_one, &options, &err) ? fail(&err) : 0;
}

static int compress_main(int argc, char **argv) {
  enum mpir_codec codec = MPIR_CODEC_ZSTD;
  struct dvm_error err = DVM_ERROR_INIT;

  if (argc == 3 && strcmp(argv[1], "--zlib") == 0) {
    codec = MPIR_CODEC_ZLIB;
    argv++;
    argc--;
  }
  if (argc != 2) {
    fputs(mpir_checkpoint_usage, stderr);
    return 2;
  }
  return mpir_each_image(argv[1], mpir_compress_one, &codec, &err) ? fail(&err) : renewed(argv[1], &err);
}

static int compact_one(const char *path, void *arg, struct dvm_error *err) {
  struct mpir_image *image = mpir_image_open(path, err);
  int rc = !image ? err->code : image->chain ? mpir_chain_compact(image, path, path, err) : 0;

  (void)arg;
  mpir_image_close(image);
  return rc ? dvm_error_wrap(err, "cannot compact '%s'", path) : 0;
}

static int compact_main(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;

  if (argc != 2) {
    fputs(mpir_checkpoint_usage, stderr);
    return 2;
  }
  return mpir_each_image(argv[1], compact_one, NULL, &err) ? fail(&err) : 0;
}

static int expand_main(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_image *image;
  int rc;

  if (argc != 3) {
    fputs(mpir_checkpoint_usage, stderr);
    return 2;
  }
  if (dvm_path_replaceable(argv[2], &err))
    return fail(&err);
  image = mpir_image_open(argv[1], &err);
  if (!image)
    return fail(&err);
  rc = image->chain ? mpir_chain_compact(image, argv[1], argv[2], &err) : mpir_image_expand_to(image, argv[2], &err);
  mpir_image_close(image);
  return rc ? fail(&err) : 0;
}

static int copy_main(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  unsigned long keep = 0;

  if (argc == 5 && strcmp(argv[1], "--keep") == 0 && dvm_usage_number(argv[2], 0, UINT_MAX, &keep)) {
    argv += 2;
    argc -= 2;
  }
  if (argc != 3) {
    fputs(mpir_checkpoint_usage, stderr);
    return 2;
  }
  return mpir_copy_to(argv[1], argv[2], (unsigned)keep, &err) ? fail(&err) : 0;
}

static int facts_action(int argc, char **argv) {
  (void)argc;
  return facts_main(argv + 1);
}

bool mpir_action(int argc, char **argv, int *status) {
  static const struct {
    const char *name;
    int (*main)(int, char **);
  } actions[] = {
      {"inspect", inspect_main}, {"compress", compress_main}, {"facts", facts_action},
      {"compact", compact_main}, {"expand", expand_main},     {"copy", copy_main},
  };

  for (size_t i = 0; argc > 1 && i < sizeof(actions) / sizeof(actions[0]); i++)
    if (strcmp(argv[1], actions[i].name) == 0) {
      *status = actions[i].main(argc - 1, argv + 1);
      return true;
    }
  return false;
}
