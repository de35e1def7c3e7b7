! What WHERE, FORALL, DO CONCURRENT and vectors of subscripts assign, as traces name it.
program assigned
  implicit none
  integer, parameter :: n = 3
  real :: a(0:n), b(n, n), c(4), d(n)
  integer :: i, j, idx(2)
!DVM$ DISTRIBUTE d(BLOCK)
  a = 1
  b = 2
  forall (i = 1:n) a(i) = i * 2
  forall (i = 1:n, j = 1:n, i /= j) b(i, j) = b(j, i) + i
  forall (i = 1:n) b(:, i) = a(i)
  do concurrent (i = 1:n, j = 1:n, i < j)
    b(i, j) = 7
  end do
  where (a > 5)
    a = 9
  elsewhere (a > 1.5)
    a = a - 1
  elsewhere
    a = -1
  end where
  c = 0
  where (c(1:3) < b(1, :)) c(2:4) = b(:, 2)
  idx = [2, 1]
  c(idx) = [10., 20.]
!DVM$ PARALLEL (i) ON d(i)
  do i = 1, n
    where (b(:, i) > 6) b(:, i) = 0
    d(i) = sum(b(:, i))
  end do
end program
