! Seven points, in a procedure that the arrays are passed to.
module steps
  integer, parameter :: l = 120
contains
  subroutine step(a, b, eps)
#ifdef ALLOCATED
    real(8) :: a(:,:,:), b(:,:,:), eps
#else
    real(8) :: a(l,l,l), b(l,l,l), eps
#endif
    integer :: i, j, k
!dvm$ inherit a, b
    eps = 0
!dvm$ parallel (k,j,i) on a(i,j,k), reduction(max(eps))
    do k = 2, l - 1
      do j = 2, l - 1
        do i = 2, l - 1
          eps = max(eps, abs(b(i,j,k) - a(i,j,k)))
          a(i,j,k) = b(i,j,k)
        end do
      end do
    end do
!dvm$ parallel (k,j,i) on b(i,j,k), shadow_renew(a)
    do k = 2, l - 1
      do j = 2, l - 1
        do i = 2, l - 1
          b(i,j,k) = (a(i-1,j,k) + a(i+1,j,k) + a(i,j-1,k) + a(i,j+1,k) + a(i,j,k-1) + a(i,j,k+1)) / 6
        end do
      end do
    end do
  end subroutine
end module

program jacobi3d
  use steps
  implicit none
#ifdef ALLOCATED
  real(8), allocatable :: a(:,:,:), b(:,:,:)
#else
  real(8) :: a(l,l,l), b(l,l,l)
#endif
  real(8) :: eps
  integer :: i, j, k, it
!dvm$ distribute a(block,block,block)
!dvm$ align b(i,j,k) with a(i,j,k)
#ifdef ALLOCATED
  allocate(a(l,l,l), b(l,l,l))
#endif
!dvm$ parallel (k,j,i) on a(i,j,k)
  do k = 1, l
    do j = 1, l
      do i = 1, l
        a(i,j,k) = 0
        b(i,j,k) = mod(i * j + k, 13)
      end do
    end do
  end do
  do it = 1, 60
    call step(a, b, eps)
  end do
  print *, eps
end program
