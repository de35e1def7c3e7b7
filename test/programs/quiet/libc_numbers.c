/* Results through pointers: mathematics, conversions, times, wide characters.  Uses memory of the heap and of the stack. */
#define _GNU_SOURCE
#include <complex.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <monetary.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

static void mathematics(void) {
  int e, quotient, sign, *he = malloc(sizeof *he);
  double whole, s, c, *hs = malloc(2 * sizeof *hs);
  float fs, fc, fwhole;
  long double ls, lc, lwhole;
  if (!he || !hs)
    exit(1);
  double f = frexp(40.0, &e), g = modf(2.75, &whole), r = remquo(7.0, 2.0, &quotient), l = lgamma_r(-0.5, &sign);
  sincos(1.0, &s, &c);
  sincosf(1.0f, &fs, &fc);
  sincosl(1.0L, &ls, &lc);
  frexp(3.0, he);
  modf(9.5, hs);
  sincos(0.0, hs, hs + 1);
  printf("%g %d %g %g %g %d %.4f %d\n", f, e, g, whole, r, quotient & 7, l, sign);
  printf("%.4f %.4f %.4f %.4f %.4Lf %.4Lf\n", s, c, fs, fc, ls, lc);
  printf("%g %Lg %d %g %g\n", modff(1.5f, &fwhole) + fwhole, modfl(3.5L, &lwhole) + lwhole, *he, hs[0], hs[1]);
  double complex z = csqrt(-4.0 + 0 * I), parts[2];
  parts[0] = z;
  parts[1] = conj(z);
  printf("%g %g %g\n", creal(z), cimag(parts[0]), cimag(parts[1]));
  div_t d = div(17, 5);
  imaxdiv_t m = imaxdiv(100, 7);
  printf("%d %d %" PRIdMAX "\n", d.quot, d.rem, m.rem);
  free(he);
  free(hs);
}

static void conversions(void) {
  char *end, text[40], *made;
  int n, a, b;
  double x;
  wchar_t *wend, wide[16];
  printf("%ld%s ", strtol("12ab", &end, 10), end);
  printf("%lu%s ", strtoul("13cd", &end, 10), end);
  printf("%lld%s ", strtoll("14ef", &end, 10), end);
  printf("%g%s ", strtof("1.5gh", &end), end);
  printf("%Lg%s ", strtold("2.5ij", &end), end);
  printf("%jd%s ", strtoimax("15kl", &end, 10), end);
  printf("%ld%c\n", wcstol(L"16mn", &wend, 10), (char)*wend);
  if (sscanf("7 8 9.5 word", "%d%d%lf%n", &a, &b, &x, &n) != 3)
    exit(1);
  printf("%d %d %g %d\n", a, b, x, n);
  if (asprintf(&made, "%d-%d", a, b) < 0)
    exit(1);
  printf("%s %c\n", made, made[2]);
  free(made);
  snprintf(text, sizeof text, "%s %n", "abc", &n);
  printf("%c%c %d\n", text[0], text[2], n);
  int decimal, negative;
  char digits[20];
  ecvt_r(-12.5, 4, &decimal, &negative, digits, sizeof digits);
  printf("%d %d %c\n", decimal, negative, digits[0]);
  swprintf(wide, 16, L"%d", 321);
  wcscat(wide, L"x");
  printf("%c%c\n", (char)wide[0], (char)wide[3]);
}

static void wide_characters(void) {
  mbstate_t state, *heap_state = malloc(sizeof *heap_state);
  wchar_t one, buffer[8], *save, *token, copy[8];
  char narrow[8], *hn = malloc(16);
  char16_t c16;
  char32_t c32;
  const char *from = "abc";
  const wchar_t *wfrom = L"xyz";
  if (!heap_state || !hn)
    exit(1);
  memset(&state, 0, sizeof state);
  *heap_state = state;
  mbrtowc(&one, "q", 1, &state);
  mbsrtowcs(buffer, &from, 8, &state);
  wcsrtombs(narrow, &wfrom, 8, heap_state);
  printf("%c %c %c %d %d\n", (char)one, (char)buffer[2], narrow[1], from == NULL, wfrom == NULL);
  mbstowcs(buffer, "a b", 8);
  token = wcstok(buffer, L" ", &save);
  wmemcpy(copy, L"12345", 6);
  wmemset(copy, L'z', 2);
  wcstombs(narrow, copy, 8);
  printf("%c %c %s\n", (char)*token, (char)*save, narrow);
  mbrtoc16(&c16, "u", 1, &state);
  mbrtoc32(&c32, "v", 1, &state);
  int n = (int)wcrtomb(hn, L'w', heap_state);
  printf("%c %c %d %c\n", (char)c16, (char)c32, n, hn[0]);
  mbtowc(&one, "r", 1);
  wctomb(narrow, L's');
  wcsncpy(copy, L"ab", 4);
  printf("%c %c %c\n", (char)one, narrow[0], (char)(copy[1] + copy[3]));
  free(heap_state);
  free(hn);
}

static void times(void) {
  struct timeval tv, *htv = malloc(sizeof *htv);
  struct timezone tz;
  struct timespec ts, resolution;
  struct tm day, *hday = malloc(sizeof *hday);
  struct itimerval old;
  time_t now, t = 86400 * 365;
  char text[64];
  if (!htv || !hday)
    exit(1);
  gettimeofday(&tv, &tz);
  gettimeofday(htv, NULL);
  clock_gettime(CLOCK_MONOTONIC, &ts);
  clock_getres(CLOCK_MONOTONIC, &resolution);
  timespec_get(&ts, TIME_UTC);
  getitimer(ITIMER_REAL, &old);
  time(&now);
  gmtime_r(&t, &day);
  gmtime_r(&t, hday);
  strftime(text, sizeof text, "%Y-%m-%d", &day);
  printf("%s %c %d\n", text, text[3], hday->tm_year);
  asctime_r(&day, text);
  printf("%c%c\n", text[0], text[1]);
  strptime("2001-02-03", "%Y-%m-%d", &day);
  printf("%d %d\n", day.tm_mon, day.tm_mday);
  printf("%d %d %d\n", tv.tv_sec > 0 && htv->tv_usec >= 0, now > 0 && old.it_value.tv_sec == 0, ts.tv_nsec >= 0 && resolution.tv_nsec >= 0);
  ctime_r(&t, text);
  printf("%d\n", text[0] > 'A');
  free(htv);
  free(hday);
}

/* Without a directive the checker would look at floating-point data alone. */
#pragma dvm array distribute[block]
double field[8];

int main(void) {
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < 8; i++)
    field[i] = i;
  mathematics();
  conversions();
  wide_characters();
  times();
  struct lconv *l = localeconv();
  char money[32];
  long drawn;
  struct random_data data;
  char state[64];
  double uniform;
  struct drand48_data d48;
  strfmon(money, sizeof money, "%n", 12.5);
  memset(&data, 0, sizeof data);
  initstate_r(42, state, sizeof state, &data);
  int32_t r;
  random_r(&data, &r);
  srand48_r(7, &d48);
  drand48_r(&d48, &uniform);
  lrand48_r(&d48, &drawn);
  printf("%s %c %d %d %d\n", l->decimal_point, money[0] ? '+' : '-', r >= 0, uniform < 1, drawn >= 0);
  return 0;
}
