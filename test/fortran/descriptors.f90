! Rows of a nest over allocatable arrays that are judged before their first turn.
module fields
  real, allocatable :: a(:, :), b(:, :)
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ ALIGN b(i, j) WITH a(i, j)
contains
  subroutine relax(l)
    integer :: l, i, j
!DVM$ PARALLEL (j, i) ON b(i, j), SHADOW_RENEW(a)
    do j = 2, l - 1
      do i = 2, l - 1
        b(i, j) = (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) / 4
      end do
    end do
  end subroutine
end module
