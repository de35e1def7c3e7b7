! Nests outside of parallel loops that ask once for all that they touch: short loops, calls, triangles, rows by descending subscripts.
module blocks
  implicit none
  integer, parameter :: n = 6, l = 4
  real(8) :: u(5, 0:n+1, 0:n+1), w(l, l, n)
contains
  subroutine invert(a, y)
    real(8) :: a(l, l), y(5), pivot
    integer :: i, j, k
    do i = 1, l
      pivot = 1 / a(i, i)
      do j = i + 1, l
        a(i, j) = a(i, j) * pivot
      end do
      y(i) = y(i) * pivot
      do k = 1, l
        if (k /= i) then
          do j = i + 1, l
            a(k, j) = a(k, j) - a(k, i) * a(i, j)
          end do
          y(k) = y(k) - a(k, i) * y(i)
        end if
      end do
    end do
  end subroutine

  subroutine fill(row, j)
    real(8) :: row(3, 0:n)
    integer :: i, j
    do i = 0, n ! of the row
      row(1, i) = j
      row(2, i) = u(2, i, j)
      row(3, i) = i
    end do
  end subroutine

  subroutine sweep
    real(8) :: row(3, 0:n), b(l, l, n)
    integer :: i, j, m
    do j = 1, n
      call fill(row, j)
      do i = n, 1, -1
        do m = 1, 3
          u(m, i, j) = u(m, i, j) + row(m, i) * row(m, i-1)
        end do
      end do
    end do
    do j = 1, n
      do i = 1, l
        do m = 1, l ! of b
          b(m, i, j) = 0.25d0 * w(m, i, j)
        end do
        b(i, i, j) = b(i, i, j) + 2
      end do
      do i = 1, n
        call invert(b(1, 1, j), u(1, i, j))
      end do
    end do
  end subroutine
end module

program nests
  use blocks
  implicit none
  real(8), allocatable :: v(:, :)
  integer :: i, j, m
  do j = 0, n + 1
    do i = 0, n + 1
      do m = 1, 5
        u(m, i, j) = m + i
      end do
    end do
  end do
  do j = 1, n
    do i = 1, l
      do m = 1, l
        w(m, i, j) = m * i
      end do
    end do
  end do
  allocate(v(3, n))
  do i = 1, n ! of v
    do m = 1, 3
      v(m, i) = m
    end do
  end do
  do j = 1, 3
    call sweep
    do i = 2, n
      do m = 1, 3
        v(m, i) = v(m, i) + v(m, i-1) * u(m, i, j)
      end do
    end do
  end do
  print '(5es12.4)', u(:, 3, 3), v(:, n)
end program
