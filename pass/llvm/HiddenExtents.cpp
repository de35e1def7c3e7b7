#include "ParallelParts.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace dvmir;

static constexpr uint64_t Page = 4096;

static GlobalVariable *nameWithoutExtent(GlobalVariable *G, const Twine &Name) {
  auto *T = ArrayType::get(Type::getInt8Ty(G->getContext()), 0);
  auto *Ref = new GlobalVariable(*G->getParent(), T, false, GlobalValue::ExternalLinkage, nullptr, Name);
  Ref->setAlignment(G->getAlign());
  if (auto Model = G->getCodeModel())
    Ref->setCodeModel(*Model);
  return Ref;
}

// Another file defines it.
static void replaceDeclaration(GlobalVariable *G) {
  GlobalVariable *Ref = nameWithoutExtent(G, "");
  Ref->takeName(G);
  Ref->setVisibility(G->getVisibility());
  Ref->setDSOLocal(G->isDSOLocal());
  G->replaceAllUsesWith(Ref);
  G->eraseFromParent();
}

static void useInCode(GlobalVariable *G, function_ref<Value *(Function &)> Address) {
  DenseMap<Function *, Value *> Of;
  convertUsersOfConstantsToInstructions({G});
  for (Use &U : make_early_inc_range(G->uses())) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      continue;
    Value *&V = Of[I->getFunction()];
    if (!V)
      V = Address(*I->getFunction());
    U.set(V);
  }
}

// A second name of what is defined here, that the assembler knows to be the same.
static void nameAgain(Module &M, GlobalVariable *G) {
  std::string Name = (G->getName() + ".dvm").str();
  GlobalVariable *Ref = nameWithoutExtent(G, Name);
  Ref->setVisibility(GlobalValue::HiddenVisibility);
  Ref->setDSOLocal(true);
  M.appendModuleInlineAsm(".set \"" + Name + "\", \"" + G->getName().str() + "\"\n");
  appendToCompilerUsed(M, {G});
  useInCode(G, [&](Function &) { return Ref; });
}

// Of a shared object another one may have the array that counts: its address is where the linker puts it.
static void loadAddress(Module &M, GlobalVariable *G) {
  auto *Slot = new GlobalVariable(M, G->getType(), false, GlobalValue::InternalLinkage, G, G->getName() + ".dvm");
  Slot->setExternallyInitialized(true);
  useInCode(G, [&](Function &F) -> Value * {
    IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    return B.CreateLoad(G->getType(), Slot);
  });
}

void dvmir::hideExtents(Module &M, ArrayRef<GlobalVariable *> Arrays) {
  const bool Interposed = M.getPICLevel() != PICLevel::NotPIC && M.getPIELevel() == PIELevel::Default;
  for (GlobalVariable *G : Arrays) {
    if (G->isThreadLocal() || G->hasCommonLinkage() || !G->getValueType()->isSized() || G->getName().starts_with("\1"))
      continue;
    if (G->isDeclaration()) {
      replaceDeclaration(G);
      continue;
    }
    if (M.getDataLayout().getTypeAllocSize(G->getValueType()).getFixedValue() < Page)
      continue; // never guarded
    G->setAlignment(std::max(G->getAlign().valueOrOne(), Align(Page)));
    Interposed && !G->hasLocalLinkage() && !G->hasHiddenVisibility() ? loadAddress(M, G) : nameAgain(M, G);
  }
}
