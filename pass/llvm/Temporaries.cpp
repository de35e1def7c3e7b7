// Temporaries of flang: of each argument that is an expression the value gets a place of its own on the stack, and its address is passed.
// Nobody else writes there, and nobody reads before that, so that all of them may count as assigned as long as the function runs.  Where there are many they
// become one object, which begins and ends with one call; neither stores nor calls of foreign functions say anything of it.
//
//   CALL F(1, 'N')        t1 = 1; look(&t1); t2 = 'N'; look(&t2); f(&t1, &t2); if (foreign) assigned(&t1, &t2);
// becomes
//                         all.t1 = 1; all.t2 = 'N'; f(&all.t1, &all.t2);
#include "Temporaries.h"
#include "Descriptors.h"
#include "Function.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dvmir;

// Fewer cost little, and are left to the optimiser, each for itself.
static constexpr size_t Many = 24;
static constexpr uint64_t MostBytes = 64; // of one

static bool isScalar(Type *T) {
  auto *Text = dyn_cast<ArrayType>(T);
  return T->isIntegerTy() || T->isFloatingPointTy() || (Text && Text->getElementType()->isIntegerTy(8));
}

static bool isFilled(const DataLayout &DL, const Use &U, uint64_t Size) {
  if (auto *Store = dyn_cast<StoreInst>(U.getUser()))
    return U.getOperandNo() == StoreInst::getPointerOperandIndex() &&
           DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue() == Size;
  auto *Copy = dyn_cast<MemTransferInst>(U.getUser());
  auto *From = Copy ? dyn_cast<GlobalVariable>(Copy->getRawSource()) : nullptr;
  auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
  return From && From->isConstant() && Length && Length->getZExtValue() == Size && &U == &Copy->getRawDestUse();
}

// Is it stored to once, as a whole, and only passed on from there?
static bool isPassed(const DataLayout &DL, const DominatorTree &DT, AllocaInst *Alloca, uint64_t Size) {
  Instruction *Only = nullptr;
  SmallVector<Instruction *, 4> Seen;
  SmallVector<Value *, 4> Work{Alloca};
  while (!Work.empty()) {
    for (const Use &U : Work.pop_back_val()->uses()) {
      auto *I = cast<Instruction>(U.getUser());
      auto *Call = dyn_cast<CallBase>(I);
      if (!Only && isFilled(DL, U, Size)) {
        Only = I;
        continue;
      }
      if (isa<InsertValueInst, ExtractValueInst>(I)) // a text with its length
        Work.push_back(I);
      else if (!isa<LoadInst>(I) && (!Call || !Call->isArgOperand(&U) || isa<IntrinsicInst>(I) || !markerName(I).empty() ||
                                     Call->isPassPointeeByValueArgument(U.getOperandNo())))
        return false;
      else
        Seen.push_back(I);
    }
  }
  return Only && all_of(Seen, [&](Instruction *I) { return DT.dominates(Only, I); });
}

static uint64_t sizeOf(const FunctionState &S, const Variable &V) {
  return S.RT.DL.getTypeAllocSize(V.Alloca->getAllocatedType()).getFixedValue();
}

static bool isTemporary(const FunctionState &S, const DominatorTree &DT, const Variable &V) {
  return V.Tracked && !V.Marked && V.Starts.empty() && V.Arguments.empty() && V.Alloca->isStaticAlloca() &&
         isScalar(V.Alloca->getAllocatedType()) && sizeOf(S, V) <= MostBytes && isPassed(S.RT.DL, DT, V.Alloca, sizeOf(S, V));
}

void dvmir::gatherTemporaries(FunctionState &S) {
  SmallVector<Variable *, 64> All;
  if (S.Variables.size() < Many || !S.Constructs.empty() || S.Volatile || !isFromFlang(*S.F.getParent()))
    return;
  DominatorTree DT(S.F);
  for (auto &V : S.Variables)
    if (isTemporary(S, DT, *V))
      All.push_back(V.get());
  if (All.size() < Many)
    return;
  SmallVector<uint64_t, 64> Offsets;
  uint64_t Bytes = 0;
  for (Variable *V : All) {
    Offsets.push_back(alignTo(Bytes, V->Alloca->getAlign()));
    Bytes = Offsets.back() + sizeOf(S, *V);
  }
  S.Temporaries = S.slot(ArrayType::get(S.RT.I8, alignTo(Bytes, 16)), "dvm.temporaries");
  S.Temporaries->setAlignment(Align(16));
  IRBuilder<> B(S.entryPoint());
  for (unsigned N = 0; N < All.size(); ++N) {
    AllocaInst *Alloca = All[N]->Alloca;
    Alloca->replaceAllUsesWith(B.CreateConstInBoundsGEP1_64(S.RT.I8, S.Temporaries, Offsets[N]));
    S.VariableOf.erase(Alloca);
    Alloca->eraseFromParent();
  }
  erase_if(S.Variables, [&](const auto &V) { return is_contained(All, V.get()); });
}
