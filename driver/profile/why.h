/* Why time was lost, in words. */
#ifndef DVM_PROFILE_WHY_H
#define DVM_PROFILE_WHY_H
#include "driver/list.h"
#include "driver/profile/model.h"

/* Adds a sentence for each reason that counts: of a directive; of the program as a whole. */
void prof_why_row(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to);
void prof_why_program(const struct prof_model *m, struct dvm_list *to);
#endif
