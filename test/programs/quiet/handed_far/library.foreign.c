/* What a library may write through pointers that lie far inside of what it is handed. */
#include <stddef.h>

struct node { struct node *next; double *data; };
struct wide { double rest[700]; double *out; };

static void set(double *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = i;
}

void lib_at(void **slots, int k, int n) { set(slots[k], n); }

void lib_rows(double **rows, int n, int width) {
  for (int i = 0; i < n; i++)
    set(rows[i], width);
}

void lib_wide(struct wide *w, int n) { set(w->out, n); }

void lib_list(struct node *head, int width) {
  for (; head; head = head->next)
    set(head->data, width);
}

void lib_count(const void *block, size_t n, long *count) {
  const unsigned char *p = block;
  for (size_t i = 0; i < n; i++)
    *count += p[i] != 0;
}
