! ACROSS along several dimensions that are cut, one way in stages, both ways in the order of the loops.
program sweeps
  implicit none
  integer, parameter :: n = 30, m = 12
  real(8) :: x(n, m), d(n, m)
  integer :: i, j
!DVM$ DISTRIBUTE x(BLOCK, BLOCK)
!DVM$ SHADOW x(1:1, 1:1)
!DVM$ ALIGN d(i, j) WITH x(i, j)
!DVM$ SHADOW d(1:1, 0:0)
!DVM$ PARALLEL (j, i) ON x(i, j)
  do j = 1, m
    do i = 1, n
      x(i, j) = mod(i + j, 5) + 1
      d(i, j) = 4
    end do
  end do
!DVM$ PARALLEL (j, i) ON x(i, j), ACROSS(x(1:0, 0:0), d(1:0, 0:0)), STAGE(3)
  do j = 1, m
    do i = 2, n
      d(i, j) = 4 - 1 / d(i - 1, j)
      x(i, j) = x(i, j) + x(i - 1, j) / d(i - 1, j)
    end do
  end do
!DVM$ PARALLEL (j, i) ON x(i, j), ACROSS(x(0:1, 0:0))
  do j = 1, m
    do i = n - 1, 1, -1
      x(i, j) = (x(i, j) + x(i + 1, j)) / d(i, j)
    end do
  end do
!DVM$ PARALLEL (j, i) ON x(i, j), ACROSS(x(1:1, 1:1))
  do j = 2, m - 1
    do i = 2, n - 1
      x(i, j) = (x(i - 1, j) + x(i + 1, j - 1) + x(i - 1, j + 1)) / 3
    end do
  end do
  print '(6f12.7)', x
end program
