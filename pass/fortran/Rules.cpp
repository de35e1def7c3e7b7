// Rules of DERIVED and SHADOW_ADD: what counts through them is in the run-time library.
#include "Writer.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"

using namespace dvmf;

bool Writer::counts() const { return O.Parallel || (!O.Trace && M.D && M.D->K == DirectiveKind::ShadowAdd); }

// The address of a variable that was inserted.
mlir::Value Writer::local(const std::string &Name) {
  const int I = M.find(true, Name);
  hlfir::DeclareOp D = I < 0 ? hlfir::DeclareOp() : Mo.rootOf(argument(I));
  return D ? D.getResult(1) : mlir::Value();
}

void Writer::store(mlir::Value V, const std::string &Name) {
  mlir::Value To = local(Name);
  if (!To || !fir::isa_ref_type(To.getType()))
    return error("'" + Name + "' cannot be the index of a rule");
  E.B.create<fir::StoreOp>(E.L, E.B.create<fir::ConvertOp>(E.L, fir::unwrapRefType(To.getType()), V), To);
}

mlir::Operation *Writer::callRule(const char *Name, mlir::Type Result, llvm::ArrayRef<mlir::Value> Args) {
  return E.call(std::string(O.Parallel ? "__dvmp_rule_" : "__dvmrt_rule_") + Name, Result, Args);
}

void Writer::ruleOver() {
  const Rule::Index &I = M.R->Indices[M.Level];
  Variable *V = variable(M.R->Target);
  mlir::Value Address = V ? E.toPointer(Mo.base(E, *V)) : templateAddress(M.R->Target);
  const auto Int = [&](int64_t N) { return E.B.create<mlir::arith::ConstantIntOp>(E.L, N, 32).getResult(); };
  if (!M.Level)
    callRule("begin", {}, {});
  callRule("over", {}, {Int(M.Level), Address, Int(int64_t(M.R->Rank) - 1 - I.Dim)});
  for (const std::string &Edge : I.Edges)
    callRule("edge", {}, {Int(M.Level), E.text(Edge)});
}

void Writer::ruleNext() {
  const Rule::Index &I = M.R->Indices[M.Level];
  mlir::Value Level = E.B.create<mlir::arith::ConstantIntOp>(E.L, M.Level, 32), Index = local("dvmmix");
  if (!Index)
    return error("expected a variable, found '" + I.Name + "'");
  mlir::Value Go = callRule("next", E.B.getI32Type(), {Level, E.toPointer(Index)})->getResult(0);
  store(Go, "dvmmgo");
  const std::vector<Num> Lower = lowers(M.R->Target);
  const Num Place = E.number(E.B.create<fir::LoadOp>(E.L, Index));
  store(E.value(E.add(Place, I.Dim < Lower.size() ? Lower[I.Dim] : Num::of(1))), I.Name);
}

void Writer::ruleGive() {
  const std::vector<Num> Lower = lowers(M.Array.Name.empty() ? M.D->Refs[0].Name : M.Array.Name);
  const auto &[Low, High] = M.R->Values[M.Level];
  const Num From = M.Dim < Lower.size() ? Lower[M.Dim] : Num::of(1);
  const Num A = value(Low, 0), B = Low == High ? A : value(High, 0);
  callRule("give", {}, {E.value(E.sub(A, From)), E.value(E.sub(B, From))});
}

void Writer::rule() {
  const size_t Rank = lowers(M.R->Target).size();
  if (Rank != M.R->Rank && M.K == MarkKind::RuleOver && !M.Level)
    return error("'" + M.R->Target + "' has " + std::to_string(Rank) + (Rank == 1 ? " dimension" : " dimensions") +
                 ", but the rule gives it " + std::to_string(M.R->Rank));
  Variable *V = M.Array.Name.empty() || M.Array.Template ? nullptr : variable(M.Array.Name);
  if (!counts() || (V && declaredElsewhere(*V))) {
    if (M.K == MarkKind::RuleNext || M.K == MarkKind::RuleEnd)
      store(E.value(Num::of(0)), M.Operands[0].Text);
    return;
  }
  switch (M.K) {
  case MarkKind::RuleOver: return ruleOver();
  case MarkKind::RuleNext: return ruleNext();
  case MarkKind::RuleGive: return ruleGive();
  default: store(callRule("end", E.word(), {})->getResult(0), M.Operands[0].Text);
  }
}
