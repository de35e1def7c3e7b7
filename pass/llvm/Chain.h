// Tests in front of one instruction, in a row, each with a slow path that comes back to a place of its choice.
#ifndef DVM_LLVM_CHAIN_H
#define DVM_LLVM_CHAIN_H
#include "Runtime.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace dvmir {

class Chain {
public:
  Chain(Runtime &R, llvm::Instruction *At) : B(At), RT(R), F(At->getFunction()), Place(At->getDebugLoc()) {
    llvm::BasicBlock *Head = At->getParent();
    Rest = llvm::SplitBlock(Head, At);
    Head->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Head);
    B.SetCurrentDebugLocation(Place);
  }
  ~Chain() { B.CreateBr(Rest); }
  Chain(const Chain &) = delete;

  llvm::IRBuilder<> B; // at the end of the row
  llvm::BasicBlock *rest() const { return Rest; }

  // Goes to 'Slow' if 'Cond'.
  void test(llvm::Value *Cond, llvm::BasicBlock *Slow) {
    llvm::BasicBlock *Next = block();
    B.CreateCondBr(Cond, Slow, Next, RT.Unlikely);
    B.SetInsertPoint(Next);
  }
  // Leaves the row if 'Cond', as it mostly does.
  void done(llvm::Value *Cond) {
    llvm::BasicBlock *Next = block();
    B.CreateCondBr(Cond, Rest, Next, llvm::MDBuilder(RT.C).createLikelyBranchWeights());
    B.SetInsertPoint(Next);
  }
  // A block outside of the row, without terminator.
  llvm::BasicBlock *block() { return llvm::BasicBlock::Create(RT.C, "", F, Rest); }
  // Fills 'BB' by 'Fill(builder)', then goes on at 'To'.
  template <typename T> void slow(llvm::BasicBlock *BB, llvm::BasicBlock *To, T Fill) {
    llvm::IRBuilder<> SlowBuilder(BB);
    SlowBuilder.SetCurrentDebugLocation(Place);
    Fill(SlowBuilder);
    SlowBuilder.CreateBr(To);
  }
  // The row goes on in a new block, so that slow paths may come back here.
  llvm::BasicBlock *landing() {
    llvm::BasicBlock *Next = block();
    B.CreateBr(Next);
    B.SetInsertPoint(Next);
    return Next;
  }

private:
  Runtime &RT;
  llvm::Function *F;
  llvm::DebugLoc Place;
  llvm::BasicBlock *Rest;
};

} // namespace dvmir
#endif
