! Elements that procedures are given under REMOTE_ACCESS are read from its buffer there, as a clause and before a statement.
module sums
contains
  subroutine add(s, x, y)
    real, intent(inout) :: s
    real, intent(in) :: x, y
    s = s + x * y
  end subroutine
  real function twice(x)
    real, intent(in) :: x
    call nothing
    twice = more(x)
  end function
  real function more(x)
    real, intent(in), optional :: x
    more = 2 * x
  end function
  subroutine nothing
  end subroutine
end module
program passed
  use sums
  implicit none
  integer, parameter :: n = 12
  real :: m(n), r(n), q(n), x
  integer :: i, j
!DVM$ DISTRIBUTE m(BLOCK)
!DVM$ ALIGN (i) WITH m(i) :: r, q
!DVM$ PARALLEL (i) ON m(i)
  do i = 1, n
    m(i) = i
    r(i) = 0
  end do
!DVM$ PARALLEL (i) ON r(i), REMOTE_ACCESS(m(:)), PRIVATE(j)
  do i = 1, n
    do j = 1, n
      call add(r(i), m(j), m(i))
    end do
  end do
!DVM$ PARALLEL (i) ON q(i), REMOTE_ACCESS(m(n))
  do i = 1, n
    q(i) = twice(m(n)) + m(i)
  end do
!DVM$ REMOTE_ACCESS(m(3))
  x = twice(m(3))
!DVM$ REMOTE_ACCESS(m(5))
  call add(x, m(5), 2.0)
  print *, r
  print *, q
  print *, x
end program
