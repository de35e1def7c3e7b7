! What the last statement reads goes to memory that nothing else is known of.
program last
  implicit none
  integer, parameter :: n = 8
  real :: a(n, n)
  real, allocatable :: row(:)
  integer :: i, j
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
  allocate (row(n))
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = i + j
    end do
  end do
!DVM$ REMOTE_ACCESS(a(:, 4))
  row(:) = a(:, 4)
end program
