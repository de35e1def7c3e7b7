! WITH languages_c.c
! A main program of Fortran, a library of C with arrays of its own, which gives the bounds of a loop and works on an array of Fortran's.
program languages
  use iso_c_binding
  implicit none
  interface
    subroutine fill(n) bind(c)
      import
      integer(c_int), value :: n
    end subroutine
    real(c_double) function sum_of_c(n) bind(c)
      import
      integer(c_int), value :: n
    end function
    pure real(c_double) function square(x) bind(c)
      import
      real(c_double), value :: x
    end function
  end interface
  integer, parameter :: n = 16
  real(8) a(n), s
!DVM$ DISTRIBUTE a(BLOCK)
  integer i
  call fill(n)
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = square(real(i, 8))
  end do
  s = 0
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(s))
  do i = 1, n
    s = s + a(i)
  end do
  print *, s, sum_of_c(n)
end program
