// Accesses outside of the parallel loops of their function: what is not in doubt (runtime/abi.h) has nothing to say there.
#ifndef DVM_LLVM_DOUBT_H
#define DVM_LLVM_DOUBT_H
#include "Chain.h"
#include "Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace dvmir {

// At the entry of the function, before other code goes there; and at the end, if nobody has asked.
void loadDoubt(FunctionState &S);
void dropDoubt(FunctionState &S);

// In a function that loops of the file call: goes to 'Slow' if one of the 'Size' bytes at 'P' may be in doubt.  'Aligned': to their size.
void askDoubt(FunctionState &S, Chain &Row, llvm::Value *P, uint64_t Size, bool Aligned, llvm::BasicBlock *Slow);

// In all other functions the question is one call until the optimiser is done; LookPass then puts it inline.  'Site' is null for what
// is no access of the source: [P, P + Size) then has a value.
void emitLook(Runtime &RT, llvm::IRBuilderBase &B, llvm::Value *P, uint64_t Size, llvm::Value *Site, uint32_t Flags,
              llvm::ArrayRef<llvm::WeakTrackingVH> Subscripts);

// The same before a copy of few bytes: is anything of it in doubt, or of where it goes?  'Born': the target then begins to live.
bool isLooked(uint64_t Size);
void emitLookCopy(Runtime &RT, llvm::IRBuilderBase &B, llvm::MemTransferInst &Copy, llvm::Constant *To, llvm::Constant *From, bool Born);

// Where an object begins to live that has a value before anybody looks, and that nobody else knows: of interest only where a parallel
// loop executes the function.  A question like the others, whose flag says what it is.
void emitBirth(Runtime &RT, llvm::IRBuilderBase &B, llvm::Value *P, uint64_t Size);

// The call, or null; its operands.
enum LookOperand { LookAddress, LookSize, LookSite, LookFlags, LookCount, LookSubscripts };
llvm::CallInst *lookCall(llvm::Instruction *I);
const llvm::CallInst *lookCall(const llvm::Instruction *I);
uint64_t lookNumber(const llvm::CallInst *Look, LookOperand N);

// Functions of the module that its parallel loops may execute.
llvm::DenseSet<const llvm::Function *> findLoopFunctions(llvm::Module &M);

struct LookPass : llvm::PassInfoMixin<LookPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &AM);
  static bool isRequired() { return true; }
};

// Once functions have been put inline: objects that nobody else can see (Homes.cpp).
struct HomePass : llvm::PassInfoMixin<HomePass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

// Before vector code is made: innermost loops ask once for all of their turns where that can be told (LookLoops.cpp).
struct LookLoopPass : llvm::PassInfoMixin<LookLoopPass> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &AM);
};

// Of a loop with one exit, whose blocks have copies: the exit is reached from these too.
void addExitsOfCopy(const llvm::Loop &L, llvm::ValueToValueMapTy &Map);
// What is known of it rests on its exit having been reached from it alone.
void forgetLoop(llvm::ScalarEvolution &SE, const llvm::Loop &L);

} // namespace dvmir
#endif
