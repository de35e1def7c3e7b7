!mod$ v1 sum:4abcc3b8d2e61356
module m
interface
subroutine s(a,n)
integer(4)::n
real(4)::a(1_8:int(n,kind=8),1_8:int(n,kind=8))
end
end interface
end
