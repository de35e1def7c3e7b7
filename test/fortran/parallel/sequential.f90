! The sequential part: elements, whole arrays, input and output.
program sequential
  implicit none
  integer, parameter :: n = 40
  double precision :: a(n), b(0:n-1), c(n, n), total, row(n)
  integer :: idx(n), i, j, k, ios, line
  real, allocatable :: list(:), work(:, :)
  character(20) :: name, text
  logical :: there
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i + 1)
!DVM$ DISTRIBUTE c(BLOCK, BLOCK)
!DVM$ DISTRIBUTE list(BLOCK)
!DVM$ DISTRIBUTE work(*, BLOCK)
!DVM$ DISTRIBUTE idx(BLOCK)
  a = 1
  b = a * 2 + a
  c = 0.5d0
  c(3, :) = 7
  do i = 1, n
    a(i) = a(i) + b(i - 1) * i
  end do
  if (n > 3) a(4) = -1
  a(5:n:3) = b(4:n-1:3) - a(5:n:3)
  k = 7
!DVM$ REMOTE_ACCESS (a(30), c(2, 39))
  total = a(30) + c(2, 39)
  print *, total
!DVM$ REMOTE_ACCESS (a(30))
  a(2) = a(30) / 4
  a(k) = a(k) ** 2 + mod(k, 4)
  idx = [(mod(i * 7, n) + 1, i = 1, n)]
  print '(5f8.2)', a
  print *, 'element', a(n), b(3), c(3, n), idx(9)
  write (*, '(a,3f8.3)') 'section', c(2:4, 1)
  read *, total, k
  read (*, *) a(3), a(n - 1)
  read (*, *) name, row(1:5)
  read (*, *) c(:, 2)
  print *, total, k, trim(name), row(3), a(3), a(n - 1)
  print '(8f7.1)', c(:, 2)
  read (*, *, iostat=ios) total
  print *, 'ios', ios < 0
  write (text, '(a,i3)') 'inner', k
  print *, text
  open (10, file='fort-par.tmp', form='formatted')
  write (10, *) a
  write (10, '(2i5)') k, k + 1
  rewind 10
  read (10, *) row
  read (10, *) i, j
  close (10, status='delete')
  print '(5f8.2)', row
  print *, i, j
  inquire (file='fort-par.tmp', exist=there)
  print *, there
  allocate (list(3 * n), work(n, n))
  list = 2
!DVM$ PARALLEL (i) ON list(i)
  do i = 1, 3 * n
    list(i) = list(i) + i
    if (list(i) > 20) list(i) = 20
  end do
!DVM$ PARALLEL (j, i) ON work(i, j)
  do j = n, 1, -2
    do i = 2, n, 3
      work(i, j) = i * j
    end do
  end do
  total = 0
!DVM$ PARALLEL (j, i) ON work(i, j), REDUCTION(SUM(total))
  do j = n, 1, -2
    do i = 2, n, 3
      if (i > n / 2) exit
      total = total + work(i, j)
    end do
  end do
  print *, total, list(2), list(3 * n)
  deallocate (list)
  allocate (list(10))
  list = 3
  print '(10f4.0)', list
  if (total > 0) print *, a(2), list
  stop
end program
