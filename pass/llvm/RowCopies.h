// Rows that the optimiser has made calls of memcpy or memmove: the run-time library copies and sums up at once, which takes hardly more time than
// copying, where reading again what has been copied takes half of it.
#ifndef DVM_LLVM_ROWCOPIES_H
#define DVM_LLVM_ROWCOPIES_H
#include "llvm/IR/PassManager.h"

namespace dvmir {

// Once the optimiser is done.  A copy in the turns of a loop whose rows are told (RowSums.h) behind it in the same turn.
struct RowCopyPass : llvm::PassInfoMixin<RowCopyPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

} // namespace dvmir
#endif
