// Door of the pass plug-in: 'clang -fpass-plugin=', 'opt -load-pass-plugin' (there also by the names 'dvm', 'dvm-look' and 'dvm-row-copy').
#include "Ahead.h"
#include "Doubt.h"
#include "DvmPass.h"
#include "LookNests.h"
#include "RowCopies.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace {
// In nests of execution by many ranks the bounds are known to the run alone: that 'sum(a(i-1:i+1))' has three turns is seen only once the
// index has been widened, when loops of so few turns have been looked at already; with them around nothing is made a vector.
struct ShortLoops : PassInfoMixin<ShortLoops> {
  int Speed;
  explicit ShortLoops(OptimizationLevel Level) : Speed(int(Level.getSpeedupLevel())) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    const bool Parallel = any_of(instructions(F), [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == "__dvmp_enter";
    });
    if (!Parallel)
      return PreservedAnalyses::all();
    FunctionPassManager Passes;
    Passes.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass(Speed)));
    Passes.addPass(EarlyCSEPass());
    Passes.addPass(InstCombinePass());
    Passes.addPass(SimplifyCFGPass());
    return Passes.run(F, FAM);
  }
};
} // namespace

static void registerCallbacks(PassBuilder &PB) {
  // Before any optimisation, at -O0 and before link-time optimisation too: the marks are those of the source.
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(dvmir::DvmPass()); });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(dvmir::LookPass());
    MPM.addPass(createModuleToFunctionPassAdaptor(dvmir::RowCopyPass()));
  });
  // The optimiser has found by then what counts; what remains to be asked keeps it from vector code.
  PB.registerVectorizerStartEPCallback([](FunctionPassManager &FPM, OptimizationLevel Level) {
    FPM.addPass(ShortLoops(Level));
    FPM.addPass(dvmir::HomePass());
    FPM.addPass(dvmir::LookNestPass());
    FPM.addPass(dvmir::LookLoopPass());
    FPM.addPass(dvmir::AheadPass());
    FPM.addPass(createFunctionToLoopPassAdaptor(LoopIdiomRecognizePass()));
  });
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name == "dvm")
      MPM.addPass(dvmir::DvmPass());
    else if (Name == "dvm-look")
      MPM.addPass(dvmir::LookPass());
    else if (Name == "dvm-row-copy")
      MPM.addPass(createModuleToFunctionPassAdaptor(dvmir::RowCopyPass()));
    else
      return false;
    return true;
  });
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "dvm", LLVM_VERSION_STRING, registerCallbacks};
}
