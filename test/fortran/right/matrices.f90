! Matrices with a leading dimension, vectors with a step, bounds that are dummy arguments or change between the nests.
module matrices
  implicit none
  integer :: last = 6
contains
  subroutine product(m, n, k, a, lda, b, ldb, c, ldc)
    integer :: m, n, k, lda, ldb, ldc, i, j, l
    real(8) :: a(lda, *), b(ldb, *), c(ldc, *)
    do j = 1, n
      do i = 1, m
        c(i, j) = 0
      end do
      do l = 1, k
        do i = 1, m
          c(i, j) = c(i, j) + b(l, j) * a(i, l)
        end do
      end do
    end do
  end subroutine

  ! From the last unknown to the first one.
  subroutine solve(n, a, lda, x, step)
    integer :: n, lda, step, i, j, at, first
    real(8) :: a(lda, *), x(*)
    first = 1
    if (step < 0) first = 1 - (n - 1) * step
    at = first + (n - 1) * step
    do j = n, 1, -1
      x(at) = x(at) / a(j, j)
      do i = 1, j - 1
        x(first + (i - 1) * step) = x(first + (i - 1) * step) - x(at) * a(i, j)
      end do
      at = at - step
    end do
  end subroutine

  ! The end moves while the loops run: it is read anew for each row.
  subroutine shrink(a, lda)
    integer :: lda, i, j
    real(8) :: a(lda, *)
    do j = 1, 6
      do i = 1, last
        a(i, j) = a(i, j) + j
      end do
      call less(j)
    end do
  end subroutine

  subroutine less(j)
    integer :: j
    if (mod(j, 2) == 0) last = last - 1
  end subroutine

  ! The end is what the loops write.
  subroutine counted(ends, a, lda, n)
    integer :: lda, n, i, j, ends(*)
    real(8) :: a(lda, *)
    do j = 1, n
      do i = 1, ends(1)
        a(i, j) = a(i, j) + 1
        if (i == j) ends(1) = max(1, ends(1) - 1)
      end do
    end do
  end subroutine
end module

program main
  use matrices
  implicit none
  real(8) :: other(9, 8), result(10, 8)
  real(8), allocatable :: store(:, :), x(:)
  integer :: i, j, ends(3)
  allocate (store(12, 10), x(20))
  do j = 1, 8
    do i = 1, 8
      store(i, j) = 1d0 / (i + j) ! all
      other(i, j) = i - j
    end do
    store(j, j) = 4
  end do
  call product(6, 7, 5, store, 12, other, 9, result, 10)
  do i = 1, 20
    x(i) = i
  end do
  call solve(7, store, 12, x, 2)
  call solve(6, store(2, 2), 12, x, -3)
  call shrink(store, 12)
  ends = 5
  call counted(ends, store, 12, 8)
  print '(6f12.6)', result(1:6, 1:7), x(1:14), store(1:8, 1:8), other(1, 1)
  print *, ends, last
end program
