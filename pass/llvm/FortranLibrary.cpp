// Functions of flang's run-time library that only read what most of their arguments lead to, or write to known places of it.
#include "FortranLibrary.h"

using namespace llvm;

static constexpr StringRef Prefix = "_FortranA";

namespace {
struct Row {
  StringRef Name; // the first that fits; with '*' what begins so
  StringRef Letters;
};
} // namespace

static constexpr Row Rows[] = {
    {"Assign", "dr"},
    {"AssignExplicitLengthCharacter", "dr"},
    {"CopyOutAssign", "dr"},
    {"CopyInAssign", "wr"},
    {"RandomNumber", "dr"},
    {"ioInputDescriptor", "rd"},
    {"ioInputInteger", "rnr"},
    {"ioInputAscii", "rnr"},
    {"ioInputReal32", "r4"},
    {"ioInputReal64", "r8"},
    {"ioInputComplex32", "r8"},
    {"ioInputComplex64", "rs"},
    {"ioOutputDerivedType", ""},
    {"ioOutput*", "r"},
    // The result has a descriptor of its own, in front.
    {"SumDim", "wr"},
    {"ProductDim", "wr"},
    {"MaxvalDim", "wr"},
    {"MinvalDim", "wr"},
    {"AllDim", "wr"},
    {"AnyDim", "wr"},
    {"CountDim", "wr"},
    {"Norm2Dim", "wr"},
    {"ParityDim", "wr"},
    {"IAllDim", "wr"},
    {"IAnyDim", "wr"},
    {"IParityDim", "wr"},
    {"MaxvalCharacter", "wr"},
    {"MinvalCharacter", "wr"},
    {"Maxloc*", "wr"},
    {"Minloc*", "wr"},
    {"Findloc*", "wr"},
    {"MatmulDirect*", "dr"},
    {"MatmulTransposeDirect*", "dr"},
    {"Matmul*", "wr"},
    {"Transpose", "wr"},
    {"Reshape", "wr"},
    {"Spread", "wr"},
    {"Pack", "wr"},
    {"Unpack", "wr"},
    {"Cshift*", "wr"},
    {"Eoshift*", "wr"},
    {"CppSum*", "wr"},
    {"CppProduct*", "wr"},
    {"CppDotProduct*", "wr"},
    {"Sum*", "r"},
    {"Product*", "r"},
    {"Maxval*", "r"},
    {"Minval*", "r"},
    {"DotProduct*", "r"},
    {"Norm2_*", "r"},
    {"All", "r"},
    {"Any", "r"},
    {"Count", "r"},
    {"Parity", "r"},
    {"IAll*", "r"},
    {"IAny*", "r"},
    {"IParity*", "r"},
    {"Size", "r"},
    {"SizeDim", "r"},
    {"LboundDim", "r"},
    {"IsContiguous", "r"},
};

StringRef dvmir::fortranLetters(const CallBase *Call) {
  const Function *F = Call->getCalledFunction();
  StringRef Name = F && F->isDeclaration() ? F->getName() : "";
  if (!Name.consume_front(Prefix))
    return "";
  for (const Row &R : Rows)
    if (R.Name.ends_with("*") ? Name.starts_with(R.Name.drop_back()) : Name == R.Name)
      return R.Letters;
  return "";
}
