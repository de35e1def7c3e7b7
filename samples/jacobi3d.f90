! Jacobi relaxation of a cube with a stencil of 27 points: the corners of the shadow edges are needed too.
program jacobi3d
  implicit none
  integer, parameter :: n = 20, steps = 10
  double precision :: a(n, n, n), b(n, n, n), total
  integer :: i, j, k, step
!DVM$ DISTRIBUTE a(BLOCK, BLOCK, BLOCK)
!DVM$ SHADOW a(1:1, 1:1, 1:1)
!DVM$ ALIGN b(i, j, k) WITH a(i, j, k)

!DVM$ PARALLEL (k, j, i) ON a(i, j, k)
  do k = 1, n
    do j = 1, n
      do i = 1, n
        b(i, j, k) = merge(27, 0, k == 1)
        a(i, j, k) = b(i, j, k)
      end do
    end do
  end do

  do step = 1, steps
!DVM$ PARALLEL (k, j, i) ON b(i, j, k), SHADOW_RENEW(a(CORNER))
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          b(i, j, k) = sum(a(i - 1:i + 1, j - 1:j + 1, k - 1:k + 1)) / 27
        end do
      end do
    end do
!DVM$ PARALLEL (k, j, i) ON a(i, j, k)
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          a(i, j, k) = b(i, j, k)
        end do
      end do
    end do
  end do

  total = 0
!DVM$ PARALLEL (k, j, i) ON a(i, j, k), REDUCTION(SUM(total))
  do k = 1, n
    do j = 1, n
      do i = 1, n
        total = total + a(i, j, k)
      end do
    end do
  end do
  print '(i0,a,f0.9)', steps, ' steps, sum ', total
end program
