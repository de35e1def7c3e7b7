! A module of another file: its arrays lie where its directives say.
module places
  implicit none
  integer, parameter :: n = 24
  real :: field(n, n), line(0:n + 1)
  real, allocatable :: grown(:)
!DVM$ DISTRIBUTE field(BLOCK, BLOCK)
!DVM$ DISTRIBUTE line(BLOCK)
!DVM$ SHADOW line(1:1)
!DVM$ DISTRIBUTE grown(BLOCK)
contains
  subroutine fill
    integer :: i, j
!DVM$ PARALLEL (j, i) ON field(i, j)
    do j = 1, n
      do i = 1, n
        field(i, j) = i + 10 * j
      end do
    end do
  end subroutine
end module
