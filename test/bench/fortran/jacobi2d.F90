! Jacobi over static or allocatable arrays.
program jacobi2d
  implicit none
  integer, parameter :: l = 1000
#ifdef ALLOCATED
  real, allocatable :: a(:,:), b(:,:)
#else
  real :: a(l,l), b(l,l)
#endif
  real :: eps
  integer :: i, j, it
!dvm$ distribute a(block,block)
!dvm$ align b(i,j) with a(i,j)
#ifdef ALLOCATED
  allocate(a(l,l), b(l,l))
#endif
!dvm$ parallel (j,i) on a(i,j)
  do j = 1, l
    do i = 1, l
      a(i,j) = 0
      b(i,j) = 1 + mod(i * j, 17)
    end do
  end do
  do it = 1, 200
    eps = 0
!dvm$ parallel (j,i) on a(i,j), reduction(max(eps))
    do j = 2, l - 1
      do i = 2, l - 1
        eps = max(eps, abs(b(i,j) - a(i,j)))
        a(i,j) = b(i,j)
      end do
    end do
!dvm$ parallel (j,i) on b(i,j), shadow_renew(a)
    do j = 2, l - 1
      do i = 2, l - 1
        b(i,j) = (a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1)) / 4
      end do
    end do
  end do
  print *, eps
end program
