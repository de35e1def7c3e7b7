! What a private array leaves behind differs between ranks: CONSISTENT gives all of them what is assigned, also where a rank had it already.
program left_over
  implicit none
  integer, parameter :: n = 12
  integer :: a(n), w(n), i, k
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ REGION IN(n), OUT(a)
!DVM$ PARALLEL (i) ON a(i), PRIVATE(w, k)
  do i = 1, n
    do k = 1, n
      w(k) = merge(k, 0, i <= n / 3)
    end do
    a(i) = w(i) + i
  end do
!DVM$ END REGION
!DVM$ ACTUAL(n)
!DVM$ GET_ACTUAL(a)
!DVM$ PARALLEL (i) ON a(i), CONSISTENT(w(i))
  do i = 1, n
    w(i) = i
  end do
  print *, w
end program left_over
