! Tasks, regions: what the directives say of them.
program tasks
  implicit none
  integer, parameter :: n = 16
  real :: a(n), b(n), c(n), s, total
  integer :: i, k
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ DISTRIBUTE b(BLOCK)
!DVM$ DISTRIBUTE c(BLOCK)
!DVM$ TASK mb(2)
!DVM$ TASK_REGION mb
!DVM$ ON mb(1)
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = i
  end do
!DVM$ END ON
!DVM$ ON mb(2)
!DVM$ PARALLEL (i) ON b(i)
  do i = 1, n
    b(i) = -i
  end do
!DVM$ END ON
!DVM$ END TASK_REGION
!DVM$ TASK_REGION mb
!DVM$ PARALLEL (k) ON mb(k)
  do k = 1, 2
    if (k == 1) then
      c(1) = 1
    else
      c(2) = 2
    end if
  end do
!DVM$ END TASK_REGION
!DVM$ REGION INOUT(a), IN(b)
!DVM$ PARALLEL (i) ON a(i), REMOTE_ACCESS(b(i))
  do i = 1, n
    a(i) = a(i) + b(i)
  end do
!DVM$ END REGION
!DVM$ GET_ACTUAL(a)
  s = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(s))
  do i = 1, n
    s = s + a(i)
  end do
  total = 0
!DVM$ TASK_REGION mb, REDUCTION(SUM(total))
!DVM$ ON mb(1)
  total = total + 1
!DVM$ END ON
!DVM$ ON mb(2)
  total = total + 2
!DVM$ END ON
!DVM$ END TASK_REGION
  print *, s, total
end program
