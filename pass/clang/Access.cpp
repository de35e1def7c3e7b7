// What is told of an access: its site text.
#include "Polynomial.h"
#include "Rewriter.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace dvm;

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
    T.key(DVMRT_ACCESS_DECLARED).add(Twine(P.getLine()) + " " + Twine(P.getColumn()) + " " + nameOf(Ctx.getSourceManager(), P));
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

// Subscripts on the root, with extents as far as its type shows them.
void Rewriter::subscriptTexts(SiteText &T, Marking &M) {
  Shape S;
  if (M.Ch.Root && M.Ch.OnRoot)
    S = shapeOf(Ctx, M.Ch.Root->getType());
  for (unsigned I = 0; I < M.Ch.Subs.size(); ++I) {
    axisText(T, Ctx, M.Ch.Subs[I]->getIdx(), M.Nest, Stack.empty() ? nullptr : Stack.back().get());
    const auto *CA = I < S.rank() ? Ctx.getAsConstantArrayType(S.Dims[I]) : nullptr;
    bool Variable = I < S.rank() && isa_and_nonnull<VariableArrayType>(Ctx.getAsArrayType(S.Dims[I]));
    T.key(DVMRT_ACCESS_EXTENT).add(CA ? Twine(CA->getZExtSize()).str() : Variable ? "#" : "*");
    M.Extents.push_back(Variable ? S.Dims[I] : QualType());
  }
  QualType Element = M.Ch.Subs.empty() ? QualType() : M.Ch.Subs.back()->getType();
  if (!Element.isNull() && !Element->isIncompleteType())
    T.key(DVMRT_ACCESS_ELEMENT).add(Twine(Ctx.getTypeSizeInChars(Element).getQuantity()));
}

// Subscripts of arrays inside of structs, or behind pointers.
void Rewriter::innerTexts(SiteText &T, Marking &M) {
  M.Inner = innerSubscripts(Ctx, M.Access, M.Ch);
  if (M.Inner.size() + M.Ch.Subs.size() > DVM_NDIMS_MAX)
    M.Inner.clear();
  for (const InnerSubscript &I : M.Inner) {
    int64_t Value;
    T.key(DVMRT_ACCESS_INNER_SUBSCRIPT).add(constantOf(Ctx, I.At->getIdx(), Value) ? "c" + Twine(Value).str() : "o");
    T.key(DVMRT_ACCESS_INNER_EXTENT).add(Twine(I.Extent) + " " + Twine(I.Dim) + (I.Member ? " " + I.Member->getName() : ""));
    if (I.Longer)
      T.key(DVMRT_ACCESS_LONGER).add(Twine(Ctx.getTypeSizeInChars(I.At->getType()).getQuantity()));
    M.Extents.push_back(QualType());
  }
}

// Which array of the nest it is, if it is one; what is written becomes known to the nest.
std::optional<unsigned> Rewriter::noteUse(const Chain &Ch, char Kind, Construct *Nest) {
  const VarDecl *V = Ch.Root;
  bool Distributed = isElementOfDistributed(Ch);
  bool Outside = Nest && V && (isa<ParmVarDecl>(V) || Ctx.getSourceManager().isBeforeInTranslationUnit(V->getLocation(), Nest->Dir.Start));
  if (Nest && Kind != 'r' && Ch.ThroughPointer && !Distributed)
    Nest->Opaque = true; // may write any array
  if (!Distributed || !Outside || Nest->Dir.D->kind != DVM_DIR_PARALLEL || Ch.Subs.size() != shapeOf(Ctx, V->getType()).rank())
    return std::nullopt;
  unsigned U = 0;
  while (U < Nest->Uses.size() && Nest->Uses[U].V != V)
    ++U;
  if (U == Nest->Uses.size())
    Nest->Uses.push_back({V});
  Nest->Uses[U].Written |= Kind != 'r';
  return U;
}

// A variable that lives longer than the region around.
void Rewriter::noteTouched(const VarDecl *V) {
  if (!V || isTemplateVar(V) || St.Opts.Parallel || St.Opts.Trace)
    return;
  for (const auto &C : Stack)
    if ((C->Dir.D->kind == DVM_DIR_REGION || C->Dir.D->kind == DVM_DIR_TASK_REGION) &&
        (isa<ParmVarDecl>(V) || !V->hasLocalStorage() ||
         Ctx.getSourceManager().isBeforeInTranslationUnit(V->getLocation(), C->Dir.Start)) &&
        !llvm::is_contained(C->Touched, V))
      C->Touched.push_back(V);
}

// What an access in a region makes a datum of the region's: arrays, and what its own statements assign.  Scalars that it only reads go
// to its loops by value.
void Rewriter::noteTouched(const Chain &Ch, char Kind) {
  const VarDecl *V = Ch.Root;
  const Construct *Nest = innermostNest();
  if (!V || (Nest && (Nest->Privates.count(V) || Nest->indexNumber(V) >= 0)))
    return;
  bool Array = !Ch.Subs.empty() && (V->getType()->isArrayType() || (V->getType()->isPointerType() && Ch.OnRoot));
  if ((Array || (Kind != 'r' && !Ch.ThroughPointer)) && V->isFileVarDecl() && !V->getType().isConstant(Ctx))
    if (Reach &R = St.Reached[FD->getCanonicalDecl()]; !llvm::is_contained(R.Data, V))
      R.Data.push_back(V);
  bool Assigned = Kind != 'r' && (!Nest || Nest->Dir.D->kind == DVM_DIR_ON) && !Header && !Ch.ThroughPointer;
  if (Array || Assigned)
    noteTouched(V);
}

// What a function that a region calls uses of the file's data is used by the region: here, as far as the function has been seen;
// the rest in Reach.cpp.
void Rewriter::noteCalled(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !FD || St.Opts.Parallel || St.Opts.Trace)
    return;
  F = F->getCanonicalDecl();
  if (Reach &R = St.Reached[FD->getCanonicalDecl()]; !llvm::is_contained(R.Calls, F))
    R.Calls.push_back(F);
  bool InRegion = false;
  for (const auto &In : Stack)
    if (In->Dir.D->kind == DVM_DIR_REGION) {
      InRegion = true;
      if (!llvm::is_contained(In->Called, F))
        In->Called.push_back(F);
    }
  if (!InRegion)
    return;
  llvm::SmallSetVector<const FunctionDecl *, 8> All;
  All.insert(F);
  for (size_t I = 0; I < All.size(); ++I)
    if (auto It = St.Reached.find(All[I]); It != St.Reached.end()) {
      for (const VarDecl *V : It->second.Data)
        noteTouched(V);
      All.insert(It->second.Calls.begin(), It->second.Calls.end());
    }
}

bool Rewriter::isElementOfDistributed(const Chain &Ch) const {
  return Ch.Root && !Ch.Direct && Ch.OnRoot && !isTemplateVar(Ch.Root) && Decls.isDistributed(Ch.Root, FD);
}

void Rewriter::useText(SiteText &T, const Marking &M) {
  if (std::optional<unsigned> U = noteUse(M.Ch, M.Kind, M.Nest))
    T.key(DVMRT_ACCESS_DISTRIBUTED).add(Twine(*U));
  else if (isElementOfDistributed(M.Ch))
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
}

// What the sequential part needs to know of the statement that it stands in.
void Rewriter::roleText(SiteText &T, const Marking &M) {
  if ((M.Nest && M.Nest->Dir.D->kind != DVM_DIR_ON) || M.Ch.Direct) // a task's own statements are judged as the sequential part is
    return;
  if (M.Access == StreamArgument)
    T.key(DVMRT_ACCESS_ROLE).add("io");
  else if (ForAll && M.Kind == 'm')
    T.key(DVMRT_ACCESS_ROLE).add("all");
  else if (Assignment)
    T.key(DVMRT_ACCESS_ROLE).add(Twine(M.Kind == 'r' ? "rhs " : GoesOn ? "via " : "lhs ") + Twine(St.AssignmentBase + Assignment));
  if (Standing)
    T.key(DVMRT_ACCESS_STANDING).add(Twine(Standing));
}

SiteText Rewriter::accessText(Marking &M) {
  const VarDecl *V = M.Ch.Root;
  const QualType Type = M.Access->getType();
  SourceLocation L = M.Access->getBeginLoc();
  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add(Twine(M.Kind));
  if (M.Nest && V && M.Ch.Direct && M.Nest->Warned.count(V))
    T.add(" quiet");
  T.place(Ctx.getSourceManager(), L);
  T.key(DVMRT_ACCESS_TEXT).add(sourceText(Ctx, M.Access));
  rootText(T, M.Ch);
  T.key(DVMRT_ACCESS_SIZE).add(Twine(M.Hidden.Member ? M.Hidden.Size : uint64_t(Ctx.getTypeSizeInChars(Type).getQuantity())));
  if (M.Hidden.Member)
    T.key(DVMRT_ACCESS_LOOSE).add("1");
  if (Type->isRecordType())
    T.key(DVMRT_ACCESS_WHOLE).add("1");
  if (StringRef("fc").contains(elementKind(Ctx, Type)[0]))
    T.key(DVMRT_ACCESS_FLOATING).add("f");
  if (St.Opts.Trace) {
    T.key(DVMRT_TRACE_VALUE).add(valueKind(Ctx, Type));
    pathText(T, M.Access, M.Ch);
  }
  T.key(DVMRT_ACCESS_CONSTRUCT).add(Twine(M.Nest ? M.Nest->Cid : 0));
  if (V && M.Ch.Direct && M.Nest)
    if (int I = M.Nest->indexNumber(V); I >= 0)
      T.key(DVMRT_ACCESS_INDEX_VARIABLE).add(Twine(I));
  subscriptTexts(T, M);
  innerTexts(T, M);
  useText(T, M);
  if (char Agrees = V && !M.Ch.Direct ? agreesWithRemote(M.Ch, M.Nest, false) : 0)
    T.key(DVMRT_ACCESS_BUFFERED).add(Twine(Agrees));
  roleText(T, M);
  return T;
}
