// Subscripts that the data decide: a nest is judged as if they had all values of their dimension, and its body without checks asks whether they are
// inside.
#ifndef DVM_LLVM_ASKEDSUBSCRIPTS_H
#define DVM_LLVM_ASKEDSUBSCRIPTS_H
#include "Linear.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace dvmir {

class AskedSubscripts {
  FunctionState &S;
  NestForms &Forms;
  llvm::SmallVector<std::pair<Access *, llvm::SmallVector<unsigned, 4>>, 4> Asked;
  std::map<std::pair<int64_t, unsigned>, unsigned> AnyOf;

  llvm::BasicBlock *ask(Access &A, llvm::CallInst *At, llvm::ArrayRef<unsigned> Dims, llvm::ArrayRef<llvm::Value *> Index);

public:
  AskedSubscripts(FunctionState &State, NestForms &Known) : S(State), Forms(Known) {}

  // All values from 0 on, as a loop of the body would give them.  Those of one reference have different numbers.
  Linear any(int64_t Extent, unsigned Number);
  // Of dimensions whose extents are constants.
  void add(Access &A, llvm::ArrayRef<unsigned> Dims) { Asked.push_back({&A, llvm::to_vector<4>(Dims)}); }
  // In the copy of the body, whose marks are still there.  Blocks that are split off are added to it.
  void keepIn(llvm::ValueToValueMapTy &Map, llvm::SmallVectorImpl<llvm::BasicBlock *> &Cloned);
};

} // namespace dvmir
#endif
