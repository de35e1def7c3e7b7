!mod$ v1 sum:f0b457b226edb7fc
module interfaces
interface
subroutine add(x,n)
integer(4)::n
integer(4)::x(1_8:int(n,kind=8))
end
end interface
end
