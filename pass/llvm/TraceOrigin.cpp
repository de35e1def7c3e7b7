// Recording: what the stored value of a statement is made of.
#include "Recorder.h"
#include "TraceCalls.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace dvmir;

static bool isNature(StringRef Name) {
  static const StringRef Names[] = {"time",          "clock",        "times",     "getpid",     "getppid",   "gettid",
                                    "rand",          "random",       "drand48",   "lrand48",    "mrand48",   "erand48",
                                    "rand_r",        "arc4random",   "getrandom", "dvmh_wtime", "MPI_Wtime", "omp_get_wtime",
                                    "clock_gettime", "gettimeofday", "dvmh_pid",  "dvtime_"};
  return is_contained(Names, Name);
}

static bool isSum(const Instruction *I) {
  if (auto *Call = dyn_cast<IntrinsicInst>(I))
    return Call->getIntrinsicID() == Intrinsic::fmuladd || Call->getIntrinsicID() == Intrinsic::fma;
  return I->getOpcode() == Instruction::FAdd || I->getOpcode() == Instruction::FSub;
}

// What a function of this module returns, straight or by way of a variable of its own.
void Recorder::traceResult(Function &F, Origin &O, unsigned Depth) {
  for (BasicBlock &BB : F) {
    auto *Return = dyn_cast<ReturnInst>(BB.getTerminator());
    Value *V = Return ? Return->getReturnValue() : nullptr;
    Origin Inner; // its variables are not those of the statement
    if (auto *Load = dyn_cast_or_null<LoadInst>(V); Load && isa<AllocaInst>(Load->getPointerOperand())) {
      for (User *U : Load->getPointerOperand()->users())
        if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Load->getPointerOperand())
          traceOrigin(Store->getValueOperand(), Inner, false, Depth);
    } else if (V) {
      traceOrigin(V, Inner, false, Depth);
    }
    if (O.Nature.empty())
      O.Nature = Inner.Nature;
  }
}

void Recorder::traceOrigin(Value *V, Origin &O, bool Added, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 12)
    return;
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (O.Nature.empty()) {
      auto [Found, New] = Natures.try_emplace(variableAt(Load->getPointerOperand()));
      if (New)
        Found->second = natureOf(Found->first);
      O.Nature = Found->second;
    }
    auto *Mark = dyn_cast<CallInst>(Load->getPointerOperand()->stripPointerCasts());
    if (auto Text = AccessTexts.find(Mark); Added && O.Terms.size() < 8 && Text != AccessTexts.end())
      O.Terms.insert(Text->second);
  } else if (auto *Call = dyn_cast<CallInst>(I); Call && !isa<IntrinsicInst>(I)) {
    const Function *Callee = calledFunction(Call);
    if (Callee && isNature(Callee->getName()))
      O.Nature = Callee->getName();
    else if (Callee && !Callee->isDeclaration() && Depth < 8)
      traceResult(*const_cast<Function *>(Callee), O, Depth + 4);
  } else if (isa<BinaryOperator, CastInst, UnaryOperator, IntrinsicInst>(I)) {
    for (Value *Operand : I->operands())
      traceOrigin(Operand, O, Added || isSum(I), Depth + 1);
  }
}

std::string Recorder::originText(ArrayRef<StoreInst *> Stores) {
  Origin O;
  for (StoreInst *St : Stores)
    traceOrigin(St->getValueOperand(), O);
  std::string Text = O.Nature.empty() ? "" : "\n~ " + O.Nature;
  SmallSetVector<StringRef, 8> Variables;
  for (StringRef Term : O.Terms)
    if (StringRef Q = siteLine(Term, DVMRT_ACCESS_DECLARED); !Q.empty() && Variables.insert(Q))
      Text += ("\n% " + siteLine(Term, DVMRT_ACCESS_VARIABLE) + " " + Q).str();
  return Text;
}

// Before any mark of the function goes.
void Recorder::noteOrigins(const FunctionState &S) {
  AccessTexts.clear();
  OriginTexts.clear();
  Natures.clear();
  for (const Access &A : S.Accesses)
    AccessTexts[A.Mark] = markerText(A.TextConstant);
  for (const Access &A : S.Accesses)
    if (A.Text.Writes) {
      Moves Moved;
      collectMoves(A.Mark, Moved);
      OriginTexts[A.Mark] = originText(Moved.Stores);
    }
}
