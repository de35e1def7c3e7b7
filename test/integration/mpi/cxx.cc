/* What Debian's library of the C++ bindings asks of the layer: operations and handlers of errors in C++, communicators, attributes. */
#include <mpi.h>
#include <cstdio>

static int calls;

static void add(const void *in, void *inout, int n, const MPI::Datatype &) {
  for (int i = 0; i < n; i++)
    static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

static void on_error(MPI::Comm &, int *, ...) { calls += 100; }

static int copy(const MPI::Comm &, int, void *, void *in, void *out, bool &flag) {
  *static_cast<void **>(out) = in;
  flag = true;
  calls++;
  return MPI_SUCCESS;
}

static int forget(MPI::Comm &, int, void *, void *) {
  calls += 10;
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  MPI::Init(argc, argv);
  int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), sum = 0, value = 5, wrong;
  MPI::Op op;
  op.Init(add, true);
  MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, op);
  op.Free();
  int key = MPI::Comm::Create_keyval(copy, forget, nullptr);
  MPI::Intracomm one = MPI::COMM_WORLD.Dup();
  one.Set_attr(key, &value);
  MPI::Intracomm two = one.Dup();
  int *found = nullptr;
  wrong = !two.Get_attr(key, &found) || *found != 5;
  two.Free();
  one.Free();
  MPI::COMM_WORLD.Set_errhandler(MPI::Comm::Create_errhandler(on_error));
  MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, size, 0);
  wrong |= calls != 121 || sum != size * (size - 1) / 2;
  printf("rank %d: %s\n", rank, wrong ? "wrong" : "right");
  MPI::Finalize();
  return wrong;
}
