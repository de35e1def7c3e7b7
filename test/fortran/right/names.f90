! Names that end with the names of others, in one ALLOCATE; a directive in the body of an interface.
module interfaces
  interface
    subroutine add(x, n)
      integer n
      integer x(n)
!dvm$ inherit x
    end subroutine
  end interface
end module

subroutine add(x, n)
  integer n, i
  integer x(n)
!dvm$ inherit x
!dvm$ parallel (i) on x(i)
  do i = 1, n
    x(i) = x(i) + 1
  end do
end subroutine

program names
  use interfaces
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
  call add(ca, n)
  s = 0
!dvm$ parallel (i) on c(i), reduction(sum(s))
  do i = 1, n
    s = s + ca(i) * c(i)
  end do
  print *, s
end program
