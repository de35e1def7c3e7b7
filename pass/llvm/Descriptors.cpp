// flang reads an allocatable or pointer array through a copy of its descriptor, made anew for each reference.  The descriptor itself is
// read in its place: what a nest never writes can then be read once, before it, and nobody has to follow the copies.
//
//   t = *a;  p = t.base;  m = t.dim[0].lower;
// becomes
//   p = a->base;  m = a->dim[0].lower;
//
// One that is made of values, of a dummy array for one, is these values.
#include "Descriptors.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

// flang calls its modules so.
bool dvmir::isFromFlang(const Module &M) { return M.getSourceFileName() == "FIRModule"; }

// The base, five numbers, flags, and three words a dimension.
static bool isDescriptor(Type *T) {
  auto *S = dyn_cast<StructType>(T);
  return S && S->isLiteral() && S->getNumElements() >= 8 && S->getElementType(0)->isPointerTy() && S->getElementType(1)->isIntegerTy(64) &&
         isa<ArrayType>(S->getElementType(7));
}

LoadInst *dvmir::firstStride(Value *V) {
  static constexpr uint64_t Way[] = {0, 7, 0, 2}; // dimension 0, its third word
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Field = Load && Load->isSimple() ? dyn_cast<GEPOperator>(Load->getPointerOperand()) : nullptr;
  if (!Field || Field->getNumIndices() != std::size(Way) || !Field->hasAllConstantIndices() || !isDescriptor(Field->getSourceElementType()))
    return nullptr;
  const bool First = equal(Field->indices(), Way, [](const Use &Index, uint64_t At) { return cast<ConstantInt>(Index)->equalsInt(At); });
  return First ? Load : nullptr;
}

namespace {
struct Copy {
  LoadInst *From;
  StoreInst *To;
  SmallVector<GetElementPtrInst *, 8> Fields;
};
} // namespace

static bool isField(GetElementPtrInst *G) {
  return G->hasAllConstantIndices() && all_of(G->users(), [](User *U) { return isa<LoadInst>(U) && cast<LoadInst>(U)->isSimple(); });
}

// Is the object nothing but one value, stored once, whose fields are read?
static bool isStoredOnce(AllocaInst *A, Copy &C) {
  C = {};
  for (User *U : A->users()) {
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == A && !C.To && Store->isSimple())
      C.To = Store;
    else if (auto *G = dyn_cast<GetElementPtrInst>(U); G && isField(G))
      C.Fields.push_back(G);
    else
      return false;
  }
  return C.To && C.To->getValueOperand()->getType() == A->getAllocatedType();
}

static bool isCopy(Copy &C) {
  C.From = dyn_cast<LoadInst>(C.To->getValueOperand());
  return C.From && C.From->isSimple() && C.From->getNextNode() == C.To;
}

// Where a copy is read without having been made, in code that nobody reaches, there is no value to put in its place.
static bool isMadeBefore(const DominatorTree &DT, const Copy &C) {
  return all_of(C.Fields, [&](GetElementPtrInst *G) {
    return all_of(G->users(), [&](User *U) { return DT.dominates(C.To, cast<Instruction>(U)); });
  });
}

static void readInPlace(AllocaInst *A, const Copy &C) {
  IRBuilder<> B(C.From);
  for (GetElementPtrInst *G : C.Fields) {
    SmallVector<Value *, 4> Indices(G->indices());
    LoadInst *Field = nullptr;
    for (User *U : make_early_inc_range(G->users())) {
      auto *Load = cast<LoadInst>(U);
      if (!Field) {
        Field = B.CreateAlignedLoad(Load->getType(), B.CreateGEP(G->getSourceElementType(), C.From->getPointerOperand(), Indices),
                                    Load->getAlign());
        Field->setAAMetadata(Load->getAAMetadata()); // of a descriptor, which stores to elements leave as it is
      }
      Load->replaceAllUsesWith(Field);
      Load->eraseFromParent();
    }
    G->eraseFromParent();
  }
  C.To->eraseFromParent();
  if (C.From->use_empty())
    C.From->eraseFromParent();
  A->eraseFromParent();
}

// The numbers behind the first one of a subscript of fields; none: it leads elsewhere.
static SmallVector<unsigned, 4> wayOf(GetElementPtrInst *G) {
  SmallVector<unsigned, 4> Way;
  for (Use &Index : drop_begin(G->indices()))
    Way.push_back(cast<ConstantInt>(Index)->getZExtValue());
  return cast<ConstantInt>(*G->idx_begin())->isZero() ? Way : SmallVector<unsigned, 4>();
}

static bool isOfFields(AllocaInst *A, const Copy &C) {
  return all_of(C.Fields, [&](GetElementPtrInst *G) {
    return G->getSourceElementType() == A->getAllocatedType() && !wayOf(G).empty() &&
           all_of(G->users(), [&](User *U) { return U->getType() == G->getResultElementType() && !U->getType()->isAggregateType(); });
  });
}

static void useValues(AllocaInst *A, const Copy &C) {
  IRBuilder<> B(C.To);
  for (GetElementPtrInst *G : C.Fields) {
    Value *Made = C.To->getValueOperand();
    const SmallVector<unsigned, 4> Way = wayOf(G);
    Value *Field = FindInsertedValue(Made, Way);
    if (!Field)
      Field = B.CreateExtractValue(Made, Way);
    for (User *U : make_early_inc_range(G->users())) {
      U->replaceAllUsesWith(Field);
      cast<Instruction>(U)->eraseFromParent();
    }
    G->eraseFromParent();
  }
  C.To->eraseFromParent();
  A->eraseFromParent();
}

void dvmir::readDescriptorsInPlace(Function &F) {
  if (!isFromFlang(*F.getParent()))
    return;
  SmallVector<AllocaInst *, 32> Descriptors;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isDescriptor(A->getAllocatedType()))
      Descriptors.push_back(A);
  DominatorTree DT(F);
  for (AllocaInst *A : Descriptors)
    if (Copy C; isStoredOnce(A, C) && isMadeBefore(DT, C)) {
      if (isCopy(C))
        readInPlace(A, C);
      else if (!A->isUsedByMetadata() && isOfFields(A, C)) // debuggers look at it
        useValues(A, C);
    }
}
