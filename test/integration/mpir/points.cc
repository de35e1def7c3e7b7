// A C++ program for breakpoints and watchpoints: points LIMIT
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace shapes {
template <class T> struct counter {
  T value = 0;
  __attribute__((noinline)) void add(T more) { value += more; }
};
} // namespace shapes

static shapes::counter<long> total;

__attribute__((noinline)) static long turn(long round)
{
  volatile long local = 0;

  for (int i = 0; i < 10; i++) {
    total.add(round + i);
    if (i == 7)
      local = round;
    usleep(1000);
  }
  return local;
}

int main(int argc, char **argv)
{
  const long limit = argc > 1 ? atol(argv[1]) : 100;
  long sum = 0;

  fprintf(stderr, "ready\n");
  for (long round = 1; round <= limit; round++)
    sum += turn(round);
  printf("sum %ld %ld\n", sum, total.value);
  return 0;
}
