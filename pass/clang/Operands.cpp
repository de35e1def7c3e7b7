// The operands of a directive: expressions that the preprocessor put where clang parses them.
#include "Declare.h"
#include "clang/Sema/Sema.h"

using namespace clang;
using namespace dvm;

static Expr *underAddress(Expr *E) {
  E = E->IgnoreParenImpCasts();
  auto *U = dyn_cast<UnaryOperator>(E);
  return U && U->getOpcode() == UO_AddrOf ? U->getSubExpr()->IgnoreParens() : nullptr;
}

bool Operands::fromCall(CallExpr *Call) {
  if (Call->getNumArgs() != Dir.Operands.size() + 1)
    return false; // an operand was wrong; the compiler has said so
  for (unsigned I = 0; I < Dir.Operands.size(); ++I) {
    Expr *A = Call->getArg(I + 1);
    if (Dir.Operands[I].K == Operand::Address)
      A = underAddress(A);
    if (!A || A->containsErrors())
      return false;
    E.push_back(A);
  }
  Const.assign(E.size(), nullptr);
  return checkTypes();
}

bool Operands::fromConstants() {
  for (unsigned I = 0; I < Dir.Operands.size(); ++I) {
    auto &II = Ctx.Idents.get((OperandPrefix + Twine(Dir.Number) + "_" + Twine(I)).str());
    const VarDecl *V = St.OperandVars.lookup(&II);
    if (!V || !V->getInit())
      return false;
    auto *Init = const_cast<Expr *>(V->getInit())->IgnoreImpCasts();
    if (Dir.Operands[I].K == Operand::Address)
      Init = underAddress(Init);
    else if (auto *C = dyn_cast<CStyleCastExpr>(Init))
      Init = C->getSubExpr();
    if (!Init || Init->containsErrors())
      return false;
    E.push_back(Init);
    Const.push_back(V);
  }
  return checkTypes();
}

bool Operands::checkTypes() const {
  bool OK = true;
  for (unsigned I = 0; I < E.size(); ++I)
    if (Dir.Operands[I].K == Operand::Value && !E[I]->getType()->isIntegralOrEnumerationType()) {
      St.error(E[I]->getBeginLoc(),
               "expected an integer expression, found one of type '" + E[I]->IgnoreParenImpCasts()->getType().getAsString() + "'");
      OK = false;
    }
  return OK;
}

Expr *Operands::value(dvm_range R) const {
  int I = Dir.operand(R);
  return I < 0 || unsigned(I) >= E.size() ? nullptr : E[I];
}
Expr *Operands::lvalue(dvm_range R) const { return value(R); }

const VarDecl *Operands::variable(dvm_range R) const {
  Expr *L = lvalue(R);
  auto *D = L ? dyn_cast<DeclRefExpr>(L->IgnoreParens()) : nullptr;
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

bool Operands::constant(dvm_range R, int64_t &V) const {
  Expr *X = value(R);
  return X && constantOf(Ctx, X, V);
}
