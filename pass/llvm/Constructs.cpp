// Directives: enter, leave, row, iter, direct, bind.
#include "Function.h"
#include "Memory.h"
#include "PlainCode.h"
#include "Views.h"
#include "runtime/abi.h"

using namespace llvm;
using namespace dvmir;

// What '#' and '&' stand for, as the runtime gets it: int64_t args[].
static Value *argumentArray(FunctionState &S, IRBuilderBase &B, ArrayRef<Value *> Args) {
  if (Args.empty())
    return ConstantPointerNull::get(S.RT.Ptr);
  auto *T = ArrayType::get(S.RT.I64, Args.size());
  AllocaInst *Array = S.slot(T, "dvm.args");
  for (unsigned N = 0; N < Args.size(); ++N)
    B.CreateStore(asWord64(S.RT, B, Args[N]), B.CreateConstInBoundsGEP2_64(T, Array, 0, N));
  return Array;
}

void dvmir::lowerSections(FunctionState &S) {
  for (CallInst *Mark : S.Sections) {
    IRBuilder<> B(Mark);
    SmallVector<Value *, 16> Dims(drop_begin(Mark->args(), 4));
    S.RT.call(B, "__dvmrt_section",
              {Mark->getArgOperand(0), Mark->getArgOperand(2), S.RT.site(cast<Constant>(Mark->getArgOperand(1))),
               B.CreateTrunc(Mark->getArgOperand(3), S.RT.I32), B.getInt32(unsigned(Dims.size() / 2)), argumentArray(S, B, Dims)});
    Mark->eraseFromParent();
  }
}

static void lowerEnter(FunctionState &S, Construct &K) {
  IRBuilder<> B(K.Enter);
  Value *Args = argumentArray(S, B, markerArguments(K.Enter));
  K.Enter->replaceAllUsesWith(S.RT.call(B, "__dvmrt_enter", {K.Site, S.frame(B), Args}));
  K.Enter->eraseFromParent();
  K.Enter = nullptr;
  if (!K.Begin || !K.hasIterations())
    return;
  IRBuilder<> Inside(K.Begin);
  for (unsigned L = 0; L < LimitCount; ++L)
    S.store(Inside, S.loadLimit(Inside, static_cast<Limit>(L)), K.Limits[L]);
  loadViews(S, K, Inside);
}

// The iteration has given its index variable a value.
static void assignIndex(FunctionState &S, const Construct &K, Value *Address, Value *Write, CallInst *Mark, uint64_t Bytes) {
  Variable *V = S.VariableOf.lookup(Address->stripInBoundsOffsets());
  if (V && V->Words) {
    IRBuilder<> B(Mark);
    S.store(B, Write, V->Words);
  } else if (!V || V->Tracked) {
    MemoryLowering::assign(S, Mark, Address, Bytes, &K);
  }
}

// Behind the loop its index variables have no value; those that keep their words here know it.
static void endIndices(FunctionState &S, const Construct &K, IRBuilder<> &B) {
  if (K.Iters.empty())
    return;
  CallInst *Iter = K.Iters.front();
  for (unsigned Arg = 2; Arg + 1 < Iter->arg_size(); Arg += 2) {
    Value *Address = Iter->getArgOperand(Arg);
    Variable *V = S.VariableOf.lookup(Address->stripInBoundsOffsets());
    bool Known = isa<Constant>(Address) || (V && V->Tracked && !V->Words);
    if (Known)
      S.RT.call(B, "__dvmrt_over", {Address, B.getInt64(std::abs(cast<ConstantInt>(Iter->getArgOperand(Arg + 1))->getSExtValue()))});
  }
}

// now.write += 2; now.iv[d] = index variable d;
static void lowerIter(FunctionState &S, const Construct &K, CallInst *Mark) {
  IRBuilder<> B(Mark);
  // From our copy: through memory the iterations would wait for each other.
  Value *Write = B.CreateAdd(S.limit(B, &K, LimitWrite), B.getInt32(2));
  S.RT.storeNow(B, offsetof(dvmrt_now, write), Write);
  if (K.Limits[LimitWrite])
    S.store(B, Write, K.Limits[LimitWrite]);
  for (unsigned Arg = 2, Dim = 0; Arg + 1 < Mark->arg_size() && Dim < DVMRT_NDIMS_MAX; Arg += 2, ++Dim) {
    Value *Address = Mark->getArgOperand(Arg);
    int64_t Bytes = cast<ConstantInt>(Mark->getArgOperand(Arg + 1))->getSExtValue();
    B.SetInsertPoint(Mark);
    Value *V = B.CreateLoad(B.getIntNTy(std::abs(Bytes) * 8), Address);
    S.RT.storeNow(B, offsetof(dvmrt_now, iv) + 8 * Dim, Bytes < 0 ? B.CreateSExt(V, S.RT.I64) : B.CreateZExt(V, S.RT.I64));
    assignIndex(S, K, Address, Write, Mark, std::abs(Bytes));
  }
  Mark->eraseFromParent();
}

void dvmir::addToText(Runtime &RT, Construct &K, const Twine &Line) {
  Constant *Init = ConstantDataArray::getString(RT.C, (markerText(K.TextConstant) + "\n" + Line).str());
  auto *G = new GlobalVariable(RT.M, Init->getType(), true, GlobalValue::PrivateLinkage, Init, "dvm.text");
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  K.TextConstant = G;
  if (K.Site)
    K.Site->setInitializer(ConstantStruct::getAnon({G, ConstantPointerNull::get(RT.Ptr)}));
}

void dvmir::noteCalls(FunctionState &S) {
  for (auto &[Cid, K] : S.Constructs)
    if (K->Text.Kind == "parallel" && PlainCode(S, *K).callsOthers())
      addToText(S.RT, *K, "c");
}

// For statistics: the accesses in the text of the nest, also those that need no check in the end.
static void countAccesses(FunctionState &S, Construct &K) {
  addToText(S.RT, K, "n " + Twine(count_if(S.Accesses, [&](const Access &A) { return A.In == &K && !A.Again; })));
}

static void lowerConstruct(FunctionState &S, Construct &K) {
  if (K.Text.Kind == "parallel")
    countAccesses(S, K);
  if (!K.Site)
    K.Site = S.RT.site(K.TextConstant);
  for (CallInst *Mark : K.Leaves) {
    IRBuilder<> B(Mark);
    S.RT.call(B, "__dvmrt_leave", {K.Site, S.frame(B)});
    endIndices(S, K, B);
    Mark->eraseFromParent();
  }
  for (CallInst *Mark : K.Rows) {
    IRBuilder<> B(Mark);
    S.RT.call(B, "__dvmrt_row", {K.Site});
    Mark->eraseFromParent();
  }
  for (CallInst *Mark : K.Iters)
    lowerIter(S, K, Mark);
  lowerEnter(S, K);
}

// What the file says of another one's variable is of interest where it uses it: to name it would ask the linker for it.
static bool namesUnused(const FunctionState &S, CallInst *Mark) {
  if (Mark->arg_size() < 2 || DirectiveText::parse(markerText(markerTextArgument(Mark))).Kind != "extern")
    return false;
  Value *Own = Mark->getArgOperand(1);
  if (auto *Load = dyn_cast<LoadInst>(Own))
    Own = Load->getPointerOperand();
  auto *G = dyn_cast<GlobalVariable>(Own->stripInBoundsOffsets());
  return G && G->isDeclaration() && all_of(G->users(), [&](const User *U) {
           auto *I = dyn_cast<Instruction>(U);
           return I && I->getFunction() == &S.F;
         });
}

// A directive that is dropped leaves nothing behind that refers to the variable.
static void dropDirect(CallInst *Mark) {
  SmallVector<Value *, 8> Arguments(Mark->args());
  Mark->eraseFromParent();
  for (Value *V : Arguments)
    if (auto *I = dyn_cast<Instruction>(V); I && I->use_empty())
      I->eraseFromParent();
}

void dvmir::lowerConstructs(FunctionState &S) {
  for (auto &[Cid, K] : S.Constructs)
    lowerConstruct(S, *K);
  for (auto *Marks : {&S.Directs, &S.Binds})
    for (CallInst *Mark : *Marks) {
      if (namesUnused(S, Mark)) {
        dropDirect(Mark);
        continue;
      }
      IRBuilder<> B(Mark);
      GlobalVariable *Site = S.RT.site(cast<Constant>(markerTextArgument(Mark)));
      S.RT.call(B, "__dvmrt_direct", {Site, argumentArray(S, B, markerArguments(Mark))});
      if (!Mark->getType()->isVoidTy())
        Mark->replaceAllUsesWith(Mark->getArgOperand(0));
      Mark->eraseFromParent();
    }
}
