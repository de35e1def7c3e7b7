// Loops under 'parallel': canonical form, tight nesting, index variables; affine subscripts.
#include "Rewriter.h"

using namespace clang;
using namespace dvm;

int Construct::indexNumber(const VarDecl *V) const {
  for (unsigned I = 0; I < Loops.size(); ++I)
    if (Loops[I].Index == V)
      return I;
  return -1;
}

const VarDecl *dvm::asVariable(const Expr *E) {
  if (!E)
    return nullptr;
  E = E->IgnoreParenImpCasts();
  const auto *D = dyn_cast<DeclRefExpr>(E);
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

static const Expr *exprOf(const Stmt *S) { return dyn_cast_or_null<Expr>(S); }

// Step of a loop whose form has been checked; null: not an expression (then Sign is the step).
const Expr *dvm::stepOf(const Expr *Inc, const VarDecl *I, int &Sign) {
  Inc = Inc->IgnoreParens();
  Sign = 1;
  if (const auto *U = dyn_cast<UnaryOperator>(Inc)) {
    Sign = U->isIncrementOp() ? 1 : -1;
    return nullptr;
  }
  const auto *A = cast<BinaryOperator>(Inc);
  if (A->getOpcode() != BO_Assign) {
    Sign = A->getOpcode() == BO_AddAssign ? 1 : -1;
    return A->getRHS();
  }
  const auto *R = cast<BinaryOperator>(A->getRHS()->IgnoreParenImpCasts());
  Sign = R->getOpcode() == BO_Add ? 1 : -1;
  return asVariable(R->getLHS()) == I ? R->getRHS() : R->getLHS();
}

// i++, ++i, i--, --i, i += c, i -= c, i = i + c, i = c + i, i = i - c
static bool stepsIndex(const Expr *Inc, const VarDecl *I) {
  if (!Inc)
    return false;
  Inc = Inc->IgnoreParens();
  if (const auto *U = dyn_cast<UnaryOperator>(Inc))
    return U->isIncrementDecrementOp() && asVariable(U->getSubExpr()) == I;
  const auto *A = dyn_cast<BinaryOperator>(Inc);
  if (!A || asVariable(A->getLHS()) != I)
    return false;
  if (A->getOpcode() == BO_AddAssign || A->getOpcode() == BO_SubAssign)
    return true;
  if (A->getOpcode() != BO_Assign)
    return false;
  const auto *R = dyn_cast<BinaryOperator>(A->getRHS()->IgnoreParenImpCasts());
  if (!R)
    return false;
  if (R->getOpcode() == BO_Add)
    return asVariable(R->getLHS()) == I || asVariable(R->getRHS()) == I;
  return R->getOpcode() == BO_Sub && asVariable(R->getLHS()) == I;
}

bool Rewriter::checkCanonical(Construct &C, ForStmt *F, const VarDecl *&Index) {
  Index = nullptr;
  if (auto *DS = dyn_cast_or_null<DeclStmt>(F->getInit())) {
    if (DS->isSingleDecl())
      Index = dyn_cast<VarDecl>(DS->getSingleDecl());
    if (Index && !Index->getInit())
      Index = nullptr;
  } else if (const auto *A = dyn_cast_or_null<BinaryOperator>(exprOf(F->getInit()) ? exprOf(F->getInit())->IgnoreParens() : nullptr)) {
    if (A->getOpcode() == BO_Assign)
      Index = asVariable(A->getLHS());
  }
  if (Index && Index->isInvalidDecl())
    return false; // the compiler has spoken
  auto Wrong = [&](SourceLocation L, const Twine &What) {
    St.error(L.isValid() ? L : F->getForLoc(), What);
    St.note(C.Dir.Start, "this directive needs loops of the form 'for (i = a; i < b; i += c)'");
    return false;
  };
  if (!Index)
    return Wrong(F->getInit() ? F->getInit()->getBeginLoc() : F->getForLoc(), "the loop must initialise its index variable");
  if (!Index->getType()->isIntegralOrEnumerationType())
    return Wrong(F->getInit()->getBeginLoc(), "index variable " + quoted(Index) + " must have an integer type");
  const auto *Cond = F->getCond() ? dyn_cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!Cond || !Cond->isComparisonOp() || Cond->getOpcode() == BO_EQ ||
      (asVariable(Cond->getLHS()) != Index) == (asVariable(Cond->getRHS()) != Index))
    return Wrong(F->getCond() ? F->getCond()->getBeginLoc() : F->getForLoc(),
                 "the loop's condition must compare " + quoted(Index) + " with its bound");
  if (!stepsIndex(F->getInc(), Index))
    return Wrong(F->getInc() ? F->getInc()->getBeginLoc() : F->getForLoc(), "the loop must step " + quoted(Index) + " by a constant");
  int Sign;
  int64_t Step = 1;
  const Expr *By = stepOf(F->getInc(), Index, Sign);
  if (By && !constantOf(Ctx, By, Step))
    return true;
  Step *= Sign;
  BinaryOperatorKind Op = asVariable(Cond->getLHS()) == Index ? Cond->getOpcode() : BinaryOperator::reverseComparisonOp(Cond->getOpcode());
  bool Up = Op == BO_LT || Op == BO_LE, Down = Op == BO_GT || Op == BO_GE;
  if (Step == 0 || (Up && Step < 0) || (Down && Step > 0))
    return Wrong(F->getInc()->getBeginLoc(), Step ? "the step moves away from the bound of the loop" : "the step of the loop is 0");
  return true;
}

static Stmt *onlyStatement(Stmt *S) {
  while (auto *B = dyn_cast_or_null<CompoundStmt>(S)) {
    Stmt *Only = nullptr;
    for (Stmt *X : B->body()) {
      if (isa<NullStmt>(X))
        continue;
      if (Only)
        return nullptr;
      Only = X;
    }
    S = Only;
  }
  return S;
}

static Stmt *firstNotLoop(Stmt *S) {
  if (auto *B = dyn_cast_or_null<CompoundStmt>(S))
    for (Stmt *X : B->body())
      if (!isa<ForStmt>(X) && !isa<NullStmt>(X))
        return X;
  return S;
}

static bool holdsLoop(Stmt *S) {
  if (!S)
    return false;
  if (isa<ForStmt>(S))
    return true;
  if (auto *B = dyn_cast<CompoundStmt>(S))
    for (Stmt *X : B->body())
      if (holdsLoop(X))
        return true;
  return false;
}

bool Rewriter::analyseNest(Construct &C, Stmt *S) {
  const dvm_directive &D = *C.Dir.D;
  unsigned Rank = D.nnames;
  if (D.count.count) {
    int64_t N;
    if (!C.Ops.constant(D.count, N) || N < 1 || N > DVM_NDIMS_MAX) {
      St.error(C.Dir.loc(D.count.first), "the number of loops must be an integer constant from 1 to " + Twine(DVM_NDIMS_MAX));
      return false;
    }
    Rank = N;
  }
  for (unsigned L = 0; L < Rank; ++L) {
    Stmt *Inner = L ? onlyStatement(S) : S;
    auto *F = dyn_cast_or_null<ForStmt>(Inner);
    if (!F) {
      if (L == 0) {
        St.error(S ? S->getBeginLoc() : C.Dir.Start, "'#pragma dvm parallel' must stand before a 'for' loop");
        St.note(C.Dir.Start, "the directive is here");
      } else if (holdsLoop(S)) {
        St.error(firstNotLoop(S)->getBeginLoc(),
                 "the " + Twine(Rank) + " loops of the directive must be tightly nested: nothing may stand between them");
        St.note(C.Dir.Start, "the directive is here");
      } else {
        St.error(C.Loops.back().For->getForLoc(),
                 "the directive is for " + Twine(Rank) + " nested loops, but only " + Twine(L) + (L == 1 ? " is" : " are") + " here");
        St.note(C.Dir.Start, "the directive is here");
      }
      return false;
    }
    const VarDecl *Index;
    if (!checkCanonical(C, F, Index))
      return false;
    if (!D.count.count && D.names[L] != ~0u && C.Dir.text(D.names[L]) != Index->getName()) {
      St.error(C.Dir.loc(D.names[L]),
               "'" + C.Dir.text(D.names[L]) + "' is not the index variable of loop " + Twine(L + 1) + ", which is " + quoted(Index));
      St.note(F->getForLoc(), "the loop is here");
      return false;
    }
    if (C.indexNumber(Index) >= 0) {
      St.error(F->getForLoc(), quoted(Index) + " is the index variable of two loops of the nest");
      return false;
    }
    int Sign;
    int64_t Step = 1;
    const Expr *By = stepOf(F->getInc(), Index, Sign);
    bool Known = !By || constantOf(Ctx, By, Step);
    C.Loops.push_back({F, Index, Known, Sign * Step});
    S = F->getBody();
  }
  noteChanged(C, C.Loops.back().For->getBody());
  return true;
}

// The run-time system computes the index variables; a body that changes one would run other iterations.
void Rewriter::noteChanged(Construct &C, Stmt *Body) {
  auto Visit = [&](auto &&Self, Stmt *S) -> void {
    if (!S)
      return;
    const Expr *Changed = nullptr;
    if (auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
      Changed = U->getSubExpr();
    else if (auto *A = dyn_cast<BinaryOperator>(S); A && A->isAssignmentOp())
      Changed = A->getLHS();
    if (auto *U = dyn_cast<UnaryOperator>(S); Changed || (U && U->getOpcode() == UO_AddrOf))
      if (const VarDecl *V = asVariable(Changed ? Changed : U->getSubExpr()))
        C.Changed.insert(V);
    if (const VarDecl *V = asVariable(Changed); V && C.indexNumber(V) >= 0) {
      St.error(Changed->getBeginLoc(), "index variable " + quoted(V) + " of a parallel loop is changed in its body");
      St.note(C.Dir.Start, "the directive is here");
    }
    for (Stmt *X : S->children())
      Self(Self, X);
  };
  Visit(Visit, Body);
}

Affine Rewriter::affine(const ASTContext &Ctx, const Expr *E, const Construct *C) {
  Affine R;
  E = E->IgnoreParens();
  if (constantOf(Ctx, E, R.Add)) {
    R.OK = true;
    return R;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    // A narrowing cast may wrap: only those that keep every value of an int.
    if (!Cast->getType()->isIntegralOrEnumerationType() || !Cast->getSubExpr()->getType()->isIntegralOrEnumerationType())
      return R;
    if (Cast->getCastKind() != CK_LValueToRValue && Ctx.getTypeSize(Cast->getType()) < Ctx.getTypeSize(Cast->getSubExpr()->getType()))
      return R;
    return affine(Ctx, Cast->getSubExpr(), C);
  }
  if (const VarDecl *V = asVariable(E)) {
    R.Index = C ? C->indexNumber(V) : -1;
    R.OK = R.Index >= 0;
    R.Coef = 1;
    return R;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() != UO_Minus && U->getOpcode() != UO_Plus)
      return R;
    R = affine(Ctx, U->getSubExpr(), C);
    if (U->getOpcode() == UO_Minus)
      R.Coef = -R.Coef, R.Add = -R.Add;
    return R;
  }
  const auto *X = dyn_cast<BinaryOperator>(E);
  if (!X || (X->getOpcode() != BO_Add && X->getOpcode() != BO_Sub && X->getOpcode() != BO_Mul))
    return R;
  Affine L = affine(Ctx, X->getLHS(), C), Q = affine(Ctx, X->getRHS(), C);
  if (!L.OK || !Q.OK)
    return R;
  bool Over = false;
  if (X->getOpcode() == BO_Mul) {
    if (L.Index >= 0)
      std::swap(L, Q);
    if (L.Index >= 0)
      return R; // i * j
    Over = __builtin_mul_overflow(L.Add, Q.Coef, &R.Coef);
    Over |= __builtin_mul_overflow(L.Add, Q.Add, &R.Add);
    R.Index = R.Coef ? Q.Index : -1;
  } else {
    if (X->getOpcode() == BO_Sub)
      Q.Coef = -Q.Coef, Q.Add = -Q.Add;
    if (L.Index >= 0 && Q.Index >= 0 && L.Index != Q.Index)
      return R; // i + j
    Over = __builtin_add_overflow(L.Coef, Q.Coef, &R.Coef);
    Over |= __builtin_add_overflow(L.Add, Q.Add, &R.Add);
    R.Index = R.Coef ? std::max(L.Index, Q.Index) : -1;
  }
  R.OK = !Over;
  return R;
}
