/* pingpong WHAT BYTES: median and least time in microseconds of half a round trip ("p2p"), or of a collective operation ("barrier", "allreduce", "alltoall"; BYTES per
   rank and partner), of some hundred samples. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 101 };
static int rank, size, bytes;
static char *out, *in;

static void half(void) {
  if (rank == 0) {
    MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
}
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(out, in, (bytes + 7) / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(void) { MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD); }

static int by_value(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b; }

int main(int argc, char **argv) {
  double samples[SAMPLES];
  const char *what = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bytes = argc > 2 ? atoi(argv[2]) : 8;
  out = calloc((size_t)size + 1, (size_t)bytes + 8);
  in = calloc((size_t)size + 1, (size_t)bytes + 8);
  void (*f)(void) = !strcmp(what, "p2p") ? half : !strcmp(what, "barrier") ? barrier : !strcmp(what, "allreduce") ? allreduce : alltoall;
  int inner = bytes > 65536 ? 10 : bytes > 4096 ? 50 : 200;
  for (int i = -10; i < SAMPLES; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double from = MPI_Wtime();
    for (int k = 0; k < inner; k++)
      f();
    if (i >= 0)
      samples[i] = (MPI_Wtime() - from) / inner * 1e6 / (f == half ? 2 : 1);
  }
  qsort(samples, SAMPLES, sizeof(*samples), by_value);
  if (rank == 0)
    printf("%.3f %.3f\n", samples[SAMPLES / 2], samples[0]);
  MPI_Finalize();
  return 0;
}
