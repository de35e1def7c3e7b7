/* Elements of many types: char, short, bool, long double, complex, structures, unions, enumerations. */
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#define N 12

struct cell {
  short kind;
  char mark;
  float value[2];
};
union word {
  unsigned bits;
  float number;
};
enum colour { RED, GREEN, BLUE };

#pragma dvm array distribute[block] shadow[1:1]
char text[N];
#pragma dvm array align([i] with text[i])
short s[N];
#pragma dvm array align([i] with text[i])
bool flag[N];
#pragma dvm array align([i] with text[i])
long double ld[N];
#pragma dvm array align([i] with text[i])
double complex z[N];
#pragma dvm array align([i] with text[i])
struct cell cells[N];
#pragma dvm array align([i] with text[i])
union word words[N];
#pragma dvm array align([i] with text[i])
enum colour colours[N];
#pragma dvm array align([i][] with text[i])
unsigned char bytes[N][3];

int main(void) {
  int i, marks = 0;
  double sum = 0;
  long double lsum = 0;
#pragma dvm parallel([i] on text[i])
  for (i = 0; i < N; i++) {
    text[i] = 'a' + i;
    s[i] = -i;
    flag[i] = i % 3 == 0;
    ld[i] = i / 3.0L;
    z[i] = i + (N - i) * I;
    cells[i].kind = i;
    cells[i].mark = text[i];
    cells[i].value[0] = i / 2.0f;
    cells[i].value[1] = 0;
    words[i].number = i;
    colours[i] = i % 3;
    for (int k = 0; k < 3; k++)
      bytes[i][k] = i * k;
  }
#pragma dvm parallel([i] on text[i]) shadow_renew(text, ld, z, cells) reduction(sum(sum), sum(lsum), sum(marks))
  for (i = 1; i < N - 1; i++) {
    struct cell copy = cells[i + 1];
    copy.value[1] += cells[i - 1].value[0];
    marks += text[i + 1] - text[i - 1] + s[i] + flag[i] + copy.mark + (colours[i] == GREEN) + bytes[i][2];
    lsum += ld[i - 1] * ld[i + 1];
    sum += creal(z[i - 1] * z[i + 1]) + copy.value[1] + words[i].number;
  }
  printf("%d %.9g %.9Lg\n", marks, sum, lsum);
  return 0;
}
