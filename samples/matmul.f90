! Product of two matrices.  Columns of a and c are together; each iteration needs all of b, which comes by REMOTE_ACCESS.
program product_of_matrices
  implicit none
  integer, parameter :: n = 64
  double precision :: a(n, n), b(n, n), c(n, n), s, trace
  integer :: i, j, k
!DVM$ DISTRIBUTE c(BLOCK, *)
!DVM$ ALIGN a(i, j) WITH c(i, j)
!DVM$ DISTRIBUTE b(BLOCK, *)

!DVM$ PARALLEL (i) ON a(i, *), PRIVATE(j)
  do i = 1, n
    do j = 1, n
      a(i, j) = i + j - 2
    end do
  end do
!DVM$ PARALLEL (i) ON b(i, *), PRIVATE(j)
  do i = 1, n
    do j = 1, n
      b(i, j) = merge(2d0, 1d0 / n, i == j)
    end do
  end do

!DVM$ PARALLEL (i) ON c(i, *), REMOTE_ACCESS(b(:, :)), PRIVATE(j, k, s)
  do i = 1, n
    do j = 1, n
      s = 0
      do k = 1, n
        s = s + a(i, k) * b(k, j)
      end do
      c(i, j) = s
    end do
  end do

  trace = 0
!DVM$ PARALLEL (i) ON c(i, *), REDUCTION(SUM(trace))
  do i = 1, n
    trace = trace + c(i, i)
  end do
  print '(a,f0.9)', 'trace ', trace
end program
