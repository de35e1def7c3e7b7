// Subscripts of a nest as linear forms over its index variables and those of the loops in its body.
#ifndef DVM_LLVM_LINEAR_H
#define DVM_LLVM_LINEAR_H
#include "Function.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include <map>
#include <optional>

namespace dvmir {

// sum of Coef[v] * variable v, + Add + More
struct Linear {
  llvm::SmallVector<int64_t, 4> Coef; // by variable; shorter than their number: zeros follow
  int64_t Add = 0;
  llvm::Value *More = nullptr; // i64, computed at the entry of the nest; null: nothing
};

// Null: it is none.
std::optional<int64_t> constantOf(const Linear &L);

// The nest's shape in IR that no optimisation has touched, and what can be said at its entry of values in its body.
class NestForms {
public:
  NestForms(FunctionState &S, Construct &K);

  // Null if the loops are as expected; else why not.
  const char *shape();
  // The value of 'V', of an integer type, in block 'At' of the body.
  std::optional<Linear> of(llvm::Value *V, const llvm::BasicBlock *At);
  // A pointer as a number.
  std::optional<Linear> address(llvm::Value *P, const llvm::BasicBlock *At);
  // A value that is the same throughout the nest, computed at its entry; null: it is none, or may not be computed early.
  llvm::Value *hoist(llvm::Value *V);
  // Is the block executed whenever an iteration is, once the loops of the body around it have iterations?
  bool always(const llvm::BasicBlock *BB) const;
  bool inBody(const llvm::BasicBlock *BB) const;

  // A loop of the body: a linear range for its variable.
  struct Inner {
    llvm::AllocaInst *Alloca;
    llvm::Loop *L;
    Linear Low, High; // both inclusive
    int64_t Step;
  };
  llvm::SmallVector<Inner, 2> Inners; // variable number rank + n; grows with the questions
  // While one has a value here, that is what it is; so elements of tables are known.
  std::map<unsigned, int64_t> Fixed;
  // Which of them counts the loop.
  std::optional<unsigned> counterOf(const llvm::Loop &L);

  unsigned rank() const { return IndexAddresses.size(); }
  llvm::SmallVector<llvm::Value *, 4> IndexAddresses; // outermost first
  llvm::SmallVector<int64_t, 4> IndexBytes;           // negative: signed
  llvm::BasicBlock *Iteration = nullptr;              // that begins the body
  llvm::Loop *Innermost = nullptr;
  llvm::BasicBlock *Exit = nullptr;                   // of the innermost loop
  llvm::DominatorTree DT;
  llvm::LoopInfo LI;

private:
  FunctionState &S;
  Construct &K;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Hoisted;

  std::optional<Linear> ofLoad(llvm::LoadInst *L, const llvm::BasicBlock *At);
  std::optional<Linear> ofBinary(llvm::BinaryOperator *B, const llvm::BasicBlock *At);
  std::optional<Linear> ofTable(const llvm::LoadInst &L, const llvm::BasicBlock *At);
  std::optional<unsigned> innerVariable(llvm::AllocaInst *A, const llvm::BasicBlock *At);
  std::optional<Linear> boundOf(llvm::Value *V, const llvm::BasicBlock *At, bool Unsigned);
  bool innerRange(Inner &I, llvm::StoreInst *First, llvm::StoreInst *Next);
  llvm::Value *hoistInstruction(llvm::Instruction *I);
  bool unchanged(llvm::Value *P) const;
  bool beginsInside(llvm::Value *P) const;
};

// Behind the marks of an access or a subscript.
llvm::Value *behindMarks(llvm::Value *V);
// Bytes of a variable of the file or the function; 0: it is none, or its size is known to the run alone.
uint64_t sizeOfObject(const llvm::Value *Root, const llvm::DataLayout &DL);

// A copy of the instruction, in no block yet, that may be executed where 'I' itself would not have been; null: it must not.
// Unchanged: nobody writes what is at this address. Early: what stands for an operand, or null.
llvm::Instruction *earlyClone(llvm::Instruction *I, const llvm::DataLayout &DL, llvm::function_ref<bool(llvm::Value *)> Unchanged,
                              llvm::function_ref<llvm::Value *(llvm::Value *)> Early);

// Before it is executed where the program would not: an optional argument that is absent has no address.
void readIfPresent(llvm::LoadInst &Load);

} // namespace dvmir
#endif
