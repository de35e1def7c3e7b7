! WHERE, FORALL and vectors of subscripts in the sequential part: owners assign.
program masks
  implicit none
  integer, parameter :: n = 24
  real :: a(n), b(n), x(n, n), y(n, n), r(n)
  integer :: i, j, idx(n), many(n), counted
  logical :: odd(n), some(n)
  real, allocatable :: list(:)
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ ALIGN odd(i) WITH a(i)
!DVM$ DISTRIBUTE x(BLOCK, BLOCK)
!DVM$ ALIGN y(i, j) WITH x(i, j)
!DVM$ DISTRIBUTE list(BLOCK)
  a = [(i, i = 1, n)]
  b = 10
  r = [(mod(i * 5, 7), i = 1, n)]
  odd = [(mod(i, 2) == 1, i = 1, n)]
  where (a > 12) b = a
  print '(8f8.2)', b
  where (odd)
    b = -b
  elsewhere (a < 5)
    b = a + 0.5
  elsewhere
    a = b
  end where
  print '(8f8.2)', a, b
  where (a > 3)
    a = a * 2
    where (b > 0)
      b = a + r
    elsewhere
      b = 0
    end where
  end where
  print '(8f8.2)', a, b
  where (r(2:n) > 2) a(2:n) = r(1:n-1) + sum(r)
  print '(8f8.2)', a
  ! FORALL
  forall (i = 1:n) a(i) = i * 2 - b(i)
  forall (i = 2:n:3, a(i) > 0) b(i) = a(i) / i
  forall (i = 1:n, j = 1:n, i /= j) x(i, j) = i * 100 + j
  forall (i = 1:n) x(i, i) = -i
  y = 1
  forall (i = 1:n, j = 1:n, x(i, j) > 500)
    y(i, j) = x(i, j)
    x(i, j) = y(i, j) - 1
  end forall
  print '(8f8.2)', a, b
  print '(8f9.1)', x(:, 3), y(7, :)
  forall (i = 1:n, r(i) > 0) y(i, :) = i
  forall (i = n:1:-1)
    where (y(:, i) > 5) y(:, i) = y(:, i) + 1000 / i
  end forall
  print '(8f9.1)', y
  forall (i = 1:n)
    forall (j = i:n) x(j, i) = x(j, i) + y(j, i)
  end forall
  print '(8f9.1)', x(:, 5)
  ! vectors of subscripts
  idx = [(mod(i * 7, n) + 1, i = 1, n)]
  a(idx) = r * 3
  print '(8f8.2)', a
  a(idx(1:4)) = 77
  where (r(1:4) > 1) a(idx(5:8)) = -r(1:4)
  print '(8f8.2)', a
  ! from elsewhere
!DVM$ REMOTE_ACCESS (a(:))
  where (a(1:n-1) > 5) a(2:n) = a(1:n-1)
  print '(8f8.2)', a
!DVM$ REMOTE_ACCESS (a(:))
  forall (i = 2:n) a(i) = a(i - 1) + a(n + 1 - i)
  print '(8f8.2)', a
!DVM$ REMOTE_ACCESS (a(:))
  a(1:n-1) = a(2:n)
!DVM$ REMOTE_ACCESS (a(:))
  where (a > 10) r = a
  print '(8f8.2)', r
  a = cshift(r, 3)
  print '(8f8.2)', a
!DVM$ REMOTE_ACCESS (a(:))
  b = b + sum(a)
  print '(8f8.2)', b
  x = matmul(reshape([(real(i), i = 1, n * n)], [n, n]), reshape([(mod(i, 3) * 1., i = 1, n * n)], [n, n]))
  print '(8f10.1)', x(4, :)
  allocate (list(n))
  list = r
  where (list > 0) list = list + 1
  forall (i = 1:n, list(i) > 2) list(i) = list(i) * 2
  print '(8f8.2)', list
  where (list > 0)
  end where
  if (n > 3) where (list > 9) list = 9
  if (n > 3) forall (i = 1:3) list(i) = i
  print '(8f8.2)', list
  some = .false.
!DVM$ REMOTE_ACCESS (list(:))
  where (list > 3) some = .true.
  print *, count(some)
  counted = 0
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = i
  end do
  where (a > 3)
    b = a
  end where
  print '(8f8.2)', b
!DVM$ PARALLEL (i) ON a(i), REDUCTION(SUM(counted)), PRIVATE(many)
  do i = 1, n
    many = 0
    where (r > i) many = many + 1
    counted = counted + sum(many)
  end do
  print *, counted
end program
