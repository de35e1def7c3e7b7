// Lowering of the marks to recording: what -fdvm=trace makes of them in place of checks (runtime/trace/abi.h).
#ifndef DVM_LLVM_TRACE_H
#define DVM_LLVM_TRACE_H
#include "llvm/IR/Module.h"

namespace dvmir {

class Recorder;

// Whether the module was compiled to record (option -dvm-trace of the pass, or marks that say so).
bool recordsTrace(const llvm::Module &M);
// Once per function, its marks still in place; marks that are left over mean nothing.
class TraceModule {
public:
  explicit TraceModule(llvm::Module &M);
  ~TraceModule();
  void instrument(llvm::Function &F);
  void finish();

private:
  Recorder *Inside;
};

} // namespace dvmir
#endif
