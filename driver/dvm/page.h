/* The pages of the diagnostics (docs/diagnostics), as 'dvm help ID' shows them. */
#ifndef DVM_DRIVER_PAGE_H
#define DVM_DRIVER_PAGE_H
#include "base/error.h"
#include "driver/list.h"

/* Writes the page of 'id', with or without "dvm-", to standard output.  Returns 0, -ENOENT when there is no such page, or
 * another -E... of the write. */
int dvm_page_show(const char *folder, const char *id, struct dvm_error *err);
/* Appends the ids that have a page, sorted; none when there is no such folder. */
void dvm_page_list(const char *folder, struct dvm_list *ids);
#endif
