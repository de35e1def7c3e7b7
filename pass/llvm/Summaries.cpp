// A nest with a summary, in C:
//
//   for (headers as they are)                     // 'range': which iterations there are, without their bodies
//     box = range of the index variables;
//   if (__dvmrt_summary(site, &what_the_nest_does, box, values))
//     nest without marks
//   else
//     nest with checks
//
// What the nest does is a table of its references: their subscripts as linear forms.  The runtime says yes if no iteration could
// give a diagnostic, and has then taken note of what the nest writes.
#include "Summaries.h"
#include "AskedSubscripts.h"
#include "Descriptors.h"
#include "LoopForms.h"
#include "OwnData.h"
#include "PlainCode.h"
#include "ReductionClause.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace dvmir;

namespace {

struct Reference {
  Access *A;
  uint32_t Use, Flags;
  Linear Address;                 // of ordinary data
  SmallVector<Linear, 4> Subscripts, Limits;
};

class Summary {
  FunctionState &S;
  Construct &K;
  Runtime &RT;
  NestForms Forms;
  OwnData Own;
  PlainCode Code;
  AskedSubscripts Asked;
  std::vector<Reference> References;
  SmallSetVector<AllocaInst *, 8> Guards; // words of the variables that must have a value at the entry
  int64_t InnerStep = 0; // of the innermost loop of the nest
  // Slots of the range.
  AllocaInst *Count = nullptr, *Row = nullptr, *Last = nullptr, *Parity = nullptr, *Shape = nullptr;
  SmallVector<AllocaInst *, 4> Low, High;

public:
  Summary(FunctionState &State, Construct &Nest)
      : S(State), K(Nest), RT(State.RT), Forms(State, Nest), Own(State, Nest, Forms), Code(State, Nest), Asked(State, Forms) {}

  // Why the nest has no summary; null: it has one now.
  const char *run() {
    K.OnlyReadsData = onlyReadsData();
    if (const char *Why = check())
      return Why;
    transform();
    return nullptr;
  }

private:
  // ---- May it have one? ----
  const char *check();
  bool onlyReadsData();
  const char *checkStep();
  const char *checkAccess(Access &A);
  const char *checkVariable(Access &A);
  const char *checkElement(Access &A);
  const char *checkOwn(Access &A);
  const char *checkAny(Access &A, uint32_t Flags);
  const char *checkResult(Access &A);
  const char *checkData(Access &A);
  const char *addSubscripts(Reference &R);
  bool addAny(Reference &R);
  bool addEachTurn(const Reference &R);
  bool addTurns(const Reference &R, ArrayRef<unsigned> Counters, std::vector<Reference> &Each);
  bool assignedBefore(const Access &A);
  bool mayBreak(const Access &A);
  bool isOver(const Access &Write, const Access &Read);
  uint64_t writesBefore(const Reference &R);

  // ---- The table ----
  Constant *table(SmallVectorImpl<Value *> &Values);
  void encode(const Linear &L, SmallVectorImpl<int64_t> &Out, SmallVectorImpl<Value *> &Values);

  // ---- The three forms of the nest ----
  void transform();
  BasicBlock *cloneRange(Constant *Table, ArrayRef<Value *> Values, BasicBlock *Plain);
  void assignResults(ValueToValueMapTy &Map);
  void readEarly(ValueToValueMapTy &Map);
  BasicBlock *clonePlain();
  BasicBlock *keepResults(BasicBlock *First, ArrayRef<BasicBlock *> Body, CallInst *Leave);
  void countIteration(BasicBlock *BB);
  void endRow(BasicBlock *BB);
  Value *haveValues(IRBuilder<> &B, AllocaInst &Words);
  void ask(BasicBlock *BB, Constant *Table, ArrayRef<Value *> Values, BasicBlock *Plain, ArrayRef<AllocaInst *> Saved);
};

} // namespace

// ---- May it have one? --------------------------------------------------------------------------------------------------

const char *Summary::check() {
  if (S.Volatile)
    return "the function calls setjmp";
  if (const char *Why = Forms.shape())
    return Why;
  if (const char *Why = checkStep())
    return Why;
  if (isa<PHINode>(K.Begin->getSuccessor(0)->front()))
    return "its loops have an unusual form";
  for (BasicBlock *BB : K.Blocks) {
    if (BB->hasAddressTaken() || BB->isEHPad())
      return "it contains labels whose address is taken";
    for (Instruction &I : *BB) {
      if (const char *Why = Code.check(I); Why && !Own.isInitialiser(I) && !Own.isOfRow(I))
        return Why;
      for (User *U : I.users())
        if (const BasicBlock *At = cast<Instruction>(U)->getParent(); !K.holds(At) || (Forms.inBody(BB) && !Forms.inBody(At)))
          return "it computes a value that is used after it";
    }
  }
  for (Access &A : S.Accesses)
    if (K.holds(A.Mark->getParent()))
      if (const char *Why = checkAccess(A))
        return Why;
  return nullptr;
}

bool Summary::onlyReadsData() {
  for (BasicBlock *BB : K.Blocks)
    for (Instruction &I : *BB)
      if (Code.check(I))
        return false;
  for (Access &A : S.Accesses)
    if (K.holds(A.Mark->getParent()) && A.Text.Writes && !A.Var && !Code.isReduction(A.Mark->getArgOperand(0)) &&
        !(A.Text.Use && *A.Text.Use < K.Text.Uses.size() && A.In == &K && !A.Text.PartOfElement))
      return false;
  return true;
}

// The last number of the S line.
const char *Summary::checkStep() {
  StringRef Text = markerText(K.TextConstant);
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    if (!Line.consume_front("S "))
      continue;
    if (!Line.rsplit(' ').second.empty())
      Line = Line.rsplit(' ').second;
    if (!Line.getAsInteger(10, InnerStep) && InnerStep)
      return nullptr;
  }
  return "the step of its innermost loop is not constant";
}

// Is there a store of the same iteration before?
bool Summary::assignedBefore(const Access &A) {
  auto Before = [&](Instruction *Store) {
    return K.holds(Store->getParent()) && Forms.inBody(Store->getParent()) && Forms.DT.dominates(Store, A.Mark) &&
           certainlyAssigns(S, Store, Forms.DT);
  };
  for (Instruction *Store : A.Var->Stores)
    if (Before(Store))
      return true;
  for (const Access &Other : S.Accesses)
    if (Other.Var == A.Var && Other.Text.Writes && (!Other.Text.Reads || &Other != &A))
      for (User *U : Other.Mark->users())
        if (auto *Store = dyn_cast<StoreInst>(U); Store && Before(Store))
          return true;
  return false;
}

const char *Summary::checkVariable(Access &A) {
  Variable &V = *A.Var;
  unsigned Kind = V.kind(&K);
  if (Kind == DVMRT_L_FIRST || Kind == DVMRT_L_SHARED)
    return "it writes data that are neither distributed nor private";
  if (Kind == DVMRT_L_INDEX)
    return nullptr;
  if (V.isArray() && Kind == DVMRT_L_REDUCTION)
    return checkResult(A);
  if (V.isArray() && !Own.isInside(A))
    return "the subscripts of a small local array are not constants or counters of loops with constant bounds";
  bool Outer = Kind == DVMRT_L_REDUCTION || (!V.Written.lookup(&K) && !V.Inner.lookup(&K));
  if (A.Text.Reads && Outer)
    Guards.insert(V.Words);
  else if (A.Text.Reads && !(V.isArray() ? Own.isAssigned(A) : assignedBefore(A)))
    return "a private variable may be read before it is assigned";
  return nullptr;
}

const char *Summary::addSubscripts(Reference &R) {
  Access &A = *R.A;
  if (A.Index.size() > DVMRT_NDIMS_MAX)
    return "an array has too many dimensions";
  for (unsigned D = 0; D < A.Index.size(); ++D) {
    auto Subscript = A.Index[D] ? Forms.of(A.Index[D], A.Mark->getParent()) : std::nullopt;
    if (!Subscript)
      return "a subscript is not linear in the index variables";
    Linear Limit;
    Limit.Add = INT64_MAX;
    if (D < A.Text.Extents.size() && A.Text.Extents[D]) {
      Limit.Add = *A.Text.Extents[D];
    } else if (A.Extent[D]) {
      auto Extent = Forms.of(A.Extent[D], A.Mark->getParent());
      if (!Extent)
        return "the extents of an array are not known at its entry";
      Limit = *Extent;
    }
    R.Subscripts.push_back(*Subscript);
    R.Limits.push_back(Limit);
  }
  return nullptr;
}

// Whether a loop of the body around the access may end before its last turn.
bool Summary::mayBreak(const Access &A) {
  for (Loop *L = Forms.LI.getLoopFor(A.Mark->getParent()); L && L != Forms.Innermost; L = L->getParentLoop())
    if (L->getExitingBlock() != L->getHeader())
      return true;
  return false;
}

const char *Summary::checkElement(Access &A) {
  if (!isPowerOf2_64(A.Text.Size) || A.Text.Size > 16)
    return "an element has an odd size";
  if (A.Text.Writes && !Forms.always(A.Mark->getParent()))
    return "an element is written conditionally";
  uint32_t Maybe = Forms.always(A.Mark->getParent()) && !mayBreak(A) ? 0 : DVMRT_SUMMARY_MAYBE;
  Reference R{&A, *A.Text.Use, A.Text.touchFlags() | Maybe, {}, {}, {}};
  if (const char *Why = addSubscripts(R)) {
    if (A.Text.Writes || addEachTurn(R))
      return A.Text.Writes ? Why : nullptr;
    if (!addAny(R))
      return Why;
  }
  References.push_back(std::move(R));
  return nullptr;
}

// What is read may be any element along the dimensions of which nothing is known, all of which have to be right.
bool Summary::addAny(Reference &R) {
  Access &A = *R.A;
  SmallVector<unsigned, 4> Dims;
  R.Subscripts.clear();
  R.Limits.clear();
  for (unsigned D = 0; D < A.Index.size(); ++D) {
    if (!A.Index[D] || D >= A.Text.Extents.size() || !A.Text.Extents[D])
      return false;
    auto Subscript = Forms.of(A.Index[D], A.Mark->getParent());
    R.Subscripts.push_back(Subscript ? *Subscript : Asked.any(*A.Text.Extents[D], Dims.size()));
    R.Limits.emplace_back().Add = *A.Text.Extents[D];
    if (!Subscript)
      Dims.push_back(D);
  }
  R.Flags |= DVMRT_SUMMARY_MAYBE;
  Asked.add(A, Dims);
  return true;
}

// By a reference for each turn of the loops that are directly around it: so offsets may stand in a constant table ('a[i + dx[k]]').
bool Summary::addEachTurn(const Reference &R) {
  SmallVector<unsigned, 4> Counters;
  for (Loop *L = Forms.LI.getLoopFor(R.A->Mark->getParent()); L != Forms.Innermost; L = L->getParentLoop()) {
    auto Inner = Forms.counterOf(*L);
    if (!Inner)
      return false;
    Counters.push_back(*Inner);
    std::vector<Reference> Each;
    const bool All = addTurns(R, Counters, Each);
    Forms.Fixed.clear();
    if (!All)
      continue;
    append_range(References, Each);
    return true;
  }
  return false;
}

bool Summary::addTurns(const Reference &R, ArrayRef<unsigned> Counters, std::vector<Reference> &Each) {
  static constexpr size_t Most = 32;
  return all_of(Counters, [&](unsigned Inner) { return Own.isCounted(Inner); }) &&
         Own.eachTurn(Counters, Forms.Fixed, [&](const OwnPlaces::Turn &) {
           Each.push_back({R.A, R.Use, R.Flags, {}, {}, {}});
           return Each.size() <= Most && !addSubscripts(Each.back());
         });
}

const char *Summary::checkOwn(Access &A) {
  if (!Forms.inBody(A.Mark->getParent()))
    return "a bound of its loops is private";
  if (!Own.isInside(A))
    return "the subscripts of private data are not constants or counters of loops with constant bounds";
  return !A.Text.Reads || Own.isAssigned(A) ? nullptr : "private data may be read before they are assigned";
}

// An element of an array that a 'reduction' names with all its elements.
const char *Summary::checkResult(Access &A) {
  const Value *Root = pointerRoot(A.Mark->getArgOperand(0));
  const auto Elements = elementsOf(A, Root, RT.DL);
  const bool Whole = Elements && any_of(reductionClauses(K), [&](const ReductionClause &C) {
                       return (C.Address == Root && C.Count * C.ElementBytes == uint64_t(*Elements) * A.Text.Size) ||
                              (C.Location == Root && C.LocationCount == uint64_t(*Elements));
                     });
  return Whole ? checkAny(A, DVMRT_SUMMARY_RESULT) : "it accesses parts of the result of a reduction";
}

// One of all elements of an array, each of which has to have a value at the entry.
const char *Summary::checkAny(Access &A, uint32_t Flags) {
  Value *Root = pointerRoot(A.Mark->getArgOperand(0));
  const auto Elements = Forms.inBody(A.Mark->getParent()) ? elementsOf(A, Root, RT.DL) : std::nullopt;
  if (!Elements)
    return "the place of an access is not known at its entry";
  Asked.add(A, to_vector<4>(seq(0U, unsigned(A.Index.size()))));
  if (A.Var) {
    Guards.insert(A.Var->Words);
    return nullptr;
  }
  Reference R{&A, DVMRT_SUMMARY_DATA, A.Text.touchFlags() | Flags, {}, {}, {}};
  R.Address.More = IRBuilder<>(K.Begin).CreatePtrToInt(Root, RT.I64);
  const Linear Element = Asked.any(*Elements, 0);
  for (int64_t By : Element.Coef)
    R.Address.Coef.push_back(By * int64_t(A.Text.Size));
  References.push_back(std::move(R));
  return nullptr;
}

const char *Summary::checkData(Access &A) {
  Value *P = A.Mark->getArgOperand(0);
  if (Own.isOwn(P))
    return checkOwn(A);
  if (Value *Root = pointerRoot(P); Root != behindMarks(P) && Code.isReduction(Root))
    return checkResult(A);
  if (A.Text.Writes && !Code.isReduction(P))
    return "it writes data that are neither distributed nor private";
  Reference R{&A, DVMRT_SUMMARY_DATA, A.Text.touchFlags() | (Code.isReduction(P) ? DVMRT_SUMMARY_RESULT : 0), {}, {}, {}};
  auto Address = Forms.address(P, A.Mark->getParent());
  if (!Address)
    return checkAny(A, 0);
  R.Address = *Address;
  if (const char *Why = addSubscripts(R))
    return Why;
  References.push_back(std::move(R));
  return nullptr;
}

const char *Summary::checkAccess(Access &A) {
  if (A.Var)
    return checkVariable(A);
  if (A.Text.Loose)
    return "it accesses bit-fields or members of packed structs";
  bool InBody = Forms.inBody(A.Mark->getParent());
  if (A.Text.Use && *A.Text.Use < K.Text.Uses.size() && A.In == &K && !A.Text.PartOfElement)
    return InBody ? checkElement(A) : "a bound of its loops is an element of a distributed array";
  if (A.Text.OfDistributed) // what is behind its end would be taken for other data
    return "it accesses parts of elements of a distributed array";
  return checkData(A);
}

// ---- The table -----------------------------------------------------------------------------------------------------------

// Whether all that 'Write' does in an iteration has been done when 'Read' is reached.
bool Summary::isOver(const Access &Write, const Access &Read) {
  const BasicBlock *At = Write.Mark->getParent(), *Then = Read.Mark->getParent();
  Loop *Whole = nullptr;
  for (Loop *L = Forms.LI.getLoopFor(At); L != Forms.Innermost; L = L->getParentLoop()) {
    if (L->getExitingBlock() != L->getHeader())
      return false;
    Whole = L;
  }
  if (Whole)
    return !Whole->contains(Then) && Forms.DT.dominates(Whole->getHeader(), Then);
  bool Any = false;
  for (const User *U : Write.Mark->users())
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      Any = true;
      if (!Forms.DT.dominates(Store, Read.Mark))
        return false;
    }
  return Any;
}

// Bit n: reference n gives elements of the same array a value before.
uint64_t Summary::writesBefore(const Reference &R) {
  uint64_t Before = 0;
  if (R.Use == DVMRT_SUMMARY_DATA || !(R.Flags & DVMRT_READ))
    return 0;
  for (size_t N = 0; N < References.size() && N < 64; ++N) {
    const Reference &W = References[N];
    if (W.Use == R.Use && W.Flags == DVMRT_WRITE && isOver(*W.A, *R.A))
      Before |= uint64_t(1) << N;
  }
  return Before;
}

// Coefficients, constant, number of the value that is added or -1.
void Summary::encode(const Linear &L, SmallVectorImpl<int64_t> &Out, SmallVectorImpl<Value *> &Values) {
  for (unsigned V = 0; V < Forms.rank() + Forms.Inners.size(); ++V)
    Out.push_back(V < L.Coef.size() ? L.Coef[V] : 0);
  Out.push_back(L.Add);
  Out.push_back(L.More ? Values.size() : -1);
  if (L.More)
    Values.push_back(L.More);
}

static GlobalVariable *constantData(Module &M, Constant *Init) {
  auto *G = new GlobalVariable(M, Init->getType(), true, GlobalValue::PrivateLinkage, Init, "dvm.summary");
  G->setAlignment(Align(8));
  return G;
}

Constant *Summary::table(SmallVectorImpl<Value *> &Values) {
  SmallVector<int64_t, 64> Numbers;
  SmallVector<Constant *, 8> Rows;
  for (const NestForms::Inner &I : Forms.Inners) {
    encode(I.Low, Numbers, Values);
    encode(I.High, Numbers, Values);
  }
  auto *I32 = RT.I32;
  auto Word = [&](uint32_t N) { return ConstantInt::get(I32, N); };
  for (Reference &R : References) {
    uint32_t First = Numbers.size();
    if (R.Use == DVMRT_SUMMARY_DATA)
      encode(R.Address, Numbers, Values);
    for (const Linear &L : R.Subscripts)
      encode(L, Numbers, Values);
    for (const Linear &L : R.Limits)
      encode(L, Numbers, Values);
    Rows.push_back(ConstantStruct::getAnon(
        {S.site(*R.A), Word(R.Use), Word(R.Flags), Word(R.Subscripts.size()), Word(First), ConstantInt::get(RT.I64, writesBefore(R))}));
  }
  SmallVector<int64_t, 2> Steps;
  for (const NestForms::Inner &I : Forms.Inners)
    Steps.push_back(I.Step);
  Constant *Refs = Rows.empty() ? static_cast<Constant *>(ConstantPointerNull::get(RT.Ptr))
                                : constantData(RT.M, ConstantArray::get(ArrayType::get(Rows[0]->getType(), Rows.size()), Rows));
  auto Array = [&](ArrayRef<int64_t> N) {
    SmallVector<uint64_t, 64> U(N.begin(), N.end());
    return constantData(RT.M, ConstantDataArray::get(RT.C, U));
  };
  return constantData(RT.M, ConstantStruct::getAnon({Word(Forms.rank()), Word(Forms.Inners.size()), Word(Rows.size()),
                                                     Word(std::abs(InnerStep)), Refs, Array(Numbers), Array(Steps)}));
}

// ---- The range of the iterations -------------------------------------------------------------------------------------------

// last = innermost index variable; row++;
void Summary::countIteration(BasicBlock *BB) {
  IRBuilder<> B(BB);
  Value *V = B.CreateLoad(B.getIntNTy(8 * std::abs(Forms.IndexBytes.back())), Forms.IndexAddresses.back());
  B.CreateStore(Forms.IndexBytes.back() < 0 ? B.CreateSExt(V, RT.I64) : B.CreateZExt(V, RT.I64), Last);
  B.CreateStore(B.CreateAdd(B.CreateLoad(RT.I64, Row), B.getInt64(1)), Row);
}

// if (row) { count += row; widen the ranges; parity |= which parities the sum of the index variables has;
//            shape = mix(shape, first and last index variables of the row); row = 0; }
void Summary::endRow(BasicBlock *BB) {
  IRBuilder<> B(BB, BB->getFirstInsertionPt());
  Value *N = B.CreateLoad(RT.I64, Row), *Any = B.CreateIsNotNull(N), *End = B.CreateLoad(RT.I64, Last);
  Value *Way = B.CreateMul(B.CreateSub(N, B.getInt64(1)), B.getInt64(InnerStep)), *Sum = End, *Mixed = B.CreateLoad(RT.I64, Shape),
        *Untouched = Mixed;
  auto Mix = [&](Value *V) {
    Mixed = B.CreateMul(B.CreateXor(Mixed, V), B.getInt64(0x9e3779b97f4a7c15));
    Mixed = B.CreateXor(Mixed, B.CreateLShr(Mixed, 29));
  };
  auto Widen = [&](unsigned D, Value *Least, Value *Most) {
    Value *L = B.CreateLoad(RT.I64, Low[D]), *H = B.CreateLoad(RT.I64, High[D]);
    B.CreateStore(B.CreateSelect(B.CreateAnd(Any, B.CreateICmpSLT(Least, L)), Least, L), Low[D]);
    B.CreateStore(B.CreateSelect(B.CreateAnd(Any, B.CreateICmpSGT(Most, H)), Most, H), High[D]);
  };
  for (unsigned D = 0; D + 1 < Forms.rank(); ++D) {
    Value *V = B.CreateLoad(B.getIntNTy(8 * std::abs(Forms.IndexBytes[D])), Forms.IndexAddresses[D]);
    V = Forms.IndexBytes[D] < 0 ? B.CreateSExt(V, RT.I64) : B.CreateZExt(V, RT.I64);
    Sum = B.CreateAdd(Sum, V);
    Widen(D, V, V);
    Mix(V);
  }
  Value *Begin = B.CreateSub(End, Way);
  Mix(Begin);
  Mix(End);
  B.CreateStore(B.CreateSelect(Any, Mixed, Untouched), Shape);
  Widen(Forms.rank() - 1, InnerStep > 0 ? Begin : End, InnerStep > 0 ? End : Begin);
  Value *One = B.CreateShl(B.getInt64(1), B.CreateAnd(Sum, B.getInt64(1)));
  if (InnerStep % 2)
    One = B.CreateSelect(B.CreateICmpUGT(N, B.getInt64(1)), B.getInt64(3), One);
  Value *Old = B.CreateLoad(RT.I64, Parity);
  B.CreateStore(B.CreateSelect(Any, B.CreateOr(Old, One), Old), Parity);
  B.CreateStore(B.CreateAdd(B.CreateLoad(RT.I64, Count), N), Count);
  B.CreateStore(B.getInt64(0), Row);
}

static void clear(BasicBlock *BB) {
  for (Instruction &I : make_early_inc_range(reverse(*BB))) {
    I.dropDbgRecords();
    if (!I.use_empty())
      I.replaceAllUsesWith(PoisonValue::get(I.getType()));
    I.eraseFromParent();
  }
}

// All of a variable's.
Value *Summary::haveValues(IRBuilder<> &B, AllocaInst &Words) {
  auto *Array = dyn_cast<ArrayType>(Words.getAllocatedType());
  if (!Array)
    return B.CreateICmpUGE(S.load(B, &Words), B.getInt32(DVMRT_W_FIRST));
  Value *All = B.getInt64(Array->getNumElements());
  return RT.fast(B, "dvmi_local_assigned", B.getInt1Ty(), {&Words, All, B.getInt64(1), B.getInt64(0), All});
}

void Summary::ask(BasicBlock *BB, Constant *Table, ArrayRef<Value *> Values, BasicBlock *Plain, ArrayRef<AllocaInst *> Saved) {
  IRBuilder<> B(BB);
  if (DISubprogram *SP = S.F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(RT.C, SP->getScopeLine(), 0, SP));
  auto *BoxType = ArrayType::get(RT.I64, 3 + 2 * Forms.rank());
  AllocaInst *Box = S.slot(BoxType, "dvm.box");
  auto Put = [&](AllocaInst *Slot, unsigned At) {
    B.CreateStore(B.CreateLoad(RT.I64, Slot), B.CreateConstInBoundsGEP2_64(BoxType, Box, 0, At));
  };
  Value *Fine = B.getTrue();
  for (AllocaInst *Words : Guards)
    Fine = B.CreateAnd(Fine, haveValues(B, *Words));
  for (Value *Holds : Own.conditions())
    Fine = B.CreateAnd(Fine, Holds);
  B.CreateStore(B.CreateSelect(Fine, B.CreateLoad(RT.I64, Count), B.getInt64(-1)), Count);
  Put(Count, 0);
  Put(Parity, 1);
  Put(Shape, 2 + 2 * Forms.rank());
  for (unsigned D = 0; D < Forms.rank(); ++D) {
    Put(Low[D], 2 + 2 * D);
    Put(High[D], 3 + 2 * D);
    B.CreateStore(B.CreateLoad(Saved[D]->getAllocatedType(), Saved[D]), Forms.IndexAddresses[D]);
  }
  auto *ValuesType = ArrayType::get(RT.I64, std::max<size_t>(1, Values.size()));
  AllocaInst *Array = S.slot(ValuesType, "dvm.values");
  for (unsigned N = 0; N < Values.size(); ++N)
    B.CreateStore(Values[N], B.CreateConstInBoundsGEP2_64(ValuesType, Array, 0, N));
  Value *Proved = RT.call(B, "__dvmrt_summary", {K.Site, Table, Box, Array});
  B.CreateCondBr(B.CreateIsNotNull(Proved), Plain, K.Begin->getSuccessor(0));
}

BasicBlock *Summary::cloneRange(Constant *Table, ArrayRef<Value *> Values, BasicBlock *Plain) {
  Count = S.slot(RT.I64, "dvm.count");
  Row = S.slot(RT.I64, "dvm.row");
  Last = S.slot(RT.I64, "dvm.last");
  Parity = S.slot(RT.I64, "dvm.parity");
  Shape = S.slot(RT.I64, "dvm.shape");
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Cloned;
  for (BasicBlock *BB : K.Blocks)
    if (BB == Forms.Iteration || !Forms.inBody(BB)) {
      Cloned.push_back(CloneBasicBlock(BB, Map, ".range", &S.F));
      Map[BB] = Cloned.back();
    }
  BasicBlock *Leave = cast<BasicBlock>(Map[K.Leaves[0]->getParent()]);
  BasicBlock *Iteration = cast<BasicBlock>(Map[Forms.Iteration]), *Exit = cast<BasicBlock>(Map[Forms.Exit]);
  auto *Latch = cast<BasicBlock>(Map[Forms.Innermost->getLoopLatch()]);
  clear(Leave);
  clear(Iteration);
  remapInstructionsInBlocks(Cloned, Map);
  countIteration(Iteration);
  BranchInst::Create(Latch, Iteration);

  IRBuilder<> B(K.Begin);
  for (AllocaInst *Slot : {Count, Row, Last, Parity, Shape})
    B.CreateStore(B.getInt64(0), Slot);
  SmallVector<AllocaInst *, 4> Saved;
  for (unsigned D = 0; D < Forms.rank(); ++D) {
    Low.push_back(S.slot(RT.I64, "dvm.low"));
    High.push_back(S.slot(RT.I64, "dvm.high"));
    B.CreateStore(B.getInt64(INT64_MAX), Low[D]);
    B.CreateStore(B.getInt64(INT64_MIN), High[D]);
    Type *T = B.getIntNTy(8 * std::abs(Forms.IndexBytes[D]));
    Saved.push_back(S.slot(T, "dvm.saved"));
    B.CreateStore(B.CreateLoad(T, Forms.IndexAddresses[D]), Saved[D]);
  }
  if (Exit == Leave) {
    BranchInst::Create(Leave, Leave); // for the insertion point; goes again
    endRow(Leave);
    Leave->getTerminator()->eraseFromParent();
  } else {
    endRow(Exit);
  }
  ask(Leave, Table, Values, Plain, Saved);
  for (BasicBlock *BB : Cloned)
    for (Instruction &I : make_early_inc_range(*BB)) {
      I.setMetadata(LLVMContext::MD_loop, nullptr);
      if (!markerName(&I).empty()) {
        if (!I.getType()->isVoidTy())
          I.replaceAllUsesWith(cast<CallInst>(I).getArgOperand(0));
        I.eraseFromParent();
      }
    }
  return cast<BasicBlock>(Map[K.Begin->getSuccessor(0)]);
}

// ---- The body without checks -----------------------------------------------------------------------------------------------

// A result that had no value before (the location of an extreme) has one when the body gives it one; it need not.
void Summary::assignResults(ValueToValueMapTy &Map) {
  auto Assign = [&](Variable &V, Instruction *Writer) {
    auto *Cloned = cast_or_null<Instruction>(Map.lookup(Writer));
    if (!Cloned || !V.Words || V.isArray() || V.kind(&K) != DVMRT_L_REDUCTION || Guards.contains(V.Words))
      return;
    IRBuilder<> B(Cloned);
    S.store(B, B.getInt32(DVMRT_W_ASSIGNED), V.Words);
  };
  for (auto &V : S.Variables)
    for (Instruction *Store : V->Stores)
      Assign(*V, Store);
  for (Access &A : S.Accesses)
    if (A.Var && A.Text.Writes)
      Assign(*A.Var, A.Mark);
}

// Descriptors and dummy arguments, once: to the optimiser each element that is stored might be one of their words.
void Summary::readEarly(ValueToValueMapTy &Map) {
  for (BasicBlock *BB : K.Blocks)
    for (Instruction &I : *BB)
      if (Value *Early = isa<LoadInst>(I) ? Forms.hoist(&I) : nullptr)
        cast<LoadInst>(Map[&I])->replaceAllUsesWith(Early);
}

BasicBlock *Summary::clonePlain() {
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Cloned;
  for (BasicBlock *BB : K.Blocks) {
    Cloned.push_back(CloneBasicBlock(BB, Map, ".plain", &S.F));
    Map[BB] = Cloned.back();
  }
  remapInstructionsInBlocks(Cloned, Map);
  auto *Leave = cast<CallInst>(Map[K.Leaves[0]]);
  assignResults(Map);
  if (isFromFlang(*S.F.getParent()))
    readEarly(Map);
  Asked.keepIn(Map, Cloned);
  for (BasicBlock *BB : Cloned)
    for (Instruction &I : make_early_inc_range(*BB)) {
      if (markerName(&I).empty() || &I == Leave)
        continue;
      if (!I.getType()->isVoidTy())
        I.replaceAllUsesWith(cast<CallInst>(I).getArgOperand(0));
      I.eraseFromParent();
    }
  // As if the iterations had given their index variables a value.
  IRBuilder<> B(Leave);
  Value *Written = B.CreateOr(S.limit(B, &K, LimitBase), B.getInt32(1));
  for (Value *P : Forms.IndexAddresses)
    if (AllocaInst *Words = S.VariableOf.lookup(P)->Words)
      S.store(B, Written, Words);
  K.Leaves.push_back(Leave);
  return keepResults(cast<BasicBlock>(Map[K.Begin->getSuccessor(0)]), Cloned, Leave);
}

static Type *scalarType(Value *P) {
  auto *A = dyn_cast<AllocaInst>(P);
  auto *G = dyn_cast<GlobalVariable>(P);
  Type *T = A ? A->getAllocatedType() : G ? G->getValueType() : nullptr;
  if (isa<Argument>(P)) // of Fortran; each use must agree
    for (User *U : P->users())
      if (!T && getLoadStorePointerOperand(U) == P)
        T = getLoadStoreType(U);
  return T && (T->isFloatingPointTy() || T->isIntegerTy()) ? T : nullptr;
}

// The loads and stores of the variable in the body, if nothing else is done with it there.
static SmallVector<Use *, 8> usesInside(Value *P, Type *T, const SmallPtrSetImpl<BasicBlock *> &Body) {
  SmallVector<Use *, 8> Inside;
  for (Use &U : P->uses()) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (I && !Body.contains(I->getParent()))
      continue;
    if (!I || getLoadStorePointerOperand(I) != P || getLoadStoreType(I) != T || (isa<StoreInst>(I) && U.getOperandNo() == 0))
      return {};
    Inside.push_back(&U);
  }
  return Inside;
}

// Results of reductions whose address is known elsewhere ('get_actual' takes it) are in memory, where each store to an element could be one
// to them.  The runtime has shown that none is: for the time of the body they are in variables of its own.
BasicBlock *Summary::keepResults(BasicBlock *First, ArrayRef<BasicBlock *> Body, CallInst *Leave) {
  const SmallPtrSet<BasicBlock *, 16> Blocks(Body.begin(), Body.end());
  BasicBlock *Before = First;
  for (Value *P : S.F.hasOptNone() ? SmallVector<Value *, 4>() : Code.results()) {
    Type *T = scalarType(P);
    SmallVector<Use *, 8> Uses = T ? usesInside(P, T, Blocks) : SmallVector<Use *, 8>();
    if (Uses.empty())
      continue;
    if (Before == First) {
      Before = BasicBlock::Create(RT.C, "dvm.results", &S.F, First);
      BranchInst::Create(First, Before);
    }
    AllocaInst *Slot = S.slot(T, "dvm.result");
    IRBuilder<> B(Before->getTerminator()), E(Leave);
    B.CreateStore(B.CreateLoad(T, P), Slot);
    for (Use *U : Uses)
      U->set(Slot);
    E.CreateStore(E.CreateLoad(T, Slot), P);
  }
  return Before;
}

void Summary::transform() {
  if (!K.Site)
    K.Site = RT.site(K.TextConstant);
  SmallVector<Value *, 16> Values;
  Constant *Table = table(Values);
  BasicBlock *Plain = clonePlain();
  BasicBlock *Range = cloneRange(Table, Values, Plain);
  K.Begin->setSuccessor(0, Range);
}

// ---- All nests ---------------------------------------------------------------------------------------------------------------

void dvmir::summarizeNests(FunctionState &S) {
  for (auto &[Cid, K] : S.Constructs) {
    if (K->Text.Kind != "parallel" || !K->Begin || isa<PHINode>(K->Enter->getParent()->front()))
      continue;
    if (const char *Why = Summary(S, *K).run())
      addToText(S.RT, *K, Twine("y ") + Why);
  }
}
