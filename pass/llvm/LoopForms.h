// An innermost loop that counts: how many turns it takes, and values in it as 'first + n * step' in turn n, where 'first' is a sum of
// what is the same in all turns.
#ifndef DVM_LLVM_LOOPFORMS_H
#define DVM_LLVM_LOOPFORMS_H
#include "Function.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include <optional>

namespace dvmir {

class LoopForms {
public:
  // 'Nest': around it, or no construct, without 'Enter'.  'Ask': a block without terminator, to be executed before the loop; values are computed there.
  LoopForms(FunctionState &State, Construct &Nest, llvm::Loop &Loop, llvm::DominatorTree &Dom, llvm::BasicBlock *Ask);

  struct Form {
    llvm::SmallVector<std::pair<unsigned, int64_t>, 4> Terms; // number of a value, in order, and its factor
    int64_t Add = 0;
    int64_t Step = 0; // what the next turn adds
  };

  // False: no such loop.  Then 'Ask' holds code that is of no use.
  bool run();
  // The value of 'V', of an integer type, where its loads of the counter are in the body.
  std::optional<Form> of(llvm::Value *V);
  // A pointer as a number.  'Element': of so many bytes, which the elements of an array behind a descriptor are taken to lie apart; 'Sane'
  // asks for it.
  std::optional<Form> address(llvm::Value *P, uint64_t Element = 0);
  // What 'V' is in all turns; null: it is not the same, or may not be computed early.
  llvm::Value *hoist(llvm::Value *V);
  // What the variable holds before the loop, as a form.
  Form held(llvm::AllocaInst *A);
  // The form in the first turn, i64.
  llvm::Value *first(llvm::IRBuilderBase &At, const Form &F) const;
  // Stores of the loop to the alloca, through marks and subscripts.
  llvm::ArrayRef<llvm::StoreInst *> storesTo(llvm::AllocaInst *A) const;

  llvm::Loop &L;
  llvm::DominatorTree &DT;
  llvm::IRBuilder<> B; // at the end of 'Ask'
  llvm::BasicBlock *Before = nullptr, *Header, *Latch, *Exit; // one of each, and no other way out
  llvm::AllocaInst *Counter = nullptr;
  int64_t Step = 0; // of the counter
  llvm::Value *Turns = nullptr; // i64; 0, or what one must not rely on, if 'Sane' is false
  llvm::Value *Sane = nullptr; // i1; what is asked about variables adds to it
  llvm::MapVector<llvm::LoadInst *, uint64_t> Strides; // what has been asked for, by the load in the loop

private:
  FunctionState &S;
  Construct &K;
  bool Signed = true;
  bool WritesData = false; // ordinary data, through an address that may be anybody's
  llvm::SmallPtrSet<llvm::Value *, 4> Written; // what the addresses of stores begin with
  Form Start; // of the counter
  uint64_t Bytes = 0; // of the element whose address is looked at
  llvm::SmallVector<llvm::Value *, 8> Values; // i64, of the terms
  llvm::DenseMap<llvm::Value *, unsigned> TermOf;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Loaded; // by address
  llvm::MapVector<llvm::AllocaInst *, llvm::SmallVector<llvm::StoreInst *, 2>> Stores;
  llvm::DenseMap<llvm::AllocaInst *, Form> Moving; // other variables that step
  llvm::DenseMap<llvm::Value *, llvm::Value *> Hoisted;

  bool shape();
  void noteStores();
  bool counts();
  bool isCounter(llvm::Value *V);
  int64_t stepOf(llvm::AllocaInst *A) const;
  std::optional<Form> ofLoad(llvm::LoadInst *Load);
  void countTurns(llvm::CmpInst::Predicate P, llvm::Value *Bound);
  llvm::Value *between(llvm::Value *V, int64_t From, int64_t To);
  bool unchanged(llvm::Value *P) const;
  llvm::Value *hoistInstruction(llvm::Instruction *I);
  std::optional<Form> moving(llvm::Value *V);
  std::optional<Form> ofBinary(llvm::BinaryOperator *Binary);
  std::optional<Form> ofStride(llvm::Value *Subscript, llvm::Value *Stride);
  Form term(llvm::Value *V);
  std::optional<Form> sum(Form X, const Form &Y, int64_t Factor) const;
};

// The variable, or whatever a pointer begins with, behind marks and subscripts.
llvm::Value *pointerRoot(llvm::Value *P);

} // namespace dvmir
#endif
