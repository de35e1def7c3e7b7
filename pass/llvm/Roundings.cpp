#include "Roundings.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static unsigned precision(Type *T) { return APFloat::semanticsPrecision(T->getFltSemantics()); }

static uint64_t roundingsOfCall(const CallBase &Call, Type *T) {
  constexpr uint64_t Library = 4; // what functions of libm may be wrong by
  const Function *F = Call.getCalledFunction();
  if (!F)
    return Library;
  switch (F->getIntrinsicID()) {
  case Intrinsic::fabs:
  case Intrinsic::copysign:
  case Intrinsic::minnum:
  case Intrinsic::maxnum: return 0;
  case Intrinsic::fma:
  case Intrinsic::fmuladd: return 1;
  default: break;
  }
  uint64_t Sum = 0;
  for (const Instruction &I : instructions(F)) // pure functions have no loops and do not call themselves
    Sum += dvmir::roundingsOf(I, T);
  return F->isDeclaration() ? Library : Sum;
}

uint64_t dvmir::roundingsOf(const Instruction &I, Type *T) {
  if (!I.getType()->isFloatingPointTy())
    return 0;
  uint64_t Count = 0;
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FRem:
  case Instruction::FPTrunc:
  case Instruction::SIToFP:
  case Instruction::UIToFP: Count = 1; break;
  case Instruction::Call: Count = roundingsOfCall(cast<CallBase>(I), T); break;
  default: return 0;
  }
  unsigned Mine = precision(I.getType()), Whole = precision(T);
  return Mine < Whole ? Count << std::min(Whole - Mine, 40u) : Count;
}
