#ifndef DVM_LLVM_LOOKNESTS_H
#define DVM_LLVM_LOOKNESTS_H
#include "llvm/IR/PassManager.h"

namespace dvmir {

// Before vector code is made, and before LookLoopPass: nests outside of parallel loops ask once for all that they touch.
struct LookNestPass : llvm::PassInfoMixin<LookNestPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

} // namespace dvmir
#endif
