// The walk: every access that the source makes to memory becomes '*(T *)__dvmm_access(&lvalue, id, site)'.
// What no source access makes (initialisers, struct copies, bit-fields) stays unmarked: the pass lets it assign.
#include "Polynomial.h"
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace dvm;

CallExpr *dvm::markerCall(Stmt *S, StringRef Name) {
  auto *E = dyn_cast_or_null<Expr>(S);
  auto *C = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->isImplicit() && F->getIdentifier() && F->getName() == Name ? C : nullptr;
}

StringRef dvm::directiveNumber(const CallExpr *Call) {
  const auto *S = Call->getNumArgs() ? dyn_cast<StringLiteral>(Call->getArg(0)->IgnoreParenImpCasts()) : nullptr;
  return S ? S->getString() : StringRef();
}

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

namespace {
// Calls that cannot write an array of the program: their only results are values.
bool pureCall(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier())
    return false;
  if (F->hasAttr<ConstAttr>() || F->hasAttr<PureAttr>())
    return true;
  unsigned ID = F->getBuiltinID();
  if (!ID)
    return false;
  for (const ParmVarDecl *P : F->parameters())
    if (P->getType()->isPointerType())
      return false;
  return F->getName() != "free";
}
} // namespace

Construct *Rewriter::innermostNest() const {
  for (auto I = Stack.rbegin(); I != Stack.rend(); ++I)
    if ((*I)->Iterates)
      return I->get();
  return nullptr;
}

// A struct that is an element of a distributed array: copied as a whole, where it lies matters.
bool Rewriter::wholeElement(const Expr *E) const {
  Chain Ch = chainOf(const_cast<Expr *>(E));
  return Ch.Root && !Ch.Direct && Ch.OnRoot && !Ch.Subs.empty() && !isTemplateVar(Ch.Root) && Decls.isDistributed(Ch.Root, FD);
}

// 'volatile sig_atomic_t' is what handlers of signals may write, at any moment: no iteration does it.
static bool isSignalFlag(QualType T) {
  if (!T.isVolatileQualified())
    return false;
  while (const auto *Named = T->getAs<TypedefType>()) {
    if (Named->getDecl()->getName() == "sig_atomic_t")
      return true;
    T = Named->desugar();
  }
  return false;
}

// A struct that lives longer than the iterations of the nest around, or is reached through a pointer, where it may be an element of a
// distributed array: copied as a whole, its class and its place matter.
bool Rewriter::wholeDatum(const Expr *E) const {
  const Construct *Nest = innermostNest();
  if (St.Opts.Trace || E->getType().isVolatileQualified())
    return false;
  const Chain Ch = chainOf(const_cast<Expr *>(E));
  if (!Nest || !Ch.Root)
    return Ch.ThroughPointer || (Ch.Root && Decls.isDistributed(Ch.Root, FD));
  return !Ch.Root->hasLocalStorage() || Ctx.getSourceManager().isBeforeInTranslationUnit(Ch.Root->getLocation(), Nest->Dir.Start);
}

bool Rewriter::markable(const Expr *E) const {
  E = E->IgnoreParens();
  QualType T = E->getType();
  if (!E->isLValue() || E->getObjectKind() != OK_Ordinary || T->isIncompleteType() || T->isFunctionType() ||
      (T->isRecordType() && !wholeElement(E) && !wholeDatum(E)) || T->isArrayType() || T.getAddressSpace() != LangAS::Default ||
      isPacked(Ctx, E))
    return false;
  if (const auto *A = T->getAs<AtomicType>(); (A && A->getValueType()->isRecordType()) || isSignalFlag(T))
    return false;
  if (const VarDecl *V = asVariable(E)) {
    if (Header && Header->indexNumber(V) >= 0)
      return false;
    if (V->getStorageClass() == SC_Register && V->hasAttr<AsmLabelAttr>())
      return false; // a named register has no address
    if (T.isConstQualified() && V->getAnyInitializer())
      return false; // a constant
    if (V->isImplicit())
      return false;
  }
  return true;
}

// Names and numbers, added and multiplied, that a clause of the nest may hold: known where its directive stands, and the same
// throughout.
static bool isSteady(const ASTContext &Ctx, const Expr *E, const Construct &C) {
  E = E->IgnoreParenImpCasts();
  int64_t Ignored;
  if (constantOf(Ctx, E, Ignored))
    return true;
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return (B->isAdditiveOp() || B->getOpcode() == BO_Mul) && isSteady(Ctx, B->getLHS(), C) && isSteady(Ctx, B->getRHS(), C);
  const VarDecl *V = asVariable(E);
  return V && (V->hasLocalStorage() || V->isStaticLocal()) && V->getType()->isIntegerType() && C.indexNumber(V) < 0 &&
         !C.Changed.count(V) && Ctx.getSourceManager().isBeforeInTranslationUnit(V->getLocation(), C.Dir.Start);
}

// 'C' is what the site belongs to, 'In' the innermost construct around it, both may be null.
static void axisText(SiteText &T, const ASTContext &Ctx, const Expr *Index, const Construct *C, const Construct *In) {
  Affine A = Rewriter::affine(Ctx, Index, C);
  const Construct *Clauses = C ? C : In;
  bool Holds = Clauses && (Clauses->Dir.D->kind == DVM_DIR_PARALLEL || Clauses->Dir.D->kind == DVM_DIR_REMOTE_ACCESS);
  if (!A.OK && Holds && isSteady(Ctx, Index, *Clauses))
    T.key(DVMRT_ACCESS_SUBSCRIPT).add("o " + sourceText(Ctx, Index));
  else if (!A.OK)
    T.key(DVMRT_ACCESS_SUBSCRIPT).add("o");
  else if (A.Index < 0)
    T.key(DVMRT_ACCESS_SUBSCRIPT).add("c" + Twine(A.Add));
  else
    T.key(DVMRT_ACCESS_SUBSCRIPT).add("a" + Twine(A.Index) + ":" + Twine(A.Coef) + ":" + Twine(A.Add));
}

// May the subscript have another value where it stands than at the directive?  In the sequential part whatever is not known to
// keep it may change it; in a nest the variables that its body assigns or declares.
static bool mayVary(const ASTContext &Ctx, const Expr *E, const Construct &C) {
  if (C.Dir.D->kind != DVM_DIR_PARALLEL)
    return !isSteady(Ctx, E, C);
  if (const VarDecl *V = asVariable(const_cast<Expr *>(E)))
    return C.Changed.count(V) || (C.indexNumber(V) < 0 && Ctx.getSourceManager().isBeforeInTranslationUnit(C.Dir.Start, V->getLocation()));
  return llvm::any_of(E->children(), [&](const Stmt *S) { return isa_and_nonnull<Expr>(S) && mayVary(Ctx, cast<Expr>(S), C); });
}

static std::string withoutBlanks(std::string S) {
  S.erase(std::remove(S.begin(), S.end(), ' '), S.end());
  return S;
}

// The subscript of a section as 'coefficient * index + rest'.  False: it is of no such form.
static bool sectionPolynomial(const Construct &C, const dvm_axis &X, Unknowns &U, Polynomial &P) {
  const Polynomial Index = Polynomial::unknown(Unknowns::ofIndex(X.index));
  if (X.kind == DVM_AXIS_EXPR) {
    const Expr *Fixed = C.Ops.value(X.expr);
    P = Polynomial::of(Fixed, U);
    return Fixed;
  }
  if (X.kind == DVM_AXIS_AFFINE) {
    Polynomial Coef = X.coef.count ? Polynomial::of(C.Ops.value(X.coef), U) : Polynomial::constant(1);
    Polynomial Add = Polynomial::of(C.Ops.value(X.add), U), Zero = Polynomial::constant(0);
    P = (X.negative_coef ? Zero - Coef : Coef) * Index + (X.negative_add ? Zero - Add : Add);
    return true;
  }
  int I = X.affine ? C.Dir.operand(X.expr) : -1;
  if (I < 0 || unsigned(I) + 1 >= C.Ops.E.size())
    return false;
  Polynomial AtZero = Polynomial::of(C.Ops.E[I], U), AtOne = Polynomial::of(C.Ops.E[I + 1], U);
  P = (AtOne - AtZero) * Index + AtZero;
  return true;
}

// Does the reference agree with a section of remote_access in all subscripts that the section fixes?
static bool coveredBy(const ASTContext &Ctx, const Chain &Ch, const Construct &C, const Construct *Nest, const dvm_ref &R, bool Rows) {
  if (!R.naxes)
    return true;
  if (R.naxes < Ch.Subs.size() || (R.naxes > Ch.Subs.size() && !Rows))
    return false;
  for (unsigned I = 0; I < R.naxes; ++I) {
    const dvm_axis &X = R.axes[I];
    if (I >= Ch.Subs.size()) { // a row, to be within a whole dimension
      if (X.kind != DVM_AXIS_EMPTY)
        return false;
      continue;
    }
    const Expr *Index = Ch.Subs[I]->getIdx();
    Unknowns U(Ctx, Nest == &C ? Nest : nullptr);
    Polynomial P;
    if (X.kind == DVM_AXIS_EMPTY)
      continue;
    if (sectionPolynomial(C, X, U, P)) {
      if (!(P == Polynomial::of(Index, U)))
        return false;
      // As it is written; the run-time system cannot tell which element it was.
    } else if (withoutBlanks(C.Dir.text(X.expr)) != withoutBlanks(sourceText(Ctx, Index)) || mayVary(Ctx, Index, C)) {
      return false;
    }
  }
  return true;
}

// An object that every processor has, as far as this translation unit can tell: assigning it needs the value everywhere.
bool Rewriter::isOrdinary(Expr *LValue) {
  if (asVariable(LValue))
    return true;
  Chain Ch = chainOf(LValue->IgnoreParens());
  const VarDecl *V = Ch.Root;
  return V && !Ch.ThroughPointer && !V->isExternallyVisible() && !Decls.isDistributed(V, FD);
}

void Rewriter::rootText(SiteText &T, const Chain &Ch) {
  const VarDecl *V = Ch.Root;
  if (!V)
    return;
  PresumedLoc P = presumed(Ctx.getSourceManager(), V->getLocation());
  T.key(DVMRT_ACCESS_VARIABLE).add(V->getName());
  if (P.isValid())
    T.key(DVMRT_ACCESS_DECLARED).add(Twine(P.getLine()) + " " + Twine(P.getColumn()) + " " + P.getFilename());
  T.key(DVMRT_ACCESS_ROOT)
      .add(Ch.ThroughPointer      ? "h"
           : isa<ParmVarDecl>(V)  ? "p"
           : V->isStaticLocal()   ? "s"
           : V->hasLocalStorage() ? "l"
                                  : "g");
}

// Does a section of remote_access around cover the reference?  '1', '?' if its subscripts may have changed since, or 0.
char Rewriter::agreesWithRemote(const Chain &Ch, const Construct *Nest, bool Rows) const {
  for (const auto &C : llvm::reverse(Stack))
    for (const auto &[Array, Ref] : C->Remote) {
      if (Array != Ch.Root || !coveredBy(Ctx, Ch, *C, Nest, *Ref, Rows))
        continue;
      bool Varies = false; // what the section fixes; an empty bracket holds whatever the subscript becomes
      for (unsigned D = 0; D < std::min<size_t>(Ref->naxes, Ch.Subs.size()); ++D)
        Varies |= Ref->axes[D].kind != DVM_AXIS_EMPTY && mayVary(Ctx, Ch.Subs[D]->getIdx(), *C);
      return Varies ? '?' : '1';
    }
  return 0;
}

void Rewriter::mark(Stmt *&Slot, char Kind) {
  auto *E = cast<Expr>(Slot);
  if (E->containsErrors())
    return; // its type and size are not known; the compilation fails anyway
  if (St.Opts.Parallel)
    return markPart(Slot, Kind);
  if (!markable(E)) {
    walk(Slot);
    return;
  }
  Expr *Access = E->IgnoreParens();
  SourceLocation L = Access->getBeginLoc();
  const SourceManager &SM = Ctx.getSourceManager();
  Chain Ch = chainOf(Access);
  Construct *Nest = innermostNest();
  const VarDecl *V = Ch.Root;
  bool Distributed = V && !Ch.Direct && Ch.OnRoot && !isTemplateVar(V) && Decls.isDistributed(V, FD);

  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add(Twine(Kind));
  if (Nest && V && Ch.Direct && Nest->Warned.count(V))
    T.add(" quiet");
  T.place(SM, L);
  T.key(DVMRT_ACCESS_TEXT).add(sourceText(Ctx, Access));
  rootText(T, Ch);
  T.key(DVMRT_ACCESS_SIZE).add(Twine(Ctx.getTypeSizeInChars(E->getType()).getQuantity()));
  if (E->getType()->isRecordType())
    T.key(DVMRT_ACCESS_WHOLE).add("1");
  if (StringRef("fc").contains(elementKind(Ctx, E->getType())[0]))
    T.key(DVMRT_ACCESS_FLOATING).add("f");
  if (St.Opts.Trace) {
    T.key(DVMRT_TRACE_VALUE).add(valueKind(Ctx, E->getType()));
    pathText(T, Access, Ch);
  }
  T.key(DVMRT_ACCESS_CONSTRUCT).add(Twine(Nest ? Nest->Cid : 0));
  if (V && Ch.Direct && Nest)
    if (int I = Nest->indexNumber(V); I >= 0)
      T.key(DVMRT_ACCESS_INDEX_VARIABLE).add(Twine(I));

  SmallVector<QualType, 4> Extents; // of variable-length dimensions, else null
  if (!Ch.Subs.empty()) {
    Shape S;
    if (V && Ch.OnRoot)
      S = shapeOf(Ctx, V->getType());
    for (unsigned I = 0; I < Ch.Subs.size(); ++I) {
      axisText(T, Ctx, Ch.Subs[I]->getIdx(), Nest, Stack.empty() ? nullptr : Stack.back().get());
      const auto *CA = I < S.rank() ? Ctx.getAsConstantArrayType(S.Dims[I]) : nullptr;
      bool Variable = I < S.rank() && isa_and_nonnull<VariableArrayType>(Ctx.getAsArrayType(S.Dims[I]));
      T.key(DVMRT_ACCESS_EXTENT).add(CA ? Twine(CA->getZExtSize()).str() : Variable ? "#" : "*");
      Extents.push_back(Variable ? S.Dims[I] : QualType());
    }
    QualType Element = Ch.Subs.back()->getType();
    if (!Element->isIncompleteType())
      T.key(DVMRT_ACCESS_ELEMENT).add(Twine(Ctx.getTypeSizeInChars(Element).getQuantity()));
  }

  auto Inner = innerSubscripts(Ctx, Access, Ch);
  if (Inner.size() + Ch.Subs.size() > DVM_NDIMS_MAX)
    Inner.clear();
  for (const InnerSubscript &I : Inner) {
    int64_t Value;
    T.key(DVMRT_ACCESS_INNER_SUBSCRIPT).add(constantOf(Ctx, I.At->getIdx(), Value) ? "c" + Twine(Value).str() : "o");
    T.key(DVMRT_ACCESS_INNER_EXTENT).add(Twine(I.Extent) + " " + Twine(I.Dim) + (I.Member ? " " + I.Member->getName() : ""));
    if (I.Longer)
      T.key(DVMRT_ACCESS_LONGER).add(Twine(Ctx.getTypeSizeInChars(I.At->getType()).getQuantity()));
    Extents.push_back(QualType());
  }

  bool Outside = Nest && V && (isa<ParmVarDecl>(V) || SM.isBeforeInTranslationUnit(V->getLocation(), Nest->Dir.Start));
  if (Distributed && Nest && Outside && Nest->Dir.D->kind == DVM_DIR_PARALLEL && Ch.Subs.size() == shapeOf(Ctx, V->getType()).rank()) {
    unsigned U = 0;
    while (U < Nest->Uses.size() && Nest->Uses[U].V != V)
      ++U;
    if (U == Nest->Uses.size())
      Nest->Uses.push_back({V});
    Nest->Uses[U].Written |= Kind != 'r';
    T.key(DVMRT_ACCESS_DISTRIBUTED).add(Twine(U));
  } else if (Distributed) {
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
  }
  if (Nest && Kind != 'r' && Ch.ThroughPointer && !Distributed)
    Nest->Opaque = true; // may write any array
  if (char Agrees = V && !Ch.Direct ? agreesWithRemote(Ch, Nest, false) : 0)
    T.key(DVMRT_ACCESS_BUFFERED).add(Twine(Agrees));

  if ((!Nest || Nest->Dir.D->kind == DVM_DIR_ON) && !Ch.Direct) { // a task's own statements are judged as the sequential part is
    if (E->IgnoreParens() == StreamArgument)
      T.key(DVMRT_ACCESS_ROLE).add("io");
    else if (Assignment)
      T.key(DVMRT_ACCESS_ROLE).add(Twine(Kind == 'r' ? "rhs " : "lhs ") + Twine(St.AssignmentBase + Assignment));
    if (Standing)
      T.key(DVMRT_ACCESS_STANDING).add(Twine(Standing));
  }

  long ID = NextAccess++;
  SmallVector<std::pair<ArraySubscriptExpr *, bool>, 4> Subs;
  for (ArraySubscriptExpr *A : Ch.Subs) {
    int64_t Ignored;
    Subs.push_back({A, !constantOf(Ctx, A->getIdx(), Ignored)});
  }
  for (const InnerSubscript &I : Inner) {
    int64_t Ignored;
    Subs.push_back({I.At, !constantOf(Ctx, I.At->getIdx(), Ignored)});
  }
  long Outer = Assignment;
  if (Kind != 'r')
    Assignment = 0; // who is to assign is decided by everybody
  walk(Slot);
  Assignment = Outer;
  if (!Emit)
    return;
  for (unsigned I = 0; I < Subs.size(); ++I) {
    if (!Subs[I].second && Extents[I].isNull())
      continue;
    ArraySubscriptExpr *A = Subs[I].first;
    Expr *Index = A->getIdx();
    bool OnRight = A->getIdx() == A->getRHS();
    Expr *Marked = B.call(DVMM_INDEX, {B.toLong(Index), B.integer(ID, L), B.integer(I, L)}, Index->getBeginLoc());
    if (!Extents[I].isNull()) {
      QualType Element = Ctx.getAsArrayType(Extents[I])->getElementType();
      Expr *Extent = B.toLong(B.divide(B.sizeOf(Extents[I], L), B.sizeOf(Element, L)));
      Marked = B.comma(B.call(DVMM_INDEX, {Extent, B.integer(ID, L), B.integer(DVMM_EXTENT + I, L)}, L), Marked);
    }
    if (OnRight)
      A->setRHS(Marked);
    else
      A->setLHS(Marked);
  }
  QualType Ty = E->getType();
  SourceLocation Where = E->getExprLoc();
  Expr *Call = B.call(DVMM_ACCESS, {B.address(cast<Expr>(Slot)), B.integer(ID, L), B.string(T.Text, L)}, Where);
  Slot = B.deref(Call, Ty);
}

// The subscripted pointer of a distributed array is resolved once at entry; checking each read of it would only cost.
void Rewriter::walkSubscript(ArraySubscriptExpr *A) {
  const VarDecl *Base = asVariable(A->getBase());
  bool SkipBase = Base && Base->getType()->isPointerType() && Decls.isDistributed(Base, FD);
  for (Stmt *&X : A->children())
    if (!SkipBase || X != A->getBase())
      walk(X);
}

void Rewriter::bindPointer(BinaryOperator *Assign) {
  const VarDecl *V = asVariable(Assign->getLHS());
  Directive *Dir = V && V->getType()->isPointerType() ? St.attached(V) : nullptr;
  if (!Dir || Dir->D->kind != DVM_DIR_ARRAY)
    return;
  SourceLocation L = Assign->getOperatorLoc();
  Expr *Value = Assign->getRHS();
  warnCalloc(V, Value);
  if (!Emit)
    return;
  SiteText T = Decls.describe(V, *Dir, true, B.toVoidPtr(Value));
  SmallVector<Expr *, 16> Args{T.Args[0], B.string(T.Text, L)};
  Args.append(T.Args.begin() + 1, T.Args.end());
  Assign->setRHS(B.cast(B.call(DVMM_BIND, Args, L), Value->getType(), CK_BitCast));
}

// The variable whose value the expression is, or null.
static const VarDecl *valueOf(const Expr *E) {
  const auto *C = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  if (!C || C->getCastKind() != CK_LValueToRValue)
    return nullptr;
  const auto *R = dyn_cast<DeclRefExpr>(C->getSubExpr()->IgnoreParens());
  return R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
}

void Rewriter::walkDecls(DeclStmt *DS) {
  SmallVector<Decl *, 4> Group;
  bool Added = false;
  for (Decl *D : DS->decls()) {
    Group.push_back(D);
    auto *V = dyn_cast<VarDecl>(D);
    if (!V) {
      if (!isa<TagDecl>(D))
        Decls.take(D);
      continue;
    }
    if (Decls.takeOperandConstant(V))
      continue;
    Decls.take(V);
    // 'int x = x;' only tells the compiler not to warn.
    if (V->hasInit() && !V->isStaticLocal() && valueOf(V->getInit()) != V) {
      char Outer = std::exchange(Standing, Standing ? Standing : 'd');
      walk(*V->getInitAddress());
      Standing = Outer;
      if (VarDecl *Record = St.Opts.Trace && Emit ? traceInit(V) : nullptr) {
        Group.push_back(Record);
        Added = true;
      }
    }
    if (St.Opts.Trace && Emit)
      traceUnset(V);
    Directive *Dir = St.attached(V);
    if (!Dir || !Decls.check(V, *Dir))
      continue;
    if (V->hasExternalStorage()) {
      St.Externs.push_back(V);
      continue;
    }
    if (V->isStaticLocal()) {
      St.StaticLocals.push_back(V);
      continue;
    }
    bool Pointer = V->getType()->isPointerType() && Dir->D->kind == DVM_DIR_ARRAY;
    if (Pointer)
      warnCalloc(V, V->getInit());
    if (!Emit || (Pointer && !V->getInit()))
      continue;
    SourceLocation L = V->getLocation();
    SiteText T = Decls.describe(V, *Dir, Pointer, nullptr);
    SmallVector<Expr *, 16> Args{B.string(T.Text, L)};
    Args.append(T.Args.begin(), T.Args.end());
    auto *Reg = VarDecl::Create(Ctx, V->getDeclContext(), L, L, &Ctx.Idents.get("dvm_register"), Ctx.IntTy,
                                Ctx.getTrivialTypeSourceInfo(Ctx.IntTy, L), SC_None);
    Expr *Zero = IntegerLiteral::Create(Ctx, llvm::APInt(32, 0), Ctx.IntTy, L);
    Reg->setInit(B.comma(B.call(DVMM_DIRECT, Args, L), Zero));
    Reg->setImplicit();
    Reg->addAttr(UnusedAttr::CreateImplicit(Ctx));
    Group.push_back(Reg);
    Added = true;
  }
  if (Added)
    DS->setDeclGroup(DeclGroupRef::Create(Ctx, Group.data(), Group.size()));
}

// Functions of the standard library whose arguments are input or output of the program.
static bool onStream(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier() || F->isStatic())
    return false;
  return llvm::StringSwitch<bool>(F->getName())
      .Cases("printf", "fprintf", "vprintf", "vfprintf", "scanf", "fscanf", "vscanf", "vfscanf", true)
      .Cases("puts", "fputs", "putc", "fputc", "putchar", "fgets", "fread", "fwrite", true)
      .Cases("wprintf", "fwprintf", "wscanf", "fwscanf", "__printf_chk", "__fprintf_chk", true)
      .Cases("__isoc99_scanf", "__isoc99_fscanf", "perror", "fread_unlocked", "fwrite_unlocked", true)
      .Default(false);
}

void Rewriter::walkCall(CallExpr *C) {
  bool Stream = onStream(C);
  std::vector<Given> All; // before the walk changes what is given
  if (St.Opts.Trace && Emit)
    All = findGiven(C);
  auto Ranges = rangesOf(C, Stream);
  for (Stmt *&X : C->children()) {
    if (!X)
      continue;
    if (Stream) {
      Expr *A = cast<Expr>(X)->IgnoreParenCasts();
      StreamArgument = A; // the lvalue under casts, loads included
    }
    walk(X);
    StreamArgument = nullptr;
  }
  markGiven(C, All);
  for (const Range &R : Ranges)
    markRange(C, R);
}

void Rewriter::walkChildren(Stmt *S, bool ChildrenInBlock) {
  for (Stmt *&X : S->children())
    if (X)
      walk(X, ChildrenInBlock);
}

// Builtins whose arguments are not evaluated, or are read in ways that are not accesses.
static bool leaveArguments(const CallExpr *C) {
  switch (C->getBuiltinCallee()) {
  case Builtin::BI__builtin_constant_p:
  case Builtin::BI__builtin_object_size:
  case Builtin::BI__builtin_dynamic_object_size:
  case Builtin::BI__builtin_classify_type:
  case Builtin::BI__builtin_va_start:
  case Builtin::BI__builtin_va_end:
  case Builtin::BI__builtin_va_copy:
  case Builtin::BI__builtin_stdarg_start: return true;
  default: return false;
  }
}

// Does the statement hold a jump that leaves it, so that it cannot become the body of a directive?
static bool jumpsOut(const Stmt *S, bool InLoop = false, bool InSwitch = false) {
  if (!S)
    return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S) || (isa<ContinueStmt>(S) && !InLoop) || (isa<BreakStmt>(S) && !InLoop && !InSwitch))
    return true;
  bool Loop = isa<ForStmt, WhileStmt, DoStmt>(S);
  return any_of(S->children(), [&](const Stmt *X) { return jumpsOut(X, InLoop || Loop, InSwitch || isa<SwitchStmt>(S)); });
}

void Rewriter::walk(Stmt *&Slot, bool InBlock) {
  Stmt *S = Slot;
  if (!S)
    return;
  if (auto *W = dyn_cast<WhileStmt>(S))
    if (CallExpr *Call = markerCall(W->getCond(), DVMM_ENTER))
      return construct(W, Call);
  if (CallExpr *Call = markerCall(S, DVMM_DIRECT); Call && Call == S)
    return standAlone(Slot, Call, InBlock);

  if (St.Opts.Trace && Emit && (traceLoop(Slot) || traceWhole(Slot) || traceJump(Slot)))
    return;

  if (St.Opts.Parallel && Emit) {
    noteStatements(S);
    if (assignPart(Slot))
      return;
  }

  switch (S->getStmtClass()) {
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::OffsetOfExprClass:
  case Stmt::ConstantExprClass:
  case Stmt::BlockExprClass: return;
  case Stmt::CompoundStmtClass: {
    char Outer = std::exchange(Standing, 0);
    walkChildren(S, true);
    Standing = Outer;
    return;
  }
  case Stmt::ReturnStmtClass:
  case Stmt::ForStmtClass:
  case Stmt::WhileStmtClass:
  case Stmt::DoStmtClass: {
    auto *For = dyn_cast<ForStmt>(S);
    const Stmt *Body = For                 ? For->getBody()
                       : isa<WhileStmt>(S) ? cast<WhileStmt>(S)->getBody()
                       : isa<DoStmt>(S)    ? cast<DoStmt>(S)->getBody()
                                           : nullptr;
    const Stmt *Before = For && !isa_and_nonnull<DeclStmt>(For->getInit()) ? For->getInit() : nullptr;
    for (Stmt *&X : S->children()) {
      if (!X)
        continue;
      char Outer = std::exchange(Standing, !Body ? 'r' : X != Body && X != Before ? 'f' : 0);
      walk(X, false);
      Standing = Outer;
    }
    return;
  }
  case Stmt::IfStmtClass:
  case Stmt::SwitchStmtClass: {
    bool Jumps = jumpsOut(S);
    const Stmt *Condition = isa<IfStmt>(S) ? static_cast<const Stmt *>(cast<IfStmt>(S)->getCond()) : cast<SwitchStmt>(S)->getCond();
    for (Stmt *&X : S->children()) {
      char Outer = Standing;
      if (X == Condition && Jumps && !Standing)
        Standing = 'j';
      if (X)
        walk(X, false);
      Standing = Outer;
    }
    return;
  }
  case Stmt::AttributedStmtClass:
    if (hasSpecificAttr<MustTailAttr>(cast<AttributedStmt>(S)->getAttrs()))
      return; // its call must stay the last
    return walkChildren(S, InBlock);
  case Stmt::LabelStmtClass:
  case Stmt::DefaultStmtClass: return walkChildren(S, InBlock);
  case Stmt::CaseStmtClass: {
    auto *C = cast<CaseStmt>(S);
    Stmt *Sub = C->getSubStmt();
    walk(Sub, InBlock);
    C->setSubStmt(Sub);
    return;
  }
  case Stmt::DeclStmtClass: return walkDecls(cast<DeclStmt>(S));
  case Stmt::GenericSelectionExprClass: {
    Stmt *R = cast<GenericSelectionExpr>(S)->getResultExpr();
    return walkChildren(R);
  }
  case Stmt::ChooseExprClass: {
    auto *C = cast<ChooseExpr>(S);
    return walkChildren(C->getChosenSubExpr());
  }
  case Stmt::ArraySubscriptExprClass: return walkSubscript(cast<ArraySubscriptExpr>(S));
  case Stmt::ImplicitCastExprClass: {
    auto *C = cast<ImplicitCastExpr>(S);
    if (C->getCastKind() != CK_LValueToRValue)
      break;
    Stmt *Sub = C->getSubExpr();
    mark(Sub, 'r');
    C->setSubExpr(cast<Expr>(Sub));
    return;
  }
  case Stmt::CStyleCastExprClass: {
    auto *C = cast<CStyleCastExpr>(S);
    if (C->getCastKind() == CK_ToVoid && valueOf(C->getSubExpr()))
      return; // '(void)x;' says that x is not used
    break;
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass: {
    auto *A = cast<BinaryOperator>(S);
    if (!A->isAssignmentOp())
      break;
    long Outer = Assignment;
    Assignment = isOrdinary(A->getLHS()) ? Outer : NextAssignment++;
    Stmt *R = A->getRHS();
    walk(R);
    A->setRHS(cast<Expr>(R));
    bindPointer(A);
    Stmt *L = A->getLHS();
    mark(L, A->isCompoundAssignmentOp() ? 'm' : 'w');
    A->setLHS(cast<Expr>(L));
    Assignment = Outer;
    return;
  }
  case Stmt::UnaryOperatorClass: {
    auto *U = cast<UnaryOperator>(S);
    if (!U->isIncrementDecrementOp())
      break;
    long Outer = Assignment;
    Assignment = NextAssignment++;
    Stmt *X = U->getSubExpr();
    mark(X, 'm');
    U->setSubExpr(cast<Expr>(X));
    Assignment = Outer;
    return;
  }
  case Stmt::CallExprClass: {
    auto *C = cast<CallExpr>(S);
    if (leaveArguments(C))
      return;
    if (Construct *Nest = innermostNest(); Nest && !pureCall(C))
      Nest->Opaque = true;
    return walkCall(C);
  }
  default:
    if (const auto *Parallel = dyn_cast<OMPExecutableDirective>(S)) { // its body is captured elsewhere
      if (St.Opts.Trace && Emit && Parallel->hasAssociatedStmt())
        traceUnrecorded(Slot);
      return;
    }
  }
  walkChildren(S);
}

void Rewriter::run() {
  Stmt *Body = FD->getBody();
  walk(Body);
  St.AssignmentBase += NextAssignment;
  for (Directive *D : Intervals) {
    St.error(D->Start, "'#pragma dvm interval' without '#pragma dvm endinterval' in this function");
  }
}
