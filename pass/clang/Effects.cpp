#include "Effects.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

bool dvm::isPureByName(const FunctionDecl *F) {
  if (!F || !F->getIdentifier())
    return false;
  if (F->hasAttr<ConstAttr>() || F->hasAttr<PureAttr>())
    return true;
  if (!F->getBuiltinID())
    return false;
  for (const ParmVarDecl *P : F->parameters())
    if (P->getType()->isPointerType())
      return false;
  return F->getName() != "free";
}

namespace {
constexpr unsigned DepthMax = 8;

// What only the call that is under way can see.
bool isOwn(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return !M->isArrow() && isOwn(M->getBase());
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr *Base = A->getBase()->IgnoreParenImpCasts();
    return Base->getType()->isArrayType() && isOwn(Base);
  }
  const auto *R = dyn_cast<DeclRefExpr>(E);
  const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  return V && V->hasLocalStorage() && !V->getType().isVolatileQualified();
}

using Functions = llvm::SmallPtrSet<const FunctionDecl *, 8>; // that have none

bool mayHave(const Stmt *S, bool Inside, unsigned Depth, Functions &Without);

bool callMayHave(const CallExpr *C, unsigned Depth, Functions &Without) {
  const FunctionDecl *F = C->getDirectCallee(), *Definition = nullptr;
  if (!F || F->isNoReturn())
    return true;
  if (dvm::isPureByName(F) || (F->getIdentifier() && F->getName() == DVMM_PART)) // a mark of ours, in a function that was walked before
    return false;
  if (Depth == DepthMax || !F->hasBody(Definition))
    return true;
  if (Without.contains(Definition))
    return false;
  if (mayHave(Definition->getBody(), true, Depth + 1, Without))
    return true;
  Without.insert(Definition);
  return false;
}

// 'Inside': of a function that is called, whose own variables nobody else sees.
bool mayHave(const Stmt *S, bool Inside, unsigned Depth, Functions &Without) {
  if (!S)
    return false;
  const Expr *Changed = nullptr;
  if (const auto *A = dyn_cast<BinaryOperator>(S); A && A->isAssignmentOp())
    Changed = A->getLHS();
  else if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
    Changed = U->getSubExpr();
  if (Changed && !(Inside && isOwn(Changed)))
    return true;
  if (const auto *C = dyn_cast<CallExpr>(S); C && callMayHave(C, Depth, Without))
    return true;
  if (isa<AsmStmt>(S) || isa<AtomicExpr>(S) || isa<VAArgExpr>(S) || isa<BlockExpr>(S))
    return true;
  if (const auto *E = dyn_cast<Expr>(S); E && E->isGLValue() && E->getType().isVolatileQualified())
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *X) { return mayHave(X, Inside, Depth, Without); });
}
} // namespace

bool dvm::mayHaveEffects(const ASTContext &Ctx, const Expr *E) {
  Functions Without;
  return E->HasSideEffects(Ctx, true) && mayHave(E, false, 0, Without);
}
