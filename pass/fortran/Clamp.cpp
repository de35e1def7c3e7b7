// Loops of nests, from the first to the last value that is this rank's:
//   do i = a, b, s    do i = __dvmm_first(cid, 0, a, s, b, kind), __dvmm_last(cid, 0, b, kind, s), s
#include "Parallel.h"
#include "pass/markers.h"

using namespace dvmf;

// The module of "_QMnameEvariable" or "_QMnameSsubmoduleEvariable".
static bool isOfThisFile(const Model &Mo, const Variable &V) {
  const std::string Rest = V.Unique.substr(3);
  return Mo.Main.P->Modules.count(Rest.substr(0, Rest.find_first_of("ES"))) != 0;
}

bool dvmf::mayBeDivided(const Model &Mo, const Variable &V) {
  if (!V.Rank || V.Parameter)
    return false;
  if (Mo.Distributed.count(V.Unique))
    return true;
  hlfir::DeclareOp D = V.Declare;
  if (auto Flags = D.getFortranAttrs())
    if (bitEnumContainsAny(*Flags, fir::FortranVariableFlagsEnum::pointer) ||
        (V.Dummy && bitEnumContainsAny(*Flags, fir::FortranVariableFlagsEnum::optional)))
      return true;
  if (V.Dummy)
    return false; // judged where it enters
  // COMMON, or a module's: another unit, or another file, may say where it lies.
  mlir::Value At = D.getMemref();
  bool Part = false;
  while (mlir::Operation *Op = At.getDefiningOp()) {
    if (mlir::isa<fir::ConvertOp, fir::CoordinateOp>(Op)) {
      Part = true;
      At = Op->getOperand(0);
      continue;
    }
    if (mlir::isa<fir::AddrOfOp>(Op))
      return V.Module ? !isOfThisFile(Mo, V) : Part;
    break;
  }
  return false;
}

bool dvmf::isDivided(const Construct &C, const Model &Mo) {
  if (!C.Enter || C.Enter->D->K != DirectiveKind::Parallel || !C.Enter->D->Target)
    return false;
  for (const Mark &M : Mo.Main.P->Marks)
    if (M.K == MarkKind::Declare && M.Array.IsTask && M.Unit == C.Enter->Unit && lower(M.Array.Name) == lower(C.Enter->D->Target->Name))
      return false; // all ranks execute each task
  return true;
}

namespace {
struct Clamp {
  const Construct &C;
  unsigned Number;
  std::vector<Complaint> &Complaints;

  bool error(const std::string &Text) {
    Complaints.push_back({true, C.Enter->Loops[Number], Text, "", ""});
    return false;
  }
  // The new bounds; false: it cannot be.
  bool bounds(Emitter &E, mlir::Value Low, mlir::Value High, mlir::Value Step, mlir::Value &First, mlir::Value &Last);
  bool structured(fir::DoLoopOp Loop);
  bool counted(mlir::arith::DivSIOp Turns);
};
} // namespace

bool Clamp::bounds(Emitter &E, mlir::Value Low, mlir::Value High, mlir::Value Step, mlir::Value &First, mlir::Value &Last) {
  const Num By = E.number(Step);
  if (By.C && !*By.C)
    return error("the step of the loop over '" + C.Enter->Indices[Number] + "' is zero");
  auto Const = [&](int64_t N) { return E.value(Num::of(N)); };
  const int64_t Kind = !By.C ? DVMM_FIRST_BY_STEP : *By.C > 0 ? 1 : 3;
  mlir::Value Cid = Const(C.Enter->Construct), Index = Const(Number), From = E.toWord(Low), To = E.toWord(High);
  mlir::Type Was = Low.getType();
  Step = By.C ? Const(*By.C) : E.toWord(Step);
  First = E.call(DVMM_FIRST, E.word(), {Cid, Index, From, Step, To, Const(Kind)})->getResult(0);
  Last = E.call(DVMM_LAST, E.word(), {Cid, Index, To, Const(Kind), Step})->getResult(0);
  First = E.B.create<fir::ConvertOp>(E.L, Was, First);
  Last = E.B.create<fir::ConvertOp>(E.L, Was, Last);
  return true;
}

bool Clamp::structured(fir::DoLoopOp Loop) {
  Emitter E(Loop);
  mlir::Value Low = Loop.getLowerBound(), First, Last;
  if (!bounds(E, Low, Loop.getUpperBound(), Loop.getStep(), First, Last))
    return false;
  Loop->setOperand(0, First);
  Loop->setOperand(1, Last);
  for (unsigned I = 3; I < Loop->getNumOperands(); ++I) // what the variable begins with
    if (auto From = Loop->getOperand(I).getDefiningOp<fir::ConvertOp>(); From && From.getValue() == Low)
      Loop->setOperand(I, E.B.create<fir::ConvertOp>(E.L, From.getType(), First));
  return true;
}

// The number of turns of a loop that a jump leaves: (high - low + step) / step.  True: it is one, and all is done or told.
bool Clamp::counted(mlir::arith::DivSIOp Turns) {
  mlir::Value Step = Turns.getRhs();
  auto Sum = Turns.getLhs().getDefiningOp<mlir::arith::AddIOp>();
  auto Distance = Sum && Sum.getRhs() == Step ? Sum.getLhs().getDefiningOp<mlir::arith::SubIOp>() : mlir::arith::SubIOp();
  if (!Distance)
    return false;
  Emitter E(Distance);
  mlir::Value Low = Distance.getRhs(), First, Last;
  if (!bounds(E, Low, Distance.getLhs(), Step, First, Last))
    return true;
  Distance->setOperand(0, Last);
  Distance->setOperand(1, First);
  for (mlir::Operation *User : llvm::make_early_inc_range(Low.getUsers()))
    if (auto Store = mlir::dyn_cast<fir::StoreOp>(User);
        Store && Store.getValue() == Low && Store->getBlock() == Turns->getBlock() && Turns->isBeforeInBlock(Store))
      Store->setOperand(0, First);
  return true;
}

void dvmf::clampLoops(mlir::func::FuncOp F, Model &Mo, const Constructs &Known, std::vector<Complaint> &Complaints) {
  std::map<unsigned, Clamp> At; // by line
  for (const auto &[Number, C] : Known)
    for (unsigned I = 0; isDivided(C, Mo) && I < C.Enter->Loops.size(); ++I)
      At.insert({C.Enter->Loops[I].Line, Clamp{C, I, Complaints}});
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>, 8> Found;
  F.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *Op) {
    std::string File;
    Position P;
    if (mlir::isa<fir::DoLoopOp, mlir::arith::DivSIOp>(Op) && Mo.position(Op->getLoc(), File, P) && File == Mo.Main.Path &&
        At.count(P.Line))
      Found.push_back({Op, P.Line});
  });
  std::set<unsigned> Done;
  for (auto &[Op, Line] : Found) {
    Clamp &X = At.find(Line)->second;
    if (Done.count(Line))
      continue;
    if (auto Loop = mlir::dyn_cast<fir::DoLoopOp>(Op)) {
      X.structured(Loop);
      Done.insert(Line);
    } else if (X.counted(mlir::cast<mlir::arith::DivSIOp>(Op))) {
      Done.insert(Line);
    }
  }
  for (auto &[Line, X] : At)
    if (!Done.count(Line))
      X.error("the loop over '" + X.C.Enter->Indices[X.Number] +
              "' has a form that is not supported in parallel execution yet: write a DO over an integer variable");
}
