// Recording: functions that call others, allocations, and the ways out of the program.
#include "Recorder.h"
#include "TraceCalls.h"
#include "pass/markers.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

void Recorder::noteHeap(CallInst *Call) {
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Call->isMustTailCall())
    return;
  StringRef Name = Callee->getName();
  unsigned Args = Call->arg_size();
  IRBuilder<> Before(Call), After(Call->getNextNode());
  After.SetCurrentDebugLocation(Call->getDebugLoc());
  auto Size = [&](unsigned N) { return After.CreateZExtOrTrunc(Call->getArgOperand(N), RT.I64); };
  if ((Name == "free" && Args == 1) || (Name == "realloc" && Args == 2) || (Name == "reallocarray" && Args == 3))
    call(Before, "__dvmt_heap", RT.Void, {Call->getArgOperand(0), Before.getInt64(0)});
  if (Name == "malloc" && Args == 1)
    call(After, "__dvmt_heap_new", RT.Void, {Call, Size(0)});
  else if (Name == "calloc" && Args == 2)
    call(After, "__dvmt_heap", RT.Void, {Call, After.CreateMul(Size(0), Size(1))});
  else if ((Name == "realloc" || Name == "aligned_alloc" || Name == "memalign") && Args == 2)
    call(After, Name == "realloc" ? "__dvmt_heap" : "__dvmt_heap_new", RT.Void, {Call, Size(1)});
  else if (Name == "reallocarray" && Args == 3)
    call(After, "__dvmt_heap", RT.Void, {Call, After.CreateMul(Size(1), Size(2))});
  else if ((Name == "valloc" || Name == "pvalloc") && Args == 1)
    call(After, "__dvmt_heap", RT.Void, {Call, Size(0)});
  else if (Name == "mmap" && Args == 6)
    call(After, "__dvmt_heap", RT.Void, {Call, Size(1)});
  else if (Name == "posix_memalign" && Args == 3) {
    Value *Where = After.CreateLoad(RT.Ptr, Call->getArgOperand(0));
    Value *Null = ConstantPointerNull::get(RT.Ptr);
    call(After, "__dvmt_heap", RT.Void, {After.CreateSelect(After.CreateIsNull(Call), Where, Null), Size(2)});
  }
}

bool Recorder::callsOthers(Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(Call) || !markerName(Call).empty())
      return false;
    return !Callee || (!Callee->isDeclarationForLinker() && !isOfLibrary(*Callee)) || mayWriteAnything(Call);
  });
}

// if (flags & ON_CALLS) __dvmt_function(site, frame); at the end __dvmt_function_end(site, frame)
void Recorder::tellFunction(FunctionState &S) {
  Constant *Data = ConstantDataArray::getString(C, "K function");
  auto *Text = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "dvm.trace.text");
  GlobalVariable *Site = site(Text, DVMT_SITE_FUNCTION, 0);
  SmallVector<Instruction *, 4> Ends;
  for (BasicBlock &BB : S.F)
    if (auto *Return = dyn_cast<ReturnInst>(BB.getTerminator())) {
      CallInst *Tail = BB.getTerminatingMustTailCall();
      Ends.push_back(Tail ? static_cast<Instruction *>(Tail) : Return);
    }
  auto Tell = [&](Instruction *At, StringRef Name) {
    IRBuilder<> B(guarded(At, DVMT_ON_CALLS));
    B.SetCurrentDebugLocation(At->getDebugLoc());
    call(B, Name, RT.Void, {Site, S.frame(B)});
  };
  for (Instruction *End : Ends)
    Tell(End, "__dvmt_function_end");
  Tell(S.entryPoint(), "__dvmt_function");
}

// The ways out that run no destructors.  (A function of this name in our library would take the place of the checker's.)
void Recorder::noteExit(CallInst *Call) {
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || (Callee->getName() != "_exit" && Callee->getName() != "_Exit"))
    return;
  IRBuilder<> B(Call);
  call(B, "__dvmt_exit", RT.Void, {});
}
