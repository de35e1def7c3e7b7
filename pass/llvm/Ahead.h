// Words of scattered data are fetched some turns ahead.
#ifndef DVM_LLVM_AHEAD_H
#define DVM_LLVM_AHEAD_H
#include "llvm/IR/PassManager.h"

namespace dvmir {

// Behind the inliner, where subscripts of functions of the loop are seen.
struct AheadPass : llvm::PassInfoMixin<AheadPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

} // namespace dvmir
#endif
