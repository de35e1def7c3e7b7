#include "NestHull.h"
#include "Doubt.h"

using namespace llvm;
using namespace dvmir;

static constexpr int64_t Widest = int64_t(1) << 31, Wide = int64_t(1) << 20;

NestHull::NestHull(Loop &Nest, ScalarEvolution &S, LoopInfo &Loops, const DataLayout &Layout)
    : L(Nest), SE(S), LI(Loops), DL(Layout), I64(Type::getInt64Ty(S.getContext())), Accesses(S.getZero(I64)) {}

// ---- The least and the greatest ---------------------------------------------------------------------------------------------------

const SCEV *NestHull::ofRange(const SCEV *E, bool High) {
  const ConstantRange R = SE.getSignedRange(E);
  const APInt Value = High ? R.getSignedMax() : R.getSignedMin();
  Vague |= Value.sgt(Wide) || Value.slt(-Wide);
  return Value.sgt(Widest) || Value.slt(-Widest) ? nullptr : SE.getConstant(Value);
}

// Of what grows with each of its parts: sums, the least and the greatest of several.
const SCEV *NestHull::ofParts(const SCEVNAryExpr *All, bool High) {
  SmallVector<const SCEV *, 4> Parts;
  for (const SCEV *Part : All->operands()) {
    Parts.push_back(extreme(Part, High));
    if (!Parts.back())
      return nullptr;
  }
  return isa<SCEVAddExpr>(All) ? SE.getAddExpr(Parts) : SE.getMinMaxExpr(All->getSCEVType(), Parts);
}

const SCEV *NestHull::ofProduct(const SCEVMulExpr *Product, bool High) {
  auto *By = dyn_cast<SCEVConstant>(Product->getOperand(0));
  if (!By || Product->getNumOperands() != 2)
    return ofRange(Product, High);
  const SCEV *Factor = extreme(Product->getOperand(1), High != By->getAPInt().isNegative());
  return Factor ? SE.getMulExpr(By, Factor) : nullptr;
}

// By a step that only the run knows, the leading dimension of a matrix for one: its sign is not known either.
const SCEV *NestHull::ofEitherEnd(const SCEVAddRecExpr *Moves, bool High) {
  const SCEV *First = extreme(Moves->getStart(), High), *Last = ofLastTurn(Moves, High);
  if (!First || !Last)
    return nullptr;
  return High ? SE.getSMaxExpr(First, Last) : SE.getSMinExpr(First, Last);
}

// Its loop may have another number of turns each time.
const SCEV *NestHull::ofLastTurn(const SCEVAddRecExpr *Moves, bool High) {
  const SCEV *Step = Moves->getOperand(1), *More = SE.getBackedgeTakenCount(Moves->getLoop());
  if (isa<SCEVCouldNotCompute>(More) || SE.getTypeSizeInBits(More->getType()) > 64)
    return ofRange(Moves, High);
  More = SE.getNoopOrZeroExtend(More, I64);
  if (SE.isLoopInvariant(More, &L))
    return extreme(SE.getAddExpr(Moves->getStart(), SE.getMulExpr(Step, More)), High);
  if (const SCEV *Exact = extreme(SE.getAddExpr(Moves->getStart(), SE.getMulExpr(Step, More)), High))
    return Exact;
  const SCEV *Most = SE.getConstantMaxBackedgeTakenCount(Moves->getLoop());
  if (isa<SCEVCouldNotCompute>(Most))
    return nullptr;
  Vague |= cast<SCEVConstant>(Most)->getAPInt().ugt(Wide);
  return extreme(SE.getAddExpr(Moves->getStart(), SE.getMulExpr(Step, SE.getNoopOrZeroExtend(Most, I64))), High);
}

// No less, or no more, than what the expression can be in any turn; null: nobody knows.
const SCEV *NestHull::extreme(const SCEV *E, bool High) {
  if (SE.isLoopInvariant(E, &L))
    return E;
  if (isa<SCEVAddExpr, SCEVSMinExpr, SCEVSMaxExpr>(E))
    return ofParts(cast<SCEVNAryExpr>(E), High);
  if (auto *Product = dyn_cast<SCEVMulExpr>(E))
    return ofProduct(Product, High);
  auto *Moves = dyn_cast<SCEVAddRecExpr>(E);
  if (!Moves || !Moves->isAffine() || Moves->getType() != I64 || !L.contains(Moves->getLoop()))
    return ofRange(E, High);
  auto *Step = dyn_cast<SCEVConstant>(Moves->getOperand(1));
  if (!Step)
    return SE.isLoopInvariant(Moves->getOperand(1), &L) ? ofEitherEnd(Moves, High) : ofRange(E, High);
  return Step->getAPInt().isNegative() == High ? extreme(Moves->getStart(), High) : ofLastTurn(Moves, High);
}

// ---- Objects ------------------------------------------------------------------------------------------------------------------------

// Of the object that lies there; 0: it is not known.  What another file may define, as COMMON, may be larger there.
static uint64_t sizeOf(const SCEV *Base, const DataLayout &DL) {
  auto *Known = dyn_cast<SCEVUnknown>(Base);
  auto *G = Known ? dyn_cast<GlobalVariable>(Known->getValue()) : nullptr;
  if (G && G->hasExactDefinition() && !G->isThreadLocal())
    return DL.getTypeAllocSize(G->getValueType()).getFixedValue();
  auto *Alloca = Known ? dyn_cast<AllocaInst>(Known->getValue()) : nullptr;
  auto Size = Alloca ? Alloca->getAllocationSize(DL) : std::nullopt;
  return Size ? Size->getFixedValue() : 0;
}

// Subscripts may be anything, as far as can be told, but elements lie in the object.
bool NestHull::stayInObject(const SCEV *Base, const SCEV *&Low, const SCEV *&End) {
  const bool Known = Low && End, Constant = Known && isa<SCEVConstant>(Low) && isa<SCEVConstant>(End);
  const uint64_t All = Known && !Constant ? 0 : sizeOf(Base, DL);
  if (!All)
    return Known && !Vague;
  const SCEV *Zero = SE.getZero(I64), *Size = SE.getConstant(I64, All);
  Low = Constant ? SE.getSMaxExpr(Low, Zero) : Zero;
  End = Constant ? SE.getSMinExpr(End, Size) : Size;
  return cast<SCEVConstant>(Low)->getAPInt().slt(cast<SCEVConstant>(End)->getAPInt());
}

// ---- Questions ----------------------------------------------------------------------------------------------------------------------

// On average, if the number of turns grows or falls from the first to the last one.
const SCEV *NestHull::turnsAround(const BasicBlock *BB) {
  const SCEV *All = SE.getOne(I64);
  for (Loop *At = LI.getLoopFor(BB); At; At = At == &L ? nullptr : At->getParentLoop()) {
    const SCEV *More = SE.getBackedgeTakenCount(At);
    if (isa<SCEVCouldNotCompute>(More) || SE.getTypeSizeInBits(More->getType()) > 64)
      continue;
    More = SE.getNoopOrZeroExtend(More, I64);
    const bool Varies = !SE.isLoopInvariant(More, &L);
    Vague = false;
    More = extreme(More, true);
    if (More && !Vague)
      All = SE.getMulExpr(All, SE.getAddExpr(Varies ? SE.getUDivExpr(More, SE.getConstant(I64, 2)) : More, SE.getOne(I64)));
  }
  return All;
}

bool NestHull::add(const CallInst *Look) {
  const SCEV *P = SE.getSCEV(Look->getArgOperand(LookAddress)), *Base = SE.getPointerBase(P);
  const SCEV *At = SE.getPtrToIntExpr(P, I64), *From = SE.getPtrToIntExpr(Base, I64);
  if (isa<SCEVCouldNotCompute>(At) || isa<SCEVCouldNotCompute>(From) || !SE.isLoopInvariant(Base, &L))
    return false;
  Vague = false;
  const SCEV *Way = SE.getMinusSCEV(At, From), *Low = extreme(Way, false), *High = extreme(Way, true);
  if (Low && High)
    High = SE.getAddExpr(High, SE.getConstant(I64, lookNumber(Look, LookSize)));
  if (!stayInObject(Base, Low, High))
    return false;
  auto [Found, New] = Of.insert({Base, {Low, High}});
  if (New)
    Bases.push_back(Base);
  Found->second = {SE.getSMinExpr(Found->second.Low, Low), SE.getSMaxExpr(Found->second.End, High)};
  if (Counted.insert(Look->getParent()).second)
    Accesses = SE.getAddExpr(Accesses, turnsAround(Look->getParent()));
  return true;
}
