/* threads [dead]: four threads in each rank send, probe and receive at once, each with messages of its own, and one takes what comes to all; with MPI_THREAD_MULTIPLE.
   dead: in the end each thread of each rank waits for what nobody sends. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 100, COMMON = 77 };
static int rank, size, wrong;
static const char *mode;
static MPI_Comm comms[THREADS];

static void check(int good, const char *what) {
  if (good)
    return;
  printf("rank %d: %s\n", rank, what);
  wrong = 1;
}

static void make_and_free(int round) {
  MPI_Datatype type;
  MPI_Group all, one;
  MPI_Type_vector(2, 1, 1 + round % 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&one);
  MPI_Group_free(&all);
  MPI_Type_free(&type);
}

static void *exchange(void *arg) {
  int self = (int)(size_t)arg, out[3000], in[3000], right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < ROUNDS; i++) {
    int n = 1 + (i * 37 + self) % 3000, sum;
    MPI_Request q;
    MPI_Status s;
    MPI_Message m;
    for (int k = 0; k < n; k++)
      out[k] = i * 7 + k + self;
    MPI_Isend(out, n, MPI_INT, right, self, MPI_COMM_WORLD, &q);
    if (i % 3 == 0) {
      MPI_Mprobe(left, self, MPI_COMM_WORLD, &m, &s);
      MPI_Mrecv(in, 3000, MPI_INT, &m, &s);
    } else {
      MPI_Recv(in, 3000, MPI_INT, left, self, MPI_COMM_WORLD, &s);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Get_count(&s, MPI_INT, &sum);
    check(sum == n && !memcmp(in, out, (size_t)n * sizeof(int)), "a message of another thread or round");
    MPI_Send(&i, 1, MPI_INT, (rank + i) % size, COMMON, MPI_COMM_WORLD);
    if (i % 20 == 0) {
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[self]);
      check(sum == size * (size - 1) / 2, "a reduction of another thread");
      make_and_free(i);
    }
  }
  if (mode && !strcmp(mode, "dead"))
    MPI_Recv(in, 1, MPI_INT, left, 100 + self, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

/* Takes from all threads, with matched probes, some of which see nothing. */
static void take_all(void) {
  for (int i = 0; i < THREADS * ROUNDS;) {
    int flag, in;
    MPI_Message m;
    MPI_Improbe(MPI_ANY_SOURCE, COMMON, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
    if (!flag)
      continue;
    MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    i++;
  }
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  mode = argc > 1 ? argv[1] : NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(provided == MPI_THREAD_MULTIPLE, "not MPI_THREAD_MULTIPLE");
  for (int i = 0; i < THREADS; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (size_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, exchange, (void *)i);
  take_all();
  if (mode && !strcmp(mode, "dead"))
    MPI_Barrier(comms[rank % 2]); /* half of them another one */
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  if (!wrong)
    printf("rank %d: right\n", rank);
  MPI_Finalize();
  return wrong;
}
