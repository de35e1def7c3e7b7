! What flang's library assigns and reads for a statement: elements that the statement does not name stay as they were.
program library
  implicit none
  integer, parameter :: n = 6
  integer :: c(n, n), d(n, n), f(n), g(n), i, j, total
  real :: e(n), h(n), q(n), r(n, 2), half(2)
  logical :: low
  character(len=40) :: text
!DVM$ DISTRIBUTE c(BLOCK, *)
!DVM$ ALIGN d(i, j) WITH c(i, j)
  c(1:, :) = 1
  do i = 1, n ! of d
    do j = 1, n
      d(i, j) = 2
    end do
  end do
  text = ' 1 2 3 4 5 6'
  read (text, *) f(2)
  read (text, *) (f(i), i = 1, n)
  read (text, *) g(1:n)
  call random_number(e(1:n))
  half = 0
  h(1) = 1
  h(2:) = 0
  write (text, '(6f4.1)') h(2:)
  low = any(h(2:) > 3)
  call double(h(2:6:2))
  q(1) = 1
  q(2:) = 3
  r = reshape(q, [6, 2], pad=q)
  half = maxval(reshape(q, [3, 2]), dim=1) + half
  call double(q(1:6:2))
  total = 0
!DVM$ PARALLEL (i, j) ON c(i, j), REDUCTION(SUM(total))
  do i = 1, n
    do j = 1, n
      total = total + c(i, j) + d(i, j)
    end do
  end do
  print *, total, low, half(1:1)
  total = 0
!DVM$ PARALLEL (i) ON c(i, 1), REDUCTION(SUM(total))
  do i = 1, n
    total = total + f(i)
    total = total + g(i)
    if (e(i) > 2) total = total + 1
    if (h(i) > 4) total = total + 1
    if (q(i) > 8) total = total + 1
  end do
  print *, total
contains
  subroutine double(x)
    real, intent(inout) :: x(3)
    x = 2 * x
  end subroutine
end program
