// Functions that may be put inline where a nest calls them, and be judged there as if their text stood there.
#ifndef DVM_LLVM_LOCALFUNCTIONS_H
#define DVM_LLVM_LOCALFUNCTIONS_H
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace llvm {
class AllocaInst;
} // namespace llvm

namespace dvmir {

// Instructions without marks.
unsigned sizeOf(const llvm::Function &F);

// Functions that are judged as well where they are called: they write nothing but their own variables, what their parameters lead to, and
// elements of distributed arrays; what else they read are variables of the file.
class LocalFunctions {
public:
  using Variables = llvm::SmallPtrSet<const llvm::GlobalVariable *, 4>;

private:
  struct Kind {
    bool Local = false;
    Variables Read; // and written, by it and by those that it calls
  };
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<Kind>> Known;
  // Of the function that is looked at.
  llvm::SmallPtrSet<const llvm::AllocaInst *, 8> Pointers; // that hold a parameter, or what one leads to
  Variables *Read = nullptr;

  bool isInside(llvm::Value *P);
  bool isWritable(llvm::Value *P);
  bool isPointerOf(llvm::Value *P);
  bool isInside(llvm::Instruction &I, unsigned Depth);
  bool isInside(llvm::CallBase &Call, unsigned Depth);
  bool findPointers(llvm::Function &F);
  bool find(llvm::Function &F, unsigned Depth, Kind &K);

public:
  // Null: it is none.
  const Variables *variablesOf(llvm::Function &F, unsigned Depth = 0);
};

} // namespace dvmir
#endif
