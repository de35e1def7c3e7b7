/* State that is written with fwrite as one struct with unused room at its end, and compared after it was read. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#define MOST 32
struct state {
  int step, n;
  double value[MOST];
  char note[40];
};
static struct state make(int n) {
  struct state s;
  s.step = 3;
  s.n = n;
  for (int i = 0; i < n; i++)
    s.value[i] = i * 1.5;
  snprintf(s.note, sizeof s.note, "after step %d", s.step);
  return s;
}
int main(void) {
  struct state s = make(10), back;
  FILE *f = tmpfile();
  if (!f)
    return 1;
  fwrite(&s, sizeof s, 1, f);
  rewind(f);
  if (fread(&back, sizeof back, 1, f) != 1)
    return 1;
  double sum = 0;
  for (int i = 0; i < back.n; i++)
    sum += back.value[i];
  printf("%d %g %s %d\n", back.step, sum, back.note, memcmp(&s.value, &back.value, (size_t)s.n * sizeof(double)));
  struct tm day = {0};
  day.tm_year = 100;
  day.tm_mday = 1;
  char text[32];
  size_t n = strftime(text, sizeof text, "%Y-%m-%d", &day);
  fwrite(text, 1, n, stdout);
  putchar('\n');
  fclose(f);
  return 0;
}
