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
  // All functions, before the first of them is instrumented.
  void prepare(llvm::Function &F);
  void instrument(llvm::Function &F);
  // Functions that it has made.
  llvm::SmallVector<llvm::Function *, 16> added() const;
  void finish();

private:
  struct Impl;
  Impl *Inside;
};

} // namespace dvmir
#endif
