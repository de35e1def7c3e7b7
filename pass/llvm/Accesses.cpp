// Marked accesses.
#include "Function.h"
#include "runtime/abi.h"

using namespace llvm;
using namespace dvmir;

static uint32_t touchFlags(const Access &A) {
  return (A.Text.Reads ? DVMRT_READ : 0) | (A.Text.Writes ? DVMRT_WRITE : 0);
}

static void touch(FunctionState &S, const Access &A, GlobalVariable *Site, IRBuilderBase &B) {
  S.RT.call(B, "__dvmrt_touch", {A.Mark->getArgOperand(0), B.getInt64(A.Text.Size), Site, S.subscripts(B, A),
                                 B.getInt32(touchFlags(A))});
}

void dvmir::lowerAccesses(FunctionState &S) {
  for (CallInst *I : S.Indices) {
    I->replaceAllUsesWith(I->getArgOperand(0));
    I->eraseFromParent();
  }
  for (Access &A : S.Accesses) {
    IRBuilder<> B(A.Mark);
    touch(S, A, S.RT.site(A.TextConstant), B);
    A.Mark->replaceAllUsesWith(A.Mark->getArgOperand(0));
    A.Mark->eraseFromParent();
  }
}
