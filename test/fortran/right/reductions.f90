! Every reduction that a loop can declare, and private variables.
program reductions
  implicit none
  integer, parameter :: n = 20
  real :: a(n), s, p, lo, hi, d
  integer :: i, at, count, place(2), bins(0:3), sums(2, 3)
  logical :: all_positive, any_large
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ PARALLEL (i) ON a(i), PRIVATE(d)
  do i = 1, n
    d = i - 7.5
    a(i) = d * d
  end do
  s = 0; p = 1; lo = 1e9; hi = -1e9; at = 0; count = 0
  all_positive = .true.
  any_large = .false.
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(s), PRODUCT(p), MIN(lo), SUM(count), AND(all_positive), OR(any_large))
  do i = 1, n
    s = s + a(i)
    p = p * (1 + a(i) / 1000)
    lo = min(lo, a(i))
    if (a(i) > 10) count = count + 1
    all_positive = all_positive .and. a(i) > 0
    any_large = any_large .or. a(i) > 100
  end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MAXLOC(hi, at, 1))
  do i = 1, n
    if (a(i) > hi) then
      hi = a(i)
      at = i
    end if
  end do
  lo = 1e9; place = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MINLOC(lo, place, 2))
  do i = 1, n
    if (a(i) < lo) then
      lo = a(i)
      place(1) = i
      place(2) = -i
    end if
  end do
  bins = 0
  sums = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(bins), SUM(sums))
  do i = 1, n
    bins(mod(i, 4)) = bins(mod(i, 4)) + 1
    if (i > 2) sums(2, mod(i, 2) + 2) = sums(2, mod(i, 2) + 2) + i
  end do
  print *, place, bins, sums
  print *, s, p, lo, count, all_positive, any_large, hi, at
end program
