! A template that program units have in common: what is aligned with it in one is moved by another.
program common
  implicit none
  integer, parameter :: n = 12
  real :: u(n, n), f(0:n)
  integer :: i, j
  common /field/ u, f
!DVM$ TEMPLATE, COMMON :: whole(1:12,0:13)
!DVM$ DISTRIBUTE whole(BLOCK,BLOCK)
!DVM$ ALIGN u(i,j) WITH whole(i,j)
!DVM$ ALIGN f(i) WITH whole(*,i)
!DVM$ DYNAMIC whole, u, f
!DVM$ PARALLEL (j,i) ON whole(i,j)
  do j = 1, n
    do i = 1, n
      u(i, j) = i + j
    end do
  end do
!DVM$ PARALLEL (i) ON whole(*,i)
  do i = 0, n
    f(i) = i * 2
  end do
  call step
  call move
  call step
end program

subroutine step
  implicit none
  integer, parameter :: n = 12
  real :: u(n, n), f(0:n), s
  integer :: i, j
  common /field/ u, f
!DVM$ TEMPLATE, COMMON :: whole(1:12,0:13)
!DVM$ DISTRIBUTE whole(BLOCK,BLOCK)
!DVM$ ALIGN u(i,j) WITH whole(i,j)
!DVM$ ALIGN f(i) WITH whole(*,i)
!DVM$ DYNAMIC whole, u, f
  s = 0
!DVM$ PARALLEL (j,i) ON whole(i,j), SHADOW_RENEW(u(CORNER)), REDUCTION(SUM(s))
  do j = 2, n - 1
    do i = 2, n - 1
      s = s + u(i - 1, j - 1) * f(j)
    end do
  end do
  print *, s
end subroutine

subroutine move
  implicit none
  integer, parameter :: n = 12
  real :: u(n, n), f(0:n)
  integer :: i, j
  common /field/ u, f
!DVM$ TEMPLATE, COMMON :: whole(1:12,0:13)
!DVM$ DISTRIBUTE whole(BLOCK,BLOCK)
!DVM$ ALIGN u(i,j) WITH whole(i,j)
!DVM$ ALIGN f(i) WITH whole(*,i)
!DVM$ DYNAMIC whole, u, f
!DVM$ REDISTRIBUTE whole(*,BLOCK)
!DVM$ PARALLEL (j,i) ON u(i,j)
  do j = 1, n
    do i = 1, n
      u(i, j) = u(i, j) + f(j)
    end do
  end do
end subroutine
