! Red-black relaxation in place.  Points of one colour depend on points of the other one only, so that all of a colour may
! be computed at the same time; the bounds of the inner loop depend on the index of the outer one.
program redblack
  implicit none
  integer, parameter :: n = 64, steps = 50
  double precision :: a(n, n), change, mean
  integer :: i, j, step, colour
!DVM$ DISTRIBUTE (BLOCK,BLOCK) :: a
!DVM$ SHADOW a(1:1,1:1)

!DVM$ PARALLEL (j,i) ON a(i,j)
  do j = 1, n
    do i = 1, n
      a(i, j) = merge(100, 0, i == 1)
    end do
  end do

  do step = 1, steps
    change = 0
    do colour = 0, 1
      !DVM$ PARALLEL (j,i) ON a(i,j), SHADOW_RENEW(a), &
      !DVM$& REDUCTION(MAX(change)), PRIVATE(mean)
      do j = 2, n - 1
        do i = 2 + mod(j + colour, 2), n - 1, 2
          mean = (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) / 4
          change = max(change, abs(mean - a(i, j)))
          a(i, j) = mean
        end do
      end do
    end do
  end do
  print '(i0,a,f12.9)', steps, ' steps, last change ', change
end program
