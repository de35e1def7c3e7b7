#include "NestTexts.h"
#include "Function.h"
#include "NestSubscripts.h"
#include "PlainCode.h"
#include "RowSums.h"
#include "pass/markers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

namespace {
struct Nest {
  CallInst *Enter = nullptr;
  unsigned Cid = 0;
  DirectiveText Text;
  NestIndices Indices;
  SmallVector<Value *, 4> Arrays;      // of the USE lines
  SmallVector<char, 4> Accesses;       // likewise
  SmallVector<std::string, 4> Added;   // names behind those that the text has
  SmallVector<CallInst *, 16> Marks;   // accesses in it
  bool Hides = false;                  // elements that the text of the nest does not name
};

class NestTexts {
  Function &F;
  const DominatorTree &DT;
  const DistributedArrays &Known;
  DenseMap<std::pair<uint64_t, uint64_t>, CallInst *> Subscripts; // by access and dimension; null: several
  SmallVector<Nest, 4> Nests;

  void findMarks(DenseMap<uint64_t, CallInst *> &Iterations, SmallVectorImpl<CallInst *> &Enters);
  void findNests();
  void findUses(Nest &N);
  Nest *around(const Instruction &I);
  std::string lead(Nest &N, CallInst *Mark, const AccessText &Text);
  void forget(uint64_t Id, unsigned Dim);
  CallInst *markSubscript(CallInst *Mark, const Distance &By, unsigned Dim);
  std::optional<unsigned> useOf(Nest &N, CallInst *Mark);
  std::string subscript(const Nest &N, CallInst *Mark, unsigned Dim) const;
  std::string completed(Nest &N, CallInst *Mark, StringRef Text, bool Moved, StringRef Lead);
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

// The markers of iterations by their nest, and those of subscripts; the beginnings of constructs.
void NestTexts::findMarks(DenseMap<uint64_t, CallInst *> &Iterations, SmallVectorImpl<CallInst *> &Enters) {
  for (Instruction &I : instructions(F)) {
    StringRef Name = markerName(&I);
    if (Name == DVMM_ITER)
      Iterations[numberOf(cast<CallInst>(&I), 0)] = cast<CallInst>(&I);
    else if (Name == DVMM_ENTER)
      Enters.push_back(cast<CallInst>(&I));
    else if (Name == DVMM_INDEX) {
      auto *Mark = cast<CallInst>(&I);
      auto [At, New] = Subscripts.try_emplace({numberOf(Mark, IdOperand), numberOf(Mark, IdOperand + 1)}, Mark);
      if (!New)
        At->second = nullptr;
    }
  }
}

void NestTexts::findNests() {
  DenseMap<uint64_t, CallInst *> Iterations;
  SmallVector<CallInst *, 4> Enters;
  findMarks(Iterations, Enters);
  for (CallInst *Enter : Enters) {
    Nest N;
    N.Enter = Enter;
    N.Text = DirectiveText::parse(markerText(Enter->getArgOperand(0)));
    N.Cid = N.Text.Cid;
    CallInst *Iteration = Iterations.lookup(N.Cid);
    if (!Iteration || N.Text.Kind != "parallel")
      continue;
    N.Indices.Iteration = Iteration;
    for (unsigned Arg = 2; Arg + 1 < Iteration->arg_size(); Arg += 2)
      N.Indices.Variables.push_back(Iteration->getArgOperand(Arg));
    findUses(N);
    if (N.Arrays.size() == N.Accesses.size())
      Nests.push_back(std::move(N));
  }
}

// The innermost.
Nest *NestTexts::around(const Instruction &I) {
  Nest *Best = nullptr;
  for (Nest &N : Nests)
    if (DT.dominates(N.Indices.Iteration, &I) && (!Best || DT.dominates(Best->Indices.Iteration, N.Indices.Iteration)))
      Best = &N;
  return Best;
}

// ---- Subscripts ------------------------------------------------------------------------------------------------------------------

// What the line of an 'o' says better; empty: nothing.
std::string NestTexts::subscript(const Nest &N, CallInst *Mark, unsigned Dim) const {
  CallInst *Subscript = Subscripts.lookup({numberOf(Mark, IdOperand), Dim});
  return Subscript && DT.dominates(Subscript, Mark) ? axisOf(N.Indices, Subscript, DT) : "";
}

// ---- Pointers --------------------------------------------------------------------------------------------------------------------

// 'double *row = a[i]; row[j]': the lines of the element's subscripts.  Empty: they are not known.
std::string NestTexts::lead(Nest &N, CallInst *Mark, const AccessText &Text) {
  auto *Array = dyn_cast<GlobalVariable>(rootOf(Mark->getArgOperand(0)));
  if (!Array || Text.OfDistributed || Text.Whole || Text.Loose || Text.Buffered || Text.PartOfElement)
    return "";
  const auto Dims = dimensionsOf(Array, Text.Size, F.getDataLayout());
  SmallVector<Distance, 4> By(Dims.size());
  if (Dims.empty() || !findSubscripts(Mark->getArgOperand(0), Dims, By, F.getDataLayout()))
    return "";
  const auto Use = useOf(N, Mark);
  if (!Use)
    return "";
  std::string Lines;
  const uint64_t Id = numberOf(Mark, IdOperand);
  for (unsigned Dim = 0; Dim < DVMM_EXTENT; ++Dim)
    forget(Id, Dim);
  for (unsigned Dim = 0; Dim < Dims.size(); ++Dim) {
    Subscripts[{Id, Dim}] = markSubscript(Mark, By[Dim], Dim);
    const std::string Axis = subscript(N, Mark, Dim);
    Lines += ("\nX " + (Axis.empty() ? "o" : Axis) + "\nB " + Twine(Dims[Dim].Extent)).str();
  }
  Lines += ("\nD " + Twine(*Use)).str();
  Mark->setMetadata(LedMark, MDNode::get(F.getContext(), {}));
  return Lines;
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

// The text of the access with what its instructions say better.  'Lead': lines of the element that its pointer leads to, or empty.
std::string NestTexts::completed(Nest &N, CallInst *Mark, StringRef Text, bool Moved, StringRef Lead) {
  // Sections of remote_access are compared with references as they are written: a help must be in their words.
  const bool ByText = !Moved && Lead.empty() && !siteLine(markerText(N.Enter->getArgOperand(0)), DVMRT_DIRECTIVE_REMOTE).empty();
  std::string New;
  unsigned Dim = 0;
  const char *At = Text.begin();
  for (dvmrt_site_line Line; dvmrt_site_next_line(&At, Text.end(), &Line);) {
    if (!Lead.empty() && isOfPointer(Line.key))
      continue;
    StringRef Rest(Line.s, Line.n);
    std::string Better;
    if (!Lead.empty() && Line.key == DVMRT_ACCESS_CONSTRUCT)
      Better = "0";
    else if (const auto Use = Moved && Line.key == DVMRT_ACCESS_DISTRIBUTED ? useOf(N, Mark) : std::nullopt)
      Better = utostr(*Use);
    else if (Line.key == DVMRT_ACCESS_SUBSCRIPT && Rest[0] == 'o' && !ByText)
      Better = subscript(N, Mark, Dim);
    Dim += Line.key == DVMRT_ACCESS_SUBSCRIPT;
    New += (Twine(New.empty() ? "" : "\n") + Twine(Line.key) + " " + (Better.empty() ? Rest : StringRef(Better))).str();
  }
  return New += Lead;
}

void NestTexts::complete(Nest &N, CallInst *Mark) {
  StringRef Text = markerText(Mark->getArgOperand(2));
  const auto Parsed = AccessText::parse(Text);
  const bool Moved = siteLine(Text, DVMRT_ACCESS_CONSTRUCT) == "0";
  if (!Moved && Parsed.Cid != N.Cid)
    return;
  const std::string Lead = lead(N, Mark, Parsed), New = completed(N, Mark, Text, Moved, Lead);
  N.Hides |= !Lead.empty() || (Moved && Parsed.OfDistributed);
  if (Moved || !Lead.empty())
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
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr; // null: through a pointer, or assembly
  return Callee && (Callee->isIntrinsic() || isMathematical(Callee));
}

bool NestTexts::seesAll(const Nest &N) const {
  return all_of(instructions(F), [&](Instruction &I) { return !DT.dominates(N.Indices.Iteration, &I) || isSeen(N, I); });
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
  if (N.Hides)
    New += ("\n" + Twine(char(DVMRT_DIRECTIVE_CALLS))).str();
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
