// Marks: an access that the source makes to memory becomes '*(T *)__dvmm_access(&lvalue, id, site)'.
// What no source access makes (initialisers, struct copies) stays unmarked: the pass lets it assign.
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

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

// 'errno': each processor and each thread has its own, which the next function of the library may assign.
static bool isErrno(const Expr *E) {
  const auto *Deref = dyn_cast<UnaryOperator>(E);
  const auto *Call = Deref && Deref->getOpcode() == UO_Deref ? dyn_cast<CallExpr>(Deref->getSubExpr()->IgnoreParenImpCasts()) : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getDeclName().isIdentifier() && Callee->getName() == "__errno_location";
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
  if (!St.Opts.Trace && isErrno(E))
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

void Rewriter::mark(Stmt *&Slot, char Kind) {
  auto *E = cast<Expr>(Slot);
  if (E->containsErrors())
    return; // its type and size are not known; the compilation fails anyway
  if (St.Opts.Parallel)
    return markPart(Slot, Kind);
  const HiddenMember Hidden = St.Opts.Trace ? HiddenMember() : hiddenMember(Ctx, E);
  if (!Hidden.Member && (!markable(E) || (St.Opts.Trace && isOfLibrary(Ctx, E, Kind)))) {
    walk(Slot);
    return;
  }
  Marking M;
  M.Hidden = Hidden;
  M.Access = E->IgnoreParens();
  M.Kind = Kind;
  M.Ch = chainOf(M.Access);
  M.Nest = innermostNest();
  noteTouched(M.Ch, Kind);
  SiteText T = accessText(M);
  const long ID = NextAccess++;
  SmallVector<ArraySubscriptExpr *, 4> Subs(M.Ch.Subs.begin(), M.Ch.Subs.end());
  for (const InnerSubscript &I : M.Inner)
    Subs.push_back(I.At);
  int64_t Ignored;
  SmallVector<bool, 4> Varies; // before the walk puts marks into them
  for (const ArraySubscriptExpr *A : Subs)
    Varies.push_back(!constantOf(Ctx, A->getIdx(), Ignored));
  long Outer = Assignment;
  if (Kind != 'r')
    Assignment = 0; // who is to assign is decided by everybody
  walk(Slot);
  Assignment = Outer;
  if (!Emit)
    return;
  for (unsigned I = 0; I < Subs.size(); ++I)
    if (Varies[I] || !M.Extents[I].isNull())
      markSubscript(Subs[I], M.Extents[I], ID, I, T.Loc);
  QualType Ty = E->getType();
  SourceLocation L = E->getExprLoc();
  auto Mark = [&](Expr *Address) { return B.call(DVMM_ACCESS, {Address, B.integer(ID, T.Loc), B.string(T.Text, T.Loc)}, L); };
  if (M.Hidden.Member)
    markBase(M.Hidden, Mark);
  else
    Slot = B.deref(Mark(B.address(cast<Expr>(Slot))), Ty);
}

// 'Number' of the access 'ID'.  'Extent': an array type whose length is known at run time, or null.
void Rewriter::markSubscript(ArraySubscriptExpr *A, QualType Extent, long ID, unsigned Number, SourceLocation L) {
  Expr *Index = A->getIdx();
  bool OnRight = A->getIdx() == A->getRHS();
  Expr *Marked = B.call(DVMM_INDEX, {B.toLong(Index), B.integer(ID, L), B.integer(Number, L)}, Index->getBeginLoc());
  if (!Extent.isNull()) {
    QualType Element = Ctx.getAsArrayType(Extent)->getElementType();
    Expr *Length = B.toLong(B.divide(B.sizeOf(Extent, L), B.sizeOf(Element, L)));
    Marked = B.comma(B.call(DVMM_INDEX, {Length, B.integer(ID, L), B.integer(DVMM_EXTENT + Number, L)}, L), Marked);
  }
  if (OnRight)
    A->setRHS(Marked);
  else
    A->setLHS(Marked);
}
