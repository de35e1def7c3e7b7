// Recording: local variables whose address goes somewhere are told when they are entered, so that what pointers do is known by them.
#include "Recorder.h"
#include "TraceCalls.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

static bool goesSomewhere(const Value *V, SmallPtrSetImpl<const Value *> &Seen);

// Marks that hand their argument on are as transparent as casts.
static bool givesAway(const CallInst *Call, const Value *V, SmallPtrSetImpl<const Value *> &Seen) {
  if (!markerName(Call).empty())
    return Call->getType()->isPointerTy() && Call->arg_size() && Call->getArgOperand(0) == V && goesSomewhere(Call, Seen);
  return !isa<IntrinsicInst>(Call) && Call->getCalledOperand() != V && (Call->getType()->isPointerTy() || !keepsNothing(Call));
}

static bool goesSomewhere(const Value *V, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(V).second)
    return false;
  return any_of(V->users(), [&](const User *U) {
    if (const auto *Store = dyn_cast<StoreInst>(U))
      return Store->getValueOperand() == V;
    if (const auto *Call = dyn_cast<CallInst>(U))
      return givesAway(Call, V, Seen);
    if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(U))
      return isa<PtrToIntInst>(U) || goesSomewhere(U, Seen);
    return isa<ReturnInst, AtomicRMWInst, AtomicCmpXchgInst, InsertValueInst>(U);
  });
}

// Before any mark goes.
void Recorder::findLocals(const FunctionState &S) {
  MapVector<AllocaInst *, Constant *> Found;
  auto Note = [&](Value *Address, Constant *Text) {
    if (auto *Alloca = dyn_cast<AllocaInst>(const_cast<Value *>(variableAt(Address))))
      Found.insert({Alloca, Text});
  };
  Locals.clear();
  for (CallInst *Mark : S.Directs)
    if (StringRef Kind = siteLine(markerText(markerTextArgument(Mark)), DVMRT_ANY_KIND); Kind == "w init")
      Note(Mark->getArgOperand(1), cast<Constant>(markerTextArgument(Mark)));
  for (const Access &A : S.Accesses)
    Note(A.Mark->getArgOperand(0), A.TextConstant);
  for (auto [Alloca, Text] : Found) {
    SmallPtrSet<const Value *, 16> Seen;
    if (goesSomewhere(Alloca, Seen))
      Locals.push_back({Alloca, Text});
  }
}

// Shape and size of a variable, where the source's own text is not at hand.
static std::string textOf(StringRef Name, Type *T, const DataLayout &DL) {
  std::string Text = ("K w\nT " + Name + "\nV " + Name).str();
  unsigned Dims = 0;
  for (; isa<ArrayType>(T) && Dims < DVMT_NDIMS_MAX; T = T->getArrayElementType(), ++Dims)
    Text += "\nB " + std::to_string(T->getArrayNumElements());
  const std::string Bytes = std::to_string(DL.getTypeAllocSize(T).getFixedValue());
  return Text + (Dims ? "\nE " : "\nS ") + Bytes;
}

// The name in the source: of 'count.total' and 'total.dvm.12' it is total.
static StringRef nameOf(const GlobalVariable &G) {
  StringRef Name = G.getName().split(".dvm").first;
  auto [Function, Own] = Name.split('.');
  return Own.empty() || isdigit((unsigned char)Own[0]) ? Function : Own.split('.').first;
}

// Global variables that are known by their address alone.
void Recorder::tellGlobals() {
  SmallVector<GlobalVariable *, 16> Untold;
  for (GlobalVariable &G : M.globals())
    if (!Known.count(&G) && !G.isThreadLocal() && !G.hasPrivateLinkage() && !G.hasSection() && !G.use_empty() &&
        G.getValueType()->isSized() && !G.getName().starts_with("dvm") && !G.getName().starts_with("__") &&
        !G.getName().starts_with("llvm.") && !G.getName().starts_with("."))
      Untold.push_back(&G);
  Now = nullptr;
  for (GlobalVariable *G : Untold) {
    Constant *Text = ConstantDataArray::getString(C, textOf(nameOf(*G), G->getValueType(), RT.DL));
    auto *Holder = new GlobalVariable(M, Text->getType(), true, GlobalValue::PrivateLinkage, Text, "dvm.trace.text");
    Kept.push_back(site(Holder, DVMT_SITE_ACCESS, 0, 0, DVMT_WHERE_ADDRESS, G, RT.DL.getTypeAllocSize(G->getValueType()).getFixedValue()));
  }
}

// What lives in turns must not share memory: each is told once.
static void keepApart(AllocaInst *Alloca) {
  for (User *U : make_early_inc_range(Alloca->users()))
    if (auto *I = dyn_cast<IntrinsicInst>(U); I && I->isLifetimeStartOrEnd())
      I->eraseFromParent();
}

void Recorder::tellLocals(FunctionState &S) {
  for (auto [Alloca, Text] : Locals) {
    std::optional<TypeSize> Size = Alloca->getAllocationSize(RT.DL);
    GlobalVariable *Site = site(Text, DVMT_SITE_ACCESS, 0, 0, 0, nullptr, Size ? Size->getFixedValue() : 0);
    keepApart(Alloca); // before a place is chosen: it may be that of a marker
    IRBuilder<> B(Alloca->isStaticAlloca() ? S.entryPoint() : Alloca->getNextNode());
    Value *Bytes = B.getInt64(0);
    if (!Size)
      Bytes =
          B.CreateMul(B.CreateZExtOrTrunc(Alloca->getArraySize(), RT.I64), B.getInt64(RT.DL.getTypeAllocSize(Alloca->getAllocatedType())));
    call(B, "__dvmt_local", RT.Void, {Site, Alloca, S.frame(B), Bytes});
  }
}
