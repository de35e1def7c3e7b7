// Variables whose address never leaves their function: their words are values of the function ('companions'), not shadow
// memory.  And the other allocas, which live in shadow memory.
#ifndef DVM_LLVM_VARIABLES_H
#define DVM_LLVM_VARIABLES_H
#include "SiteText.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IntrinsicInst.h"

namespace llvm {
class DominatorTree;
}

namespace dvmir {

struct Construct;
class FunctionState;

struct Variable {
  llvm::AllocaInst *Alloca;
  llvm::AllocaInst *Words = nullptr; // i32 or [Count x i32]; null: in shadow memory
  uint64_t ElementSize = 0, Count = 1;
  bool Tracked = false; // in shadow memory, and somebody may look at its words

  bool Sure = false; // each read finds it assigned: 'Words' are not kept
  bool Given = false; // tracked, and has a value throughout whenever it can be seen
  bool Closed = false; // given, and only this function puts something there

  // Uses, found before anything changes.
  bool Escapes = false, Marked = false;
  llvm::SmallVector<llvm::Instruction *, 4> Stores; // unmarked, also memset and memcpy from a constant
  llvm::SmallVector<llvm::IntrinsicInst *, 2> Starts; // lifetime.start
  llvm::SmallVector<std::pair<llvm::CallInst *, unsigned>, 2> Arguments; // of 'enter' and 'direct' markers
  llvm::DenseMap<const Construct *, unsigned> Kinds; // DVMRT_L_*; absent: by the first access or shared
  llvm::DenseMap<const Construct *, bool> Written;   // in this construct's statement
  llvm::DenseMap<const Construct *, bool> Inner;     // lives inside this construct's statement
  Position Declared;

  bool isArray() const { return Words && Words->getAllocatedType()->isArrayTy(); }
  // How the innermost construct (may be null) sees it.
  unsigned kind(const Construct *K) const;
};

// Finds the variables of the function and decides what becomes of each.
void findVariables(FunctionState &S);
// Steps of the lowering that concern variables with words of their own.
void lowerVariables(FunctionState &S);
// A store to memory that copies a member of a struct: it may have no value there either.
void lowerCopied(FunctionState &S, llvm::StoreInst *Store);
// Has the variable a value behind the store?  A copy gives it one if it has one itself.
bool certainlyAssigns(const FunctionState &S, const llvm::Instruction *Store, const llvm::DominatorTree &DT, unsigned Depth = 8);

} // namespace dvmir
#endif
