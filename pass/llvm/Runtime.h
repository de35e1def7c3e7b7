// What inserted code meets: entry points and data of libdvmrt (runtime/abi.h), the fast paths of inline.c, sites.
// One per module.
#ifndef DVM_LLVM_RUNTIME_H
#define DVM_LLVM_RUNTIME_H
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace dvmir {

class Runtime {
public:
  explicit Runtime(llvm::Module &M);

  // Calls entry point 'Name' of runtime/abi.h.  Integer arguments must have the parameter's type.
  llvm::CallInst *call(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::ArrayRef<llvm::Value *> Args);
  // Calls function 'Name' of inline.c.
  llvm::CallInst *fast(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::Type *Result, llvm::ArrayRef<llvm::Value *> Args);

  // Fields of __dvmrt_now.  'Offset' by offsetof.
  llvm::LoadInst *loadNow(llvm::IRBuilderBase &B, size_t Offset, const llvm::Twine &Name = "",
                          llvm::Type *T = nullptr); // null: 32 bits
  void storeNow(llvm::IRBuilderBase &B, size_t Offset, llvm::Value *V);
  // A field of a struct dvmrt_view.
  llvm::LoadInst *loadView(llvm::IRBuilderBase &B, llvm::Value *View, size_t Offset, llvm::Type *T);

  // __dvmrt_doubt, a field of it, and what its 'bits' lead to.
  llvm::Value *doubt();
  llvm::LoadInst *loadDoubt(llvm::IRBuilderBase &B, size_t Offset, llvm::Type *T);
  llvm::LoadInst *loadBits(llvm::IRBuilderBase &B, llvm::Value *P, llvm::Type *T);

  // A new site with this text.
  llvm::GlobalVariable *site(llvm::Constant *Text);

  // A constant array, one for all that hold the same.
  llvm::GlobalVariable *table(llvm::ArrayRef<uint64_t> Words);

  // After the last call of the others: links inline.c, makes the constructor.
  void finish();

  llvm::Module &M;
  llvm::LLVMContext &C;
  const llvm::DataLayout &DL;
  llvm::Type *const Void;
  llvm::PointerType *const Ptr;
  llvm::IntegerType *const I1, *const I8, *const I32, *const I64;
  llvm::DenseSet<const llvm::Function *> Pure; // see findPureFunctions
  llvm::DenseSet<const llvm::Function *> InLoops; // see findLoopFunctions
  llvm::MDNode *const Unlikely; // weights of a branch whose true side is a slow path

private:
  llvm::Value *now(llvm::IRBuilderBase &B, size_t Offset);
  llvm::DenseMap<const llvm::Function *, llvm::MDNode *> Roots;
  llvm::MDNode *rootOf(const llvm::Function &F);
  llvm::MDNode *tag(llvm::StringRef Kind, llvm::MDNode *Root);
  template <typename T> T *own(T *I, llvm::StringRef Kind);
  void linkFastPaths();
  void markFastPath(llvm::Function &F);
  void makeConstructor();

  llvm::SmallVector<llvm::StringRef, 16> FastPaths;
  llvm::DenseMap<llvm::Constant *, llvm::GlobalVariable *> Tables;
  bool HasSites = false;
};

} // namespace dvmir
#endif
