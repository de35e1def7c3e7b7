// What recording needs of the source beyond the marks of a check: sequential loops and the types of values.  More in Whole.cpp.
//   for (i = 0; ..) body   becomes   { __dvmm_direct("K loop 1 .."); for (i = 0; ..) { __dvmm_direct("K loop_iter 1 ..", (long)i); body }
//                                      __dvmm_direct("K loop_end 1"); }
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

std::string dvm::valueKind(const ASTContext &Ctx, QualType T) {
  T = T.getCanonicalType();
  if (const auto *A = T->getAs<AtomicType>())
    T = A->getValueType().getCanonicalType();
  if (T->isIncompleteType())
    return "o";
  std::string Bytes = std::to_string(Ctx.getTypeSizeInChars(T).getQuantity());
  if (T->isBooleanType())
    return "b" + Bytes;
  if (T->isPointerType())
    return "p" + Bytes;
  if (T->isComplexType())
    return "c" + Bytes;
  if (T->isRealFloatingType())
    return (&Ctx.getFloatTypeSemantics(T) == &llvm::APFloat::IEEEquad() ? "q" : "f") + Bytes;
  if (T->isIntegralOrEnumerationType())
    return (T->isUnsignedIntegerOrEnumerationType() ? "u" : "i") + Bytes;
  return "o";
}

// The integer variable that the loop's step changes.
static const VarDecl *indexOf(const ForStmt *F) {
  const Expr *E = F->getInc() ? F->getInc()->IgnoreParenImpCasts() : nullptr;
  const VarDecl *V = nullptr;
  if (const auto *U = dyn_cast_or_null<UnaryOperator>(E); U && U->isIncrementDecrementOp())
    V = asVariable(U->getSubExpr());
  else if (const auto *A = dyn_cast_or_null<BinaryOperator>(E); A && A->isAssignmentOp())
    V = asVariable(A->getLHS());
  return V && V->getType()->isIntegralOrEnumerationType() && !V->getType().isVolatileQualified() ? V : nullptr;
}

static Stmt *bodyOf(Stmt *S) {
  if (auto *F = dyn_cast<ForStmt>(S))
    return F->getBody();
  if (auto *W = dyn_cast<WhileStmt>(S))
    return W->getBody();
  return cast<DoStmt>(S)->getBody();
}

static void setBody(Stmt *S, Stmt *Body) {
  if (auto *F = dyn_cast<ForStmt>(S))
    F->setBody(Body);
  else if (auto *W = dyn_cast<WhileStmt>(S))
    W->setBody(Body);
  else
    cast<DoStmt>(S)->setBody(Body);
}

// A body of no statement of its own, as 'while (p = p->next) ;' has, is a loop all the same.
bool Rewriter::traceLoop(Stmt *&Slot) {
  Stmt *S = Slot;
  if (!isa<ForStmt, WhileStmt, DoStmt>(S) || std::exchange(AtLoop, false))
    return false;
  SourceLocation L = S->getBeginLoc();
  const SourceManager &SM = Ctx.getSourceManager();
  if (SM.isInSystemMacro(L) && SM.isInSystemMacro(bodyOf(S)->getBeginLoc()))
    return false; // of a macro as FD_ZERO, all of it
  const auto *For = dyn_cast<ForStmt>(S);
  const VarDecl *Index = For ? indexOf(For) : nullptr;
  unsigned Number = St.NextLoop++;
  auto Text = [&](const char *Kind) {
    SiteText T(Ctx, B, L);
    T.key(DVMRT_ANY_KIND).add(Twine(Kind) + " " + Twine(Number)).place(Ctx.getSourceManager(), L);
    if (Index)
      T.key(DVMRT_DIRECTIVE_NAMES).add("1 " + Index->getName());
    else
      T.key(DVMRT_DIRECTIVE_NAMES).add("0");
    return B.string(T.Text, L);
  };
  AtLoop = true;
  SiteText End(Ctx, B, L);
  End.key(DVMRT_ANY_KIND).add("loop_end " + Twine(Number)).place(Ctx.getSourceManager(), L).key(DVMRT_DIRECTIVE_NAMES).add("0");
  OpenLoops.push_back({S, End.Text});
  walk(Slot);
  OpenLoops.pop_back();
  SmallVector<Expr *, 2> Args{Text("loop_iter")};
  if (Index)
    Args.push_back(B.toLong(B.load(B.ref(Index, L))));
  setBody(S, B.block({B.call(DVMM_DIRECT, Args, L), bodyOf(S)}, L));
  Slot = B.block({B.call(DVMM_DIRECT, {Text("loop")}, L), Slot, B.call(DVMM_DIRECT, {Text("loop_end")}, L)}, L);
  return true;
}

// A statement whose accesses have no marks: that it is executed is told.
void Rewriter::traceUnrecorded(Stmt *&Slot) {
  SourceLocation L = Slot->getBeginLoc();
  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add("unrecorded").place(Ctx.getSourceManager(), L);
  Slot = B.block({B.call(DVMM_DIRECT, {B.string(T.Text, L)}, L), Slot}, L);
}

// The loops around a label, from the outside in.
static bool findLabel(Stmt *S, const LabelDecl *Label, SmallVectorImpl<const Stmt *> &Around) {
  if (!S)
    return false;
  if (const auto *L = dyn_cast<LabelStmt>(S); L && L->getDecl() == Label)
    return true;
  bool IsLoop = isa<ForStmt, WhileStmt, DoStmt>(S);
  if (IsLoop)
    Around.push_back(S);
  for (Stmt *Child : S->children())
    if (findLabel(Child, Label, Around))
      return true;
  if (IsLoop)
    Around.pop_back();
  return false;
}

// Loops that are left by 'return' and 'goto' end there, not where the run-time system would find out.
bool Rewriter::traceJump(Stmt *&Slot) {
  auto *R = dyn_cast<ReturnStmt>(Slot);
  auto *G = dyn_cast<GotoStmt>(Slot);
  if ((!R && !G) || OpenLoops.empty())
    return false;
  SourceLocation L = Slot->getBeginLoc();
  SmallVector<const Stmt *, 4> Stay;
  if (G && !findLabel(FD->getBody(), G->getLabel(), Stay))
    return false;
  SmallVector<Expr *, 4> Ends;
  for (const auto &[Loop, Text] : llvm::reverse(OpenLoops))
    if (!llvm::is_contained(Stay, Loop))
      Ends.push_back(B.call(DVMM_DIRECT, {B.string(Text, L)}, L));
  if (R)
    walkChildren(R);
  if (Ends.empty())
    return true;
  Expr *Value = R ? R->getRetValue() : nullptr;
  if (Value && !Value->getType()->isVoidType()) {
    if (const VarDecl *V = R->getNRVOCandidate()) // its value would not be looked at
      const_cast<VarDecl *>(V)->setNRVOVariable(false);
    auto *Kept = new (Ctx) OpaqueValueExpr(L, Value->getType(), VK_PRValue, OK_Ordinary, Value);
    SmallVector<Expr *, 4> Steps{Kept};
    Steps.append(Ends);
    R->setRetValue(PseudoObjectExpr::Create(Ctx, Value, Steps, 0));
    return true;
  }
  SmallVector<Stmt *, 4> Steps;
  if (Value) {
    Steps.push_back(Value);
    R->setRetValue(nullptr);
  }
  Steps.append(Ends.begin(), Ends.end());
  Steps.push_back(Slot);
  Slot = B.block(Steps, L);
  return true;
}
