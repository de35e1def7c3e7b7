! Arrays behind descriptors: each nest but one is proved when it is entered (summaries.sh).
module shared
  real, allocatable :: ma(:,:), mb(:,:)
!dvm$ distribute ma(block,block)
!dvm$ align mb(i,j) with ma(i,j)
contains
  subroutine shaped(a, b, n, k)
    real :: a(:,:)
    real, allocatable :: b(:,:)
    integer n, k, i, j
!dvm$ inherit a, b
!dvm$ parallel (j,i) on b(i,j), shadow_renew(a)
    do j = 2, n - 1
      do i = 2, n - 1
        b(i,j) = a(i-1,j) + a(i,j+1) + k
      end do
    end do
  end subroutine
end module

subroutine explicit(a, b, n, k)
  integer n, k, i, j
  real a(n,n), b(n,n)
!dvm$ inherit a, b
!dvm$ parallel (j,i) on b(i,j), shadow_renew(a)
  do j = 2, n - 1
    do i = 2, n - 1
      b(i,j) = a(i-1,j) + a(i,j+1) * k
    end do
  end do
end subroutine

! A distance that is not there must not be read; subscripts with one are judged one by one.
subroutine optional_distance(a, b, n, k)
  integer n, i, j
  integer, optional :: k
  real a(n,n), b(n,n), t
!dvm$ inherit a, b
!dvm$ parallel (j,i) on b(i,j), shadow_renew(a), private(t) ! one by one
  do j = 2, n - 1
    do i = 2, n - 1
      t = a(i,j)
      if (present(k)) t = a(i-k,j)
      b(i,j) = t
    end do
  end do
end subroutine

subroutine automatic(n, s)
  integer n, i, j
  real s
  real, allocatable :: a(:,:)
!dvm$ distribute a(block,*)
  allocate(a(0:n-1,-1:n))
!dvm$ parallel (j,i) on a(i,j)
  do j = 0, n - 1
    do i = 0, n - 1
      a(i,j) = i + j
    end do
  end do
!dvm$ parallel (j,i) on a(i,j), reduction(sum(s))
  do j = 0, n - 1
    do i = 0, n - 1
      s = s + a(i,j)
    end do
  end do
end subroutine

program nests
  use shared
  interface
    subroutine optional_distance(a, b, n, k)
      integer n
      integer, optional :: k
      real a(n,n), b(n,n)
    end subroutine
  end interface
  integer i, j, n, it
  real s
  n = 40
  s = 0
  allocate(ma(n,n), mb(n,n))
!dvm$ parallel (j,i) on ma(i,j)
  do j = 1, n
    do i = 1, n
      ma(i,j) = i * j
      mb(i,j) = 0
    end do
  end do
  do it = 1, 3
    call shaped(ma, mb, n, 1)
    call explicit(ma, mb, n, 1)
    call automatic(n, s)
    call optional_distance(ma, mb, n)
    call optional_distance(ma, mb, n, 1)
!dvm$ parallel (j,i) on ma(i,j)
    do j = 2, n - 1
      do i = 2, n - 1
        ma(i,j) = mb(i,j) / 2
      end do
    end do
  end do
!dvm$ parallel (j,i) on ma(i,j), reduction(sum(s))
  do j = 1, n
    do i = 1, n
      s = s + ma(i,j)
    end do
  end do
  print *, s
end program
