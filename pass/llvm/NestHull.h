#ifndef DVM_LLVM_NESTHULL_H
#define DVM_LLVM_NESTHULL_H
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

namespace dvmir {

// Bytes of one object, from its base; i64, known before the nest.
struct Hull {
  const llvm::SCEV *Low, *End; // the end lies behind the last byte
};

// What the questions of a nest are about: never less than what it touches.
class NestHull {
  llvm::Loop &L;
  llvm::ScalarEvolution &SE;
  llvm::LoopInfo &LI;
  const llvm::DataLayout &DL;
  llvm::Type *I64;
  bool Vague = false; // nothing better was known than the range of a type: good for objects whose size is known
  llvm::DenseMap<const llvm::SCEV *, Hull> Of; // by the base
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Counted;

  const llvm::SCEV *ofRange(const llvm::SCEV *E, bool High);
  const llvm::SCEV *ofParts(const llvm::SCEVNAryExpr *All, bool High);
  const llvm::SCEV *ofProduct(const llvm::SCEVMulExpr *Product, bool High);
  const llvm::SCEV *ofLastTurn(const llvm::SCEVAddRecExpr *Moves, bool High);
  const llvm::SCEV *ofEitherEnd(const llvm::SCEVAddRecExpr *Moves, bool High);
  const llvm::SCEV *extreme(const llvm::SCEV *E, bool High);
  const llvm::SCEV *turnsAround(const llvm::BasicBlock *BB);
  bool stayInObject(const llvm::SCEV *Base, const llvm::SCEV *&Low, const llvm::SCEV *&End);

public:
  llvm::SmallVector<const llvm::SCEV *, 8> Bases;
  const llvm::SCEV *Accesses; // about so many, in all turns

  NestHull(llvm::Loop &Nest, llvm::ScalarEvolution &S, llvm::LoopInfo &Loops, const llvm::DataLayout &Layout);
  // A question of the nest; false: nobody knows before the nest what it is about.
  bool add(const llvm::CallInst *Look);
  const Hull &of(const llvm::SCEV *Base) const { return Of.find(Base)->second; }
};

} // namespace dvmir
#endif
