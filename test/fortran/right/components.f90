! Pointer and allocatable components of arrays: their subscripts are none of the array's.
program components
  implicit none
  type field
    real, pointer :: v(:)
    real, allocatable :: w(:)
  end type
  integer, parameter :: n = 12
  type(field) :: f(2)
  real, allocatable, target :: u(:), t(:)
  integer :: i, k
!DVM$ DISTRIBUTE u(BLOCK)
!DVM$ ALIGN t(i) WITH u(i)
  allocate (u(n), t(n))
  f(1)%v => u
  f(2)%v => t
  do k = 1, 2
    allocate (f(k)%w(0:n))
    do i = 0, n
      f(k)%w(i) = i + k
    end do
  end do
!DVM$ PARALLEL (i) ON u(i)
  do i = 1, n
    f(1)%v(i) = i + f(2)%w(i)
    f(2)%v(i) = f(1)%v(i) + f(1)%w(i - 1)
  end do
!DVM$ PARALLEL (i) ON u(i), SHADOW_RENEW(u)
  do i = 2, n
    f(2)%v(i) = f(1)%v(i - 1)
  end do
  print *, t
end program
