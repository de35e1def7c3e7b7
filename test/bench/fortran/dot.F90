! A sum over two vectors.
program dot
  implicit none
  integer, parameter :: l = 1000000
#ifdef ALLOCATED
  real(8), allocatable :: a(:), b(:)
#else
  real(8) :: a(l), b(l)
#endif
  real(8) :: s
  integer :: i, it
!dvm$ distribute a(block)
!dvm$ align b(i) with a(i)
#ifdef ALLOCATED
  allocate(a(l), b(l))
#endif
!dvm$ parallel (i) on a(i)
  do i = 1, l
    a(i) = mod(i, 7)
    b(i) = 1d0 / i
  end do
  do it = 1, 150
    s = 0
!dvm$ parallel (i) on a(i), reduction(sum(s))
    do i = 1, l
      s = s + a(i) * b(i)
    end do
  end do
  print *, s
end program
