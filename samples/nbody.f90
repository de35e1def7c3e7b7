! Bodies that attract each other: an iteration moves one body and reads the places of all, which come by REMOTE_ACCESS.
program nbody
  implicit none
  integer, parameter :: n = 100, steps = 5
  double precision :: x(3, n), v(3, n), f(3, n), m(n), force(3), d(3), r2, energy
  integer :: i, j, c, step
!DVM$ DISTRIBUTE m(BLOCK)
!DVM$ ALIGN (*, i) WITH m(i) :: x, v, f

!DVM$ PARALLEL (i) ON m(i), PRIVATE(c)
  do i = 1, n
    do c = 1, 3
      x(c, i) = mod((i - 1) * (c + 2), 17) + 0.1d0 * (i - 1)
    end do
    v(:, i) = 0
    m(i) = 1 + mod(i - 1, 3)
  end do

  do step = 1, steps
!DVM$ PARALLEL (i) ON m(i), REMOTE_ACCESS(x(:, :), m(:)), PRIVATE(j, force, d, r2)
    do i = 1, n
      force = 0
      do j = 1, n
        d = x(:, j) - x(:, i)
        r2 = 0.01d0 + sum(d * d)
        force = force + m(j) * d / (r2 * sqrt(r2))
      end do
      f(:, i) = force
    end do
!DVM$ PARALLEL (i) ON m(i)
    do i = 1, n
      v(:, i) = v(:, i) + 0.01d0 * f(:, i)
      x(:, i) = x(:, i) + 0.01d0 * v(:, i)
    end do
  end do

  energy = 0
!DVM$ PARALLEL (i) ON m(i), REDUCTION(SUM(energy))
  do i = 1, n
    energy = energy + m(i) * sum(v(:, i) ** 2) / 2
  end do
  print '(i0,a,es15.9)', n, ' bodies, energy of motion ', energy
end program
