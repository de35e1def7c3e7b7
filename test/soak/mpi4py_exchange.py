"""Objects and arrays between ranks, by mpi4py."""
from mpi4py import MPI

c = MPI.COMM_WORLD
r, n = c.rank, c.size
assert c.allreduce(r) == n * (n - 1) // 2
assert c.allgather({'r': r}) == [{'r': i} for i in range(n)]
q = c.isend(list(range(1000)), dest=(r + 1) % n, tag=3)
assert c.recv(source=(r - 1) % n, tag=3)[-1] == 999
q.wait()
s = c.Split(r % 2, -r)
assert s.size == (n + 1 - r % 2) // 2
import array
a = array.array('d', [r] * 10); b = array.array('d', [0] * 10)
c.Allreduce(a, b, MPI.MAX)
assert list(b) == [n - 1] * 10
assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
print('rank', r, 'right')
