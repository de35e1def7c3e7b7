// What recording needs of calls: each pointer that code which is not recorded may write through says what it leads to, and the call
// that it is one:
//   f(a, 3)   becomes   ((int (*)(double *, int))__dvmm_given(f, "K call ..")) ((double *)__dvmm_given(a, "K given .."), 3)
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace dvm;

// A builtin that stands for no function of the library has arguments of its own kind.
static bool isLibraryFunction(const ASTContext &Ctx, const FunctionDecl *F) {
  unsigned ID = F->getBuiltinID();
  return !ID || Ctx.BuiltinInfo.isPredefinedLibFunction(ID) || Ctx.BuiltinInfo.isLibFunction(ID) || F->getName() == "__builtin_sincos";
}

static bool mayWrite(QualType T) {
  T = T.getCanonicalType();
  QualType To = T->isPointerType() ? T->getPointeeType() : QualType();
  return !To.isNull() && !To.isConstQualified() && !To->isFunctionType() && To.getAddressSpace() == LangAS::Default;
}

std::vector<Rewriter::Given> Rewriter::findGiven(CallExpr *C) {
  std::vector<Given> All;
  const FunctionDecl *F = C->getDirectCallee();
  const bool Library = F && isOfLibrary(Ctx, F);
  if (C->containsErrors() || (F && (F->isImplicit() ? !F->getBuiltinID() : false)) ||
      (F && ((F->isDefined() && !Library) || !isLibraryFunction(Ctx, F))))
    return All;
  for (unsigned N = 0; N < C->getNumArgs(); ++N)
    if (mayWrite(C->getArg(N)->getType()) && !C->getArg(N)->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNotNull))
      All.push_back({int(N), givenTexts(C->getArg(N))});
  if (F && (F->getBuiltinID() || (Library && F->isStatic()) || F->hasAttr<ConstAttr>() || F->hasAttr<PureAttr>() || F->isNoReturn() ||
            F->hasAttr<ReturnsTwiceAttr>()))
    return All;
  SourceLocation L = C->getBeginLoc();
  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add("call").place(Ctx.getSourceManager(), L);
  T.key(DVMRT_ACCESS_TEXT).add(F && F->getIdentifier() ? F->getName().str() : sourceText(Ctx, C->getCallee()));
  All.push_back({-1, {T.Text}});
  return All;
}

void Rewriter::markGiven(CallExpr *C, const std::vector<Given> &All) {
  for (const Given &G : All) {
    Expr *Value = G.Arg < 0 ? C->getCallee() : C->getArg(G.Arg);
    SourceLocation L = Value->getExprLoc();
    if (!Value->getType()->isPointerType())
      continue;
    SmallVector<Expr *, 4> Args{B.toVoidPtr(Value)};
    for (const std::string &Text : G.Texts)
      Args.push_back(B.string(Text, L));
    Expr *Marked = B.cast(B.call(DVMM_GIVEN, Args, L), Value->getType(), CK_BitCast);
    G.Arg < 0 ? C->setCallee(Marked) : C->setArg(G.Arg, Marked);
  }
}
