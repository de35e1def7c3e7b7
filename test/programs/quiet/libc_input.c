/* Values that come from outside: fgets, sscanf, fread, getline, getdelim, read, strtod, time, getrusage, pipe. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  char line[64], word[16], *long_line = NULL, *end;
  size_t capacity = 0;
  int a, b, fields, ends[2], numbers[3];
  double x;
  struct timeval now;
  struct rusage usage;
  struct timespec clock;
  struct tm day;
  time_t t = 86400;
  FILE *f = tmpfile();
  if (!f)
    return 1;
  fputs("12 34 words\nsecond line;third 5 6 7\n", f);
  rewind(f);
  if (!fgets(line, sizeof line, f))
    return 1;
  fields = sscanf(line, "%d %d %15s", &a, &b, word);
  if (getdelim(&long_line, &capacity, ';', f) < 0)
    return 1;
  printf("%d %d %s %d %s\n", a + b, fields, word, line[0], long_line);
  if (getline(&long_line, &capacity, f) < 0)
    return 1;
  if (sscanf(long_line, "third %d%d%d", &numbers[0], numbers + 1, &numbers[2]) != 3)
    return 1;
  x = strtod("2.5rest", &end);
  printf("%d %g %s\n", numbers[0] * numbers[1] * numbers[2], x, end);
  if (pipe(ends) || write(ends[1], "abc", 3) != 3 || read(ends[0], word, 3) != 3)
    return 1;
  gettimeofday(&now, NULL);
  getrusage(RUSAGE_SELF, &usage);
  clock_gettime(CLOCK_REALTIME, &clock);
  gmtime_r(&t, &day);
  printf("%.3s %d %d %d\n", word, now.tv_sec > 0 && usage.ru_utime.tv_sec >= 0, clock.tv_nsec >= 0, day.tm_mday);
  rewind(f);
  if (fread(line, 1, 2, f) != 2)
    return 1;
  printf("%c%c\n", line[0], line[1]);
  free(long_line);
  fclose(f);
  return 0;
}
