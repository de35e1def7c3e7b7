/* A hash table of words: strings by strdup and sprintf, chains, a sorted list of pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry {
  struct entry *next;
  int count;
  char word[]; /* flexible */
};
static struct entry *table[16];
static struct entry *find(const char *w) {
  unsigned h = 0;
  for (const char *p = w; *p; p++)
    h = h * 33 + (unsigned char)*p;
  for (struct entry *e = table[h % 16]; e; e = e->next)
    if (!strcmp(e->word, w))
      return e;
  struct entry *e = malloc(sizeof *e + strlen(w) + 1);
  e->next = table[h % 16];
  e->count = 0;
  strcpy(e->word, w);
  return table[h % 16] = e;
}
static int order(const void *a, const void *b) {
  const struct entry *p = *(struct entry *const *)a, *q = *(struct entry *const *)b;
  return q->count - p->count ? q->count - p->count : strcmp(p->word, q->word);
}
int main(void) {
  char text[] = "the cat and the dog and the bird saw the cat", *save = NULL;
  for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
    find(w)->count++;
  struct entry *all[64];
  size_t n = 0;
  for (int i = 0; i < 16; i++)
    for (struct entry *e = table[i]; e; e = e->next)
      all[n++] = e;
  qsort(all, n, sizeof *all, order);
  for (size_t i = 0; i < 3; i++)
    printf("%s %d\n", all[i]->word, all[i]->count);
  for (size_t i = 0; i < n; i++)
    free(all[i]);
  return 0;
}
