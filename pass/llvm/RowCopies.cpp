#include "RowCopies.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static constexpr uint64_t LeastBytes = 256; // of a known length: less is no row that pays

static bool tellsRow(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Called = Call ? Call->getCalledFunction() : nullptr;
  return Called && (Called->getName() == "__dvmp_row" || Called->getName() == "__dvmt_row");
}

static bool isLong(const MemTransferInst &Copy) {
  const auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  return !Length || Length->getZExtValue() >= LeastBytes;
}

// Whether it is the row that is told, and whether all other stores of the construct are told too, is seen when the program runs: only constructs that have
// told a row sum up what they copy.
static const CallInst *findTold(const MemTransferInst &Copy, ArrayRef<CallInst *> Told, const LoopInfo &LI) {
  const auto *Found =
      find_if(Told, [&](const CallInst *Row) { return LI.getLoopFor(Row->getParent()) == LI.getLoopFor(Copy.getParent()); });
  return Found == Told.end() ? nullptr : *Found;
}

// Ranks read small parts again when the construct ends: the plain copy stays beside ours for them.
static void lower(MemTransferInst &Copy, const CallInst &Row) {
  IRBuilder<> B(&Copy);
  Module &M = *Copy.getModule();
  const auto Name = (Row.getCalledFunction()->getName() + "_copy").str();
  auto *T = FunctionType::get(B.getVoidTy(), {B.getPtrTy(), B.getPtrTy(), B.getInt64Ty()}, false);
  FunctionCallee Callee = M.getOrInsertFunction(Name, T);
  const bool Ranks = Name == "__dvmp_row_copy";
  if (Ranks) {
    Instruction *Wanted, *Else;
    SplitBlockAndInsertIfThenElse(
        B.CreateIsNotNull(B.CreateLoad(B.getInt32Ty(), M.getOrInsertGlobal("__dvmp_rows_wanted", B.getInt32Ty()))), &Copy, &Wanted, &Else);
    Copy.moveBefore(Else);
    B.SetInsertPoint(Wanted);
    B.SetCurrentDebugLocation(Copy.getDebugLoc());
  }
  B.CreateCall(Callee, {Copy.getRawDest(), Copy.getRawSource(), B.CreateZExtOrTrunc(Copy.getLength(), B.getInt64Ty())})->setDoesNotThrow();
  if (!Ranks)
    Copy.eraseFromParent();
}

PreservedAnalyses dvmir::RowCopyPass::run(Function &F, FunctionAnalysisManager &AM) {
  SmallVector<CallInst *, 8> Told;
  SmallVector<MemTransferInst *, 8> Copies;
  for (Instruction &I : instructions(F)) {
    if (tellsRow(I))
      Told.push_back(cast<CallInst>(&I));
    else if (auto *Copy = dyn_cast<MemTransferInst>(&I); Copy && !Copy->isVolatile() && isLong(*Copy))
      Copies.push_back(Copy);
  }
  if (Told.empty() || Copies.empty())
    return PreservedAnalyses::all();
  const auto &LI = AM.getResult<LoopAnalysis>(F);
  SmallVector<std::pair<MemTransferInst *, const CallInst *>, 8> Found; // first of all: what follows changes blocks
  for (MemTransferInst *Copy : Copies)
    if (const CallInst *Row = findTold(*Copy, Told, LI))
      Found.emplace_back(Copy, Row);
  for (auto [Copy, Row] : Found)
    lower(*Copy, *Row);
  return Found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
