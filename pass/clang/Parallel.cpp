// -fdvm=parallel: loops of a nest run from the first to the last value that is this rank's, and the sequential part, which all ranks
// execute, assigns an element where it lies:
//   for (i = a; i < b; i++)    for (i = __dvmm_first(cid, 0, a, 1, b, 0); i < __dvmm_last(cid, 0, b, 0, 1); i++)
//   A[i] = x;                  if (__dvmp_own(&A[i])) A[i] = x;
//   A[i] = B[j] = x;           if (__dvmp_own(&A[i]) | __dvmp_own(&B[j])) *(T *)__dvmp_store(&A[i], size) = *(T *)__dvmp_store(&B[j], size) = x;
//   w = A[i]++;                w = (*(T *)<change>(&A[i], size, place))++;       all need the element
//   A[i] = f();                *(T *)__dvmp_store(&A[i], size) = f();            all ranks call, one stores
//   x = A[i];                  x = *(T *)__dvmm_read(&A[i], size, site);
//   printf("%g", A[i]);        printf("%g", *(T *)__dvmp_fetch(&A[i], size));
#include "Effects.h"
#include "Rewriter.h"
#include "pass/markers.h"

using namespace clang;
using namespace dvm;

static constexpr const char *Own = "__dvmp_own", *Store = "__dvmp_store", *Fetch = "__dvmp_fetch";

bool Rewriter::inParts() const {
  return llvm::any_of(Stack, [&](const auto &C) {
    const dvm_directive &D = *C->Dir.D;
    return D.kind == DVM_DIR_PARALLEL && D.has_target && !Decls.isTask(C->Ops.variable(D.target.name));
  });
}

bool Rewriter::isDivided(Expr *LValue, const Chain &Ch) const {
  const VarDecl *V = Ch.Root;
  return V && !Ch.Direct && Ch.OnRoot && !isTemplateVar(V) && Decls.isDistributed(V, FD) && !inParts() && LValue->isLValue() &&
         LValue->getObjectKind() == OK_Ordinary && !LValue->getType()->isArrayType() && !LValue->getType()->isIncompleteType();
}

// ---- The sequential part ---------------------------------------------------------------------------------------------

// An element of a distributed array, as far as this file shows, or what a pointer leads to.
bool Rewriter::mayBeDivided(const Expr *Access, const Chain &Ch) const {
  return !Header && markable(Access) && !Ch.Direct && (!Ch.Root || Ch.ThroughPointer || Decls.isDistributed(Ch.Root, FD));
}

std::string Rewriter::partText(Expr *Access, const Chain &Ch, char Kind) {
  SourceLocation L = Access->getBeginLoc();
  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add(Twine(Kind)).place(Ctx.getSourceManager(), L).key(DVMRT_ACCESS_TEXT).add(sourceText(Ctx, Access));
  if (Ch.Root)
    T.key(DVMRT_ACCESS_VARIABLE).add(Ch.Root->getName());
  return T.Text;
}

void Rewriter::markPart(Stmt *&Slot, char Kind) {
  auto *E = cast<Expr>(Slot);
  Expr *Access = E->IgnoreParens();
  Chain Ch = chainOf(Access);
  bool Read = isDivided(Access, Ch) && Kind == 'r', Checked = mayBeDivided(Access, Ch);
  bool Printed = Access == StreamArgument;
  std::string Text = Emit && (Read || Checked) ? partText(Access, Ch, Kind) : "";
  noteUse(Ch, Kind, innermostNest()); // what is recorded of the nest
  walk(Slot);
  if (!Emit || !(Read || Checked))
    return;
  SourceLocation L = Access->getBeginLoc();
  Expr *Address = B.address(cast<Expr>(Slot)), *Size = B.toLong(B.sizeOf(E->getType().getUnqualifiedType(), L));
  if (Read && Printed)
    Slot = B.deref(B.call(Fetch, {Address, Size}, L), E->getType());
  else
    Slot = B.deref(B.call(Read ? DVMM_READ : DVMM_PART, {Address, Size, B.string(Text, L)}, L), E->getType());
}

// Does it read an element of a distributed array?
static bool readsDistributed(const Stmt *S, llvm::function_ref<bool(Expr *)> IsElement) {
  if (!S)
    return false;
  if (const auto *C = dyn_cast<ImplicitCastExpr>(S); C && C->getCastKind() == CK_LValueToRValue)
    if (IsElement(const_cast<Expr *>(C->getSubExpr())))
      return true;
  return llvm::any_of(S->children(), [&](const Stmt *X) { return readsDistributed(X, IsElement); });
}

static void assignmentParts(Stmt *S, Expr *&To, Expr *&From) {
  if (auto *A = dyn_cast<BinaryOperator>(S); A && A->isAssignmentOp()) {
    To = A->getLHS();
    From = A->getRHS();
  } else if (auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp()) {
    To = U->getSubExpr();
  }
}

// The subscripts of the element, and what is assigned.
static bool hasEffects(const ASTContext &Ctx, const Chain &Ch, const Expr *From) {
  return (From && mayHaveEffects(Ctx, From)) ||
         llvm::any_of(Ch.Subs, [&](const ArraySubscriptExpr *A) { return A->getIdx()->HasSideEffects(Ctx, true); });
}

static void replaceTarget(Stmt *S, Expr *To) {
  if (auto *A = dyn_cast<BinaryOperator>(S))
    A->setLHS(To);
  else
    cast<UnaryOperator>(S)->setSubExpr(To);
}

static void walkParts(Stmt *S, llvm::function_ref<void(Stmt *&)> Walk) {
  for (Stmt *&X : S->children())
    if (X)
      Walk(X);
}

// 'A[i] = B[j] = x': notes the assignments within, each to an element, if x and their subscripts have no effects.
bool Rewriter::noteChain(Expr *From) {
  SmallVector<const Stmt *, 4> Within;
  for (Expr *E = From; E;) {
    auto *A = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    Expr *To = A && A->getOpcode() == BO_Assign ? A->getLHS()->IgnoreParens() : nullptr;
    Chain Ch = To ? chainOf(To) : Chain();
    if (!To || !isDivided(To, Ch)) {
      if (mayHaveEffects(Ctx, E))
        return false;
      break;
    }
    if (hasEffects(Ctx, Ch, nullptr))
      return false;
    Within.push_back(A);
    E = A->getRHS();
  }
  InChain.insert(Within.begin(), Within.end());
  return !Within.empty();
}

// True: all of the assignment has been taken care of.
bool Rewriter::assignPart(Stmt *&Slot) {
  Expr *To = nullptr, *From = nullptr;
  assignmentParts(Slot, To, From);
  if (!To || To->containsErrors())
    return false;
  SourceLocation L = Slot->getBeginLoc();
  Construct *Around = nullptr;
  if (const VarDecl *V = asVariable(To))
    if (int Number = locationOf(V, Around); Number >= 0) {
      auto *Assign = cast<Expr>(Slot);
      walkParts(Assign, [&](Stmt *&X) { walk(X); });
      SmallVector<Expr *, 8> Args{B.integer(Around->Cid, L), B.integer(Number, L)};
      for (const Loop &X : Around->Loops)
        Args.push_back(B.toLong(B.load(B.ref(X.Index, L))));
      Slot = B.comma(B.call(DVMM_MET, Args, L), Assign);
      return true;
    }
  Chain Ch = chainOf(To->IgnoreParens());
  if (!isDivided(To->IgnoreParens(), Ch))
    return false;
  noteUse(Ch, 'w', innermostNest()); // what is recorded of the nest
  const bool Within = InChain.count(Slot);
  bool Alone = Discarded.count(Slot), Used = !isUnused(Slot);
  const bool Heads = Alone && From && !hasEffects(Ctx, Ch, nullptr) && noteChain(From);
  bool Effects = !Heads && hasEffects(Ctx, Ch, From);
  bool Reads = readsDistributed(From, [&](Expr *E) {
    Expr *Element = E->IgnoreParens();
    return isDivided(Element, chainOf(Element));
  });
  if (auto *A = dyn_cast<BinaryOperator>(Slot))
    bindPointer(A);
  const std::string Part = Used ? partText(To->IgnoreParens(), Ch, 'm') : "";
  walkParts(Slot, [&](Stmt *&X) { walk(X); });
  assignmentParts(Slot, To, From);
  Expr *Address = B.address(To), *Mine = B.call(Own, {Address}, L);
  Expr *Size = B.toLong(B.sizeOf(To->getType().getUnqualifiedType(), L));
  const bool Chosen = !Alone && !Used && To->getType()->isScalarType(); // 'A[i] = x, B[i] = y': no statement, and nobody wants its value
  if (Within || Heads) {
    replaceTarget(Slot, B.deref(B.call(Store, {Address, Size}, L), To->getType()));
    OwnsSome = Within && !OwnsSome ? Mine : B.either(OwnsSome, Mine);
    if (Within)
      return true;
    Mine = std::exchange(OwnsSome, nullptr);
  } else if (Effects || (!Alone && !Chosen)) {
    const auto *A = dyn_cast<BinaryOperator>(Slot);
    const bool Changes = Used && !(A && A->getOpcode() == BO_Assign);
    if (Reads || Changes) // each read fails where the element is not; the store goes where it belongs
      St.warning(L, "this assignment to an element of " + quoted(Ch.Root) + (Reads ? " reads elements and " : " changes it and ") +
                        (Effects && Reads ? "has other side effects" : "its value is used") +
                        ": execution stops where not all ranks have them; split it [-Wdvm-parallel]");
    SmallVector<Expr *, 3> Args{Address, Size};
    if (Changes)
      Args.push_back(B.string(Part, L));
    replaceTarget(Slot, B.deref(B.call(Changes ? DVMM_CHANGE : Store, Args, L), To->getType()));
    return true;
  }
  Slot = Chosen ? static_cast<Stmt *>(B.ifSo(Mine, cast<Expr>(Slot)))
                : IfStmt::Create(Ctx, L, IfStatementKind::Ordinary, nullptr, nullptr, Mine, L, L, Slot, L, nullptr);
  return true;
}

// ---- Nests -----------------------------------------------------------------------------------------------------------

// Number of the maxloc or minloc of a nest around whose extreme V is, or -1.
int Rewriter::locationOf(const VarDecl *V, Construct *&C) const {
  for (const auto &Outer : Stack) {
    int Number = 0;
    const dvm_directive &D = *Outer->Dir.D;
    for (unsigned I = 0; D.kind == DVM_DIR_PARALLEL && I < D.nclauses; ++I)
      for (unsigned J = 0; J < D.clauses[I].nreductions; ++J) {
        const dvm_reduction &R = D.clauses[I].reductions[J];
        if (R.op != DVM_RED_MAXLOC && R.op != DVM_RED_MINLOC)
          continue;
        if (Outer->Ops.variable(R.var) == V) {
          C = Outer.get();
          return Number;
        }
        ++Number;
      }
  }
  return -1;
}

static int kindOf(BinaryOperatorKind Op) {
  switch (Op) {
  case BO_LT: return 0;
  case BO_LE: return 1;
  case BO_GT: return 2;
  case BO_GE: return 3;
  default: return -1;
  }
}

static bool mentions(const Stmt *S, const VarDecl *V) {
  if (!S)
    return false;
  if (const auto *R = dyn_cast<DeclRefExpr>(S); R && R->getDecl() == V)
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *X) { return mentions(X, V); });
}

// The loop's bounds are those of the program: known ones, of which vectors are made that begin where the plain program's do.
bool Rewriter::runsWhole(Construct &C, unsigned Number) {
  const dvm_directive &D = *C.Dir.D;
  const VarDecl *Target = C.Ops.variable(D.target.name);
  for (unsigned I = 0; I < D.nclauses; ++I) // stages go along other dimensions
    if (D.clauses[I].kind == DVM_CL_ACROSS)
      return false;
  for (unsigned I = 0; I < D.target.naxes; ++I) {
    const dvm_axis &A = D.target.axes[I];
    bool Uses = (A.kind == DVM_AXIS_AFFINE && A.index == Number) || A.kind == DVM_AXIS_OTHER;
    if (Uses && !Decls.neverDivided(Target, I))
      return false;
  }
  return Target && !Decls.isTask(Target);
}

bool Rewriter::clampHeader(Construct &C, unsigned Number) {
  const Loop &Nest = C.Loops[Number];
  ForStmt *F = Nest.For;
  SourceLocation L = F->getForLoc();
  auto Refuse = [&](const Twine &What) {
    St.error(L, What + ": not supported in parallel execution yet");
    return false;
  };
  int Sign;
  const Expr *By = stepOf(cast<Expr>(F->getInc()), Nest.Index, Sign);
  auto *Cond = cast<BinaryOperator>(F->getCond()->IgnoreParenImpCasts());
  bool OnLeft = asVariable(Cond->getLHS()) == Nest.Index;
  Expr *Bound = OnLeft ? Cond->getRHS() : Cond->getLHS();
  BinaryOperatorKind Op = OnLeft ? Cond->getOpcode() : BinaryOperator::reverseComparisonOp(Cond->getOpcode());
  auto *Declared = dyn_cast<DeclStmt>(F->getInit());
  auto *V = Declared ? cast<VarDecl>(Declared->getSingleDecl()) : nullptr;
  auto *Assign = V ? nullptr : cast<BinaryOperator>(cast<Expr>(F->getInit())->IgnoreParens());
  Expr *Start = V ? V->getInit() : Assign->getRHS();
  if (!Bound->getType()->isIntegralOrEnumerationType() || !Start->getType()->isIntegralOrEnumerationType())
    return Refuse("a bound of loop " + Twine(Number + 1) + " of the nest is not an integer");
  if (Bound->HasSideEffects(Ctx, false) || Start->HasSideEffects(Ctx, false) || (By && By->HasSideEffects(Ctx, false))) {
    St.error(L, "the header of loop " + Twine(Number + 1) +
                    " of the nest has side effects, which every rank would repeat: move them before the directive");
    return false;
  }
  if (Op == BO_NE && !Nest.StepKnown)
    return Refuse("the direction of loop " + Twine(Number + 1) + " of the nest is not known");
  if (Op == BO_NE) {
    Op = Nest.Step > 0 ? BO_LT : BO_GT;
    Cond->setOpcode(OnLeft ? Op : BinaryOperator::reverseComparisonOp(Op));
  }
  Expr *Step = By ? B.toLong(const_cast<Expr *>(By)) : B.integer(1, L);
  if (Sign < 0)
    Step = B.subtract(B.integer(0, L), Step);
  bool Once = Bound->HasSideEffects(Ctx, true) || mentions(Bound, Nest.Index), Whole = runsWhole(C, Number);
  if (Once && Whole)
    return true;
  Expr *First = B.call(DVMM_FIRST,
                       {B.integer(C.Cid, L), B.integer(Number, L), B.toLong(Start), Step, Once ? B.integer(0, L) : B.toLong(Bound),
                        B.integer(Once ? -1 : kindOf(Op) + (Whole ? DVMM_FIRST_WHOLE : 0), L)},
                       L);
  First = B.cast(First, Start->getType(), CK_IntegralCast);
  if (V)
    V->setInit(First);
  else
    Assign->setRHS(First);
  if (Whole)
    return true;
  Expr *Last = B.call(DVMM_LAST, {B.integer(C.Cid, L), B.integer(Number, L), B.toLong(Bound), B.integer(kindOf(Op), L), Step}, L);
  Last = B.cast(Last, Bound->getType(), CK_IntegralCast);
  if (OnLeft)
    Cond->setRHS(Last);
  else
    Cond->setLHS(Last);
  return true;
}

void Rewriter::clampHeaders(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  if (!D.has_target)
    return; // all ranks execute all of it
  for (unsigned I = 0; I < C.Loops.size(); ++I)
    if (!clampHeader(C, I))
      return;
}

// ---- Lines of the site's text ----------------------------------------------------------------------------------------

namespace {
// Subscripts of references to one array, as far as they are affine.
struct Forms {
  const VarDecl *V;
  bool Known = true;
  SmallVector<SmallVector<Affine, 4>, 8> Reads, Writes;
};
} // namespace

static void collectForms(const ASTContext &Ctx, const Construct &C, Stmt *S, Forms &F, bool Written) {
  if (!S)
    return;
  Expr *To = nullptr, *From = nullptr;
  assignmentParts(S, To, From);
  if (To) {
    collectForms(Ctx, C, To->IgnoreParens(), F, true);
    collectForms(Ctx, C, From, F, false);
    return;
  }
  if (auto *E = dyn_cast<Expr>(S); E && isa<ArraySubscriptExpr>(E->IgnoreParens())) {
    Chain Ch = chainOf(E->IgnoreParens());
    if (Ch.Root == F.V && Ch.OnRoot) {
      SmallVector<Affine, 4> Subs;
      for (const ArraySubscriptExpr *A : Ch.Subs) {
        Subs.push_back(Rewriter::affine(Ctx, A->getIdx(), &C));
        F.Known &= Subs.back().OK;
      }
      (Written ? F.Writes : F.Reads).push_back(Subs);
      for (ArraySubscriptExpr *A : Ch.Subs)
        collectForms(Ctx, C, A->getIdx(), F, false);
      return;
    }
  }
  for (Stmt *X : S->children())
    collectForms(Ctx, C, X, F, Written && isa<MemberExpr, ArraySubscriptExpr, ParenExpr, ImplicitCastExpr>(S));
}

// Some loop of the nest goes over the same elements each time.
static bool repeats(const Construct &C, const SmallVector<Affine, 4> &Subs) {
  for (unsigned I = 0; I < C.Loops.size(); ++I)
    if (llvm::none_of(Subs, [&](const Affine &A) { return A.Index == int(I); }))
      return true;
  return false;
}

// Where only the run knows the step, the condition says which way the loop goes.
static bool goesDown(const Loop &L) {
  const auto *Cond = dyn_cast_or_null<BinaryOperator>(L.For->getCond()->IgnoreParenImpCasts());
  if (L.StepKnown || !Cond)
    return L.StepKnown && L.Step < 0;
  BinaryOperatorKind Op = Cond->getOpcode();
  if (asVariable(Cond->getLHS()) != L.Index)
    Op = BinaryOperator::reverseComparisonOp(Op);
  return Op == BO_GT || Op == BO_GE;
}

// a: of each reference all displacements from what the iteration writes are towards iterations on one side, in each loop.  Where a loop goes over the
// same elements again, an element that lies aside is one of the turn before or of the next one, too: on both sides.
static char formOf(const Construct &C, const Forms &F) {
  if (!F.Known || F.Writes.empty())
    return '?';
  const auto &W = F.Writes.front();
  auto Same = [&](const SmallVector<Affine, 4> &R, size_t D) {
    return R.size() == W.size() && R[D].Index == W[D].Index && R[D].Coef == W[D].Coef;
  };
  char Form = 'a';
  for (const auto *List : {&F.Writes, &F.Reads})
    for (const auto &R : *List) {
      int Sides = 0;
      if (R.size() != W.size())
        return '?';
      for (size_t D = 0; D < R.size(); ++D) {
        if (!Same(R, D))
          return '?';
        if (R[D].Index < 0 || R[D].Add == W[D].Add)
          continue;
        const Loop &L = C.Loops[R[D].Index];
        Sides |= ((R[D].Add > W[D].Add) == (R[D].Coef > 0)) == !goesDown(L) ? 1 : 2;
      }
      Form = Sides == 3 || (Sides && repeats(C, W)) ? 'm' : Form;
    }
  return Form;
}

char Rewriter::acrossForm(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  char Form = 0;
  for (unsigned I = 0; I < D.nclauses; ++I)
    for (unsigned J = 0; D.clauses[I].kind == DVM_CL_ACROSS && J < D.clauses[I].nrefs; ++J) {
      const VarDecl *V = C.Ops.variable(D.clauses[I].refs[J].name);
      Forms F{V, true, {}, {}};
      collectForms(Ctx, C, C.Loops.back().For->getBody(), F, false);
      char One = F.Reads.empty() && F.Writes.empty() ? '?' : formOf(C, F);
      Form = !Form || Form == 'a' ? One : One == 'm' ? 'm' : Form;
    }
  return Form;
}

// Is the comparison with V one that a second extreme of the same value passes?
static bool takesEqual(const Stmt *S, const VarDecl *V) {
  if (!S)
    return false;
  if (const auto *C = dyn_cast<BinaryOperator>(S); C && (C->getOpcode() == BO_LE || C->getOpcode() == BO_GE))
    if (asVariable(C->getLHS()) == V || asVariable(C->getRHS()) == V)
      return true;
  return llvm::any_of(S->children(), [&](const Stmt *X) { return takesEqual(X, V); });
}

void Rewriter::partsText(SiteText &T, Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  if (C.Sides)
    T.key(DVMRT_DIRECTIVE_SIDES).add(Twine(C.Sides));
  std::string Last;
  for (unsigned I = 0; I < D.nclauses; ++I) {
    const dvm_clause &Cl = D.clauses[I];
    int64_t Stages;
    if (Cl.kind == DVM_CL_STAGE && Cl.nexprs && C.Ops.constant(Cl.exprs[0], Stages) && Stages > 0)
      T.key(DVMRT_DIRECTIVE_STAGES).add(Twine(Stages));
    for (unsigned J = 0; J < Cl.nreductions; ++J)
      if (Cl.reductions[J].op == DVM_RED_MAXLOC || Cl.reductions[J].op == DVM_RED_MINLOC) {
        const VarDecl *V = C.Ops.variable(Cl.reductions[J].var);
        Last += V && takesEqual(C.Loops.back().For->getBody(), V) ? 'l' : 's';
      }
  }
  for (unsigned I = 0; (C.Sides || !Last.empty()) && I < C.Loops.size(); ++I)
    if (!C.Loops[I].StepKnown && goesDown(C.Loops[I]))
      Last += (Twine(" ") + Twine(I)).str();
  if (!Last.empty())
    T.key(DVMRT_DIRECTIVE_PLACES).add(Last);
}
