// What execution by many ranks needs.
#include "Accesses.h"
#include "Parallel.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "runtime/site_text.h"

using namespace dvmf;

// Before the extreme of a maxloc or minloc is assigned.
void Accesses::markMet(Use &U, const Construct &Nest) {
  int64_t Number = 0;
  for (const Clause &Cl : Nest.Enter->D->Clauses)
    for (const Reduction &R : Cl.Reductions) {
      if (R.Op != "maxloc" && R.Op != "minloc")
        continue;
      if (Mo.isNamed(R.Var, *U.V)) {
        Emitter E(U.Op);
        llvm::SmallVector<mlir::Value, 8> Args{E.value(Num::of(Nest.Enter->Construct)), E.value(Num::of(Number))};
        for (Variable *X : Nest.Indices)
          Args.push_back(E.toWord(E.B.create<fir::LoadOp>(E.L, X->Declare.getResult(1))));
        E.call(std::string(DVMM_MET) + "." + std::to_string(Nest.Indices.size()), {}, Args);
        return;
      }
      ++Number;
    }
}

void Accesses::noteForm(Construct &Nest, const Use &U) {
  for (const Clause &Cl : Nest.Enter->D->Clauses)
    for (const Ref &R : Cl.Refs) {
      if (Cl.K != ClauseKind::Across || !Mo.isNamed(R.Name, *U.V))
        continue;
      Construct::Form Form{U.Kind == 'w', {}};
      bool OK = U.Element && rootElement(U);
      for (const Affine &A : U.Axes) {
        Form.Axes.push_back({A.Index, A.Coef, A.Add});
        OK &= A.OK;
      }
      if (!OK)
        Form.Axes.clear();
      Nest.Across[lower(R.Name)].push_back(Form);
    }
}

void Accesses::markPart(Piece &P, Use &U) {
  Construct *Nest = nestAt(P.At.Line);
  if (U.Kind)
    touch(P, U, U.V->Rank != 0, U.Kind == 'w', Nest);
  const bool InParts = Nest && isDivided(*Nest, Mo);
  if (InParts && U.Kind == 'w' && !U.V->Rank)
    markMet(U, *Nest);
  if (InParts && U.V->Rank)
    noteForm(*Nest, U);
  if (InParts && U.Kind && Mo.Distributed.count(U.V->Unique))
    useOf(*Nest, U, U.Kind == 'w');
  if (!U.Kind || !U.V->Rank)
    return;
  if (!mayBeDivided(Mo, *U.V)) {
    if (U.V->Dummy && !InParts)
      Entered.insert(U.V->Declare);
    return;
  }
  mlir::Type Type = fir::unwrapRefType(U.Address.getType());
  Emitter E(U.Op);
  Site T(E);
  head(T, P, U, U.Kind);
  const bool Sequential = U.Kind == 'r' && !InParts;
  llvm::SmallVector<mlir::Value, 3> Args{E.toPointer(U.Address), E.value(Num::of(int64_t(bytesOf(Type))))};
  const bool Printed = Sequential && isOutput(P);
  if (!Printed)
    Args.push_back(E.text(T.T));
  mlir::Operation *Call = E.call(Printed ? "__dvmp_fetch" : Sequential ? DVMM_READ : DVMM_PART, E.pointer(), Args);
  mlir::Value Marked = E.B.create<fir::ConvertOp>(E.L, fir::ReferenceType::get(Type), Call->getResult(0));
  for (mlir::OpOperand &Operand : U.Op->getOpOperands())
    if (Operand.get() == U.Address)
      Operand.set(Marked);
}

// What a caller has distributed is not known here: a dummy array without a directive must not be.
void Accesses::markEntered() {
  for (mlir::Operation *Op : Entered) {
    Variable *V = Mo.of(mlir::cast<hlfir::DeclareOp>(Op));
    Emitter E(Op->getNextNode());
    E.L = Op->getLoc();
    Site T(E);
    T.key(DVMRT_ANY_KIND).add("r").key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F").place(V->File, V->At);
    T.key(DVMRT_ACCESS_TEXT).add(V->Name).key(DVMRT_ACCESS_VARIABLE).add(V->Name);
    E.call("__dvmp_entered", {}, {Mo.base(E, *V), E.text(T.T)});
  }
}
