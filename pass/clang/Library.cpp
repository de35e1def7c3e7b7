// What headers of the system put into a program: macros and inline functions of the C library that stand for calls at one level of
// optimisation and not at another.  Their own variables and tables are no part of the program, and their functions are not recorded.
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

static bool isOfSystem(const SourceManager &SM, SourceLocation L) {
  return L.isValid() && (L.isMacroID() ? SM.isInSystemMacro(L) : SM.isInSystemHeader(L));
}

// 'int __res' of the macro 'toupper'.
bool dvm::isOfLibrary(const ASTContext &Ctx, const VarDecl *V) {
  return V->hasLocalStorage() && isOfSystem(Ctx.getSourceManager(), V->getLocation());
}

// '(*__ctype_b_loc())[c]', 'fp->_IO_write_ptr': written in a macro of the system, and neither a variable of the program nor a member of one of
// its structs; and the variables of such macros.
bool dvm::isOfLibrary(const ASTContext &Ctx, const Expr *Access, char Kind) {
  const SourceManager &SM = Ctx.getSourceManager();
  const Chain Ch = chainOf(const_cast<Expr *>(Access));
  if (Ch.Root && Ch.Direct)
    return isOfLibrary(Ctx, Ch.Root);
  const Expr *E = Access->IgnoreParens();
  if (!SM.isInSystemMacro(E->getExprLoc()) || !SM.isInSystemMacro(E->getBeginLoc()))
    return false;
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return SM.isInSystemHeader(SM.getExpansionLoc(M->getMemberDecl()->getLocation()));
  return !Ch.Root && Kind == 'r';
}

bool dvm::isOfLibrary(const ASTContext &Ctx, const FunctionDecl *F) {
  const FunctionDecl *Definition = nullptr;
  return F->isDefined(Definition) && Ctx.getSourceManager().isInSystemHeader(Definition->getLocation());
}

// The pass is told by an assumption, which every call and definition carries.
void dvm::markLibraryFunction(ASTContext &Ctx, FunctionDecl *F) { F->addAttr(OMPAssumeAttr::CreateImplicit(Ctx, DVMM_LIBRARY)); }
