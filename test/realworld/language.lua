-- A walk through the interpreter that checks itself: closures, coroutines, metatables, garbage, strings, sorting, errors.
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
assert(fib(20) == 6765)

local words = {}
for w in ("the cat and the dog and the bird"):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
assert(words.the == 3 and words.cat == 1 and words.cow == nil)
assert(("%5.2f|%-6s|%x"):format(3.14159, "ab", 255) == " 3.14|ab    |ff")
assert(("hello world"):gsub("o", "0") == "hell0 w0rld" and ("abc"):rep(3, "-") == "abc-abc-abc")
assert(string.pack("<i4d", 7, 2.5):len() == 12 and select(2, string.unpack("<i4d", string.pack("<i4d", 7, 2.5))) == 2.5)

local numbers, state = {}, 12345
for i = 1, 2000 do
  state = (state * 1103515245 + 12345) % 2147483648
  numbers[i] = state
end
table.sort(numbers)
for i = 2, #numbers do assert(numbers[i - 1] <= numbers[i]) end
table.sort(numbers, function(a, b) return a > b end)
assert(numbers[1] >= numbers[2000] and #table.concat(numbers, ",", 1, 10) > 20)

local function permutations(list, n)
  n = n or #list
  if n <= 1 then coroutine.yield(table.concat(list)) end
  for i = 1, n do
    list[i], list[n] = list[n], list[i]
    permutations(list, n - 1)
    list[i], list[n] = list[n], list[i]
  end
end
local seen, count = {}, 0
for p in coroutine.wrap(function() permutations({"a", "b", "c", "d"}) end) do
  if #p == 4 and not seen[p] then seen[p], count = true, count + 1 end
end
assert(count == 24)

local vector = {}
vector.__index = vector
vector.__add = function(a, b) return setmetatable({a[1] + b[1], a[2] + b[2]}, vector) end
vector.__eq = function(a, b) return a[1] == b[1] and a[2] == b[2] end
assert(setmetatable({1, 2}, vector) + setmetatable({3, 4}, vector) == setmetatable({4, 6}, vector))

local ok, message = pcall(function() error({code = 42}) end)
assert(not ok and message.code == 42)
assert(not pcall(function() return nil + 1 end))
local closed
do local guard <close> = setmetatable({}, {__close = function() closed = true end}) end
assert(closed)

for round = 1, 20 do
  local chain
  for i = 1, 1000 do chain = {next = chain, text = "node " .. i} end
  if round % 5 == 0 then collectgarbage() end
end
local weak = setmetatable({}, {__mode = "k"})
weak[{}] = 1
collectgarbage()
assert(next(weak) == nil)

local name = os.tmpname()
local f = assert(io.open(name, "w"))
f:write("first line\n", 17, " ", 2.5, "\n")
f:close()
f = assert(io.open(name))
assert(f:read("l") == "first line" and f:read("n") == 17 and f:read("n") == 2.5)
f:seek("set", 6)
assert(f:read(4) == "line")
f:close()
for line in io.lines(name) do assert(#line > 5) end
os.remove(name)
assert(load("local a, b = ... return a // b, a % b, a ~ b")(17, 5) == 3)
assert(math.type(3 // 1) == "integer" and math.tointeger(2^53) == 9007199254740992 and utf8.char(8364) == "\u{20AC}")
assert(os.time({year = 2000, month = 1, day = 1, hour = 12}) > 946000000 and os.date("!%Y", 0) == "1970")
print("language.lua: all right")
