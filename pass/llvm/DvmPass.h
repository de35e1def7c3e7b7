// The module pass: lowers the marks of the clang side (pass/markers.h) and instruments the rest.
#ifndef DVM_LLVM_DVMPASS_H
#define DVM_LLVM_DVMPASS_H
#include "llvm/IR/PassManager.h"

namespace dvmir {

struct DvmPass : llvm::PassInfoMixin<DvmPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; } // also for optnone
};

} // namespace dvmir
#endif
