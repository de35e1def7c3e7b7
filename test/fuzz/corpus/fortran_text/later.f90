! Consistent arrays, recomputed edges, copies between any arrays, logical reductions, pointers, new values.
program later
  implicit none
  integer, parameter :: n = 12
  real :: a(n), b(n), c(n), v(n), s
  real, pointer :: p(:)
  logical :: odd, same
  integer :: i, round
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ DISTRIBUTE c(BLOCK)
!DVM$ DISTRIBUTE p(BLOCK)
!DVM$ SHADOW p(1:1)
!DVM$ CONSISTENT v
!DVM$ ASYNCID copy
!DVM$ DYNAMIC c
  v = 0
!DVM$ PARALLEL (i) ON a(i), SHADOW_COMPUTE
  do i = 1, n
    a(i) = i
    b(i) = 0
  end do
!DVM$ PARALLEL (i) ON b(i)
  do i = 2, n - 1
    b(i) = a(i - 1) + a(i + 1)
  end do
!DVM$ PARALLEL (i) ON a(i), CONSISTENT(v(i))
  do i = 1, n
    v(i) = a(i) * 2
  end do
  s = v(1) + v(n)
!DVM$ ASYNCHRONOUS copy
  do i = 1, n
    c(i) = a(n + 1 - i)
  end do
!DVM$ END ASYNCHRONOUS
!DVM$ ASYNCWAIT copy
  odd = .false.
  same = .true.
!DVM$ PARALLEL (i) ON a(i), REDUCTION(NEQV(odd), EQV(same))
  do i = 1, n
    odd = odd .neqv. (a(i) > 3)
    same = same .eqv. (a(i) > 5)
  end do
!DVM$ REDISTRIBUTE c(*)
!DVM$ NEW_VALUE
  do i = 1, n
    c(i) = v(i)
  end do
  do round = 1, 2
    allocate (p(n))
!DVM$ PARALLEL (i) ON p(i)
    do i = 1, n
      p(i) = i
    end do
!DVM$ PARALLEL (i) ON p(i), REDUCTION(SUM(s)), SHADOW_RENEW(p)
    do i = 2, n - 1
      s = s + p(i - 1) - p(i + 1)
    end do
    deallocate (p)
  end do
  print *, s, odd, same, c(3)
end program
