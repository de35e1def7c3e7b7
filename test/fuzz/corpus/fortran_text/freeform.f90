! Free form, modules, lower bounds other than 1, templates, directives on several lines, subroutines with dummies.
module field
  implicit none
  integer, parameter :: n = 12
  real :: u(0:n, -1:n)
!DVM$ DISTRIBUTE (BLOCK, *) :: u
!DVM$ SHADOW u(1:1, 0:0)
contains
  subroutine fill(v, m)
    integer, intent(in) :: m
    real, intent(out) :: v(m)
    integer :: i
    do i = 1, m
      v(i) = i
    end do
  end subroutine
end module

program freeform
  use field
  implicit none
  real :: w(0:n), s, start(n)
  integer :: i, j
!DVM$ TEMPLATE t(0:n)
!DVM$ DISTRIBUTE t(BLOCK)
!DVM$ ALIGN w(i) WITH t(i)

  call fill(start, n)
!DVM$ PARALLEL (j, i) &
!DVM$ ON u(i, j)
  do j = -1, n
    do i = 0, n
      u(i, j) = i + 10 * j
    end do
  end do
  s = 0
!DVM$ PARALLEL (j, i) ON u(i, j), SHADOW_RENEW(u), REDUCTION(SUM(s))
  do j = -1, n
    do i = 1, n - 1
      s = s + u(i - 1, j); s = s + u(i + 1, j) * 2
    end do
  end do
!DVM$ PARALLEL (i) ON t(i)
  do i = 0, n
    w(i) = i
  end do
  print *, s, sum(start)
end program
