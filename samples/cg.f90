! Conjugate gradients for the five-point operator.  All vectors lie on one template, so that they need no messages between
! them; only the direction p has shadow edges.
program cg
  implicit none
  integer, parameter :: n = 40, steps = 40
  double precision :: x(n, n), r(n, n), q(n, n), p(n, n), rho, pq, next, alpha, beta, s
  integer :: i, j, step
!DVM$ TEMPLATE grid(n, n)
!DVM$ DISTRIBUTE grid(BLOCK, BLOCK)
!DVM$ ALIGN (i, j) WITH grid(i, j) :: x, r, q, p
!DVM$ SHADOW (0:0, 0:0) :: x, r, q
!DVM$ SHADOW p(1:1, 1:1)

  rho = 0
!DVM$ PARALLEL (j, i) ON grid(i, j), REDUCTION(SUM(rho))
  do j = 1, n
    do i = 1, n
      x(i, j) = 0
      r(i, j) = 1d0 / (i + j - 1)
      p(i, j) = r(i, j)
      rho = rho + r(i, j) * r(i, j)
    end do
  end do

  do step = 1, steps
    pq = 0
!DVM$ PARALLEL (j, i) ON grid(i, j), SHADOW_RENEW(p), REDUCTION(SUM(pq)), PRIVATE(s)
    do j = 1, n
      do i = 1, n
        s = 4 * p(i, j)
        if (j > 1) s = s - p(i, j - 1)
        if (j < n) s = s - p(i, j + 1)
        if (i > 1) s = s - p(i - 1, j)
        if (i < n) s = s - p(i + 1, j)
        q(i, j) = s
        pq = pq + p(i, j) * s
      end do
    end do
    alpha = rho / pq
    next = 0
!DVM$ PARALLEL (j, i) ON grid(i, j), REDUCTION(SUM(next))
    do j = 1, n
      do i = 1, n
        x(i, j) = x(i, j) + alpha * p(i, j)
        r(i, j) = r(i, j) - alpha * q(i, j)
        next = next + r(i, j) * r(i, j)
      end do
    end do
    beta = next / rho
    rho = next
!DVM$ PARALLEL (j, i) ON grid(i, j)
    do j = 1, n
      do i = 1, n
        p(i, j) = r(i, j) + beta * p(i, j)
      end do
    end do
  end do
  print '(i0,a,es12.6)', steps, ' steps, residual ', sqrt(rho)
end program
