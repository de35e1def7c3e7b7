! Statements outside of loops whose sections lie along dimensions that are cut, and a transposition.
program lines
  implicit none
  integer, parameter :: n = 18
  real(8) :: a(n, n), b(n, n), s
  integer :: i, j, h(0:9), m
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ ALIGN b(i, j) WITH a(i, j)
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * 7 + j * j, 23)
    end do
  end do
!DVM$ PARALLEL (j, i) ON b(i, j), REMOTE_ACCESS(a(:, :))
  do j = 1, n
    do i = 1, n
      b(i, j) = a(j, i)
    end do
  end do
  h = 0
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(SUM(h)), PRIVATE(m)
  do j = 1, n
    do i = 1, n
      m = mod(int(b(i, j)), 10)
      h(m) = h(m) + 1
    end do
  end do
  print '(10i5)', h
  m = 7
!DVM$ REMOTE_ACCESS (a(:, 1), b(:, m))
  a(:, 2) = a(:, 1) + b(:, m)
  s = 0
!DVM$ PARALLEL (j, i) ON a(i, j), REDUCTION(SUM(s))
  do j = 1, n
    do i = 1, n
      s = s + a(i, j) * (i + 2 * j)
    end do
  end do
  print '(f14.3)', s
  print '(18f5.0)', a(:, 1:3)
end program
