! Edges with names: neighbours by number, the rule is kept as it is written.
program irregular
  parameter (n = 40)
  integer :: near(n), far(n), a(n), b(n), total
!DVM$ TEMPLATE t(n)
!DVM$ DISTRIBUTE t(BLOCK)
!DVM$ ALIGN (i) WITH t(i) :: a, b, near, far
  total = 0
!DVM$ PARALLEL (i) ON t(i)
  do i = 1, n
    a(i) = i
    near(i) = mod(i + 4, n) + 1
    far(i) = n + 1 - i
  end do
!DVM$ SHADOW_ADD (t((near(i)) WITH t(@i)) = "near") INCLUDE_TO a
!DVM$ SHADOW_ADD (t((far(i)) WITH t(@i)) = 'far') INCLUDE_TO (a, b)
!DVM$ LOCALIZE (near => a(:))
!DVM$ PARALLEL (i) ON b(i), SHADOW_RENEW(a)
  do i = 1, n
    b(i) = a(near(i)) + a(far(i))
  end do
!DVM$ UNLOCALIZE (near)
!DVM$ PARALLEL (i) ON t(i), SHADOW_RENEW(b("far")), REDUCTION(SUM(total))
  do i = 1, n
    total = total + b(far(i)) * i
  end do
  print *, total
!DVM$ SHADOW_GROUP both(a("near", 'far'))
!DVM$ SHADOW_START both
!DVM$ SHADOW_WAIT both
!DVM$ PARALLEL (i) ON t(i), REDUCTION(SUM(total))
  do i = 1, n
    total = total + a(far(i)) * i
  end do
  print *, total
end program
