! Arrays that regions have written, read and assigned as sections on the host; subscripts count from other numbers than 1.
program host
  implicit none
  integer, parameter :: n = 8
  real :: a(0:n - 1, n), b(0:n - 1, n), c(0:n - 1, n)
  integer :: i, j, wrong
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ ALIGN b(i, j) WITH a(i, j)
!DVM$ ALIGN c(i, j) WITH a(i, j)
!DVM$ REGION
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 0, n - 1
      a(i, j) = 0
      b(i, j) = i + j
      c(i, j) = 1
    end do
  end do
!DVM$ END REGION
!DVM$ GET_ACTUAL(b)
  c(1:5, :) = b(1:5, :) + 1
  a(1:n - 2, :) = b(1:n - 2, :)
  wrong = 0
!DVM$ PARALLEL (j, i) ON a(i, j), REDUCTION(SUM(wrong))
  do j = 1, n
    do i = 1, n - 2
      if (a(i, j) /= b(i, j)) wrong = wrong + 1
    end do
  end do
  print *, wrong
!DVM$ ACTUAL(a(1:n - 2, :))
!DVM$ REGION
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 0, n - 1
      b(i, j) = a(i, j)
    end do
  end do
!DVM$ END REGION
!DVM$ GET_ACTUAL(b)
  print '(8f5.0)', b
end program host
