! Groups of consistent data, asynchronous copies, logical reductions.
program groups
  implicit none
  integer, parameter :: n = 12
  real :: a(n), b(0:n + 1), v(n), w(n, 2), spare(n)
  logical :: odd, same
  character(len=8) :: text
  integer :: i, j
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ DISTRIBUTE b(BLOCK)
!DVM$ CONSISTENT v, w
!DVM$ CONSISTENT_GROUP both
!DVM$ ASYNCID copy
  v = 0
  w = 0
  b = 0
!DVM$ PARALLEL (i) ON a(i), CONSISTENT(both: v(i), w(i, :))
  do i = 1, n
    a(i) = i
    v(i) = i * 2
    do j = 1, 2
      w(i, j) = i + j
    end do
  end do
!DVM$ CONSISTENT_START both
  odd = .false.
!DVM$ CONSISTENT_WAIT both
  print *, v, w
!DVM$ ASYNCHRONOUS copy
  b(:5) = a(1:6)
!DVM$ F90 b(7:10) = a(8:11)
  do i = 8, 11
    b(i - 1) = a(i)
  end do
  do i = 3, 4
    spare(i) = a(n - i)
  end do
!DVM$ END ASYNCHRONOUS
!DVM$ PARALLEL (i) ON a(i)
  do i = 7, 7
    a(i) = 3
  end do
  b(11) = 4
  spare(5) = 1
!DVM$ ASYNCWAIT copy
  spare(1:2) = spare(3:4)
  print *, b, a, spare(3:5)
  same = .true.
!DVM$ PARALLEL (i) ON a(i), REDUCTION(NEQV(odd), EQV(same)), PRIVATE(text)
  do i = 1, n
    write (text, '(i0)') int(a(i))
    odd = odd .neqv. (a(i) > len_trim(text) + 2)
    same = same .eqv. (a(i) > 5)
  end do
  print *, odd, same
end program
