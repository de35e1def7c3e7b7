// Where lvalues lead: the variable at the root, the subscripts on it, the arrays inside of structs.
#include "Rewriter.h"
#include "clang/AST/Attr.h"
#include <algorithm>

using namespace clang;
using namespace dvm;

const Expr *dvm::pointerBase(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenCasts();
    if (const auto *A = dyn_cast<BinaryOperator>(E); A && A->isAdditiveOp())
      E = A->getLHS()->getType()->isPointerType() || A->getLHS()->getType()->isArrayType() ? A->getLHS() : A->getRHS();
    else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
      E = S->getBase();
    else if (const auto *M = dyn_cast<MemberExpr>(E))
      E = M->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E);
             U && (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf || U->isIncrementDecrementOp()))
      E = U->getSubExpr();
    else
      return E;
  }
}

// '*(A + i)', '**A' of an array 'A[][]': an element of the variable itself, and none that a pointer in it leads to.
bool dvm::insideVariable(const Expr *Address) {
  for (const Expr *E = Address;;) {
    E = E->IgnoreParens();
    if (const auto *C = dyn_cast<CastExpr>(E)) {
      if (C->getCastKind() == CK_LValueToRValue)
        return false;
      E = C->getSubExpr();
    } else if (const auto *A = dyn_cast<BinaryOperator>(E); A && A->isAdditiveOp()) {
      E = A->getLHS()->getType()->isPointerType() ? A->getLHS() : A->getRHS();
    } else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      E = S->getBase();
    } else if (const auto *M = dyn_cast<MemberExpr>(E)) {
      E = M->getBase();
    } else if (const auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf)) {
      E = U->getSubExpr();
    } else {
      return isa<DeclRefExpr>(E);
    }
  }
}

Chain dvm::chainOf(Expr *E) {
  Chain R;
  R.Direct = true;
  for (;;) {
    E = E->IgnoreParens();
    if (auto *D = dyn_cast<DeclRefExpr>(E)) {
      R.Root = dyn_cast<VarDecl>(D->getDecl());
      break;
    }
    R.Direct = false;
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      R.Subs.push_back(A);
      Expr *Base = A->getBase()->IgnoreParens();
      auto *Cast = dyn_cast<ImplicitCastExpr>(Base);
      if (Cast && Cast->getCastKind() == CK_ArrayToPointerDecay) {
        E = Cast->getSubExpr();
        continue;
      }
      R.ThroughPointer = true;
      R.Root = asVariable(Base);
      if (!R.Root) {
        R.Root = asVariable(pointerBase(Base));
        R.OnRoot = false;
        if (!Cast || Cast->getCastKind() != CK_LValueToRValue)
          R.Subs.clear();
      }
      break;
    }
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      R.Subs.clear();
      if (M->isArrow()) {
        R.ThroughPointer = true;
        R.Root = asVariable(pointerBase(M->getBase()));
        break;
      }
      E = M->getBase();
      continue;
    }
    if (auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Real || U->getOpcode() == UO_Imag)) {
      E = U->getSubExpr();
      continue;
    }
    R.Subs.clear();
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref) {
      const Expr *Base = pointerBase(U->getSubExpr());
      R.Root = asVariable(Base);
      R.ThroughPointer = !R.Root || !R.Root->getType()->isArrayType() || !insideVariable(U->getSubExpr());
    } else {
      R.ThroughPointer = true;
    }
    break;
  }
  std::reverse(R.Subs.begin(), R.Subs.end());
  return R;
}

static bool isLast(const FieldDecl *F) {
  const auto &Fields = F->getParent()->fields();
  return F->getParent()->isUnion() ||
         std::none_of(Fields.begin(), Fields.end(), [&](const FieldDecl *Other) { return Other->getFieldIndex() > F->getFieldIndex(); });
}

// The last member of a struct may stand for an array that the allocation makes longer: sizes that say so in themselves, by
// clang's -fstrict-flex-arrays.
static bool saysLonger(const ASTContext &Ctx, const FieldDecl *F, uint64_t Extent) {
  using Level = LangOptions::StrictFlexArraysLevelKind;
  const Level L = Ctx.getLangOpts().getStrictFlexArraysLevel();
  return Extent <= (L <= Level::OneZeroOrIncomplete ? 1u : 0u) && L != Level::IncompleteOnly && isLast(F);
}

// Is the member the end of what a pointer leads to?
static bool endsWhatIsPointedTo(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (!F || !isLast(F) || M->isArrow())
        return F && isLast(F);
      E = M->getBase();
    } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      const auto *Cast = dyn_cast<ImplicitCastExpr>(A->getBase()->IgnoreParens());
      if (!Cast || Cast->getCastKind() != CK_ArrayToPointerDecay)
        return true;
      E = Cast->getSubExpr();
    } else {
      const auto *U = dyn_cast<UnaryOperator>(E);
      return U && U->getOpcode() == UO_Deref;
    }
  }
}

SmallVector<InnerSubscript, 2> dvm::innerSubscripts(const ASTContext &Ctx, Expr *E, const Chain &Ch) {
  SmallVector<InnerSubscript, 2> Found;
  for (;;) {
    E = E->IgnoreParens();
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        break;
      E = M->getBase();
    } else if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      auto *Cast = dyn_cast<ImplicitCastExpr>(A->getBase()->IgnoreParens());
      if (!Cast || Cast->getCastKind() != CK_ArrayToPointerDecay)
        break;
      E = Cast->getSubExpr();
      const auto *T = Ctx.getAsConstantArrayType(E->getType());
      if (!T || is_contained(Ch.Subs, A))
        continue;
      unsigned Dim = 0;
      const Expr *Whole = E->IgnoreParens();
      for (const ArraySubscriptExpr *Outer; (Outer = dyn_cast<ArraySubscriptExpr>(Whole)); ++Dim) {
        const auto *Decay = dyn_cast<ImplicitCastExpr>(Outer->getBase()->IgnoreParens());
        if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
          break;
        Whole = Decay->getSubExpr()->IgnoreParens();
      }
      const auto *Owner = dyn_cast<MemberExpr>(Whole);
      const FieldDecl *F = Owner ? dyn_cast<FieldDecl>(Owner->getMemberDecl()) : nullptr;
      uint64_t Extent = T->getZExtSize();
      const bool Any = Ctx.getLangOpts().getStrictFlexArraysLevel() == LangOptions::StrictFlexArraysLevelKind::Default;
      if (!F || Dim || !saysLonger(Ctx, F, Extent))
        Found.push_back({A, Extent, Dim, F, Any && F && !Dim && endsWhatIsPointedTo(Owner)});
    } else if (auto *U = dyn_cast<UnaryOperator>(E); U && (U->getOpcode() == UO_Real || U->getOpcode() == UO_Imag)) {
      E = U->getSubExpr();
    } else {
      break;
    }
  }
  std::reverse(Found.begin(), Found.end());
  return Found;
}

// Marks would claim the natural alignment: of members of packed structs, and of what lies in objects whose type is a typedef
// of less alignment.
bool dvm::isPacked(const ASTContext &Ctx, const Expr *E) {
  const QualType Part = E->getType();
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (F && (F->hasAttr<PackedAttr>() || F->getParent()->hasAttr<PackedAttr>() || F->getParent()->hasAttr<MaxFieldAlignmentAttr>()))
        return true;
      E = M->getBase();
      if (M->isArrow())
        return Ctx.getTypeAlign(E->getType()->getPointeeType()) < Ctx.getTypeAlign(Part);
    } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      const auto *C = dyn_cast<ImplicitCastExpr>(A->getBase()->IgnoreParens());
      if (!C || C->getCastKind() != CK_ArrayToPointerDecay)
        break;
      E = C->getSubExpr();
    } else {
      break;
    }
  }
  return !E->getType()->isIncompleteType() && !E->getType()->isFunctionType() && Ctx.getTypeAlign(E->getType()) < Ctx.getTypeAlign(Part);
}
