/* A profile for people and for programs.  Each writes to 'f'; errors are the stream's. */
#ifndef DVM_PROFILE_SHOW_H
#define DVM_PROFILE_SHOW_H
#include "driver/profile/model.h"
#include <stdio.h>

void prof_show_text(const struct prof_model *m, FILE *f);
/* 0 or -ENOMEM. */
int prof_show_json(const struct prof_model *m, FILE *f);
/* One page that needs no other file.  0 or -ENOMEM. */
int prof_show_html(const struct prof_model *m, FILE *f);

/* "1.250 s", "3.20 ms", "0.5 us". */
struct prof_amount {
  char text[32];
};
struct prof_amount prof_show_seconds(double s);
/* "shadow edges", ..: what was exchanged. */
const char *prof_show_why(int why);
/* The end of the page's own text, and what stands before the data (html_page.c). */
extern const char prof_html_head[], prof_html_tail[];
#endif
