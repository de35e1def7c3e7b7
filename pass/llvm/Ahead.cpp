// Elements that a table names, 'a[index[i]]', and their words miss the caches.  The tests of one iteration are too long for the processor
// to have several of them under way, so they are asked for some turns before, in C:
//
//   a' = &a[index[min(i + Ahead, last element of index)]];
//   prefetch(a');  prefetch(its word, by the table of pages);
//
// The table is a variable of known size: nothing is read that does not exist.  What 'a'' is does not matter: nobody reads it, and the
// table of pages has an entry for each address.
#include "Ahead.h"
#include "runtime/abi.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace dvmir;
using namespace llvm::PatternMatch;

// Turns; bytes that stay in the second cache with their words.
static constexpr int64_t Ahead = 8;
static constexpr uint64_t Small = 1 << 18;

namespace {
struct Scattered {
  Instruction *Lookup;        // of the word's page
  GetElementPtrInst *Element; // whose last subscript the table gives
  LoadInst *Entry;            // of the table
  GlobalVariable *Table;
  int64_t Step;               // bytes a turn, in the table
};

class Prefetch {
  Function &F;
  const DataLayout &DL;
  ScalarEvolution &SE;
  LoopInfo &LI;
  GlobalVariable *Pages;
  SmallVector<Scattered, 8> Found;

  bool isSmall(Value *Base);
  void find(GetElementPtrInst *Lookup);
  void fetch(const Scattered &At);

public:
  Prefetch(Function &Fn, ScalarEvolution &S, LoopInfo &L, GlobalVariable *P) : F(Fn), DL(Fn.getDataLayout()), SE(S), LI(L), Pages(P) {}
  bool run();
};
} // namespace

bool Prefetch::isSmall(Value *Base) {
  auto *G = dyn_cast<GlobalVariable>(Base->stripInBoundsConstantOffsets());
  return isa<AllocaInst>(Base) || (G && DL.getTypeAllocSize(G->getValueType()).getFixedValue() < Small);
}

// &__dvmrt_pages[address >> 30 & ..], as runtime/abi.h has it.
void Prefetch::find(GetElementPtrInst *Lookup) {
  Value *Number;
  auto *Last = Lookup->getNumIndices() == 2 ? Lookup->getOperand(2) : nullptr;
  if (!Last || !match(Last, m_And(m_LShr(m_PtrToInt(m_Value(Number)), m_SpecificInt(30)), m_ConstantInt())))
    return;
  auto *Element = dyn_cast<GetElementPtrInst>(Number);
  Value *Loaded;
  if (!Element || !match(Element->getOperand(Element->getNumOperands() - 1), m_ZExtOrSExtOrSelf(m_Value(Loaded))))
    return;
  auto *Entry = dyn_cast<LoadInst>(Loaded);
  Loop *L = LI.getLoopFor(Lookup->getParent());
  if (!Entry || !Entry->isSimple() || !L || LI.getLoopFor(Entry->getParent()) != L || isSmall(Element->getPointerOperand()))
    return;
  auto *Moves = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Entry->getPointerOperand()));
  auto *Step = Moves && Moves->getLoop() == L && Moves->isAffine() ? dyn_cast<SCEVConstant>(Moves->getOperand(1)) : nullptr;
  auto *Base = Step ? dyn_cast<SCEVUnknown>(SE.getPointerBase(Moves)) : nullptr;
  auto *Table = Base ? dyn_cast<GlobalVariable>(Base->getValue()) : nullptr;
  if (!Table || Table->hasExternalWeakLinkage() || Table->isThreadLocal() || !Table->getValueType()->isSized())
    return;
  const int64_t Bytes = Step->getAPInt().getSExtValue();
  if (uint64_t(std::abs(Bytes)) * Ahead < DL.getTypeAllocSize(Table->getValueType()).getFixedValue())
    Found.push_back({Lookup, Element, Entry, Table, Bytes});
}

void Prefetch::fetch(const Scattered &At) {
  IRBuilder<> B(At.Lookup);
  Type *I64 = B.getInt64Ty();
  const uint64_t Size = DL.getTypeStoreSize(At.Entry->getType()).getFixedValue();
  const uint64_t Whole = DL.getTypeAllocSize(At.Table->getValueType()).getFixedValue();
  Value *Limit = At.Step < 0 ? At.Table : B.CreateConstGEP1_64(B.getInt8Ty(), At.Table, int64_t(Whole - Size));
  Value *Later = B.CreateConstGEP1_64(B.getInt8Ty(), At.Entry->getPointerOperand(), Ahead * At.Step);
  Value *Inside = At.Step < 0 ? B.CreateICmpUGT(Later, Limit) : B.CreateICmpULT(Later, Limit);
  Value *Next = B.CreateAlignedLoad(At.Entry->getType(), B.CreateSelect(Inside, Later, Limit), Align(1));
  cast<Instruction>(Next)->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(F.getContext(), {}));
  auto *Element = cast<GetElementPtrInst>(At.Element->clone());
  Value *Index = At.Element->getOperand(At.Element->getNumOperands() - 1);
  if (auto *Cast = dyn_cast<CastInst>(Index))
    Next = B.CreateCast(Cast->getOpcode(), Next, Cast->getType());
  Element->setOperand(Element->getNumOperands() - 1, Next);
  Element->setNoWrapFlags(GEPNoWrapFlags::none());
  B.Insert(Element);
  Value *Number = B.CreatePtrToInt(Element, I64);
  Value *First = B.CreateGEP(Pages->getValueType(), Pages, {B.getInt64(0), B.CreateAnd(B.CreateLShr(Number, 30), 0x1ffff)});
  Value *Second = B.CreateGEP(I64, B.CreateLoad(B.getPtrTy(), First), B.CreateAnd(B.CreateLShr(Number, 12), 0x3ffff));
  Value *Page = B.CreateLoad(I64, Second);
  Value *Shift = B.CreateAdd(B.CreateAnd(Page, 3), B.getInt64(1));
  Value *Word = B.CreateAdd(B.CreateAnd(Page, ~uint64_t(3)), B.CreateShl(B.CreateLShr(Number, Shift), 2));
  for (Value *P : {B.CreateIntToPtr(Word, B.getPtrTy()), static_cast<Value *>(Element)})
    B.CreateIntrinsic(Intrinsic::prefetch, {B.getPtrTy()}, {P, B.getInt32(0), B.getInt32(3), B.getInt32(1)});
}

bool Prefetch::run() {
  for (Instruction &I : instructions(F))
    if (auto *Lookup = dyn_cast<GetElementPtrInst>(&I); Lookup && Lookup->getPointerOperand() == Pages)
      find(Lookup);
  for (const Scattered &At : Found)
    fetch(At);
  return !Found.empty();
}

PreservedAnalyses AheadPass::run(Function &F, FunctionAnalysisManager &AM) {
  GlobalVariable *Pages = F.getParent()->getNamedGlobal("__dvmrt_pages");
  if (!Pages || Pages->use_empty())
    return PreservedAnalyses::all();
  Prefetch Each(F, AM.getResult<ScalarEvolutionAnalysis>(F), AM.getResult<LoopAnalysis>(F), Pages);
  return Each.run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
