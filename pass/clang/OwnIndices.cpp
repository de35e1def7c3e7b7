// Index variables of a nest that are no locals of the function: while it is executed a local one stands for each, so that the nest is judged
// as a whole like any other.  The program's own has the last value behind the nest, which is undefined there all the same.
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

// A function, or a mark of ours.
static bool isOfSystem(const ASTContext &Ctx, const FunctionDecl *F) {
  return F && !F->isDefined() && F->getIdentifier() &&
         (F->getBuiltinID() || F->getName().starts_with("__dvmm_") || Ctx.getSourceManager().isInSystemHeader(F->getLocation())) &&
         llvm::none_of(F->parameters(), [](const ParmVarDecl *P) { return P->getType()->isFunctionPointerType(); });
}

// May code that is not seen here look at a global variable?  Functions of the system do not, unless they call back.
static bool isSeenElsewhere(const ASTContext &Ctx, const Stmt *S) {
  if (!S)
    return false;
  if (isa<AsmStmt, StmtExpr>(S))
    return true;
  if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_AddrOf && asVariable(U->getSubExpr()))
    return true;
  if (const auto *C = dyn_cast<CallExpr>(S); C && !isOfSystem(Ctx, C->getDirectCallee()))
    return true;
  return llvm::any_of(S->children(), [&](const Stmt *X) { return isSeenElsewhere(Ctx, X); });
}

static void replaceIn(Stmt *S, const VarDecl *Old, VarDecl *New) {
  if (!S)
    return;
  if (auto *R = dyn_cast<DeclRefExpr>(S); R && R->getDecl()->getCanonicalDecl() == Old->getCanonicalDecl())
    R->setDecl(New);
  for (Stmt *X : S->children())
    replaceIn(X, Old, New);
}

void Rewriter::makeOwnIndices(Construct &C, WhileStmt *W) {
  auto IsOther = [&](const Loop &L) {
    return !L.Index->hasLocalStorage() && L.Index->getTLSKind() == VarDecl::TLS_None && !L.Index->getType().isVolatileQualified() &&
           !L.Index->getType()->isAtomicType();
  };
  if (St.Opts.Parallel || St.Opts.Trace || !Emit || llvm::none_of(C.Loops, IsOther) || isSeenElsewhere(Ctx, C.Loops[0].For))
    return;
  for (Loop &L : C.Loops) {
    if (!IsOther(L))
      continue;
    const VarDecl *Old = L.Index;
    QualType T = Old->getType().getUnqualifiedType();
    auto *New = VarDecl::Create(Ctx, FD, Old->getLocation(), Old->getLocation(), Old->getIdentifier(), T,
                                Ctx.getTrivialTypeSourceInfo(T, Old->getLocation()), SC_None);
    New->setIsUsed();
    replaceIn(W, Old, New);
    L.Index = New;
    C.OwnIndices.push_back({Old, New});
  }
}

Stmt *Rewriter::withOwnIndices(const Construct &C, WhileStmt *W) {
  SourceLocation L = C.Dir.Start;
  SmallVector<Stmt *, 6> Stmts;
  for (const auto &[Old, New] : C.OwnIndices)
    Stmts.push_back(new (Ctx) DeclStmt(DeclGroupRef(New), L, L));
  Stmts.push_back(W);
  for (const auto &[Old, New] : C.OwnIndices)
    Stmts.push_back(BinaryOperator::Create(Ctx, B.deref(B.call(DVMM_KEPT, {B.address(B.ref(Old, L))}, L), New->getType()),
                                           B.load(B.ref(New, L)), BO_Assign, New->getType(), VK_PRValue, OK_Ordinary, L,
                                           FPOptionsOverride()));
  return C.OwnIndices.empty() ? static_cast<Stmt *>(W) : B.block(Stmts, L);
}
