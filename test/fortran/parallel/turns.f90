! Steps that only the run knows, loops along no dimension, and which of equal extremes comes first.
program turns
  implicit none
  integer, parameter :: n = 19, back = -2
  real(8) :: a(n), b(n, n), big
  integer :: i, at(1), two(2)
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ SHADOW a(2:2)
!DVM$ DISTRIBUTE b(BLOCK, BLOCK)
!DVM$ SHADOW b(1:1, 1:1)
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = mod(i * 37, 11)
  end do
  call fill(3, 1)
  call show
  call one(5, -2, 1)
  call one(1, 3, -1)
  call one(4, -1, back)
  call show
  call two_ways(4, 1)
  call two_ways(1, -1)
  call show
  big = 3
  at = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MAXLOC(big, at, 1))
  do i = n, 1, back
    if (mod(i, 5) + 3 > big) then
      big = mod(i, 5) + 3
      at(1) = i
    end if
  end do
  print *, big, at
  call place(-1, 1)
  call place(1, -3)
  call place(3, 2)
contains
  subroutine fill(by, back)
    integer, intent(in) :: by, back
    integer :: i, j, k
!DVM$ PARALLEL (j, i) ON b(i, j)
    do j = n, 1, -back
      do i = 1, n, back
        b(i, j) = mod(i * 37 + j * 5, 11) + by
      end do
    end do
  end subroutine
  subroutine one(m, by, step)
    integer, intent(in) :: m, by, step
    integer :: i, k
!DVM$ PARALLEL (k, i) ON a(i), ACROSS(a(1:1))
    do k = m, 6 - m, by
      do i = merge(2, n - 1, step > 0), merge(n - 1, 2, step > 0), step
        a(i) = (a(i - 1) + 2 * a(i + 1)) / 4 + k
      end do
    end do
  end subroutine
  subroutine two_ways(m, step)
    integer, intent(in) :: m, step
    integer :: i, j, k
!DVM$ PARALLEL (j, k, i) ON b(i, j), ACROSS(b(1:1, 1:1))
    do j = n - 1, 2, -1
      do k = 1, mod(j, m) + 1
        do i = merge(2, n - 1, step > 0), merge(n - 1, 2, step > 0), step
          b(i, j) = (b(i - 1, j) + b(i + 1, j) * 2 + b(i, j - 1) * 3 + b(i, j + 1)) / 7 + k
        end do
      end do
    end do
!DVM$ PARALLEL (j, i) ON b(i, j), ACROSS(b(1:0, 1:0))
    do j = merge(2, n, step > 0), merge(n, 2, step > 0), step
      do i = 2, n
        b(i, j) = (b(i - 1, j) + b(i, j - 1) * 3) / 7 + j
      end do
    end do
  end subroutine
  subroutine place(rows, step)
    integer, intent(in) :: rows, step
    integer :: i, j
    big = -1
    two = 0
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(MAXLOC(big, two, 2))
    do j = merge(1, n, rows > 0), merge(n, 1, rows > 0), rows
      do i = merge(1, n, step > 0), merge(n, 1, step > 0), step
        if (mod(i + j, 4) > big) then
          big = mod(i + j, 4)
          two(1) = i
          two(2) = j
        end if
      end do
    end do
    print *, big, two
  end subroutine
  subroutine show
    real(8) :: s, t
    integer :: i, j
    s = 0
    t = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(s))
    do i = 1, n
      s = s + a(i) * (mod(i, 7) + 1)
    end do
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(SUM(t))
    do j = 1, n
      do i = 1, n
        t = t + b(i, j) * (mod(i * 3 + j, 5) + 1)
      end do
    end do
    print '(2f20.8)', s, t
  end subroutine
end program
