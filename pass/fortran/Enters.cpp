// What execution by many ranks must know of a construct, known once its body has been looked through.
#include "Mark.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "pass/markers.h"
#include "runtime/site_text.h"
#include "llvm/ADT/SetVector.h"

using namespace dvmf;

// a: of each reference all displacements from what the iteration writes are towards iterations on one side, in each loop.
static char formOf(const Mark &M, const std::vector<Construct::Form> &Forms) {
  const Construct::Form *First = nullptr;
  for (const Construct::Form &F : Forms)
    if (F.Written && !First)
      First = &F;
  char Form = 'a';
  for (const Construct::Form &F : Forms) {
    int Sides = 0;
    if (!First || F.Axes.empty() || F.Axes.size() != First->Axes.size())
      return '?';
    for (size_t D = 0; D < F.Axes.size(); ++D) {
      const auto &[Index, Coef, Add] = F.Axes[D];
      const auto &[FirstIndex, FirstCoef, FirstAdd] = First->Axes[D];
      if (Index != FirstIndex || Coef != FirstCoef)
        return '?';
      if (Index < 0 || Add == FirstAdd)
        continue;
      if (M.Steps[size_t(Index)] == "*")
        return '?';
      Sides |= ((Add > FirstAdd) == (Coef > 0)) == (M.Steps[size_t(Index)][0] != '-') ? 1 : 2;
    }
    Form = Sides == 3 ? 'm' : Form;
  }
  return First ? Form : '?';
}

// Is the comparison with the variable one that a second extreme of the same value passes?
static bool takesEqual(const Placed &P, const Mark &M, const std::string &Name) {
  for (const Statement &S : P.Statements) {
    if (S.IsDirective || S.FirstLine < M.FirstLine || S.FirstLine > M.LastLine)
      continue;
    const std::string T = squeezed(S.Text);
    const size_t At = T.find(lower(Name));
    if (At != std::string::npos && T.rfind("if(", 0) == 0)
      for (const char *Op : {"<=", ">=", ".le.", ".ge."})
        if (T.find(Op) != std::string::npos)
          return true;
  }
  return false;
}

static std::string partsText(const Placed &P, const Construct &C) {
  std::string Out, Places;
  char Form = 0;
  if (C.Enter->D->K != DirectiveKind::Parallel)
    return Out;
  for (const Clause &Cl : C.Enter->D->Clauses) {
    for (const Reduction &R : Cl.Reductions)
      if (R.Op == "maxloc" || R.Op == "minloc")
        Places += takesEqual(P, *C.Enter, R.Var) ? 'l' : 's';
    if (Cl.K == ClauseKind::Across)
      for (const Ref &R : Cl.Refs) {
        auto It = C.Across.find(lower(R.Name));
        const char One = It == C.Across.end() ? '?' : formOf(*C.Enter, It->second);
        Form = !Form || Form == 'a' ? One : One == 'm' ? 'm' : Form;
      }
  }
  if (Form)
    Out += std::string("\n") + char(DVMRT_DIRECTIVE_SIDES) + " " + Form;
  if (!Places.empty())
    Out += std::string("\n") + char(DVMRT_DIRECTIVE_PLACES) + " " + Places;
  return Out;
}

void dvmf::finishEnters(Model &Mo, Constructs &Known, const MarkOptions &O) {
  for (auto &[Number, C] : Known) {
    auto Step = mlir::dyn_cast_or_null<fir::CallOp>(C.EnterAt);
    if (!Step || !C.Enter)
      continue;
    Emitter E(Step);
    std::string Text = C.Text;
    llvm::SmallVector<mlir::Value, 8> Args{mlir::Value()};
    Args.append(C.Args.begin(), C.Args.end());
    bool Recomputes = false; // all that it writes
    for (const Clause &Cl : C.Enter->D->Clauses)
      Recomputes |= Cl.K == ClauseKind::Compute && Cl.Refs.empty();
    for (const Construct::Use &U : C.Uses) {
      Text += std::string("\n") + char(DVMRT_DIRECTIVE_USE) + " " + U.Name + " & " + (U.Written ? "w" : "r");
      Args.push_back(U.Base);
    }
    Site Touched(E);
    const bool Copies = C.Enter->D->K == DirectiveKind::Asynchronous;
    for (Variable *V : C.Touched) {
      if (V->Kind.empty() || (Copies && !Mo.Distributed.count(V->Unique)) || (O.Parallel && !Copies))
        continue;
      Copies ? Touched.key(DVMRT_DIRECTIVE_REMOTE) : Touched.key(DVMRT_DIRECTIVE_REGION).add("uses ");
      variableRef(E, Mo, Touched, *V, V->Name);
      for (unsigned I = 0; Copies && I < V->Rank; ++I)
        Touched.key(DVMRT_DIRECTIVE_AXIS).add("e");
    }
    for (Variable *V : C.Shared)
      Touched.key(DVMRT_DIRECTIVE_SHARED).add(V->Name + " ").pointer(Mo.base(E, *V)).add(" ").add(int64_t(V->Bytes));
    for (const Construct::Use &U : C.Uses)
      if (Recomputes && U.Written) {
        variableRef(E, Mo, Touched.key(DVMRT_DIRECTIVE_RECOMPUTE), *U.V, U.Name);
        Touched.key(DVMRT_DIRECTIVE_WIDTHS);
      }
    Text += (Touched.T.empty() ? "" : "\n") + Touched.T;
    if (O.Parallel)
      Text += partsText(*Mo.Main.P, C);
    if (O.Count && C.Enter->D->K == DirectiveKind::Parallel)
      Text += std::string("\n") + char(DVMRT_DIRECTIVE_COUNTED) + " ";
    Args.append(Touched.Args.begin(), Touched.Args.end());
    Args[0] = E.text(Text);
    mlir::Operation *Enter = E.call(std::string(DVMM_ENTER) + "." + std::to_string(C.Enter->Number), E.B.getI32Type(), Args);
    Step.getResult(0).replaceAllUsesWith(Enter->getResult(0));
    Step.erase();
  }
}
