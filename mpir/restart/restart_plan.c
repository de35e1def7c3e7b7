/* From image to plan: which mmap calls, reads and threads make the process again; then the jump into the restorer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mpir/restart/restart_pager.h"
#include "mpir/restart/restart_private.h"

#define LAZY_MIN (64u << 10)  /* shorter pieces are read at once: a mapping of their own costs more */
#define LAZY_MAX 8192         /* pieces: each may cut a mapping in three, and the kernel allows 65530 */
#define AREA_LOWEST 0x10000000ull
#define ADDRESS_END 0x7ffffffff000ull

extern const unsigned char mpir_restorer_code[], mpir_restorer_code_end[];

struct builder {
  const struct mpir_image *image;
  const struct mpir_restart_options *options;
  struct restart_fds *fds;
  struct dvm_error *err;
  struct restorer_region *regions;
  struct restorer_read *reads;
  struct restorer_region *lazies; /* given when they are touched */
  struct restorer_region *watched; /* the mappings that they are parts of: whole, or they would be cut in pieces that the program can see */
  int *close_fds;
  char **opened_names; /* mapped files by name, with opened_fds */
  int *opened_fds;
  uint64_t *object_inodes; /* shared memory without a descriptor, by inode */
  int *object_fds;
  size_t region_count, read_count, close_count, opened_count, object_count, lazy_count, watched_count;
};

static uint64_t page_up(uint64_t size) { return (size + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1); }

static int builder_init(struct builder *b) {
  size_t maps = b->image->map_count;

  b->regions = calloc(maps + 1, sizeof(*b->regions));
  b->lazies = calloc(LAZY_MAX + 1, sizeof(*b->lazies));
  b->watched = calloc(maps + 1, sizeof(*b->watched));
  b->reads = calloc(b->image->extent_count + 1, sizeof(*b->reads));
  b->close_fds = calloc(2 * maps + 8, sizeof(*b->close_fds));
  b->opened_names = calloc(maps + 1, sizeof(*b->opened_names));
  b->opened_fds = calloc(maps + 1, sizeof(*b->opened_fds));
  b->object_inodes = calloc(maps + 1, sizeof(*b->object_inodes));
  b->object_fds = calloc(maps + 1, sizeof(*b->object_fds));
  if (!b->regions || !b->lazies || !b->watched || !b->reads || !b->close_fds || !b->opened_names || !b->opened_fds || !b->object_inodes ||
      !b->object_fds)
    return dvm_error_set(b->err, -ENOMEM, "out of memory");
  return 0;
}

static int close_later(struct builder *b, int fd) {
  fd = mpir_restart_raise(b->fds, fd);
  if (fd >= 0)
    b->close_fds[b->close_count++] = fd;
  return fd;
}

static int open_mapped(struct builder *b, const struct mpir_image_map *map) {
  char *name = (char *)(uintptr_t)mpir_image_string(b->image, map->name);
  int fd = -1;

  for (size_t i = 0; i < b->opened_count; i++)
    if (strcmp(b->opened_names[i], name) == 0)
      return b->opened_fds[i];
  if (map->kind == MPIR_MAP_FILE_SHARED)
    fd = open(name, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return dvm_error_errno(b->err, "cannot open the mapped file '%s'", name);
  fd = close_later(b, fd);
  b->opened_names[b->opened_count] = name;
  b->opened_fds[b->opened_count++] = fd;
  return fd;
}

static int remember_object(struct builder *b, uint64_t inode, int fd) {
  if (fd < 0)
    return fd;
  b->close_fds[b->close_count++] = fd;
  b->object_inodes[b->object_count] = inode;
  b->object_fds[b->object_count++] = fd;
  return fd;
}

/* The object behind a shared mapping: the descriptor that the program has of it, or a memory file of ours. */
static int open_object(struct builder *b, const struct mpir_image_map *map) {
  uint64_t size = 0;
  int fd;

  for (size_t i = 0; i < b->image->file_count; i++)
    if (b->image->files[i].kind == MPIR_FILE_MEMFD && b->image->files[i].inode == map->inode)
      return b->image->files[i].fd;
  for (size_t i = 0; i < b->object_count; i++)
    if (b->object_inodes[i] == map->inode)
      return b->object_fds[i];
  if (b->fds->group && (fd = mpir_group_memory(b->fds->group, map->device, map->inode)) >= 0) {
    fd = fcntl(fd, F_DUPFD_CLOEXEC, b->fds->base);
    return fd < 0 ? dvm_error_errno(b->err, "no descriptor is free for shared memory") : remember_object(b, map->inode, fd);
  }
  for (size_t i = 0; i < b->image->map_count; i++) {
    const struct mpir_image_map *other = &b->image->maps[i];
    uint64_t end = other->map_offset + (other->end - other->start);

    if (other->kind == MPIR_MAP_SHARED && other->inode == map->inode && end > size)
      size = end;
  }
  fd = memfd_create("shared-memory", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)size))
    return dvm_error_errno(b->err, "cannot create %llu bytes of shared memory", (unsigned long long)size);
  return remember_object(b, map->inode, mpir_restart_raise(b->fds, fd));
}

static uint32_t lock_of(const struct mpir_image_map *map) {
  return map->flags & MPIR_MAP_LOCKED ? 1 + (map->flags & MPIR_MAP_LOCKED_ON_FAULT ? (uint32_t)MLOCK_ONFAULT : 0) : 0;
}

/* The context of asynchronous I/O (io_setup(2)) is the address of its ring: the kernel makes it anew. */
static uint32_t ring_of(const struct builder *b, const struct mpir_image_map *map) {
  return mpir_image_is_ring(b->image, map) ? (uint32_t)((map->end - map->start) / 32 / 2 - 2) : 0;
}

/* A segment may be attached at several places. */
static bool is_first(const struct builder *b, const struct mpir_image_map *map) {
  const struct mpir_image_map *other = b->image->maps;

  while (other->inode != map->inode || other->device != map->device)
    other++;
  return other == map;
}

static int add_map(struct builder *b, const struct mpir_image_map *map) {
  struct restorer_region *r = &b->regions[b->region_count];
  bool of_file = map->kind == MPIR_MAP_FILE_SHARED || (map->kind == MPIR_MAP_FILE && mpir_restart_file_same(b->image, map));

  if (map->kind == MPIR_MAP_KERNEL)
    return 0;
  *r = (struct restorer_region){.start = map->start,
                                .size = map->end - map->start,
                                .prot = (int)map->prot,
                                .final_prot = (int)map->prot,
                                .flags = MAP_FIXED_NOREPLACE | MAP_PRIVATE,
                                .fd = -1,
                                .hints = map->flags,
                                .lock = lock_of(map)};
  r->ring = ring_of(b, map);
  r->segment = mpir_restart_is_segment(b->image, map) ? (uint32_t)map->inode + 1 : 0;
  if (r->segment) {
    r->flags = mpir_restart_segment_goes(map);
    if (!b->fds->group && is_first(b, map) && mpir_restart_segment(b->image, map, b->err)) /* of a set: made for all */
      return b->err->code;
  } else if (r->ring) {
    r->prot = r->final_prot = PROT_READ | PROT_WRITE;
  } else if (of_file || map->kind == MPIR_MAP_SHARED) {
    r->fd = of_file ? open_mapped(b, map) : open_object(b, map);
    if (r->fd < 0)
      return b->err->code ? b->err->code : dvm_error_set(b->err, r->fd, "no descriptor number is free");
    r->offset = map->map_offset;
    if (map->kind != MPIR_MAP_FILE)
      r->flags = MAP_FIXED_NOREPLACE | MAP_SHARED;
  } else {
    r->flags |= MAP_ANONYMOUS | MAP_NORESERVE | (map->flags & MPIR_MAP_GROWSDOWN ? MAP_GROWSDOWN : 0);
  }
  b->region_count++;
  return 0;
}

static struct restorer_region *region_at(struct builder *b, uint64_t address) {
  size_t low = 0, high = b->image->map_count;

  high = b->region_count;
  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;

    if (b->regions[middle].start <= address)
      low = middle;
    else
      high = middle;
  }
  return &b->regions[low];
}

bool mpir_restart_is_lazy(const struct mpir_image *image, const struct mpir_image_extent *e) {
  const struct mpir_image_map *map = e->file < 0 ? mpir_image_map_at(image, e->address) : NULL;

  return map && map->kind == MPIR_MAP_ANON && !(map->flags & MPIR_MAP_GROWSDOWN) && !(e->flags & MPIR_EXTENT_VIEW) && e->length >= LAZY_MIN;
}

static void add_lazy(struct builder *b, const struct mpir_image_extent *e) {
  const struct restorer_region *whole = region_at(b, e->address);
  struct restorer_region *last = b->lazy_count ? &b->lazies[b->lazy_count - 1] : NULL;

  if (last && last->start + last->size == e->address)
    last->size += e->length;
  else
    b->lazies[b->lazy_count++] = (struct restorer_region){.start = e->address, .size = e->length};
  if (!b->watched_count || b->watched[b->watched_count - 1].start != whole->start)
    b->watched[b->watched_count++] = (struct restorer_region){.start = whole->start, .size = whole->size};
}

/* Has the memory given by the pager from now on. */
static int tell_pager(struct builder *b, struct restorer_plan *plan) {
  int fd = b->fds->pager < 0 ? -1 : mpir_pager_open(), rc;

  plan->info.pager_fd = b->fds->pager;
  plan->info.fault_fd = -1;
  if (b->fds->pager < 0)
    return 0;
  if (fd >= 0)
    fd = mpir_restart_raise(b->fds, fd);
  plan->info.fault_fd = fd;
  rc = fd < 0 ? fd : mpir_pager_tell(b->fds->pager, fd, b->lazies, b->lazy_count);
  return rc ? dvm_error_set(b->err, rc, "cannot set up lazy loading of the memory: %s", strerror(-rc)) : 0;
}

static int add_read(struct builder *b, const struct mpir_image_extent *e, void *space) {
  const bool lazy = b->fds->pager >= 0 && mpir_restart_is_lazy(b->image, e);

  if (lazy && b->lazy_count < LAZY_MAX) {
    add_lazy(b, e);
    return 0;
  }
  region_at(b, e->address)->prot |= PROT_READ | PROT_WRITE;
  b->reads[b->read_count++] = (struct restorer_read){e->address, e->length, e->file_offset};
  return lazy ? mpir_image_verify_extent(b->image, e, space, b->err) : 0; /* the others have been verified */
}

static int add_reads(struct builder *b) {
  void *space = malloc(MPIR_EXTENT_MAX);
  int rc = space ? 0 : dvm_error_set(b->err, -ENOMEM, "out of memory");

  for (size_t i = 0; i < b->image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &b->image->extents[i];
    const struct mpir_image_map *map = e->file < 0 ? mpir_image_map_at(b->image, e->address) : NULL;

    if (map && map->kind != MPIR_MAP_KERNEL && !(e->flags & MPIR_EXTENT_VIEW) && !mpir_image_is_ring(b->image, map) &&
        !(b->options->given_filled && mpir_restart_is_given(b->image, map, b->options)))
      rc = add_read(b, e, space);
  }
  free(space);
  return rc;
}

/* A hole of 'size' bytes in the address ranges of both the image and the present process. */
static uint64_t find_area(const struct builder *b, const struct restart_area *areas, size_t count, uint64_t size) {
  uint64_t at = AREA_LOWEST;
  bool moved = true;

  while (moved && at + size < ADDRESS_END) {
    moved = false;
    for (size_t i = 0; i < b->image->map_count; i++)
      if (b->image->maps[i].start < at + size && b->image->maps[i].end > at) {
        at = b->image->maps[i].end;
        moved = true;
      }
    for (size_t i = 0; i < count; i++)
      if (areas[i].start < at + size && areas[i].end > at) {
        at = areas[i].end;
        moved = true;
      }
  }
  return at + size < ADDRESS_END ? at : 0;
}

static void kernel_maps(const struct builder *b, struct restorer_plan *plan, const struct restart_area *areas, size_t count,
                        uint64_t park) {
  for (size_t i = 0; i < b->image->map_count; i++) {
    const struct mpir_image_map *map = &b->image->maps[i];

    if (map->kind != MPIR_MAP_KERNEL || plan->kernel_map_count == RESTORER_KERNEL_MAPS)
      continue;
    for (size_t k = 0; k < count; k++)
      if (strcmp(areas[k].name, mpir_image_string(b->image, map->name)) == 0)
        plan->kernel_maps[plan->kernel_map_count] = (struct restorer_kernel_map){areas[k].start, park, map->start, map->end - map->start};
    park += plan->kernel_maps[plan->kernel_map_count++].size;
  }
}

static void memory_map(const struct builder *b, struct prctl_mm_map *m) {
  const struct mpir_image_header *h = b->image->header;
  int exe = open(mpir_image_string(b->image, h->exe), O_RDONLY | O_CLOEXEC);

  if (exe >= 0)
    exe = close_later((struct builder *)(uintptr_t)b, exe);
  *m = (struct prctl_mm_map){.start_code = h->start_code,
                             .end_code = h->end_code,
                             .start_data = h->start_data,
                             .end_data = h->end_data,
                             .start_brk = h->start_brk,
                             .brk = h->brk,
                             .start_stack = h->start_stack,
                             .arg_start = h->arg_start,
                             .arg_end = h->arg_end,
                             .env_start = h->env_start,
                             .env_end = h->env_end,
                             .auxv_size = (uint32_t)b->image->auxv_bytes,
                             .exe_fd = exe < 0 ? (uint32_t)-1 : (uint32_t)exe};
}

static void *take(unsigned char **at, const void *content, size_t size) {
  void *to = *at;

  if (content)
    memcpy(to, content, size);
  *at += (size + 15) & ~15ul;
  return to;
}

static void restart_info(const struct builder *b, struct restorer_plan *plan, const char *path, int outer_pid) {
  plan->info.valid = 1;
  plan->info.debug = b->options->debug;
  plan->info.outer_pid = outer_pid;
  plan->info.status_fd = b->fds->status;
  plan->info.go_fd = b->fds->go;
  plan->info.area = plan->area;
  plan->info.area_size = plan->area_size;
  snprintf(plan->info.image, sizeof(plan->info.image), "%s", path);
}

static uint64_t size_of_tables(const struct builder *b) {
  const struct mpir_image *image = b->image;

  return page_up(sizeof(struct restorer_plan) + (b->region_count + b->watched_count) * sizeof(*b->regions) +
                 b->read_count * sizeof(*b->reads) + image->guard_count * sizeof(*image->guards) +
                 image->thread_count * sizeof(*image->threads) + image->timer_count * sizeof(*image->timers) +
                 image->credential_count * sizeof(*image->credentials) + image->group_count * sizeof(*image->groups) + image->filters_size +
                 (b->close_count + 8) * sizeof(int) + image->auxv_bytes + 256);
}

/* What the plan points to, put behind it at '*at'. */
static void fill_tables(struct builder *b, struct restorer_plan *plan, unsigned char **at) {
  const struct mpir_image *image = b->image;
  const struct mpir_image_header *h = image->header;

  plan->memory.auxv = take(at, image->auxv, image->auxv_bytes);
  plan->regions = take(at, b->regions, b->region_count * sizeof(*b->regions));
  plan->watched = take(at, b->watched, b->watched_count * sizeof(*b->watched));
  plan->watched_count = b->watched_count;
  plan->reads = take(at, b->reads, b->read_count * sizeof(*b->reads));
  plan->threads = take(at, image->threads, image->thread_count * sizeof(*image->threads));
  plan->credentials = take(at, image->credentials, image->credential_count * sizeof(*image->credentials));
  plan->groups = take(at, image->groups, image->group_count * sizeof(*image->groups));
  plan->filters = take(at, image->filters, image->filters_size);
  plan->no_exec_gain = image->process->no_exec_gain;
  plan->barriers = image->process->barriers;
  plan->timers = take(at, image->timers, image->timer_count * sizeof(*image->timers));
  b->close_fds[b->close_count++] = b->fds->image;
  plan->close_fds = take(at, b->close_fds, b->close_count * sizeof(int));
  plan->region_count = b->region_count;
  plan->guards = take(at, image->guards, image->guard_count * sizeof(*image->guards));
  plan->guard_count = image->guard_count;
  plan->read_count = b->read_count;
  plan->thread_count = image->thread_count;
  plan->timer_count = image->timer_count;
  plan->close_count = b->close_count;
  plan->restart_info = h->restart_info;
  memcpy(plan->itimers, h->itimers, sizeof(plan->itimers));
  memcpy(plan->rlimits, h->rlimits, sizeof(plan->rlimits));
  plan->restore_limits = 1;
  plan->dumpable = h->dumpable != 0; /* 2 cannot be set, and is what the kernel gives by itself */
  plan->subreaper = (int)h->subreaper;
  plan->no_huge_pages = (int)h->no_huge_pages;
  plan->parent_death_signals = !b->options->detach;
  plan->rseq_length = h->rseq_length;
  plan->rseq_signature = h->rseq_signature;
}

/* The area: code, plan and tables, stacks, room for the vdso and its data. */
static struct restorer_plan *build_area(struct builder *b, struct dvm_error *err) {
  const struct mpir_image *image = b->image;
  uint64_t code = page_up((uint64_t)(mpir_restorer_code_end - mpir_restorer_code)), tables = size_of_tables(b);
  uint64_t stacks = page_up((image->thread_count + 1) * RESTORER_STACK), park = 0, area;
  struct restart_area *areas;
  struct restorer_plan *plan;
  unsigned char *at;
  size_t count;

  for (size_t i = 0; i < image->map_count; i++)
    if (image->maps[i].kind == MPIR_MAP_KERNEL)
      park += image->maps[i].end - image->maps[i].start;
  areas = mpir_restart_areas(&count, err);
  if (!areas)
    return NULL;
  area = find_area(b, areas, count, code + tables + stacks + park);
  if (!area || mmap((void *)area, code + tables + stacks + park, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)area) {
    dvm_error_set(err, -ENOMEM, "no free addresses for the restorer");
    free(areas);
    return NULL;
  }
  memcpy((void *)area, mpir_restorer_code, (size_t)(mpir_restorer_code_end - mpir_restorer_code));
  at = (unsigned char *)area + code;
  plan = take(&at, NULL, sizeof(*plan));
  plan->area = area;
  plan->area_size = code + tables + stacks + park;
  memory_map(b, &plan->memory);
  fill_tables(b, plan, &at);
  plan->stacks = area + code + tables;
  plan->image_fd = b->fds->image;
  plan->status_fd = b->fds->status;
  kernel_maps(b, plan, areas, count, area + code + tables + stacks);
  free(areas);
  return plan;
}

static void set_actions(const struct mpir_image *image) {
  uint64_t all = ~0ull;

  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
  for (int sig = 1; sig <= MPIR_SIGNALS; sig++)
    if (sig != SIGKILL && sig != SIGSTOP)
      syscall(SYS_rt_sigaction, sig, &image->actions[sig - 1], NULL, 8);
}

static _Noreturn void jump(const struct restorer_plan *plan) {
  uint64_t stack = plan->stacks + RESTORER_STACK;

  if (__rseq_size) /* the kernel would write to it after it is unmapped */
    syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, __rseq_size < 32 ? 32 : __rseq_size, 1 /* RSEQ_FLAG_UNREGISTER */,
            0x53053053);
  __asm__ volatile("movq %0, %%rsp\n\t"
                   "jmpq *%1"
                   :
                   : "r"(stack), "r"(plan->area), "D"(plan)
                   : "memory");
  __builtin_unreachable();
}

int mpir_restart_enter(const struct mpir_image *image, const char *path, const struct mpir_restart_options *options,
                       struct restart_fds *fds, int outer_pid, bool user_namespace, struct dvm_error *err) {
  struct builder b = {.image = image, .options = options, .fds = fds, .err = err};
  struct restorer_plan *plan;
  bool set_groups, set_ids;
  int rc = builder_init(&b);

  for (size_t i = 0; i < image->map_count && !rc; i++)
    rc = add_map(&b, &image->maps[i]);
  if (rc)
    return rc;
  if (!b.region_count)
    return dvm_error_set(err, -EBADMSG, "the image has no memory");
  rc = add_reads(&b);
  if (rc)
    return rc;
  plan = build_area(&b, err);
  if (!plan)
    return err->code;
  restart_info(&b, plan, path, outer_pid);
  rc = tell_pager(&b, plan);
  if (rc)
    return rc;
  mpir_restart_confine(image, &set_groups, &set_ids);
  if (user_namespace && (set_groups || set_ids))
    return dvm_error_set(err, -EPERM,
                         "the process had different users or groups from this command, and they cannot be set in a user namespace");
  plan->set_groups = set_groups;
  plan->set_ids = set_ids;
  umask((mode_t)image->header->umask);
  if (fds->group)
    mpir_group_close(fds->group);
  set_actions(image);
  jump(plan);
}
