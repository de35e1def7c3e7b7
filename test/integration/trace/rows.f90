! Forms in which a nest of Fortran may write the rows of an array; as rows.c.
program rows
  implicit none
  integer, parameter :: n = 60
  real(8) :: a(n, n), eps
  real(4) :: f(n, n)
  integer :: k(n, n), c(n, 20, 20)
  integer(2) :: h(n, n)
  real(8), allocatable :: p(:, :)
  integer :: t
!DVM$ DISTRIBUTE (BLOCK, BLOCK) :: a
!DVM$ ALIGN (i, j) WITH a(i, j) :: f, k, h
!DVM$ DISTRIBUTE (*, BLOCK, BLOCK) :: c
!DVM$ DISTRIBUTE (BLOCK, BLOCK) :: p
  allocate (p(n, n))
  call begin()
  do t = 1, 3
    call forward(2, n - 1)
    call backward(n, 1)
    call forward(9, 8)
    call parts(3)
    call steps()
    call conditions()
    call deep()
  end do
  print *, a(5, 6), f(7, 8), k(9, 9), h(3, 4), p(5, 5), c(4, 5, 6), eps
contains
  subroutine begin()
    integer :: i, j, l
!DVM$ PARALLEL (j, i) ON a(i, j)
    do j = 1, n
      do i = 1, n
        a(i, j) = i + 0.5d0 * j
        f(i, j) = 0
        k(i, j) = i
        h(i, j) = int(j, 2)
      end do
    end do
!DVM$ PARALLEL (j, i) ON p(i, j)
    do j = 1, n
      do i = 1, n
        p(i, j) = i - j
      end do
    end do
!DVM$ PARALLEL (l, j, i) ON c(i, j, l)
    do l = 1, 20
      do j = 1, 20
        do i = 1, n
          c(i, j, l) = l
        end do
      end do
    end do
  end subroutine
  subroutine forward(low, high)
    integer, intent(in) :: low, high
    integer :: i, j
    eps = 0
!DVM$ PARALLEL (j, i) ON a(i, j), REDUCTION(MAX(eps))
    do j = low, high
      do i = low, high
        eps = max(eps, abs(a(i, j)))
        a(i, j) = a(i, j) * 0.5d0 + t
      end do
    end do
!DVM$ PARALLEL (j, i) ON p(i, j)
    do j = low, high
      do i = low, high
        p(i, j) = p(i, j) + t
      end do
    end do
  end subroutine
  subroutine backward(high, low)
    integer, intent(in) :: high, low
    integer :: i, j
!DVM$ PARALLEL (j, i) ON f(i, j)
    do j = n, 1, -1
      do i = high, low, -2
        f(i, j) = f(i, j) + i * j
      end do
    end do
!DVM$ PARALLEL (j, i) ON k(i, j)
    do j = high, low, -1
      do i = n, 3, -3
        k(i, j) = k(i, j) + 1
      end do
    end do
  end subroutine
  subroutine steps()
    integer(8) :: i
    integer :: j
!DVM$ PARALLEL (j, i) ON h(i, j)
    do j = 1, n, 7
      do i = 3_8, int(n, 8), 2_8
        h(i, j) = int(mod(h(i, j) + i, 1000_8), 2)
      end do
    end do
!DVM$ PARALLEL (j, i) ON a(i, j)
    do j = 1, n
      do i = 1, n - 4
        if (mod(i, 2_8) == 0) a(i, j) = a(i, j) + 1
      end do
    end do
  end subroutine
  subroutine parts(at)
    integer, intent(in) :: at
    integer :: i, j
!DVM$ PARALLEL (j, i) ON a(i, j)
    do j = at, at + 2
      do i = at + 1, at + 1
        a(i, j) = -t
      end do
    end do
!DVM$ PARALLEL (i, j) ON a(i, j)
    do i = 2, n
      do j = 2, n
        a(i, j) = a(i, j) + 2
      end do
    end do
  end subroutine
  subroutine conditions()
    integer :: i, j
    real(8) :: x
!DVM$ PARALLEL (j, i) ON a(i, j), PRIVATE(x)
    do j = 1, n
      do i = 1, n
        x = a(i, j)
        if (x > 3) then
          f(i, j) = real(x)
          if (i > j) k(i, j) = k(i, j) - 1
        else
          a(i, j) = x * 2
        end if
      end do
    end do
  end subroutine
  subroutine deep()
    integer :: i, j, l
!DVM$ PARALLEL (l, j) ON c(*, j, l)
    do l = 1, 20
      do j = 2, 19
        do i = 1, n
          c(i, j, l) = c(i, j, l) + i
        end do
        c(n, j, l) = 0
      end do
    end do
  end subroutine
end program
