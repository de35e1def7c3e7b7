! Jacobi relaxation of a rod: each point becomes the mean of its two neighbours.
program jacobi1d
  implicit none
  integer, parameter :: n = 1000, steps = 100
  double precision :: a(n), b(n), change
  integer :: i, step
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ SHADOW a(1:1)
!DVM$ ALIGN b(i) WITH a(i)

!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = merge(1, 0, i == 1)
    b(i) = a(i)
  end do

  do step = 1, steps
!DVM$ PARALLEL (i) ON b(i), SHADOW_RENEW(a)
    do i = 2, n - 1
      b(i) = (a(i - 1) + a(i + 1)) / 2
    end do
    change = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MAX(change))
    do i = 1, n
      change = max(change, abs(b(i) - a(i)))
      a(i) = b(i)
    end do
  end do
  print '(i0,a,f0.9)', steps, ' steps, last change ', change
end program
