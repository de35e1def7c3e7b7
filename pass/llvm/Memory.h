// Unmarked code: what it stores has a value from then on, what begins to live on the stack has none.
#ifndef DVM_LLVM_MEMORY_H
#define DVM_LLVM_MEMORY_H
#include "Function.h"
#include "llvm/IR/IntrinsicInst.h"

namespace dvmir {
class Parameters;

class MemoryLowering {
public:
  // Collects; nothing changes yet.
  MemoryLowering(FunctionState &S, const Parameters &Functions);
  void run();

  // [P, P + Size) has a value now: inline where that is cheap.  'In': innermost construct around 'At'.
  static void assign(FunctionState &S, llvm::Instruction *At, llvm::Value *P, uint64_t Size, const Construct *In);

private:
  struct Item {
    llvm::Instruction *I;
    Construct *In;
  };
  FunctionState &S;
  const Parameters &Functions;
  std::vector<Item> Stores;                // stores and atomics
  std::vector<llvm::MemIntrinsic *> Copies; // also memset
  std::vector<llvm::CallBase *> Calls;
  std::vector<llvm::ReturnInst *> Returns;

  void collect(llvm::Instruction &I);
  bool isOurs(llvm::Value *P);
  bool begins(llvm::Value *P);
  void lowerStore(const Item &T);
  void lowerCopy(llvm::MemIntrinsic *I);
  void copyWords(llvm::MemIntrinsic *I, llvm::Value *Source, llvm::Value *Length);
  void lowerObjects();
  void lowerTemporaries();
  void lowerGivenObject(Variable &V);
  void lowerParameters();
  void lowerPrologue();
};

// Marks what is assigned whenever it is read, or can be seen ('Sure', 'Given').
void proveAssigned(FunctionState &S, const Parameters &Functions);
// Calls of functions that are not in this module.
void lowerCall(FunctionState &S, llvm::CallBase *Call);
// Of few bytes outside of loops: whether there is something to carry is tested inline.
bool looksBeforeCopy(const FunctionState &S, const llvm::MemTransferInst &I);
// Where execution goes on behind a call.
llvm::Instruction *behindCall(llvm::CallBase *Call);
// What the call reads and writes by the table of pass/Ranges.h; 'Known' gets the numbers of these arguments.  'Inside': the callee's own
// code is instrumented.  'Named': nobody else has a function of that name; else marks alone count.
void lowerRanges(FunctionState &S, llvm::CallBase *Call, bool Inside, bool Named, llvm::SmallVectorImpl<unsigned> &Known);

} // namespace dvmir
#endif
