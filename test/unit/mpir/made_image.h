/* A small, whole checkpoint image made in memory, for tests of its reader.  Tests change a field and close it again. */
#ifndef DVM_TEST_MADE_IMAGE_H
#define DVM_TEST_MADE_IMAGE_H
#include <stddef.h>
#include "mpir/image/image_format.h"

#define MADE_MAPS 5
#define MADE_THREADS 2
#define MADE_EXTENTS 4
#define MADE_FILES 3
#define MADE_STRINGS 64
#define MADE_PAGE_ADDRESS 0x10000u /* of the first saved page; the second is MADE_PAGE_ADDRESS + 2 pages */

enum { /* made_image.leave_out: notes that made_close does not write */
       MADE_NO_CHECKSUM = 1,
       MADE_NO_MAPS = 2,
       MADE_TWICE_FILES = 4,
       MADE_NO_AUXV = 8,
       MADE_UNKNOWN = 16,
};

struct made_image {
  struct mpir_image_header header;
  struct mpir_image_map maps[MADE_MAPS];
  struct mpir_image_thread threads[MADE_THREADS];
  struct mpir_image_extent extents[MADE_EXTENTS];
  struct mpir_image_file files[MADE_FILES];
  struct mpir_image_timer timers[1];
  struct mpir_image_action actions[MPIR_SIGNALS];
  struct mpir_image_credentials credentials[MADE_THREADS];
  uint32_t groups[2], filters[4];
  struct mpir_image_process process;
  char strings[MADE_STRINGS];
  unsigned leave_out;
  size_t actions_size; /* bytes of 'actions' to write */
  _Alignas(4096) unsigned char bytes[65536];
  size_t size;         /* of 'bytes', set by made_close */
};

/* All tables filled with valid content; extents hold checksums of the data that made_close writes. */
void made_init(struct made_image *made);
/* Lays out 'bytes' from the tables: headers, data, notes, checksums. */
void made_close(struct made_image *made);
#endif
