! Expressions over whole arrays and sections: what lies beside is each owner's, what does not is fetched before.
program operands
  implicit none
  integer, parameter :: n = 9, m = 3
  real :: c(n, m), d(n, m), e(n, m), w(n)
!DVM$ DISTRIBUTE c(BLOCK, *)
!DVM$ ALIGN (i, j) WITH c(i, j) :: d, e
!DVM$ ALIGN w(i) WITH c(i, *)
  c = 1
  d = 2
  e = c + d
  w = 3
!DVM$ REMOTE_ACCESS (c(:, :))
  c(3:n, :) = c(2:n - 1, :) + d(3:n, :) * e(3:n, :)
!DVM$ REMOTE_ACCESS (e(:, :))
  d(1:n - 2, 2) = e(3:n, 1) - w(1:n - 2)
  c(:, 2:m) = c(:, 1:m - 1) + d(:, 2:m)
  print '(9f7.1)', c, d
end program
