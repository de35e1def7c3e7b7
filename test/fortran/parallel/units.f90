! WITH places.f90
! Arrays of modules, COMMON, arguments, pointers; loops that jumps leave; places of extremes; the order of ACROSS.
program units
  use places, only: fill, n, across => line, field, grown
  implicit none
  double precision :: x(n), y(n, n), best, total
  integer :: i, j, at, loc(2), count
  real, pointer :: p(:)
  real, target :: spare(n)
  common /shared/ x, y
!DVM$ DISTRIBUTE x(BLOCK)
!DVM$ DISTRIBUTE y(BLOCK, BLOCK)
!DVM$ SHADOW y(1:1, 1:1)
  call fill
  field(3, 4) = field(3, 4) + 0.5
  print *, field(3, 4), field(n, n)
  across = 1
  across(n / 2) = 5
!DVM$ PARALLEL (i) ON across(i), ACROSS(across(1:0))
  do i = 1, n
    across(i) = across(i) + across(i - 1) / 2
  end do
!DVM$ PARALLEL (i) ON across(i), ACROSS(across(0:1))
  do i = n, 1, -1
    across(i) = across(i) + across(i + 1) / 2
  end do
  print '(8f8.4)', across
  call start(x, n)
  call other
  best = -1
  at = 0
!DVM$ PARALLEL (i) ON x(i), REDUCTION(MAXLOC(best, at, 1))
  do i = 1, n
    if (x(i) > best) then
      best = x(i)
      at = i
    end if
  end do
  print *, best, at
!DVM$ PARALLEL (j, i) ON y(i, j)
  do j = 1, n
    do i = 1, n
      y(i, j) = mod(i * j, 17)
    end do
  end do
  best = 1000
!DVM$ PARALLEL (j, i) ON y(i, j), REDUCTION(MINLOC(best, loc, 2))
  do j = 2, n - 1
    do i = n - 1, 2, -1
      if (y(i, j) - i < best) then
        best = y(i, j) - i
        loc = [i, j]
      end if
    end do
  end do
  print *, best, loc
!DVM$ PARALLEL (j, i) ON y(i, j), ACROSS(y(1:1, 1:1))
  do j = 2, n - 1
    do i = 2, n - 1
      y(i, j) = (y(i - 1, j) + y(i + 1, j) + y(i, j - 1) + y(i, j + 1)) / 4
    end do
  end do
  count = 0
!DVM$ PARALLEL (j, i) ON y(i, j), REDUCTION(SUM(count)), PRIVATE(total)
  do j = 1, n
    do i = 1, n, 2
      total = y(i, j)
      if (total > 12) cycle
      if (total < 0) goto 10
      count = count + 1
10    continue
    end do
  end do
  print *, count
  call whole(y)
  total = 0
!DVM$ PARALLEL (j, i) ON y(i, j), REDUCTION(SUM(total))
  do j = 1, n
    do i = 1, n
      total = total + sum(y(i:i, j)) / 1024
    end do
  end do
  print '(f12.4)', total
  allocate (grown(5 * n))
  grown = 1
!DVM$ PARALLEL (i) ON grown(i)
  do i = 5 * n, 1, -7
    grown(i) = i
  end do
  print '(10f7.1)', grown
  deallocate (grown)
  spare = 3
  p => spare
  p(2) = 4
  p = p + 1
  print *, spare(1:3)
contains
  subroutine start(v, m)
    integer, intent(in) :: m
    double precision :: v(m)
    integer :: k
!DVM$ INHERIT v
    v = 0
    do k = 1, m
      v(k) = v(k) + mod(k * 5, m)
    end do
    v(m) = v(m) + 3
  end subroutine
  subroutine whole(v)
    double precision, intent(inout) :: v(:, :)
!DVM$ INHERIT v
    v = v * 2
    v(2, 2:5) = -1
  end subroutine
end program

subroutine other
  implicit none
  integer, parameter :: m = 24
  double precision :: x(m), y(m, m)
  common /shared/ x, y
  integer :: k
  do k = 1, m
    x(k) = x(k) * 2
  end do
  y(1, 1) = 3
  print *, x(m), y(1, 1)
end subroutine
