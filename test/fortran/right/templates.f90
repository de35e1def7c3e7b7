! Templates: constants, offsets, turned dimensions.
program templ1
  implicit none
  integer, parameter :: n = 12, m = 9
  integer :: a(n), b(n, m), c(m), d(n, m), i, j, bad, s
!dvm$ template t(2*n+3, 2*m+4)
!dvm$ distribute t(block, block)
!dvm$ align a(i) with t(2*i+1, 5)
!dvm$ align b(i,j) with t(2*i+3, 2*j+1)
!dvm$ align c(j) with t(*, j+2)
!dvm$ align d(i,*) with t(i+4, *)
!dvm$ parallel (i) on t(2*i+1, 5)
  do i = 1, n
    a(i) = 3 * i
  end do
!dvm$ parallel (i,j) on t(2*i+3, 2*j+1)
  do i = 1, n
    do j = 1, m
      b(i,j) = 100 * i + j
    end do
  end do
!dvm$ parallel (j) on c(j)
  do j = 1, m
    c(j) = 7 * j
  end do
!dvm$ parallel (i) on d(i,*), private(j)
  do i = 1, n
    do j = 1, m
      d(i,j) = i - j
    end do
  end do
  bad = 0
!dvm$ parallel (i) on a(i), reduction(sum(bad))
  do i = 1, n
    if (a(i) /= 3 * i) bad = bad + 1
  end do
!dvm$ parallel (j,i) on b(i,j), reduction(sum(bad)), remote_access(a(i), c(j), d(i,j))
  do j = 1, m
    do i = 1, n
      if (b(i,j) /= 100 * i + j) bad = bad + 1
      if (a(i) + c(j) /= 3 * i + 7 * j) bad = bad + 1
      if (d(i,j) /= i - j) bad = bad + 1
    end do
  end do
  s = 0
!dvm$ parallel (i) on a(i), reduction(sum(s)), remote_access(b(i,3))
  do i = 1, n
    s = s + a(i) * b(i,3)
  end do
  print *, s
  if (bad == 0) then
    print *, 'templ1 complete'
  else
    print *, 'templ1 ***error', bad
  end if
end program
