! Static arrays that are aligned with allocatable ones have their place from ALLOCATE on.
module field
  implicit none
  integer, parameter :: n = 15
  integer, allocatable :: f(:,:)
  integer :: g(n,n), h(n)
!dvm$ align h(i) with g(i,1)
!dvm$ align g(i,j) with f(i,j)
!dvm$ distribute f(block, block)
!dvm$ shadow g(1:1,1:1)
end module

subroutine make
  use field
  implicit none
  allocate (f(n,n))
end subroutine

program aligned
  use field
  implicit none
  integer, allocatable :: p(:)
  integer :: q(n), r(n), i, j, bad, it
!dvm$ distribute p(block)
!dvm$ align q(i) with p(i)
!dvm$ align r(i) with q(n+1-i)
!dvm$ shadow q(1:1)
  bad = 0
  do it = 1, 2
    call make
!dvm$ parallel (j,i) on g(i,j)
    do j = 1, n
      do i = 1, n
        f(i,j) = i + 10 * j
        g(i,j) = f(i,j) * it
      end do
    end do
!dvm$ parallel (i) on g(i,1)
    do i = 1, n
      h(i) = g(i,1)
    end do
!dvm$ parallel (j,i) on f(i,j), shadow_renew(g), reduction(sum(bad))
    do j = 2, n - 1
      do i = 2, n - 1
        if (g(i-1,j) + g(i+1,j) + g(i,j-1) + g(i,j+1) /= 4 * it * f(i,j)) bad = bad + 1
      end do
    end do
    deallocate (f)
  end do
  allocate (p(n))
!dvm$ parallel (i) on q(i)
  do i = 1, n
    p(i) = i
    q(i) = i * i
    r(n+1-i) = i
  end do
!dvm$ parallel (i) on p(i), shadow_renew(q), reduction(sum(bad))
  do i = 2, n - 1
    if (q(i-1) + q(i+1) /= 2 * p(i) * p(i) + 2 .or. r(n+1-i) /= p(i)) bad = bad + 1
  end do
  print *, bad
end program
