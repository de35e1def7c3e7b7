! Allocatable arrays with directives, which other files allocate.
module owner
  implicit none
  real, allocatable :: a(:), b(:), grid(:, :)
  real, pointer :: line(:)
  interface
    module subroutine make(n)
      integer, intent(in) :: n
    end subroutine
  end interface
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ SHADOW a(1:1)
!DVM$ DYNAMIC a
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ DISTRIBUTE grid(*, BLOCK)
!DVM$ DISTRIBUTE line(BLOCK)
end module

! Through another module, under another name; its own 'a' is none of those.
module between
  use owner, only: b, field => a
  implicit none
  real, allocatable :: a(:)
!DVM$ DISTRIBUTE a(BLOCK)
end module
