#include "DummyTags.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace dvmir;

static constexpr StringRef AnyData = "any data access"; // what flang calls the type of what it knows nothing of
static constexpr StringRef Apart = "dvm-apart";

// That type, if the access is of it.
static MDNode *anyData(const Instruction &I) {
  MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  auto *Type = Tag && Tag->getNumOperands() > 1 ? dyn_cast_or_null<MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Name = Type && Type->getNumOperands() ? dyn_cast_or_null<MDString>(Type->getOperand(0)) : nullptr;
  return Name && Name->getString() == AnyData ? Type : nullptr;
}

void dvmir::keepDummies(Module &M) {
  for (Function &F : M) {
    if (none_of(F.args(), [](const Argument &A) { return A.hasNoAliasAttr(); }) ||
        none_of(instructions(F), [](const Instruction &I) { return anyData(I); })) // of C, or without data
      continue;
    for (Argument &A : F.args())
      if (A.hasNoAliasAttr() && !A.hasStructRetAttr()) {
        A.removeAttr(Attribute::NoAlias);
        A.addAttr(Attribute::get(M.getContext(), Apart));
      }
  }
}

static void tag(Function &F) {
  DenseMap<const Argument *, MDNode *> Tags;
  MDBuilder Build(F.getContext());
  for (Instruction &I : instructions(F)) {
    MDNode *Any = isa<LoadInst, StoreInst>(I) ? anyData(I) : nullptr;
    auto *Of = Any ? dyn_cast<Argument>(getUnderlyingObject(getLoadStorePointerOperand(&I), 0)) : nullptr;
    if (!Of || !F.getAttributes().hasParamAttr(Of->getArgNo(), Apart))
      continue;
    MDNode *&Tag = Tags[Of];
    if (!Tag) {
      MDNode *Type = Build.createTBAAScalarTypeNode(("dvm dummy/" + F.getName() + "/" + Twine(Of->getArgNo())).str(), Any);
      Tag = Build.createTBAAStructTagNode(Type, Type, 0);
    }
    I.setMetadata(LLVMContext::MD_tbaa, Tag);
  }
}

void dvmir::tagDummies(Module &M) {
  for (Function &F : M)
    if (any_of(F.args(), [&](const Argument &A) { return F.getAttributes().hasParamAttr(A.getArgNo(), Apart); }))
      tag(F);
}
