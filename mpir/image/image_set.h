/* The list of a set of images: processes that were saved together.  A set is a folder with this list under the name "set" and
 * an image of each process; docs/checkpoint-format.md has the lines of the list.  What is not as written there is refused. */
#ifndef DVM_MPIR_IMAGE_SET_H
#define DVM_MPIR_IMAGE_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/error.h"

#define MPIR_SET_LIST "set"
#define MPIR_SET_MEMBERS_MAX 4096
#define MPIR_SET_ENDS_MAX (1u << 20)
#define MPIR_SET_NAME_MAX 64

struct mpir_set_member {
  int pid;
  int ppid;      /* another member's, or 0: the parent is outside */
  int pgid, sid; /* 0: outside, those of the restarting command */
  bool ended;    /* not waited for by its parent; has no image */
  int status;    /* as wait(2) gives it */
  char image[MPIR_SET_NAME_MAX]; /* file in the folder */
};

/* A descriptor: of member 'member'. */
struct mpir_set_end {
  int member, fd;
};

/* Descriptors of several members with one open file description. */
struct mpir_set_share {
  size_t first, count;
};

struct mpir_set {
  struct mpir_set_member *members; /* parents before their children */
  struct mpir_set_end *ends;
  struct mpir_set_share *shares;
  size_t member_count, end_count, share_count;
  int foreground; /* process group in the foreground of the terminal, or 0 */
};

/* A snapshot of a job on several hosts has a set in a folder for each. */
#define MPIR_JOB_NODE "node-%u"
#define MPIR_JOB_NODES_MAX 256
/* NULL: no such list, or a bad one.  The caller frees.  Of a snapshot of several sets: the members of all, whose numbers may not differ, with their
 * files' places in it. */
struct mpir_set *mpir_set_read(const char *folder, struct dvm_error *err);
/* The same of a text of 'size' bytes. */
struct mpir_set *mpir_set_parse(const char *text, size_t size, struct dvm_error *err);
void mpir_set_free(struct mpir_set *set);
/* Writes the list and brings it to the medium. */
int mpir_set_write(const struct mpir_set *set, const char *folder, struct dvm_error *err);
/* Leaves the processes 'pids' and their descendants alone. */
void mpir_set_choose(struct mpir_set *set, const int *pids, size_t count);
/* Index of a member, -1 if there is none. */
int mpir_set_find(const struct mpir_set *set, int pid);
bool mpir_set_is(const char *path);
/* Removes the folder, the folders of nodes in it, and the files in these. */
void mpir_set_remove(const char *folder);
#endif
