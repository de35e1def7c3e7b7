#include "Function.h"
#include "ParallelParts.h"
#include "pass/markers.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dvmir;

static bool isWorthwhile(const Function &F) {
  if (F.isVarArg() || F.hasAvailableExternallyLinkage() || F.hasFnAttribute(Attribute::Naked))
    return false;
  bool Found = false;
  for (const Instruction &I : instructions(F)) {
    const auto *Call = dyn_cast<CallInst>(&I);
    if (isa<IndirectBrInst>(I) || isa<CallBrInst>(I) || (Call && Call->isMustTailCall()))
      return false; // addresses of labels; a call that must stay the last
    StringRef Name = markerName(&I);
    Found |= Name == DVMM_PART || Name == DVMM_RANGE || Name == DVMM_ENTER;
  }
  return Found;
}

void CheckedBodies::add(Function &F) {
  if (!isWorthwhile(F))
    return;
  ValueToValueMapTy Map;
  Function *Body = CloneFunction(&F, Map);
  Body->setName(F.getName() + ".checked");
  Body->setComdat(nullptr);
  Body->setLinkage(GlobalValue::InternalLinkage);
  Body->setVisibility(GlobalValue::DefaultVisibility);
  Body->removeFnAttr(Attribute::AlwaysInline);
  Body->removeFnAttr(Attribute::InlineHint);
  Body->addFnAttr(Attribute::NoInline);
  Body->addFnAttr(Attribute::Cold);
  stripDebugInfo(*Body); // the places of accesses are in their sites; debuggers see one body
  Bodies[&F] = Body;
}

GlobalVariable *CheckedBodies::flag() {
  if (Flag)
    return Flag;
  Type *T = Type::getInt32Ty(M.getContext());
  return Flag = new GlobalVariable(M, T, false, GlobalValue::InternalLinkage, ConstantInt::get(T, 0), "dvm.checked");
}

// Of a call that a second body makes.
static void redirectCalls(Function &Body, const MapVector<Function *, Function *> &Bodies) {
  for (Instruction &I : instructions(Body))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction())
        if (Function *Checked = Bodies.lookup(Callee))
          Call->setCalledFunction(Checked);
}

static void askFirst(Function &F, Function &Body, GlobalVariable *Flag) {
  LLVMContext &C = F.getContext();
  BasicBlock &Entry = F.getEntryBlock();
  BasicBlock::iterator At = Entry.getFirstNonPHIOrDbgOrAlloca();
  if (auto *Call = dyn_cast<CallInst>(&*At); Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == "__dvmp_begin")
    ++At;
  DebugLoc Where;
  if (DISubprogram *SP = F.getSubprogram())
    Where = DILocation::get(C, SP->getScopeLine(), 0, SP);
  BasicBlock *Rest = Entry.splitBasicBlock(At, "dvm.unchecked"), *Checked = BasicBlock::Create(C, "dvm.checked", &F);
  Entry.getTerminator()->eraseFromParent();
  IRBuilder<> B(&Entry);
  B.SetCurrentDebugLocation(Where);
  LoadInst *On = B.CreateLoad(Flag->getValueType(), Flag);
  B.CreateCondBr(B.CreateIsNotNull(On), Checked, Rest, MDBuilder(C).createBranchWeights(1, 1 << 20));
  B.SetInsertPoint(Checked);
  B.SetCurrentDebugLocation(Where);
  SmallVector<Value *, 8> Args;
  for (Argument &A : F.args())
    Args.push_back(&A);
  CallInst *Call = B.CreateCall(&Body, Args);
  Call->setCallingConv(Body.getCallingConv());
  Call->setAttributes(AttributeList::get(C, AttributeSet(), F.getAttributes().getRetAttrs(), [&] {
    SmallVector<AttributeSet, 8> Sets;
    for (unsigned I = 0; I < F.arg_size(); ++I)
      Sets.push_back(F.getAttributes().getParamAttrs(I));
    return Sets;
  }()));
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
}

void CheckedBodies::connect() {
  for (auto &[F, Body] : Bodies)
    redirectCalls(*Body, Bodies);
  for (auto &[F, Body] : Bodies)
    if (!F->hasLocalLinkage() || F->hasAddressTaken())
      askFirst(*F, *Body, flag());
}

SmallVector<Function *, 16> CheckedBodies::all() const {
  SmallVector<Function *, 16> Out;
  for (auto &[F, Body] : Bodies)
    Out.push_back(Body);
  return Out;
}
