/* Messages of all kinds round a ring: short, long, of a derived type, from any source; collectives; communicators. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, wrong;
#define CHECK(what)                                         \
  do {                                                      \
    if (!(what)) {                                          \
      printf("rank %d, line %d: %s\n", rank, __LINE__, #what); \
      wrong = 1;                                            \
    }                                                       \
  } while (0)

static void long_messages(void) {
  enum { N = 300000 };
  double *out = malloc(N * sizeof(double)), *in = malloc(N * sizeof(double));
  int left = (rank - 1 + size) % size, bad = 0;
  MPI_Request q[2];
  for (int i = 0; i < N; i++)
    out[i] = rank * 1e6 + i;
  MPI_Irecv(in, N, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(out, N, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  for (int i = 0; i < N; i++)
    bad += in[i] != left * 1e6 + i;
  CHECK(bad == 0);
  free(out);
  free(in);
}

static void every_third(void) {
  MPI_Datatype third;
  MPI_Status s;
  int out[300], in[300], left = (rank - 1 + size) % size, bad = 0, count;
  MPI_Type_vector(100, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&third);
  for (int i = 0; i < 300; i++) {
    out[i] = rank * 300 + i;
    in[i] = -1;
  }
  MPI_Sendrecv(out, 1, third, (rank + 1) % size, 1, in, 1, third, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
  for (int i = 0; i < 300; i++)
    bad += in[i] != (i % 3 ? -1 : left * 300 + i);
  MPI_Get_count(&s, MPI_INT, &count);
  CHECK(bad == 0 && count == 100 && s.MPI_SOURCE == left && s.MPI_TAG == 1);
  MPI_Type_free(&third);
}

static void probes(void) {
  int right = (rank + 1) % size, left = (rank - 1 + size) % size, in = -1, count, flag = 0;
  MPI_Status s;
  MPI_Message m;
  MPI_Request q[3];
  for (int k = 0; k < 3; k++)
    MPI_Isend(&rank, 1, MPI_INT, right, 20 + k, MPI_COMM_WORLD, &q[k]);
  MPI_Probe(MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  CHECK(s.MPI_SOURCE == left && count == 1);
  MPI_Mprobe(left, 21, MPI_COMM_WORLD, &m, &s);
  MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
  CHECK(in == left && m == MPI_MESSAGE_NULL && s.MPI_TAG == 21);
  while (!flag)
    MPI_Improbe(left, 20, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
  MPI_Iprobe(left, 20, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag); /* taken */
  MPI_Recv(&in, 1, MPI_INT, left, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &s);
  CHECK(flag && s.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &s);
  CHECK(m == MPI_MESSAGE_NO_PROC);
  MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
}

static void collectives(void) {
  int sum, first = rank, *all = malloc(size * sizeof(int)), prefix, pieces[64], back[64];
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size - 1) / 2);
  MPI_Bcast(&first, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  CHECK(first == size - 1);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    CHECK(all[i] == i);
  MPI_Scan(&rank, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(prefix == rank * (rank + 1) / 2);
  for (int i = 0; i < size; i++)
    pieces[i] = rank * 100 + i;
  MPI_Alltoall(pieces, 1, MPI_INT, back, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    CHECK(back[i] == i * 100 + rank);
  free(all);
}

static void communicators(void) {
  MPI_Comm half, copy;
  int r, n, expected = (size + (rank % 2 == 0)) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &r);
  MPI_Comm_size(half, &n);
  CHECK(n == expected && r == n - 1 - rank / 2);
  MPI_Comm_dup(half, &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; i++) {
    long_messages();
    every_third();
    probes();
    collectives();
    communicators();
  }
  printf("rank %d of %d: %s\n", rank, size, wrong ? "wrong" : "right");
  MPI_Finalize();
  return wrong;
}
