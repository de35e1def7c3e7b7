! Successive over-relaxation: each iteration takes what others have assigned.
program sor
  implicit none
  integer, parameter :: l = 1000
#ifdef ALLOCATED
  real, allocatable :: a(:,:)
#else
  real :: a(l,l)
#endif
  real :: eps, s
  integer :: i, j, it
!dvm$ distribute a(block,block)
#ifdef ALLOCATED
  allocate(a(l,l))
#endif
!dvm$ parallel (j,i) on a(i,j)
  do j = 1, l
    do i = 1, l
      a(i,j) = mod(i + 3 * j, 11)
    end do
  end do
  do it = 1, 60
    eps = 0
!dvm$ parallel (j,i) on a(i,j), across(a(1:1,1:1)), reduction(max(eps)), private(s)
    do j = 2, l - 1
      do i = 2, l - 1
        s = a(i,j)
        a(i,j) = 0.125 * (a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1)) + 0.5 * s
        eps = max(eps, abs(s - a(i,j)))
      end do
    end do
  end do
  print *, eps
end program
