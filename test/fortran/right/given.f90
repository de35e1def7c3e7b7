! Procedures that allocate their dummy arguments: the directive there distributes.
module made
contains
  subroutine make(a, b, n)
    real, allocatable, intent(out) :: a(:), b(:, :)
    integer, intent(in) :: n
    integer :: i
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ DISTRIBUTE b(*, BLOCK)
!DVM$ SHADOW a(1:1)
    allocate (a(0:n))
    if (n > 0) allocate (b(n, n))
    a = 0
    b = 0
!DVM$ PARALLEL (i) ON a(i)
    do i = 0, n
      a(i) = i
    end do
  end subroutine
end module
program allocs
  use made
  implicit none
  real, allocatable :: x(:), y(:, :), plain(:)
  real :: total
  integer :: i, j, turn
!DVM$ DISTRIBUTE x(BLOCK)
!DVM$ DISTRIBUTE y(*, BLOCK)
!DVM$ SHADOW x(1:1)
!DVM$ DISTRIBUTE plain(BLOCK)
  interface
    subroutine outside(p, n)
      integer, pointer :: p(:)
      integer :: n
    end subroutine
  end interface
  integer, pointer :: p(:)
!DVM$ DISTRIBUTE p(BLOCK)
  do turn = 1, 3
    call make(x, y, 12 * turn)
    x(3) = -1
!DVM$ PARALLEL (j, i) ON y(i, j)
    do j = 1, 12 * turn
      do i = 1, 12 * turn
        y(i, j) = i + 100 * j
      end do
    end do
    total = 0
!DVM$ PARALLEL (i) ON x(i), SHADOW_RENEW(x), REDUCTION(SUM(total))
    do i = 1, 12 * turn - 1
      total = total + x(i - 1) * x(i + 1)
    end do
    print *, total, size(x), lbound(x)
    print '(10f8.0)', x(0:5), y(:, 4)
    if (turn == 2) deallocate (x)
  end do
  call make(plain, y, 8)
  print '(9f4.0)', plain
  plain(2) = 7
  plain = plain * 2
  print '(9f4.0)', plain
  call outside(p, 20)
!DVM$ PARALLEL (i) ON p(i)
  do i = 1, 20
    p(i) = p(i) + i
  end do
  print *, p
  deallocate (p)
contains
end program
subroutine outside(p, n)
  integer, pointer :: p(:)
  integer :: n
!DVM$ DISTRIBUTE p(BLOCK)
  allocate (p(n))
  p = 5
end subroutine
