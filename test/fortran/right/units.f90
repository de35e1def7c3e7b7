! Submodules, generic procedures, ENTRY, EQUIVALENCE: what they reach is the same data under other names.
module field
  implicit none
  integer, parameter :: n = 12
  real :: a(n), b(n)
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ SHADOW a(1:1)
  interface
    module subroutine start(first)
      real, intent(in) :: first
    end subroutine
    module function total() result(s)
      real :: s
    end function
  end interface
  interface scaled
    procedure scaled_real, scaled_integer
  end interface
  interface operator(.plus.)
    procedure together
  end interface
contains
  real function scaled_real(x, by)
    real, intent(in) :: x, by
    scaled_real = x * by
  end function
  real function scaled_integer(x, by)
    real, intent(in) :: x
    integer, intent(in) :: by
    scaled_integer = x * real(by)
  end function
  elemental real function together(x, y)
    real, intent(in) :: x, y
    together = x + y
  end function
end module

submodule (field) starting
contains
  module subroutine start(first)
    real, intent(in) :: first
    integer i
!DVM$ PARALLEL (i) ON a(i)
    do i = 1, n
      a(i) = first + real(i)
      b(i) = 0
    end do
  end subroutine
end submodule

submodule (field:starting) summing
contains
  module procedure total
    integer i
    s = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(s))
    do i = 1, n
      s = s + a(i) + b(i)
    end do
  end procedure
end submodule

subroutine smooth(factor)
  use field
  implicit none
  real factor, with
  integer i, times
  times = 2
  goto 10
  entry smooth_once(with)
  factor_of_all: block
    times = 1
  end block factor_of_all
10 continue
  call steps(times)
contains
  subroutine steps(count)
    integer count, k
    do k = 1, count
!DVM$ PARALLEL (i) ON b(i), SHADOW_RENEW(a)
      do i = 2, n - 1
        b(i) = scaled(a(i - 1) .plus. a(i + 1), 0.5) + scaled(a(i), 2)
      end do
!DVM$ PARALLEL (i) ON a(i)
      do i = 2, n - 1
        a(i) = b(i)
      end do
    end do
  end subroutine
end subroutine

program units
  use field
  implicit none
  real pair(2), low, high, s
  equivalence (pair(1), low), (pair(2), high)
  integer i
  call start(1.0)
  pair = [0.0, 3.0]
  call smooth(low)
  call smooth_once(high)
  s = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(s)), REDUCTION(MAX(high))
  do i = 1, n
    s = s + a(i) * low
    high = max(high, a(i))
  end do
  print *, total(), s, pair
end program
