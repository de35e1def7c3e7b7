! No directive of data stands in this file.
program user
  use between, only: b, x => field, a
  use owner, only: grid, make, line
  implicit none
  integer, parameter :: n = 24
  real, allocatable :: taken(:)
  integer :: i, round
  real :: s

  do round = 1, 2
    allocate (x(0:n * round)); allocate (b(0:n * round))
!DVM$ PARALLEL (i) ON x(i)
    do i = 0, n * round
      x(i) = i * round
    end do
!DVM$ PARALLEL (i) ON b(i), SHADOW_RENEW(x)
    do i = 1, n * round - 1
      b(i) = x(i - 1) + x(i + 1)
    end do
    s = 0
!DVM$ PARALLEL (i) ON b(i), REDUCTION(SUM(s))
    do i = 1, n * round - 1
      s = s + b(i)
    end do
    print *, s
    deallocate (b)
    deallocate (x)
  end do

  allocate (taken(n))
  taken = 1
  call move_alloc(taken, a)
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = i
  end do

  call make(n)
  s = 0
!DVM$ PARALLEL (i) ON grid(*, i), REDUCTION(SUM(s))
  do i = 0, n
    s = s + grid(3, i)
  end do
  if (n > 3) allocate (line(n))
!DVM$ PARALLEL (i) ON line(i)
  do i = 1, n
    line(i) = 2 * i
  end do
!DVM$ REMOTE_ACCESS (line(5), a(7))
  s = s + line(5) + a(7)
  print *, s
  deallocate (line)
end program
