/* Bodies of other processors are read. */
// TWIN
#include <math.h>
#include <stdio.h>
#define N 16
struct vec {
  double x, y, z;
};
struct body {
  struct vec at, speed;
  double mass;
  int id;
};
#pragma dvm array distribute[block]
static struct body b[N];
#pragma dvm array align([i] with b[i])
static struct vec force[N];
static struct vec minus(struct vec p, struct vec q) { return (struct vec){p.x - q.x, p.y - q.y, p.z - q.z}; }
static struct vec pull(struct vec d, double m) {
  double r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01, f = m / (r2 * sqrt(r2));
  return (struct vec){d.x * f, d.y * f, d.z * f};
}
int main(void) {
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = (struct body){.at = {cos(i), sin(i), i * 0.1}, .mass = 1 + i % 2, .id = i};
  for (int step = 0; step < 3; step++) {
#ifdef RIGHT
#pragma dvm parallel([i] on b[i]) remote_access(b[])
#else
#pragma dvm parallel([i] on b[i])
#endif
    for (int i = 0; i < N; i++) {
      struct vec f = {0, 0, 0};
      struct vec me = b[i].at;
      for (int j = 0; j < N; j++) {
        if (j == i)
          continue;
        struct vec one = pull(minus(b[j].at, me), b[j].mass);
// expect -1:37 error dvm-shadow-stale 'b[1].at'
// expect -2:37 error dvm-nonlocal-access 'b[2].at'
        f.x += one.x;
        f.y += one.y;
        f.z += one.z;
      }
      force[i] = f;
    }
#pragma dvm parallel([i] on b[i])
    for (int i = 0; i < N; i++) {
      struct body *p = &b[i];
      p->speed.x += 0.01 * force[i].x;
      p->speed.y += 0.01 * force[i].y;
      p->speed.z += 0.01 * force[i].z;
      p->at.x += 0.01 * p->speed.x;
      p->at.y += 0.01 * p->speed.y;
      p->at.z += 0.01 * p->speed.z;
    }
  }
  double energy = 0, far = 0;
  int who = -1;
#pragma dvm parallel([i] on b[i]) reduction(sum(energy), maxloc(far, who))
  for (int i = 0; i < N; i++) {
    struct vec s = b[i].speed;
    energy += b[i].mass * (s.x * s.x + s.y * s.y + s.z * s.z) / 2;
    if (b[i].at.z > far) {
      far = b[i].at.z;
      who = b[i].id;
    }
  }
  printf("%.9f %d\n", energy, who);
  return 0;
}
