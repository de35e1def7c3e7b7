// Lowering of the marks to calls of libdvmpar (runtime/parallel/abi.h): what -fdvm=parallel makes of them in place of checks.
#ifndef DVM_LLVM_PARALLEL_H
#define DVM_LLVM_PARALLEL_H
#include "llvm/IR/Module.h"

namespace dvmir {

// Whether the module was compiled to run in parallel (option -dvm-parallel of the pass).
bool runsParallel(const llvm::Module &M);
class ParallelModule {
public:
  explicit ParallelModule(llvm::Module &M);
  ~ParallelModule();
  void instrument(llvm::Function &F);
  void finish();

private:
  struct Impl;
  Impl *Inside;
};

} // namespace dvmir
#endif
