! As jacobi.c.
program jacobi
  implicit none
  integer, parameter :: n = N_
  real(8) :: a(n, n), b(n, n), eps
  integer :: i, j, step, steps
  character(16) :: text
!DVM$ DISTRIBUTE (BLOCK, BLOCK) :: a
!DVM$ ALIGN b(i, j) WITH a(i, j)
!DVM$ SHADOW (1:1, 1:1) :: a
  call get_command_argument(1, text)
  read (text, *) steps
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = 0
      if (i == 1 .or. j == 1 .or. i == n .or. j == n) then
        b(i, j) = 0
      else
        b(i, j) = 1 + i + j
      end if
    end do
  end do
  do step = 1, steps
    eps = 0
!DVM$ PARALLEL (j, i) ON a(i, j), REDUCTION(MAX(eps))
    do j = 2, n - 1
      do i = 2, n - 1
        eps = max(eps, abs(b(i, j) - a(i, j)))
        a(i, j) = b(i, j)
      end do
    end do
!DVM$ PARALLEL (j, i) ON b(i, j), SHADOW_RENEW(a)
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) / 4
      end do
    end do
  end do
  print *, steps
end program
