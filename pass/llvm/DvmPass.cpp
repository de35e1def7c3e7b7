#include "DvmPass.h"
#include "Function.h"
#include "Memory.h"
#include "Reductions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace dvmir;

// Left in the module, so that IR that was instrumented once is not again.
static constexpr char InstrumentedFlag[] = "dvm-instrumented";

// Marks never stay, whatever the function.
static void removeMarkers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->getName().starts_with("__dvmm_"))
      continue;
    if (!Call->getType()->isVoidTy())
      Call->replaceAllUsesWith(Call->getType()->isPointerTy() || Call->arg_size() == 3
                                   ? Call->getArgOperand(0)
                                   : Constant::getNullValue(Call->getType()));
    Call->eraseFromParent();
  }
}

static bool isInstrumentable(const Function &F) {
  return !F.isDeclaration() && !F.hasFnAttribute(Attribute::Naked);
}

PreservedAnalyses DvmPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getModuleFlag(InstrumentedFlag))
    return PreservedAnalyses::all();
  M.addModuleFlag(Module::Max, InstrumentedFlag, 1);
  Runtime RT(M);
  SmallVector<Function *, 16> Work;
  for (Function &F : M)
    if (isInstrumentable(F))
      Work.push_back(&F);
  for (Function *F : Work) {
    FunctionState S(*F, RT);
    findVariables(S);
    MemoryLowering Unmarked(S);
    mirrorReductions(S);
    lowerVariables(S);
    Unmarked.run();
    lowerAccesses(S);
    lowerConstructs(S);
    removeMarkers(*F);
  }
  RT.finish();
  for (Function &F : make_early_inc_range(M))
    if (F.getName().starts_with("__dvmm_") && F.use_empty())
      F.eraseFromParent();
  return PreservedAnalyses::none();
}
