! Arrays of a module under other names.
module owner
  implicit none
  integer, parameter :: n = 16
  real :: a(n), b(n), edge
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ SHADOW a(1:1)
!DVM$ ALIGN b(i) WITH a(i)
end module

program renamed
  use owner, old => a, total => edge, only_once => b
  implicit none
  integer :: i
  real :: s
!DVM$ PARALLEL (i) ON old(i)
  do i = 1, n
    old(i) = i
    only_once(i) = 0
  end do
!DVM$ PARALLEL (i) ON only_once(i), SHADOW_RENEW(old), REMOTE_ACCESS(old(5)), PRIVATE(total)
  do i = 2, n - 1
    total = old(i - 1) + old(i + 1)
    only_once(i) = total + old(5)
  end do
!DVM$ REMOTE_ACCESS(only_once(3))
  s = only_once(3)
  print *, s
end program
