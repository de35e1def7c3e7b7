! Logical reductions, and groups of consistent data.
program logicals
  implicit none
  integer, parameter :: n = 13
  real :: a(n)
  integer :: v(n), i, k
  logical :: odd, same, all, any, each(2)
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ CONSISTENT v
!DVM$ CONSISTENT_GROUP later
  v = 0
  do k = 0, n
    odd = mod(k, 2) == 0
    same = mod(k, 3) == 0
    all = .true.
    any = .false.
    each = [.true., .false.]
!DVM$ PARALLEL (i) ON a(i), CONSISTENT(later: v(i))
    do i = 1, n
      a(i) = i
      v(i) = i * k
    end do
!DVM$ CONSISTENT_START later
!DVM$ CONSISTENT_WAIT later
!DVM$ PARALLEL (i) ON a(i), REDUCTION(NEQV(odd), EQV(same), AND(all), OR(any), EQV(each))
    do i = 1, n
      odd = odd .neqv. a(i) > k
      same = same .eqv. a(i) > k
      all = all .and. a(i) > k
      any = any .or. a(i) < k
      each(1) = each(1) .eqv. a(i) > k
      each(2) = each(2) .eqv. a(i) < k
    end do
    print *, odd, same, all, any, each, sum(v)
  end do
end program
