! Remote elements that are fetched ahead of their use, in groups.
program prefetch
  implicit none
  integer, parameter :: n = 20
  real :: a(n), b(n), c(n), s
  integer :: i, step, k
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN (i) WITH a(i) :: b, c
!DVM$ REMOTE_GROUP g
  a = 1
  b = 2
  c = 3
  k = 5
  do step = 1, 4
!DVM$ PREFETCH g
!DVM$ PARALLEL (i) ON b(i), REMOTE_ACCESS(g: a(k))
    do i = 1, n
      b(i) = b(i) + a(k)
    end do
!DVM$ REMOTE_ACCESS(g: c(1))
    s = c(1)
!DVM$ PARALLEL (i) ON a(i)
    do i = 1, n
      a(i) = a(i) + step
      c(i) = a(i) / 2
    end do
    if (step == 2) then
      k = 7
!DVM$ RESET g
    end if
  end do
  print *, s, a(3), b(n)
end program
