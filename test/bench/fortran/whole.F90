! Whole arrays that are assigned to others outside of parallel loops.
program whole
  implicit none
  integer, parameter :: l = 1000
#ifdef ALLOCATED
  real, allocatable :: a(:,:), b(:,:)
#else
  real :: a(l,l), b(l,l)
#endif
  integer :: it
!dvm$ distribute a(block,block)
!dvm$ align b(i,j) with a(i,j)
#ifdef ALLOCATED
  allocate(a(l,l), b(l,l))
#endif
  a = 1
  b = 2
  do it = 1, 300
    a = b
    b = a * 0.5 + b
  end do
!dvm$ remote_access (a(3,4))
  print *, a(3,4)
end program
