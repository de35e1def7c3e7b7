! Elements that lie where a rule says, and edges with names: on ranks they hold what the loops read.
program named
  implicit none
  integer, parameter :: n = 48, m = 5
  integer :: near(0:n-1, 3), map(n), total, k, step, g(0:n-1)
  real(8) :: a(0:n-1), b(0:n-1), t2(m, -3:n-4), u2(m, -3:n-4), w(n), x(n), turned(n)
!DVM$ ALIGN (i) WITH nodes(i) :: a, b, g
!DVM$ ALIGN near(i, *) WITH nodes(i)
!DVM$ ALIGN t2(*, i) WITH nodes(i + 3)
!DVM$ ALIGN u2(*, i) WITH nodes(i + 3)
!DVM$ DISTRIBUTE turned(DERIVED((n - i) WITH nodes(@i)))
!DVM$ TEMPLATE nodes(0:n-1)
!DVM$ DISTRIBUTE nodes(BLOCK)
!DVM$ DISTRIBUTE :: w
!DVM$ ALIGN :: x
!DVM$ DYNAMIC w, x
!DVM$ PARALLEL (k) ON nodes(k)
  do k = 0, n - 1
    a(k) = k * 0.5d0
    g(k) = mod(k * 7, n)
    near(k, 1) = mod(k + 20, n)
    near(k, 2) = n - 1 - k
    near(k, 3) = mod(k * 5, n - 1)
  end do
!DVM$ SHADOW_ADD (nodes((near(i, 1), near(i, 2), near(i, 3):near(i, 3) + 1) WITH nodes(@i)) = "near") INCLUDE_TO (a, b, near)
  do step = 1, 4
!DVM$ PARALLEL (k) ON nodes(k), SHADOW_RENEW(a("near"))
    do k = 0, n - 1
      b(k) = (a(near(k, 1)) + a(near(k, 2)) + a(near(k, 3)) + a(near(k, 3) + 1)) / 4
    end do
!DVM$ PARALLEL (k) ON nodes(k), SHADOW_RENEW(b('near'))
    do k = 0, n - 1
      a(k) = b(near(k, 2)) - b(near(k, 1))
    end do
  end do
  call show(a)
! what neighbours of neighbours have
!DVM$ PARALLEL (k) ON nodes(k), SHADOW_RENEW(near("near"))
  do k = 0, n - 1
    g(k) = near(near(k, 1), 2)
  end do
!DVM$ SHADOW_ADD (nodes(near(i, 2) WITH nodes(@i + "near")) = "far") INCLUDE_TO b
!DVM$ PARALLEL (k) ON nodes(k), SHADOW_RENEW(b("near", "far"))
  do k = 0, n - 1
    a(k) = b(near(near(k, 1), 2)) + b(near(k, 3))
  end do
  call show(a)
  total = 0
!DVM$ PARALLEL (k) ON nodes(k), REDUCTION(SUM(total))
  do k = 0, n - 1
    total = total + g(k) * k
  end do
  print *, total
! of an array with a dimension of its own and other bounds
!DVM$ PARALLEL (k, step) ON t2(step, k)
  do k = -3, n - 4
    do step = 1, m
      t2(step, k) = k * 10 + step
    end do
  end do
!DVM$ SHADOW_ADD (t2(*, near(i, 2) - 3 WITH nodes(@i)) = "other")
!DVM$ SHADOW_GROUP both(t2("other"))
!DVM$ SHADOW_START both
!DVM$ SHADOW_WAIT both
!DVM$ PARALLEL (k, step) ON u2(step, k)
  do k = -3, n - 4
    do step = 1, m
      u2(step, k) = t2(step, near(k + 3, 2) - 3) - t2(step, k)
    end do
  end do
  total = 0
!DVM$ PARALLEL (k, step) ON u2(step, k), REDUCTION(SUM(total))
  do k = -3, n - 4
    do step = 1, m
      total = total + int(u2(step, k)) * (k + step)
    end do
  end do
  print *, total
! placed by a rule
  do k = 1, n
    map(k) = n + 1 - k
  end do
!DVM$ REDISTRIBUTE w(DERIVED((map(i + 1)) WITH nodes(@i)))
!DVM$ REALIGN x(i) WITH w(i)
!DVM$ PARALLEL (k) ON w(k)
  do k = 1, n
    w(k) = k * k
  end do
!DVM$ SHADOW_ADD (w(map(i) WITH w(@i)) = "turned") INCLUDE_TO x
!DVM$ PARALLEL (k) ON w(k), SHADOW_RENEW(w("turned"))
  do k = 1, n
    x(k) = w(map(k))
  end do
  call show(x)
!DVM$ PARALLEL (k) ON turned(k)
  do k = 1, n
    turned(k) = k
  end do
  call show(turned)
contains
  subroutine show(v)
    real(8) :: v(n), sum
!DVM$ INHERIT v
    integer :: k
    sum = 0
!DVM$ PARALLEL (k) ON v(k), REDUCTION(SUM(sum))
    do k = 1, n
      sum = sum + v(k) * k
    end do
    print '(f20.6)', sum
  end subroutine
end program
