! A submodule works on the arrays of its module; internal procedures, BLOCK, ENTRY.
module field
  implicit none
  integer, parameter :: n = 15
  integer, allocatable :: f(:,:)
  integer :: g(n,n)
!dvm$ distribute f(block, block)
!dvm$ align g(i,j) with f(i,j)
  type :: table
    integer :: rows(n)
    integer, allocatable :: columns(:)
  end type
  interface
    module subroutine fill(t)
      type(table), intent(in) :: t
    end subroutine
    module integer function wrong() result(r)
    end function
  end interface
end module
submodule (field) work
contains
  module subroutine fill(t)
    type(table), intent(in) :: t
    integer :: i, j
!dvm$ parallel (j,i) on f(i,j)
    do j = 1, n
      do i = 1, n
        f(i,j) = t%rows(i) + t%columns(j)
        g(i,j) = 0
      end do
    end do
  end subroutine
  module procedure wrong
    integer :: i, j
    r = 0
!dvm$ parallel (j,i) on g(i,j), reduction(sum(r)), shadow_renew(f)
    do j = 2, n - 1
      do i = 2, n - 1
        g(i,j) = f(i-1,j) + f(i+1,j) + f(i,j-1) + f(i,j+1)
        if (g(i,j) /= 4 * f(i,j)) r = r + 1
      end do
    end do
  end procedure
end submodule
program submod
  use field
  implicit none
  type(table) :: t
  integer :: bad, k, h(n)
!dvm$ distribute h(block)
  allocate (f(n,n), t%columns(n))
  t%rows = [(3 * k, k = 1, n)]
  do k = 1, n
    t%columns(k) = 100 * k
  end do
  call fill(t)
  bad = wrong()
  call local(5)
  block
    integer :: shift
    shift = 2
!dvm$ parallel (k) on h(k), reduction(sum(bad)), private(shift)
    do k = 1, n
      shift = 3
      if (h(k) /= 5 * k) bad = bad + shift
    end do
  end block
  call doubled(h, bad)
  call halved(h, bad)
  if (bad == 0) then
    print *, 'submod complete'
  else
    print *, 'submod ***error', bad
  end if
contains
  subroutine local(factor)
    integer, intent(in) :: factor
    integer :: i
!dvm$ parallel (i) on h(i)
    do i = 1, n
      h(i) = factor * i
    end do
  end subroutine
end program
subroutine doubled(h, bad)
  integer, parameter :: n = 15
  integer :: h(n), bad, i
!dvm$ inherit h
!dvm$ parallel (i) on h(i), reduction(sum(bad))
  do i = 1, n
    h(i) = 2 * h(i)
    if (h(i) /= 10 * i) bad = bad + 1
  end do
  return
  entry halved(h, bad)
!dvm$ parallel (i) on h(i), reduction(sum(bad))
  do i = 1, n
    h(i) = h(i) / 2
    if (h(i) /= 5 * i) bad = bad + 1
  end do
end subroutine
