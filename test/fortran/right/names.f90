! Names that end with the names of others, in one ALLOCATE.
program names
  implicit none
  integer, parameter :: n = 12
  integer, allocatable :: ba(:), a(:), ca(:), c(:)
  integer i, s
!dvm$ distribute ba(block)
!dvm$ align (i) with ba(i) :: a, ca, c
  allocate (ba(n), a(n), ca(n), c(n))
!dvm$ parallel (i) on a(i)
  do i = 1, n
    ba(i) = i
    a(i) = 2 * i
    ca(i) = a(i) + ba(i)
    c(i) = 1
  end do
  s = 0
!dvm$ parallel (i) on c(i), reduction(sum(s))
  do i = 1, n
    s = s + ca(i) * c(i)
  end do
  print *, s
end program
