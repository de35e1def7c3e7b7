! Rows of arrays behind descriptors: beside each other, with steps, backwards; results of reductions in dummy arguments.
module shapes
  implicit none
  integer, parameter :: n = 40
contains
  subroutine smooth(a, b, eps)
    real(8) :: a(:,:), b(:,:), eps
    integer :: i, j
!dvm$ inherit a, b
    eps = 0
!dvm$ parallel (j,i) on a(i,j), reduction(max(eps))
    do j = 2, n - 1
      do i = 2, n - 1
        eps = max(eps, abs(b(i,j) - a(i,j)))
        a(i,j) = b(i,j)
      end do
    end do
!dvm$ parallel (j,i) on b(i,j), shadow_renew(a)
    do j = 2, n - 1
      do i = 2, n - 1
        b(i,j) = (a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1)) / 4
      end do
    end do
  end subroutine
  ! Nothing is told of the result before some row has one.
  subroutine largest(b, top, at)
    real(8) :: b(:,:), top
    integer :: at, i, j
!dvm$ inherit b
!dvm$ parallel (j,i) on b(i,j), reduction(max(top), sum(at))
    do j = 1, n
      do i = 1, n
        if (b(i,j) > top) top = b(i,j)
        at = at + 1
      end do
    end do
  end subroutine
  subroutine scaled(x, y, f)
    real(8) :: x(:), y(:), f
    integer :: i
    do i = 1, size(x)
      x(i) = x(i) * f + y(i)
    end do
  end subroutine
  real(8) function folded(x)
    real(8) :: x(0:)
    integer :: i
    folded = 0
    do i = 0, size(x) - 1
      folded = folded * 0.5d0 + x(i)
    end do
  end function
end module

program main
  use shapes
  implicit none
  real(8) :: a(n,n), b(n,n), eps, top, row(4 * n)
  real(8), allocatable :: column(:,:)
  integer :: i, j, it, at
!dvm$ distribute a(block,block)
!dvm$ align b(i,j) with a(i,j)
!dvm$ parallel (j,i) on a(i,j)
  do j = 1, n
    do i = 1, n
      a(i,j) = 0
      b(i,j) = mod(i * j, 13)
    end do
  end do
  do it = 1, 4
    call smooth(a, b, eps)
  end do
  top = 0
  at = 0
  call largest(b, top, at)
  print '(2f10.6,i6)', eps, top, at
  do i = 1, 4 * n
    row(i) = i
  end do
  allocate (column(n,n))
  do j = 1, n
    do i = 1, n ! all of it
      column(i,j) = 1
    end do
  end do
  call scaled(row(1:n), row(n+1:2*n), 2d0)
  call scaled(row(1:4*n:3), row(4*n:1:-3), 0.5d0)
  call scaled(column(5,:), column(:,7), 3d0)
  call scaled(column(n:1:-1,2), row(2:2*n:2), 1d0)
  print '(4f14.6)', folded(row), folded(row(2::2)), folded(row(4*n:1:-1)), folded(column(5,:))
end program
