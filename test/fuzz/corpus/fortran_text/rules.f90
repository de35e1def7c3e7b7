program p
!DVM$ SHADOW_ADD (t(*, (n(i), m(i):m(i)+1) WITH t(@i+"e"+'f', *)) = "near") INCLUDE_TO (a, b)
!DVM$ REDISTRIBUTE (DERIVED(m(i) WITH t(@i)), *) :: a, b
end
