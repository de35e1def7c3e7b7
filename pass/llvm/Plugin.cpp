// Door of the pass plug-in: 'clang -fpass-plugin=', 'opt -load-pass-plugin' (there also by the names 'dvm' and 'dvm-look').
#include "Doubt.h"
#include "DvmPass.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

static void registerCallbacks(PassBuilder &PB) {
  // Before any optimisation, at -O0 and before link-time optimisation too: the marks are those of the source.
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(dvmir::DvmPass()); });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(dvmir::LookPass()); });
  // The optimiser has found by then what counts; what remains to be asked keeps it from vector code.
  PB.registerVectorizerStartEPCallback([](FunctionPassManager &FPM, OptimizationLevel) {
    FPM.addPass(dvmir::HomePass());
    FPM.addPass(dvmir::LookLoopPass());
    FPM.addPass(createFunctionToLoopPassAdaptor(LoopIdiomRecognizePass()));
  });
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
    if (Name == "dvm")
      MPM.addPass(dvmir::DvmPass());
    else if (Name == "dvm-look")
      MPM.addPass(dvmir::LookPass());
    else
      return false;
    return true;
  });
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "dvm", LLVM_VERSION_STRING, registerCallbacks};
}
