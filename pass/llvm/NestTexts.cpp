#include "NestTexts.h"
#include "Function.h"
#include "PlainCode.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace dvmir;

namespace {
// Coef * index variable 'Index' + Add; Index < 0: a number.
struct Affine {
  int Index = -1;
  int64_t Coef = 0, Add = 0;
};

// sum of times * value, + Add
struct Distance {
  SmallVector<std::pair<Value *, int64_t>, 2> Terms;
  int64_t Add = 0;
};

struct Nest {
  CallInst *Enter = nullptr, *Iteration = nullptr;
  unsigned Cid = 0;
  DirectiveText Text;
  SmallVector<Value *, 4> IndexVariables;
  SmallVector<Value *, 4> Arrays;      // of the USE lines
  SmallVector<char, 4> Accesses;       // likewise
  SmallVector<std::string, 4> Added;   // names behind those that the text has
  SmallVector<CallInst *, 16> Marks;   // accesses in it
};

class NestTexts {
  Function &F;
  const DominatorTree &DT;
  const DistributedArrays &Known;
  DenseMap<std::pair<uint64_t, uint64_t>, CallInst *> Subscripts; // by access and dimension; null: several
  SmallVector<Nest, 4> Nests;

  void findNests();
  void findUses(Nest &N);
  Nest *around(const Instruction &I);
  std::optional<Affine> affine(const Nest &N, Value *V) const;
  bool distances(Value *P, ArrayRef<std::pair<uint64_t, uint64_t>> Dims, MutableArrayRef<Distance> By) const;
  bool lead(Nest &N, CallInst *Mark, std::string &Lines);
  void forget(uint64_t Id, unsigned Dim);
  CallInst *markSubscript(CallInst *Mark, const Distance &By, unsigned Dim);
  std::optional<unsigned> useOf(Nest &N, CallInst *Mark);
  std::string subscript(const Nest &N, CallInst *Mark, unsigned Dim) const;
  void complete(Nest &N, CallInst *Mark);
  bool isSeen(const Nest &N, Instruction &I) const;
  bool seesAll(const Nest &N) const;
  void settleUses(Nest &N);
  void retell(Nest &N);

public:
  NestTexts(Function &F, const DominatorTree &DT, const DistributedArrays &Known) : F(F), DT(DT), Known(Known) {}
  void run();
};
} // namespace

static constexpr unsigned IdOperand = 1;

static uint64_t numberOf(CallInst *Mark, unsigned Arg) { return cast<ConstantInt>(Mark->getArgOperand(Arg))->getZExtValue(); }

// What an address leads to for a directive: an array, or the pointer variable that its first element was taken from.
static Value *arrayOf(Value *P) {
  Value *Root = rootOf(P);
  auto *Load = dyn_cast<LoadInst>(Root);
  return Load ? behindAll(Load->getPointerOperand()) : Root;
}

// ---- Nests -----------------------------------------------------------------------------------------------------------------------

void NestTexts::findUses(Nest &N) {
  const auto Args = markerArguments(N.Enter);
  for (auto [At, Arg] : enumerate(N.Text.Args))
    if (Arg.Line == DVMRT_DIRECTIVE_USE && At < Args.size())
      N.Arrays.push_back(arrayOf(Args[At]));
  for (const DirectiveText::Use &U : N.Text.Uses)
    N.Accesses.push_back(U.Access);
}

void NestTexts::findNests() {
  DenseMap<uint64_t, CallInst *> Iterations;
  SmallVector<CallInst *, 4> Enters;
  for (Instruction &I : instructions(F)) {
    StringRef Name = markerName(&I);
    if (Name == DVMM_ITER)
      Iterations[numberOf(cast<CallInst>(&I), 0)] = cast<CallInst>(&I);
    else if (Name == DVMM_ENTER)
      Enters.push_back(cast<CallInst>(&I));
    else if (Name == DVMM_INDEX) {
      auto *Mark = cast<CallInst>(&I);
      auto [At, New] = Subscripts.try_emplace({numberOf(Mark, 1), numberOf(Mark, 2)}, Mark);
      if (!New)
        At->second = nullptr;
    }
  }
  for (CallInst *Enter : Enters) {
    Nest N;
    N.Enter = Enter;
    N.Text = DirectiveText::parse(markerText(Enter->getArgOperand(0)));
    N.Cid = N.Text.Cid;
    N.Iteration = Iterations.lookup(N.Cid);
    if (!N.Iteration || N.Text.Kind != "parallel")
      continue;
    for (unsigned Arg = 2; Arg + 1 < N.Iteration->arg_size(); Arg += 2)
      N.IndexVariables.push_back(N.Iteration->getArgOperand(Arg));
    findUses(N);
    if (N.Arrays.size() == N.Accesses.size())
      Nests.push_back(std::move(N));
  }
}

// The innermost.
Nest *NestTexts::around(const Instruction &I) {
  Nest *Best = nullptr;
  for (Nest &N : Nests)
    if (DT.dominates(N.Iteration, &I) && (!Best || DT.dominates(Best->Iteration, N.Iteration)))
      Best = &N;
  return Best;
}

// ---- Subscripts ------------------------------------------------------------------------------------------------------------------

std::optional<Affine> NestTexts::affine(const Nest &N, Value *V) const {
  V = behindAll(V);
  if (auto *C = dyn_cast<ConstantInt>(V); C && C->getBitWidth() <= 64)
    return Affine{-1, 0, C->getSExtValue()};
  if (auto *Extended = dyn_cast<SExtInst>(V))
    return affine(N, Extended->getOperand(0));
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    auto At = find(N.IndexVariables, behindAll(Load->getPointerOperand()));
    if (At == N.IndexVariables.end() || !Load->isSimple() || !DT.dominates(N.Iteration, Load))
      return std::nullopt;
    return Affine{int(At - N.IndexVariables.begin()), 1, 0};
  }
  auto *Binary = dyn_cast<BinaryOperator>(V);
  if (!Binary || !isa<OverflowingBinaryOperator>(Binary) || !Binary->hasNoSignedWrap() ||
      !is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul}, Binary->getOpcode()))
    return std::nullopt;
  auto X = affine(N, Binary->getOperand(0)), Y = affine(N, Binary->getOperand(1));
  if (!X || !Y)
    return std::nullopt;
  if (Binary->getOpcode() == Instruction::Mul) {
    if (Y->Index >= 0)
      std::swap(X, Y);
    Affine R{X->Index};
    if (Y->Index >= 0 || MulOverflow(X->Coef, Y->Add, R.Coef) || MulOverflow(X->Add, Y->Add, R.Add))
      return std::nullopt;
    return R;
  }
  const bool Less = Binary->getOpcode() == Instruction::Sub;
  if (X->Index >= 0 && Y->Index >= 0 && X->Index != Y->Index)
    return std::nullopt;
  Affine R{std::max(X->Index, Y->Index)};
  if (Less ? SubOverflow(X->Coef, Y->Coef, R.Coef) || SubOverflow(X->Add, Y->Add, R.Add)
           : AddOverflow(X->Coef, Y->Coef, R.Coef) || AddOverflow(X->Add, Y->Add, R.Add))
    return std::nullopt;
  return R;
}

// What the line of an 'o' says better; empty: nothing.
std::string NestTexts::subscript(const Nest &N, CallInst *Mark, unsigned Dim) const {
  CallInst *Subscript = Subscripts.lookup({numberOf(Mark, 1), Dim});
  if (!Subscript || !DT.dominates(Subscript, Mark))
    return "";
  auto A = affine(N, Subscript);
  if (!A)
    return "";
  if (A->Index < 0 || !A->Coef)
    return ("c" + Twine(A->Add)).str();
  return ("a" + Twine(A->Index) + ":" + Twine(A->Coef) + ":" + Twine(A->Add)).str();
}

// ---- Pointers --------------------------------------------------------------------------------------------------------------------

// The bytes of an element of each dimension, outermost first; the array itself is no dimension of its elements.  Empty: not of elements so large.
static SmallVector<std::pair<uint64_t, uint64_t>, 4> dimensionsOf(const GlobalVariable *G, uint64_t Element, const DataLayout &DL) {
  SmallVector<std::pair<uint64_t, uint64_t>, 4> Dims; // extent, bytes
  Type *T = G->getValueType();
  for (; auto *A = dyn_cast<ArrayType>(T); T = A->getElementType())
    Dims.push_back({A->getNumElements(), DL.getTypeAllocSize(A->getElementType())});
  if (T->isAggregateType() || Dims.empty() || Dims.back().second != Element)
    Dims.clear();
  return Dims;
}

// Halves towards zero.
static int64_t divideNearest(int64_t Bytes, int64_t Unit) {
  const int64_t Half = (Unit - 1) / 2;
  return (Bytes < 0 ? Bytes - Half : Bytes + Half) / Unit;
}

// The subscripts, as sums of multiples, of what lies so far behind the beginning of an array.
bool NestTexts::distances(Value *P, ArrayRef<std::pair<uint64_t, uint64_t>> Dims, MutableArrayRef<Distance> By) const {
  const DataLayout &DL = F.getDataLayout();
  int64_t Bytes = 0;
  for (P = behindAll(P); auto *GEP = dyn_cast<GEPOperator>(P); P = behindAll(GEP->getPointerOperand())) {
    MapVector<Value *, APInt> Scaled;
    APInt Offset(64, 0);
    if (!GEP->collectOffset(DL, 64, Scaled, Offset))
      return false;
    Bytes += Offset.getSExtValue();
    for (auto &[V, Factor] : Scaled) {
      const int64_t Scale = Factor.getSExtValue();
      auto Dim = find_if(Dims, [&](auto &D) { return Scale % int64_t(D.second) == 0; });
      if (Dim == Dims.end())
        return false;
      By[Dim - Dims.begin()].Terms.push_back({behindAll(V), Scale / int64_t(Dim->second)});
    }
  }
  for (unsigned Dim = 0; Dim < Dims.size(); ++Dim) {
    // row[j - 1] is in that row; without a subscript that varies only what lies between its ends is.
    const bool Varies = any_of(By.drop_front(Dim + 1), [](const Distance &D) { return !D.Terms.empty(); });
    const int64_t Unit = Dims[Dim].second;
    By[Dim].Add = Varies ? divideNearest(Bytes, Unit) : divideFloorSigned(Bytes, Unit);
    Bytes -= By[Dim].Add * Unit;
  }
  return !Bytes;
}

// 'double *row = a[i]; row[j]': the subscripts of the element.  False: they are not known.
bool NestTexts::lead(Nest &N, CallInst *Mark, std::string &Lines) {
  auto *Array = dyn_cast<GlobalVariable>(rootOf(Mark->getArgOperand(0)));
  const auto Text = AccessText::parse(markerText(Mark->getArgOperand(2)));
  if (!Array || Text.OfDistributed || Text.Whole || Text.Loose || Text.Buffered || Text.PartOfElement)
    return false;
  const auto Dims = dimensionsOf(Array, Text.Size, F.getDataLayout());
  SmallVector<Distance, 4> By(Dims.size());
  if (Dims.empty() || !distances(Mark->getArgOperand(0), Dims, By))
    return false;
  const auto Use = useOf(N, Mark);
  if (!Use)
    return false;
  const uint64_t Id = numberOf(Mark, IdOperand);
  for (unsigned Dim = 0; Dim < DVMM_EXTENT; ++Dim)
    forget(Id, Dim);
  for (unsigned Dim = 0; Dim < Dims.size(); ++Dim) {
    Subscripts[{Id, Dim}] = markSubscript(Mark, By[Dim], Dim);
    std::string Axis = subscript(N, Mark, Dim);
    Lines += ("\nX " + (Axis.empty() ? "o" : Axis) + "\nB " + Twine(Dims[Dim].first)).str();
  }
  Lines += ("\nD " + Twine(*Use)).str();
  Mark->setMetadata(LedMark, MDNode::get(F.getContext(), {}));
  return true;
}

void NestTexts::forget(uint64_t Id, unsigned Dim) {
  auto At = Subscripts.find({Id, Dim});
  if (At == Subscripts.end() || !At->second)
    return;
  At->second->replaceAllUsesWith(At->second->getArgOperand(0));
  At->second->eraseFromParent();
  Subscripts.erase(At);
}

CallInst *NestTexts::markSubscript(CallInst *Mark, const Distance &By, unsigned Dim) {
  IRBuilder<> B(Mark);
  Value *Sum = B.getInt64(uint64_t(By.Add));
  for (auto [V, Times] : By.Terms) {
    Value *Wide = B.CreateSExtOrTrunc(V, B.getInt64Ty());
    Sum = B.CreateNSWAdd(Times == 1 ? Wide : B.CreateNSWMul(Wide, B.getInt64(uint64_t(Times))), Sum);
  }
  Type *I64 = B.getInt64Ty();
  auto Index = F.getParent()->getOrInsertFunction(DVMM_INDEX, FunctionType::get(I64, {I64, I64, I64}, false));
  return B.CreateCall(Index, {Sum, Mark->getArgOperand(IdOperand), B.getInt64(Dim)});
}

// ---- Accesses --------------------------------------------------------------------------------------------------------------------

// The number of the array among those that the nest names, put there if it is none of them; nothing: no directive names it.
std::optional<unsigned> NestTexts::useOf(Nest &N, CallInst *Mark) {
  Value *Array = arrayOf(Mark->getArgOperand(0));
  auto At = find(N.Arrays, Array);
  if (At == N.Arrays.end()) {
    auto Name = Known.find(Array);
    if (Name == Known.end() || Array != rootOf(Mark->getArgOperand(0)))
      return std::nullopt;
    N.Added.push_back(Name->second);
    N.Accesses.push_back('?');
    At = N.Arrays.insert(N.Arrays.end(), Array);
  }
  char &Access = N.Accesses[At - N.Arrays.begin()];
  if (AccessText::parse(markerText(Mark->getArgOperand(2))).Writes && Access == 'r')
    Access = 'w';
  return At - N.Arrays.begin();
}

// Subscripts of the pointer, and what they have to be in.
static bool isOfPointer(char Key) {
  return is_contained(
      {DVMRT_ACCESS_SUBSCRIPT, DVMRT_ACCESS_EXTENT, DVMRT_ACCESS_INNER_SUBSCRIPT, DVMRT_ACCESS_INNER_EXTENT, DVMRT_ACCESS_LONGER}, Key);
}

void NestTexts::complete(Nest &N, CallInst *Mark) {
  StringRef Text = markerText(Mark->getArgOperand(2));
  const bool Moved = siteLine(Text, DVMRT_ACCESS_CONSTRUCT) == "0";
  if (!Moved && AccessText::parse(Text).Cid != N.Cid)
    return;
  std::string New, Lead;
  const bool Led = lead(N, Mark, Lead);
  unsigned Dim = 0;
  const char *At = Text.begin();
  for (dvmrt_site_line Line; dvmrt_site_next_line(&At, Text.end(), &Line);) {
    StringRef Rest(Line.s, Line.n);
    std::string Better;
    if (Led && Line.key == DVMRT_ACCESS_CONSTRUCT)
      Better = "0";
    else if (Moved && Line.key == DVMRT_ACCESS_DISTRIBUTED)
      if (auto Use = useOf(N, Mark))
        Better = utostr(*Use);
    if (Led && isOfPointer(Line.key))
      continue;
    if (Line.key == DVMRT_ACCESS_SUBSCRIPT && Rest[0] == 'o')
      Better = subscript(N, Mark, Dim);
    Dim += Line.key == DVMRT_ACCESS_SUBSCRIPT;
    New += (Twine(New.empty() ? "" : "\n") + Twine(Line.key) + " " + (Better.empty() ? Rest : StringRef(Better))).str();
  }
  New += Lead;
  if (Moved || Led)
    Mark->setMetadata(NestMark, MDNode::get(F.getContext(), ConstantAsMetadata::get(IRBuilder<>(Mark).getInt64(N.Cid))));
  if (New != Text.rtrim('\n'))
    Mark->setArgOperand(2, IRBuilder<>(Mark).CreateGlobalString(New, "dvm.text"));
}

// ---- What a nest does to its arrays ----------------------------------------------------------------------------------------------

// Does the instruction write nothing, a variable, or an array of the nest by a marked store?
bool NestTexts::isSeen(const Nest &N, Instruction &I) const {
  if (!I.mayWriteToMemory() || !markerName(&I).empty())
    return true;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Value *To = Store->getPointerOperand(), *Root = rootOf(To);
    return is_contained(N.Arrays, arrayOf(To)) ? markerName(To) == DVMM_ACCESS : isa<AllocaInst, GlobalVariable>(Root);
  }
  if (auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return isa<AllocaInst>(rootOf(Memory->getRawDest()));
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (isa<IntrinsicInst>(Call) || isMathematical(Call->getCalledFunction()));
}

bool NestTexts::seesAll(const Nest &N) const {
  return all_of(instructions(F), [&](Instruction &I) { return !DT.dominates(N.Iteration, &I) || isSeen(N, I); });
}

// With the calls gone, an array that nothing in the text writes is read.
void NestTexts::settleUses(Nest &N) {
  if (!is_contained(N.Accesses, '?') || !seesAll(N))
    return;
  auto IsWritten = [&](Value *Array) {
    return any_of(N.Marks, [&](CallInst *Mark) {
      return arrayOf(Mark->getArgOperand(0)) == Array && AccessText::parse(markerText(Mark->getArgOperand(2))).Writes;
    });
  };
  for (auto [Array, Access] : zip(N.Arrays, N.Accesses))
    if (Access == '?')
      Access = IsWritten(Array) ? 'w' : 'r';
}

void NestTexts::retell(Nest &N) {
  StringRef Text = markerText(N.Enter->getArgOperand(0));
  std::string New;
  unsigned Use = 0;
  const char *At = Text.begin();
  for (dvmrt_site_line Line; dvmrt_site_next_line(&At, Text.end(), &Line);) {
    StringRef Rest(Line.s, Line.n);
    New += (Twine(New.empty() ? "" : "\n") + Twine(Line.key) + " ").str();
    if (Line.key == DVMRT_DIRECTIVE_USE)
      New += (Rest.take_until([](char C) { return C == '&'; }) + "& " + Twine(N.Accesses[Use++])).str();
    else
      New += Rest;
  }
  SmallVector<Value *, 8> Args(N.Enter->args());
  for (const std::string &Name : N.Added) {
    New += ("\nU " + Twine(Name) + " & " + Twine(N.Accesses[Use])).str();
    Args.push_back(N.Arrays[Use++]);
  }
  if (New == Text.rtrim('\n'))
    return;
  IRBuilder<> B(N.Enter);
  Args[0] = B.CreateGlobalString(New, "dvm.text");
  CallInst *Enter = B.CreateCall(N.Enter->getFunctionType(), N.Enter->getCalledOperand(), Args);
  Enter->copyMetadata(*N.Enter);
  Enter->setAttributes(N.Enter->getAttributes());
  N.Enter->replaceAllUsesWith(Enter);
  N.Enter->eraseFromParent();
}

void NestTexts::run() {
  findNests();
  if (Nests.empty())
    return;
  for (Instruction &I : instructions(F))
    if (markerName(&I) == DVMM_ACCESS)
      if (Nest *N = around(I))
        N->Marks.push_back(cast<CallInst>(&I));
  for (Nest &N : Nests) {
    for (CallInst *Mark : N.Marks)
      complete(N, Mark);
    settleUses(N);
    retell(N);
  }
}

DistributedArrays dvmir::distributedArraysOf(const Module &M) {
  DistributedArrays Found;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      if (markerName(&I) != DVMM_DIRECT)
        continue;
      auto *Mark = cast<CallInst>(const_cast<Instruction *>(&I));
      StringRef Text = markerText(Mark->getArgOperand(0));
      if (DirectiveText::parse(Text).Kind == "array" && Mark->arg_size() > 1 && isa<GlobalVariable>(Mark->getArgOperand(1)))
        Found[Mark->getArgOperand(1)] = siteLine(Text, DVMRT_DIRECTIVE_ARRAY).take_until([](char C) { return C == ' '; }).str();
    }
  return Found;
}

void dvmir::completeNestTexts(Function &F, const DominatorTree &DT, const DistributedArrays &Known) { NestTexts(F, DT, Known).run(); }
