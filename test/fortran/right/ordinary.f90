! ACROSS over arrays that no directive distributes: allocatable ones, of lower bounds that only the run knows.
program ordinary
  implicit none
  integer, parameter :: n = 20
  integer :: b(0:n), i, low
  integer, allocatable :: a(:), c(:, :)
  low = 3
  allocate (a(n), c(low:n, 2))
  a = [(i, i = 1, n)]
  b = 1
  c = 2
!DVM$ PARALLEL (i), ACROSS(a(1:1))
  do i = 2, n - 1
    a(i) = a(i - 1) + a(i + 1)
  end do
!DVM$ PARALLEL (i), ACROSS(b(2:1))
  do i = 2, n - 1
    b(i) = b(i - 2) + b(i + 1)
  end do
!DVM$ PARALLEL (i), ACROSS(c(1:0, 0:0))
  do i = 4, n
    c(i, 1) = c(i - 1, 1) + c(i, 2)
  end do
  print *, a, b, c
end program
