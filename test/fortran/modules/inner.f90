submodule (owner) inner
  implicit none
  real, allocatable :: own(:)
!DVM$ DISTRIBUTE own(BLOCK)
contains
  module subroutine make(n)
    integer, intent(in) :: n
    integer :: i, state
    allocate (grid(n, 0:n), stat=state)
    allocate (own(n))
    if (state /= 0) stop 'no memory'
!DVM$ PARALLEL (i) ON own(i)
    do i = 1, n
      own(i) = i
    end do
!DVM$ PARALLEL (i) ON grid(*, i)
    do i = 0, n
      grid(:, i) = i
    end do
  end subroutine
end submodule
