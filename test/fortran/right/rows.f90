! Loops of plain procedures: what they touch is asked about before their first turn.
module lines
  implicit none
  integer, parameter :: n = 40
contains
  ! Local arrays, small and large, that one loop fills and others use.
  real(8) function folded(x, m)
    integer, intent(in) :: m
    real(8), intent(in) :: x(m)
    real(8) :: near(n), far(3 * n), run(0:n)
    integer :: i
    do i = 1, m ! near
      near(i) = x(i) * 2
      far(i + m) = x(i)
    end do
    do i = m, 1, -1 ! far
      far(i) = near(i) + far(i + m)
    end do
    run(0) = 0
    do i = 1, m
      run(i) = run(i - 1) + near(i) - far(i) / 2
    end do
    folded = 0
    do i = 1, m
      if (run(i) > 3) near(i) = run(i)
      folded = folded + near(i)
    end do
  end function

  ! Each second element, a dummy array of unknown size, and a variable that goes on.
  subroutine scaled(a, ld, m, k)
    integer, intent(in) :: ld, m, k
    integer :: i, j, at
    real(8) :: a(ld, *)
    at = 0
    do j = 1, k
      do i = 1, m, 2
        a(i, j) = a(i, j) * 0.5d0 + a(m - i + 1, j)
        at = at + 1
      end do
    end do
    if (i <= m .or. j /= k + 1) print *, 'ends elsewhere', i, j
    print '(2i6)', at, i
  end subroutine

  ! As far as the type goes, no turn at all, and an exit.
  integer function ends(v)
    integer, intent(in) :: v(:)
    integer(1) :: b
    integer :: i, least
    ends = 0
    do b = 100_1, 127_1
      ends = ends + b
    end do
    do i = huge(i) - 8, huge(i)
      ends = ends + mod(i, 3)
    end do
    do i = 5, 4
      ends = ends + v(i)
    end do
    least = 0
    do i = 1, size(v)
      if (v(i) < 0) exit
      least = i
    end do
    ends = ends + least
  end function

  real(8) function length(a, b)
    real(8), intent(in) :: a, b
    length = sqrt(a * a + b * b)
  end function
end module

program rows
  use lines
  implicit none
  real(8) :: x(n), a(n, 6), beta, kept(n)
  integer :: i, j, v(30)
  common /store/ kept
  do i = 1, n
    x(i) = mod(i * 7, 11)
    kept(n + 1 - i) = x(i)
  end do
  do j = 1, 6
    do i = 1, n
      a(i, j) = i + j
    end do
  end do
  v = 1
  v(20) = -1
  print '(f10.3)', folded(x, n)
  print '(f10.3)', folded(kept, 17)
  call scaled(a, n, 25, 6)
  print '(f10.3)', sum(a)
  print '(i10)', ends(v)
  beta = -sign(length(x(3), x(4)), x(3))
  beta = -sign(length(beta, x(4)), beta)
  print '(f10.3)', beta
end program
