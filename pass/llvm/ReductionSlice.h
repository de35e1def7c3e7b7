// How the value of a reduction variable travels in its nest: what is computed from it, where that is stored, and whether it goes
// elsewhere (dvm-reduction-escape).
#ifndef DVM_LLVM_REDUCTIONSLICE_H
#define DVM_LLVM_REDUCTIONSLICE_H
#include "Function.h"
#include "ReductionClause.h"
#include "llvm/Analysis/PostDominators.h"

namespace dvmir {

class ReductionSlice {
public:
  ReductionSlice(FunctionState &S, Construct &K, llvm::ArrayRef<ReductionClause> All, const ReductionClause &C)
      : C(C), S(S), K(K), RT(S.RT), All(All) {}

  // True if each update can be followed back to the variable.  Inserts calls where the value escapes, either way.
  bool find();

  const ReductionClause &C;
  llvm::Type *T = nullptr;
  bool Many = false;  // several elements, or no variable of its own: no twin, but contributions of the updates
  uint64_t Count = 1; // of elements of type T
  // The addresses whose values are mirrored: the variable, its location, and local variables that hold what came from it; with
  // their twins, which are null here.
  llvm::MapVector<llvm::Value *, llvm::AllocaInst *> Twins;
  llvm::SmallSetVector<llvm::Instruction *, 16> Depends; // values computed from the variable, or from a local one that holds such
  llvm::SmallVector<llvm::StoreInst *, 8> Stores;     // to the mirrored addresses

  bool inNest(llvm::Instruction *I) const;
  bool isVariable(llvm::Value *P) const;
  // Which part of a complex number an address in the variable is of: 0 real, 1 imaginary, -1 not known.
  int partOf(llvm::Value *P) const;
  llvm::Type *accessType(llvm::Value *P) const;
  // Behind the mark of an access.
  static llvm::Value *root(llvm::Value *P);

private:
  FunctionState &S;
  Construct &K;
  Runtime &RT;
  llvm::ArrayRef<ReductionClause> All;          // of the nest
  llvm::SmallVector<llvm::LoadInst *, 8> Loads; // of any of the mirrored addresses
  llvm::DenseMap<const llvm::Instruction *, Access *> AccessOf; // by marker
  bool Followed = true;
  llvm::SmallPtrSet<llvm::Value *, 4> Parts; // local complex variables that hold values computed from it
  std::unique_ptr<llvm::PostDominatorTree> PostDominators;
  llvm::SmallSetVector<llvm::CallInst *, 8> Results; // Many: marks of accesses to the variable

  bool isNamed() const;
  void findType();
  bool plainLocal(llvm::Value *P) const;
  void collect();
  void collectMany();
  bool sameText(const Access &A) const;
  static llvm::Value *base(llvm::Value *P);
  void usesOfResult(llvm::CallInst *Mark);
  void usesOf(llvm::Value *P, llvm::SmallVectorImpl<llvm::LoadInst *> &Mine);
  void mirrorAddress(llvm::Value *P);
  bool pure(const llvm::CallInst *Call) const;
  bool ofComplexProduct(const llvm::Instruction *I) const;
  static bool mayTrap(const llvm::Instruction *I);
  void follow(llvm::Instruction *From);
  bool ofOtherReduction(llvm::Value *P) const;
  bool escapes(llvm::Instruction *From, llvm::SmallPtrSetImpl<llvm::Instruction *> &Seen, bool &Update);
  bool throughLocal(llvm::Value *P, llvm::SmallPtrSetImpl<llvm::Instruction *> &Seen, bool &Update);
  bool isLocal(llvm::Value *P) const;
  llvm::SmallVector<llvm::LoadInst *, 4> loadsOfParts(llvm::Value *P);
  bool branchAllowed() const;
  bool decidesAboutOther(llvm::BranchInst *Br) const;
  bool reachesUpdate(llvm::Instruction *From) const;
  bool mayUpdate(const llvm::CallInst *Call) const;
  bool decidesAboutElse(const llvm::BranchInst *Br);
  bool storesVariable(const llvm::BasicBlock *BB) const;
  bool decidesUpdate(const llvm::BranchInst *Br) const;
  void nameUpdates();
  bool isBounded(const llvm::Value *New) const;
  void checkEscapes();
};

} // namespace dvmir
#endif
