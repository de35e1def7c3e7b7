! Multigrid in two dimensions.  The coarse grid is relaxed by columns, then by rows; REDISTRIBUTE changes its distribution
! in between, so that each line is whole on its processor.
module grids
  implicit none
  integer, parameter :: nc = 17, nf = 2 * nc - 1, cycles = 6
  double precision :: u(nf, nf), r(nf, nf), e(nc, nc), f(nc, nc)
!DVM$ DISTRIBUTE u(BLOCK, BLOCK)
!DVM$ ALIGN r(i, j) WITH u(i, j)
!DVM$ SHADOW (1:1, 1:1) :: u, r, e
!DVM$ DISTRIBUTE (*, BLOCK), DYNAMIC :: e
!DVM$ ALIGN f(i, j) WITH e(i, j)
!DVM$ DYNAMIC f
contains
  subroutine smooth_fine(sweeps)
    integer, intent(in) :: sweeps
    integer :: i, j, s
    do s = 0, 2 * sweeps - 1
!DVM$ PARALLEL (j, i) ON u(i, j), SHADOW_RENEW(u)
      do j = 2, nf - 1
        do i = 3 - mod(j + s + 1, 2), nf - 1, 2
          u(i, j) = (u(i, j - 1) + u(i, j + 1) + u(i - 1, j) + u(i + 1, j) + 1) / 4
        end do
      end do
    end do
  end subroutine
  double precision function residual()
    double precision :: norm
    integer :: i, j
    norm = 0
!DVM$ PARALLEL (j, i) ON r(i, j), SHADOW_RENEW(u), REDUCTION(MAX(norm))
    do j = 2, nf - 1
      do i = 2, nf - 1
        r(i, j) = 1 + u(i, j - 1) + u(i, j + 1) + u(i - 1, j) + u(i + 1, j) - 4 * u(i, j)
        norm = max(norm, abs(r(i, j)))
      end do
    end do
    residual = norm
  end function
  subroutine relax_coarse
    integer :: i, j
!DVM$ PARALLEL (j, i) ON e(i, j), ACROSS(e(1:1, 1:1))
    do j = 2, nc - 1
      do i = 2, nc - 1
        e(i, j) = (e(i, j - 1) + e(i, j + 1) + e(i - 1, j) + e(i + 1, j) + f(i, j)) / 4
      end do
    end do
  end subroutine
  subroutine solve_coarse
    integer :: i, j, sweep
!DVM$ REDISTRIBUTE e(*, BLOCK)
!DVM$ PARALLEL (j, i) ON e(i, j), REMOTE_ACCESS(r(:, :))
    do j = 1, nc
      do i = 1, nc
        e(i, j) = 0
        f(i, j) = 2 * r(2 * i - 1, 2 * j - 1)
      end do
    end do
    do sweep = 1, 10
      call relax_coarse
    end do
!DVM$ REDISTRIBUTE e(BLOCK, *)
    do sweep = 1, 10
      call relax_coarse
    end do
  end subroutine
end module

program multigrid
  use grids
  implicit none
  integer :: i, j, cycle_number
!DVM$ PARALLEL (j, i) ON u(i, j)
  do j = 1, nf
    do i = 1, nf
      r(i, j) = 0
      u(i, j) = 0
    end do
  end do
  do cycle_number = 1, cycles
    call smooth_fine(2)
    print '(a,i0,a,f0.9)', 'cycle ', cycle_number, ', residual ', residual()
    call solve_coarse
!DVM$ PARALLEL (j, i) ON u(i, j), REMOTE_ACCESS(e(:, :))
    do j = 2, nf - 1
      do i = 2, nf - 1
        u(i, j) = u(i, j) + (e((i + 1) / 2, (j + 1) / 2) + e(i / 2 + 1, (j + 1) / 2) + &
                             e((i + 1) / 2, j / 2 + 1) + e(i / 2 + 1, j / 2 + 1)) / 4
      end do
    end do
  end do
end program
