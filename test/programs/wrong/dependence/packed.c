/* Records of a file: members of packed structs and bit-fields meet in several iterations. */
// TWIN
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define N 10
#ifdef RIGHT
#define BACK 0
#else
#define BACK 1
#endif

#pragma pack(push, 1)
struct record {
  uint8_t kind;
  double weight;
  uint32_t id : 20, used : 12;
  struct {
    uint16_t x;
    float y;
  } at;
};
#pragma pack(pop)

#pragma dvm array distribute[block] shadow[1:1]
static struct record r[N];
struct wire {
  uint8_t tag;
  int32_t value;
} __attribute__((packed));

int main(void) {
  double sum = 0;
  struct wire *w = malloc(N * sizeof *w);
#pragma dvm parallel([i] on r[i])
  for (int i = 0; i < N; i++) {
    r[i].kind = 1;
    r[i].weight = i * 0.5;
    r[i].id = (uint32_t)i;
    r[i].used = 0;
    r[i].at.x = (uint16_t)i;
    r[i].at.y = (float)i;
  }
  for (int i = 0; i < N; i++) {
    w[i].tag = 1;
    w[i].value = i;
  }
#ifdef RIGHT
#pragma dvm parallel([i] on r[i]) across(r[0:1])
#else
#pragma dvm parallel([i] on r[i]) shadow_renew(r)
#endif
  for (int i = 0; i < N - 1; i++) {
    r[i].weight = r[i + 1].weight;
    // expect -1:5 error dvm-loop-dependence 'r[1].weight'
    r[i].id = r[i + 1].used;
    // expect -1:5 error dvm-loop-dependence 'r[1].id'
    r[i].at.y = r[i + 1].at.y;
    // expect -1:5 error dvm-loop-dependence 'r[1].at.y'
  }
#pragma dvm parallel(1)
  for (int i = 1; i < N; i++)
    w[i].value = w[i - BACK].value + 1;
    //           ^ error dvm-loop-dependence 'w[1].value'
#pragma dvm parallel([i] on r[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += r[i].weight + r[i].at.y + r[i].id + w[i].value;
  printf("%g\n", sum);
  free(w);
  return 0;
}
