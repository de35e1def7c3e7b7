! Elements whose place another array says; what the host may compare; a number of processors that only the directives name.
program indirect
  integer, parameter :: n = 12
  real :: a(n), b(n)
  integer :: i, p(n)
!DVM$ PROCESSORS q(NUMBER_OF_PROCESSORS())
!DVM$ DISTRIBUTE a(BLOCK) ONTO q
!DVM$ ALIGN b(i) WITH a(i)
  p = [(n + 1 - i, i = 1, n)]
!DVM$ REGION
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = i
  end do
!DVM$ PARALLEL (i) ON b(i), INDIRECT_ACCESS(a(p(i)))
  do i = 1, n
    b(i) = a(p(i))
  end do
!DVM$ END REGION
!DVM$ CHECKSECTION (b)
!DVM$ END CHECKSECTION
!DVM$ GET_ACTUAL (b)
  print *, b
end program
