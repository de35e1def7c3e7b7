// dvm-undeclared-private while compiling: a scalar from outside the nest that every iteration assigns before anything
// else, and that is in no clause.  Only what is certain: statements that run first, in order.
#include "Rewriter.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

namespace {
class FirstAccess {
  State &St;
  Construct &C;
  llvm::DenseSet<const VarDecl *> Seen;
  bool Called = false; // a function of the program, which may have read what it sees

public:
  FirstAccess(State &St, Construct &C) : St(St), C(C) {}

  // Returns false when what follows may not run in each iteration.
  bool statement(const Stmt *S) {
    if (!S)
      return true;
    if (const auto *B = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt *X : B->body())
        if (!statement(X))
          return false;
      return true;
    }
    if (const auto *F = dyn_cast<ForStmt>(S)) {
      statement(F->getInit());
      see(F);
      return !mayEndIteration(F);
    }
    if (const auto *E = dyn_cast<Expr>(S)) {
      expression(E->IgnoreParens());
      return true;
    }
    see(S);
    bool Known = isa<DeclStmt>(S) || isa<NullStmt>(S) || isa<IfStmt>(S) || isa<WhileStmt>(S) || isa<DoStmt>(S) || isa<SwitchStmt>(S);
    return Known && !mayEndIteration(S);
  }

private:
  // By a jump to what comes behind the body; a 'continue' of a loop inside S does not.
  static bool mayEndIteration(const Stmt *S, bool InLoop = false) {
    if (!S)
      return false;
    if (isa<GotoStmt>(S) || isa<IndirectGotoStmt>(S) || isa<ReturnStmt>(S) || (isa<ContinueStmt>(S) && !InLoop))
      return true;
    InLoop |= isa<ForStmt>(S) || isa<WhileStmt>(S) || isa<DoStmt>(S);
    return llvm::any_of(S->children(), [&](const Stmt *X) { return mayEndIteration(X, InLoop); });
  }
  void expression(const Expr *E) {
    const auto *A = dyn_cast<BinaryOperator>(E);
    if (A && A->getOpcode() == BO_Comma) {
      expression(A->getLHS()->IgnoreParens());
      expression(A->getRHS()->IgnoreParens());
      return;
    }
    if (!A || A->getOpcode() != BO_Assign)
      return see(E);
    assignedInside(A->getRHS()->IgnoreParenImpCasts());
    see(A->getRHS());
    const VarDecl *V = asVariable(A->getLHS());
    if (!V)
      return see(A->getLHS());
    if (Seen.insert(V).second && undeclared(V))
      warn(V, A->getLHS());
  }
  void assignedInside(const Expr *E) { // a = b = 0
    if (const auto *A = dyn_cast<BinaryOperator>(E); A && A->getOpcode() == BO_Assign)
      expression(A);
  }
  bool undeclared(const VarDecl *V) const {
    if (!V->getType()->isScalarType() || C.indexNumber(V) >= 0 || C.Privates.count(V) || C.Reductions.count(V))
      return false;
    if (Called && V->hasGlobalStorage())
      return false;
    if (V->getType().isVolatileQualified() || V->getTLSKind() != VarDecl::TLS_None)
      return false;
    const Stmt *Body = C.Loops.front().For;
    const SourceManager &SM = V->getASTContext().getSourceManager();
    SourceLocation L = V->getLocation();
    return !(SM.isBeforeInTranslationUnit(Body->getBeginLoc(), L) && SM.isBeforeInTranslationUnit(L, Body->getEndLoc()));
  }
  void warn(const VarDecl *V, const Expr *At) {
    if (St.Opts.AtRun && St.Opts.UndeclaredPrivate.On)
      return;
    C.Warned.insert(V);
    if (!St.Opts.UndeclaredPrivate.On)
      return;
    St.warning(At->getBeginLoc(), quoted(V) + " is assigned by each iteration and is in no 'private' clause [-Wdvm-undeclared-private]",
               St.Opts.UndeclaredPrivate.Error);
    St.note(C.Dir.Start, "add 'private(" + V->getName() + ")' to this directive");
  }
  void see(const Stmt *S) {
    if (!S)
      return;
    if (const auto *D = dyn_cast<DeclRefExpr>(S))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        Seen.insert(V);
    if (const auto *Call = dyn_cast<CallExpr>(S))
      Called |= !Call->getDirectCallee() || !Call->getDirectCallee()->getBuiltinID();
    for (const Stmt *X : S->children())
      see(X);
  }
};
} // namespace

void Rewriter::warnUndeclaredPrivate(Construct &C) {
  if (C.Mapped)
    FirstAccess(St, C).statement(C.Loops.back().For->getBody());
}

// Functions of libc with a state that no argument names: iterations on different processors have each their own.
namespace {
bool hasHiddenState(const FunctionDecl *F) {
  static constexpr llvm::StringLiteral Names[] = {"rand",  "random",  "drand48", "lrand48", "mrand48",
                                                  "srand", "srandom", "srand48", "strtok"};
  return F && F->getIdentifier() && F->isExternC() && !F->hasBody() && llvm::is_contained(Names, F->getName());
}
} // namespace

void Rewriter::warnHiddenState(const Construct &C, const Stmt *S) {
  if (!S || !C.Mapped || !St.Opts.HiddenState.On)
    return;
  const auto *Call = dyn_cast<CallExpr>(S);
  if (const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr; hasHiddenState(F)) {
    St.warning(Call->getBeginLoc(),
               "'" + F->getName().str() +
                   "' has a state that all iterations share, but each processor has its own: results depend on their number "
                   "[-Wdvm-hidden-state]",
               St.Opts.HiddenState.Error);
    St.note(C.Dir.Start, "the iterations are divided by this directive");
  }
  for (const Stmt *X : S->children())
    warnHiddenState(C, X);
}

// The zeros of calloc are no values of a distributed array: each processor has its own part only, and allocates it itself.
void Rewriter::warnCalloc(const VarDecl *V, const Expr *Value) {
  const auto *Call = dyn_cast_or_null<CallExpr>(Value ? Value->IgnoreParenCasts() : nullptr);
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  if (!St.Opts.Calloc.On || !F || !F->getIdentifier() || (F->getName() != "calloc" && F->getName() != "__builtin_calloc"))
    return;
  St.warning(Call->getBeginLoc(),
             "'calloc' gives the distributed array " + quoted(V) +
                 " no value: its elements have none until they are assigned [-Wdvm-calloc]",
             St.Opts.Calloc.Error);
  St.note(V->getLocation(), quoted(V) + " is declared here");
}
