! Allocatable arrays: the directive holds from each ALLOCATE on; assumed-shape and explicit-shape dummies of distributed arrays;
! pointers, derived types and whole arrays beside them.
module work
  implicit none
  type pair
    real :: x
    integer :: k(3)
  end type
  real, allocatable :: g(:, :)
!DVM$ DISTRIBUTE g(BLOCK, *)
contains
  subroutine make(n)
    integer, intent(in) :: n
    integer :: i, j
    allocate (g(n, 0:n))
!DVM$ PARALLEL (j, i) ON g(i, j)
    do j = 0, n
      do i = 1, n
        g(i, j) = i - j
      end do
    end do
  end subroutine
  subroutine smooth(b, a, n)
    integer, intent(in) :: n
    real :: b(:), a(n)
    integer :: i
!DVM$ INHERIT b, a
!DVM$ PARALLEL (i) ON b(i), SHADOW_RENEW(a)
    do i = 2, n - 1
      b(i) = (a(i - 1) + a(i + 1)) / 2
    end do
  end subroutine
end module

program allocated
  use work, only: make, smooth, grid => g, pair
  implicit none
  integer, parameter :: n = 10
  real, allocatable :: a(:), b(:)
  real, target :: plain(n)
  real, pointer :: p(:)
  type(pair) :: q(2)
  real :: s
  integer :: i, j, round
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ SHADOW a(1:1)
!DVM$ ALIGN b(i) WITH a(i)

  do round = 1, 2
    allocate (a(n), b(n))
!DVM$ PARALLEL (i) ON a(i)
    do i = 1, n
      a(i) = i * round
      b(i) = 0
    end do
    call smooth(b, a, n)
    s = 0
!DVM$ PARALLEL (i) ON b(i), REDUCTION(SUM(s))
    do i = 1, n
      s = s + b(i)
    end do
    print *, s
    deallocate (a, b)
  end do

  call make(n)
  s = 0
!DVM$ PARALLEL (j, i) ON grid(i, j), REDUCTION(SUM(s)), SHADOW_RENEW(grid)
  do j = 0, n
    do i = 2, n
      s = s + grid(i, j) - grid(i - 1, j)
    end do
  end do
  plain = [(real(i), i = 1, n)]
  p => plain(2:n:2)
  p = p * 2
  q(1) = pair(1.5, [1, 2, 3])
  q(2)%x = q(1)%x + p(1)
  q(2)%k = q(1)%k(3:1:-1)
  print *, s, sum(plain), q(2)%x, q(2)%k
end program
