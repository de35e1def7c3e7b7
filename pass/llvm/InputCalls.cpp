#include "InputCalls.h"
#include "pass/Ranges.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace dvmir;

namespace {

// One conversion of a format of scanf (C11 7.21.6.2).
struct Conversion {
  bool Suppressed = false, Allocates = false;
  uint64_t Width = 0; // 0: none given
  StringRef Length;
  char Kind = 0;

  // Bytes that it writes; 0: as many as there are.
  uint64_t size() const {
    const bool Wide = Length == "l";
    if (Allocates || Kind == 'p')
      return 8;
    switch (Kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'n':
      return StringSwitch<uint64_t>(Length).Case("hh", 1).Case("h", 2).Cases("l", "ll", "j", "z", 8).Cases("t", "L", "q", 8).Default(4);
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return Length == "L" ? 16 : Wide ? 8 : 4;
    case 'c': return (Width ? Width : 1) * (Wide ? 4 : 1);
    default: return Width ? (Width + 1) * (Wide ? 4 : 1) : 0; // s and [
    }
  }
};

// Behind a '%'; false: the end of the text, or a form that is not read here ('%1$d').
bool readConversion(StringRef &Text, Conversion &C) {
  C.Suppressed = Text.consume_front("*");
  if (!Text.empty() && isDigit(Text[0]) && Text.consumeInteger(10, C.Width))
    return false;
  C.Allocates = Text.consume_front("m");
  for (StringRef L : {"hh", "h", "ll", "l", "j", "z", "t", "L", "q"})
    if (Text.consume_front(L)) {
      C.Length = L;
      break;
    }
  if (Text.empty())
    return false;
  C.Kind = Text[0];
  Text = Text.drop_front();
  if (C.Kind == '[') {
    Text.consume_front("^");
    size_t End = Text.find(']', Text.starts_with("]") ? 1 : 0);
    Text = End == StringRef::npos ? StringRef() : Text.substr(End + 1);
  }
  return StringRef("diuoxXnfFeEgGaAcspCS[%").contains(C.Kind) && !StringRef("CS").contains(C.Kind);
}

bool scanned(const CallBase &Call, unsigned Format, SmallVectorImpl<Written> &Out) {
  StringRef Text;
  if (!getConstantStringInfo(Call.getArgOperand(Format), Text))
    return false;
  unsigned Argument = Format + 1;
  for (size_t At; (At = Text.find('%')) != StringRef::npos;) {
    Text = Text.substr(At + 1);
    Conversion C;
    if (!readConversion(Text, C))
      return false;
    if (C.Kind == '%' || C.Suppressed)
      continue;
    if (Argument >= Call.arg_size() || !Call.getArgOperand(Argument)->getType()->isPointerTy())
      return false;
    uint64_t Size = C.size();
    Out.push_back({Argument, Call.getArgOperand(Argument), Size ? ConstantInt::get(Type::getInt64Ty(Call.getContext()), Size) : nullptr});
    Argument++;
  }
  return true;
}

} // namespace

bool dvmir::inputOf(const CallBase &Call, SmallVectorImpl<Written> &Out) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->isDeclaration())
    return false;
  const int Format = dvm::scannedFormat(F->getName());
  if (Format < 0 || Call.arg_size() <= unsigned(Format) || !scanned(Call, Format, Out)) {
    Out.clear();
    return false;
  }
  return true;
}
