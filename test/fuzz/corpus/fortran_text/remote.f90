! Elements of others: REMOTE_ACCESS as a clause and before a statement; shadow groups; redistribution.
program remote
  implicit none
  integer, parameter :: n = 16
  real :: a(n, n), b(n, n), x
  integer :: i, j
!DVM$ DISTRIBUTE (BLOCK, BLOCK) :: a
!DVM$ ALIGN b(i, j) WITH a(i, j)
!DVM$ DYNAMIC a, b
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = i * j
      b(i, j) = 0
    end do
  end do
!DVM$ PARALLEL (j, i) ON b(i, j), REMOTE_ACCESS(a(:, 1))
  do j = 1, n
    do i = 1, n
      b(i, j) = a(i, j) + a(i, 1)
    end do
  end do
!DVM$ REMOTE_ACCESS(b(3, 4))
  x = b(3, 4)
!DVM$ SHADOW_GROUP edges(a)
!DVM$ SHADOW_START edges
!DVM$ SHADOW_WAIT edges
!DVM$ PARALLEL (j, i) ON b(i, j)
  do j = 1, n
    do i = 2, n
      b(i, j) = a(i - 1, j)
    end do
  end do
!DVM$ REDISTRIBUTE a(BLOCK, *)
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 2, n
    do i = 1, n
      b(i, j) = a(i, j - 1)
    end do
  end do
  print *, x
end program
