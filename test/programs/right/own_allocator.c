/* program with own allocator, strings with trailing arrays, tagged pointers, beside a parallel part */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 16 };
#pragma dvm array distribute[block]
double v[N];
struct str { int len; char s[4]; };
struct cell { uintptr_t tagged; struct cell *next; };
static char *block; static size_t used;
static void *take(size_t n) { if (!block) block = malloc(65536); void *p = block + used; used += (n + 7) & ~(size_t)7; return p; }
static struct str *str(const char *t) { struct str *s = take(sizeof(int) + strlen(t) + 1); s->len = (int)strlen(t); strcpy(s->s, t); return s; }
static int hash(const struct str *s) { int h = 0; for (int i = 0; i < s->len; i++) h = h * 31 + s->s[i]; return h; }
static int cmp(const void *a, const void *b) { return hash(*(struct str *const *)a) - hash(*(struct str *const *)b); }
int main(void) {
  struct str *list[4] = {str("alpha"), str("a much longer text"), str("c"), str("delta delta")};
  struct cell *head = NULL; double sum = 0;
  for (int i = 0; i < 4; i++) { struct cell *c = take(sizeof *c); c->tagged = (uintptr_t)list[i] | 1 | (uintptr_t)i << 56; c->next = head; head = c; }
  qsort(list, 4, sizeof list[0], cmp);
  int h = 0;
  for (struct cell *c = head; c; c = c->next) h ^= hash((struct str *)(c->tagged & 0x00fffffffffffffe));
#pragma dvm parallel([i] on v[i]) 
  for (int i = 0; i < N; i++) v[i] = hash(list[i % 4]) % 10;
#pragma dvm parallel([i] on v[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++) sum += v[i];
  printf("%d %g %s %c\n", h, sum, list[0]->s, list[1]->s[0]);
  free(block);
  return 0;
}
