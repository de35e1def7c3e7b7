/* What a library may do with memory that it gets in roundabout ways, and with the program's heap and stack. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct places { void *number, *real, *text; long n; };
union handle { long number; void *place; };
struct node { struct node *next; int *data; };

void lib_by_value(struct places p) {
  *(int *)p.number = 1;
  *(double *)p.real = 2;
  memcpy(p.text, "three", 6);
}

void lib_union(union handle h) { *(int *)h.place = 4; }
void lib_address(uintptr_t a) { *(int *)a = 5; }

void lib_list(int n, va_list list) {
  for (int i = 0; i < n; i++)
    *va_arg(list, int *) = i;
}

void lib_free(struct node *head) {
  while (head) {
    struct node *next = head->next;
    free(head->data);
    free(head);
    head = next;
  }
}

char *lib_text(int n) {
  char *text = malloc((size_t)n);
  if (text)
    memset(text, 'a', (size_t)n);
  return text;
}

void lib_call(void (*call)(const int *, int *), int *sum) {
  int own[200];
  for (int i = 0; i < 200; i++)
    own[i] = i;
  call(own, sum);
}
