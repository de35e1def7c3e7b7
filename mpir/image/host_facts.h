/* What a host has that a restart asks for, as text: written on one host, compared with an image on another.
 *   dvm-host 1
 *   kernel RELEASE
 *   area NAME SIZE            a mapping of the kernel's: [vdso], [vvar], ...
 *   vdso SIZE CRC32C
 *   file SIZE MTIME-NS PATH   a file that programs map
 *   end                       the last line */
#ifndef DVM_MPIR_HOST_FACTS_H
#define DVM_MPIR_HOST_FACTS_H
#include <stdio.h>
#include "mpir/image/image.h"

struct mpir_host_facts;

/* Those of this host, with the shared libraries in the usual folders and in 'folders', NULL at the end, and all files in the latter. */
int mpir_host_facts_write(FILE *to, char *const *folders, struct dvm_error *err);
/* NULL: not such a text. */
struct mpir_host_facts *mpir_host_facts_parse(const char *text, size_t size, struct dvm_error *err);
struct mpir_host_facts *mpir_host_facts_read(const char *path, struct dvm_error *err);
void mpir_host_facts_free(struct mpir_host_facts *facts);
/* Writes a line for each thing that a restart there would miss.  Returns their number. */
unsigned mpir_host_facts_check(const struct mpir_host_facts *facts, const struct mpir_image *image, FILE *to);
#endif
