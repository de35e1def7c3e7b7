// Variables of the program that a nest assigns and that no clause names: what a forgotten reduction leaves behind differs from rank to rank.
// Where values are recorded they are compared when the nest ends.  Not those that each iteration assigns before it reads them: what is left
// of these means nothing.
#include "Rewriter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

namespace {
// One variable in the body of a nest.
class Exposure {
  const VarDecl *V;
  bool Scalar;

public:
  bool Written = false, Read = false;
  bool Exposed = false; // an iteration may read what another has left
  bool Given = false; // a function that is called may assign it: the pass of LLVM looks at it (pass/llvm/Reached.cpp)

  Exposure(const VarDecl *V) : V(V), Scalar(V->getType()->isScalarType() || V->getType()->isAnyComplexType()) {}

  // 'Sure': the variable has been assigned by this iteration before; returned: behind S.
  bool walk(const Stmt *S, bool Sure) {
    if (!S)
      return Sure;
    if (const auto *E = dyn_cast<Expr>(S))
      return expression(E->IgnoreParens(), Sure);
    if (const auto *I = dyn_cast<IfStmt>(S)) {
      Sure = walk(I->getCond(), walk(I->getConditionVariableDeclStmt(), walk(I->getInit(), Sure)));
      bool Then = walk(I->getThen(), Sure), Else = walk(I->getElse(), Sure);
      return Then && Else;
    }
    if (const auto *F = dyn_cast<ForStmt>(S)) {
      Sure = walk(F->getCond(), walk(F->getInit(), Sure));
      walk(F->getInc(), walk(F->getBody(), Sure));
      return Sure;
    }
    if (const auto *W = dyn_cast<WhileStmt>(S)) {
      Sure = walk(W->getCond(), Sure);
      walk(W->getBody(), Sure);
      return Sure;
    }
    if (const auto *C = dyn_cast<SwitchStmt>(S)) {
      Sure = walk(C->getCond(), Sure);
      walk(C->getBody(), Sure);
      return Sure;
    }
    return children(S, Sure);
  }

private:
  bool children(const Stmt *S, bool Sure) {
    for (const Stmt *X : S->children())
      Sure = walk(X, Sure);
    return Sure;
  }

  static const VarDecl *rootOf(const Expr *LValue) {
    const Expr *E = LValue->IgnoreParens();
    for (;;) {
      if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
        const auto *Decay = dyn_cast<ImplicitCastExpr>(A->getBase()->IgnoreParens());
        if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
          return nullptr; // through a pointer
        E = Decay->getSubExpr()->IgnoreParens();
      } else if (const auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
        E = M->getBase()->IgnoreParens();
      else
        return asVariable(E);
    }
  }

  bool mentioned(const Stmt *S) const {
    if (const auto *R = dyn_cast_or_null<DeclRefExpr>(S); R && R->getDecl() == V)
      return true;
    return S && llvm::any_of(S->children(), [&](const Stmt *X) { return mentioned(X); });
  }

  bool target(const Expr *LValue, bool Sure, bool Reads) {
    if (rootOf(LValue) != V)
      return children(LValue->IgnoreParens(), Sure);
    Written = true;
    if (Reads)
      Read = true, Exposed |= !Sure;
    if (asVariable(LValue->IgnoreParens()) == V)
      return true;
    subscripts(LValue->IgnoreParens(), Sure);
    return Sure;
  }

  // '&v', or an array, for a parameter that may be written through.
  bool gives(const Expr *Argument) const {
    QualType To = Argument->getType();
    if (!To->isPointerType() || To->getPointeeType().isConstQualified())
      return false;
    const Expr *E = Argument->IgnoreParenImpCasts();
    const auto *U = dyn_cast<UnaryOperator>(E);
    return (U && U->getOpcode() == UO_AddrOf ? rootOf(U->getSubExpr()) : E->getType()->isArrayType() ? rootOf(E) : nullptr) == V;
  }

  // Of an element or member of the variable itself.
  void subscripts(const Expr *E, bool Sure) {
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      walk(A->getIdx(), Sure);
      subscripts(A->getBase()->IgnoreParenImpCasts(), Sure);
    } else if (const auto *M = dyn_cast<MemberExpr>(E))
      subscripts(M->getBase()->IgnoreParenImpCasts(), Sure);
  }

  bool expression(const Expr *E, bool Sure) {
    if (const auto *A = dyn_cast<BinaryOperator>(E); A && A->isAssignmentOp()) {
      bool Compound = A->isCompoundAssignmentOp(), Own = rootOf(A->getLHS()) == V;
      Sure = walk(A->getRHS(), Sure);
      return target(A->getLHS(), Sure, Compound || (Own && !Scalar && mentioned(A->getRHS())));
    }
    if (const auto *A = dyn_cast<BinaryOperator>(E); A && A->isLogicalOp()) {
      Sure = walk(A->getLHS(), Sure);
      walk(A->getRHS(), Sure);
      return Sure;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      if (U->isIncrementDecrementOp())
        return target(U->getSubExpr(), Sure, true);
      if (U->getOpcode() == UO_AddrOf && rootOf(U->getSubExpr()) == V)
        return true; // whoever gets it may assign it
    }
    if (const auto *C = dyn_cast<AbstractConditionalOperator>(E)) {
      Sure = walk(C->getCond(), Sure);
      bool True = walk(C->getTrueExpr(), Sure), False = walk(C->getFalseExpr(), Sure);
      return True && False;
    }
    if (isa<UnaryExprOrTypeTraitExpr>(E))
      return Sure;
    if (const auto *C = dyn_cast<CallExpr>(E))
      Given |= llvm::any_of(C->arguments(), [&](const Expr *A) { return gives(A); });
    if (const auto *R = dyn_cast<DeclRefExpr>(E); R && R->getDecl() == V) {
      Read = true;
      Exposed |= Scalar && !Sure;
    }
    return children(E, Sure);
  }
};
} // namespace

// Bytes that are a value, and nothing else; 0: it holds addresses, or bytes between its members.
static uint64_t valueBytes(const ASTContext &Ctx, QualType T) {
  T = T.getCanonicalType();
  if (T.isVolatileQualified() || T->isDependentType() || T->isIncompleteType() || T->isPointerType() || T->isVariablyModifiedType())
    return 0;
  uint64_t Whole = Ctx.getTypeSizeInChars(T).getQuantity();
  if (const auto *A = Ctx.getAsConstantArrayType(T)) {
    uint64_t Element = valueBytes(Ctx, A->getElementType());
    return Element && Element * A->getZExtSize() == Whole ? Whole : 0;
  }
  if (const auto *R = T->getAs<RecordType>()) {
    uint64_t Sum = 0;
    for (const FieldDecl *F : R->getDecl()->fields()) {
      uint64_t Field = F->isBitField() ? 0 : valueBytes(Ctx, F->getType());
      if (!Field)
        return 0;
      Sum += Field;
    }
    return R->getDecl()->isUnion() || Sum != Whole ? 0 : Whole;
  }
  if (T->isSpecificBuiltinType(BuiltinType::LongDouble))
    return &Ctx.getFloatTypeSemantics(T) == &llvm::APFloat::x87DoubleExtended() ? 10 : Whole;
  if (T->isAnyComplexType()) {
    uint64_t Part = valueBytes(Ctx, T->castAs<ComplexType>()->getElementType());
    return 2 * Part == Whole ? Whole : 0;
  }
  return T->isArithmeticType() || T->isEnumeralType() ? Whole : 0;
}

static void collectVariables(const Stmt *S, llvm::SmallVectorImpl<const VarDecl *> &Found) {
  if (const auto *R = dyn_cast_or_null<DeclRefExpr>(S))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()); V && !is_contained(Found, V))
      Found.push_back(V);
  if (S)
    for (const Stmt *X : S->children())
      collectVariables(X, Found);
}

// 'reduction(sum(s.x))': that of s.
static void collectResults(Construct &C, llvm::SmallVectorImpl<const VarDecl *> &Found) {
  const dvm_directive &D = *C.Dir.D;
  for (unsigned I = 0; I < D.nclauses; ++I)
    for (unsigned J = 0; J < D.clauses[I].nreductions; ++J)
      for (const dvm_range &Name : {D.clauses[I].reductions[J].var, D.clauses[I].reductions[J].loc})
        if (Name.count)
          collectVariables(C.Ops.lvalue(Name), Found);
}

void Rewriter::findShared(Construct &C) {
  llvm::SmallVector<const VarDecl *, 16> Named, Results;
  const Stmt *Nest = C.Loops.front().For, *Body = C.Loops.back().For->getBody();
  const SourceManager &SM = Ctx.getSourceManager();
  if (!C.Mapped || Decls.isTask(C.Ops.variable(C.Dir.D->target.name)))
    return;
  collectVariables(Body, Named);
  collectResults(C, Results);
  for (const VarDecl *V : Named) {
    SourceLocation L = V->getLocation();
    if (C.indexNumber(V) >= 0 || C.Privates.count(V) || C.Reductions.count(V) || C.Warned.count(V) || is_contained(Results, V) ||
        V->getTLSKind() != VarDecl::TLS_None || isTemplateVar(V) || Decls.isDistributed(V, FD))
      continue;
    if (SM.isBeforeInTranslationUnit(Nest->getBeginLoc(), L) && SM.isBeforeInTranslationUnit(L, Nest->getEndLoc()))
      continue; // an iteration's own
    uint64_t Bytes = valueBytes(Ctx, V->getType());
    Exposure X(V);
    if (!Bytes)
      continue;
    X.walk(Body, false);
    bool Matters = X.Written && (X.Exposed || !X.Read);
    if (Matters || X.Given)
      C.Shared.push_back({V, Bytes, !Matters});
  }
}
