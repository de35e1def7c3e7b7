/* What the restart command tells the restorer: code that runs alone in the new process, after all else was unmapped.
 * The plan, the restorer's code, its stacks and the parked vdso lie in one "area" that neither the image nor, at that
 * moment, the process itself uses. */
#ifndef DVM_MPIR_RESTORER_H
#define DVM_MPIR_RESTORER_H
#include <linux/prctl.h>
#include <stdint.h>
#include "mpir/image/image_format.h"

#define RESTORER_STACK 8192 /* bytes, per thread */
#define RESTORER_KERNEL_MAPS 4

enum restorer_stage { /* where it failed; told to the restart command with the kernel's code and an address */
                      RESTORER_MOVE_VDSO = 1,
                      RESTORER_UNMAP,
                      RESTORER_MAP,
                      RESTORER_READ,
                      RESTORER_PROTECT,
                      RESTORER_KEY,
                      RESTORER_PLACE_VDSO,
                      RESTORER_MEMORY_LAYOUT,
                      RESTORER_THREAD,
                      RESTORER_TIMER,
                      RESTORER_RSEQ,
                      RESTORER_SCHEDULING,
                      RESTORER_LOCK,
                      RESTORER_GUARD,
                      RESTORER_REGISTER,
                      RESTORER_CREDENTIALS,
                      RESTORER_FILTER,
                      RESTORER_SEAL,
                      RESTORER_STAGES,
};

struct restorer_status { /* written to the status pipe on failure; on success the helper thread writes one 'K' */
  char mark;             /* 'E' */
  char pad[3];
  int32_t stage;
  int64_t code, address;
};

struct restorer_region { /* one mmap call, then mprotect if final_prot differs */
  uint64_t start, size, offset;
  int32_t prot, final_prot, flags, fd;
  uint32_t hints, lock; /* MPIR_MAP_*; lock: 0, or 1 + flags of mlock2 */
  uint32_t ring; /* not 0: the ring of io_setup(2) for that many events */
  uint32_t segment; /* not 0: 1 more than the number of a System V segment; flags not 0: it is removed when it is attached */
};

struct restorer_read { /* file content to be read to a place */
  uint64_t address, size, offset;
};

struct restorer_kernel_map {
  uint64_t from, park, to, size;
};

struct restorer_plan {
  uint64_t area, area_size;
  struct restorer_kernel_map kernel_maps[RESTORER_KERNEL_MAPS];
  struct restorer_region *regions;
  struct restorer_read *reads;
  struct mpir_image_kept *guards;
  struct restorer_region *watched; /* address and size of mappings of which pages are given when they are touched */
  struct mpir_image_thread *threads;
  struct mpir_image_credentials *credentials; /* by thread */
  uint32_t *groups;
  unsigned char *filters;        /* as in the image */
  struct mpir_image_timer *timers;
  int *close_fds;
  uint64_t kernel_map_count, region_count, read_count, guard_count, watched_count, thread_count, timer_count, close_count;
  uint64_t stacks;       /* thread_count stacks of RESTORER_STACK bytes */
  uint64_t restart_info; /* where to put 'info' */
  struct prctl_mm_map memory;
  struct mpir_restart_info info;
  uint64_t itimers[3][4], rlimits[16][2];
  uint32_t rseq_length, rseq_signature;
  int32_t image_fd, status_fd, restore_limits;
  int32_t set_groups, set_ids;   /* they are others than those of the restarting command */
  uint32_t no_exec_gain, barriers;
  int32_t dumpable, subreaper, no_huge_pages, parent_death_signals;
};
#endif
