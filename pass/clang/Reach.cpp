// Data that regions use by functions which they call: known when the whole file is, and put together with other files' in the run.
#include "Reach.h"
#include "runtime/site_text.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace dvm;

namespace {
struct Closure {
  llvm::SmallSetVector<const VarDecl *, 8> Data;
  llvm::SmallSetVector<const FunctionDecl *, 8> Elsewhere; // functions of other files
};

bool isElsewhere(const ASTContext &Ctx, const FunctionDecl *F) {
  return !F->isDefined() && F->hasExternalFormalLinkage() && F->getIdentifier() && !F->getBuiltinID() && !F->hasAttr<AsmLabelAttr>() &&
         !Ctx.getSourceManager().isInSystemHeader(F->getLocation());
}

Closure closureOf(const State &St, const ASTContext &Ctx, ArrayRef<const FunctionDecl *> From) {
  Closure Out;
  llvm::SmallSetVector<const FunctionDecl *, 8> All(From.begin(), From.end());
  for (size_t I = 0; I < All.size(); ++I) {
    const FunctionDecl *F = All[I]; // the vector grows
    if (isElsewhere(Ctx, F))
      Out.Elsewhere.insert(F);
    auto It = St.Reached.find(F);
    if (It == St.Reached.end())
      continue;
    Out.Data.insert(It->second.Data.begin(), It->second.Data.end());
    All.insert(It->second.Calls.begin(), It->second.Calls.end());
  }
  return Out;
}

// What a pointer leads to is asked for when a region begins: its own address is given ('through').
void usesText(SiteText &T, Builder &B, const VarDecl *V) {
  const bool Pointer = V->getType()->isPointerType();
  T.key(DVMRT_DIRECTIVE_REGION).add(Pointer ? "through " : "uses ").refWithValue(V, B.address(B.ref(V, T.Loc)));
}

void callsText(SiteText &T, const Closure &All) {
  for (const FunctionDecl *F : All.Elsewhere)
    T.key(DVMRT_DIRECTIVE_GROUP).add(F->getName());
}
} // namespace

std::vector<SiteText> dvm::reachedTexts(State &St, ASTContext &Ctx, Builder &B) {
  std::vector<SiteText> Out;
  for (const CallingRegion &R : St.Regions) {
    Closure All = closureOf(St, Ctx, R.Calls);
    All.Data.insert(R.Declared.begin(), R.Declared.end());
    All.Data.remove_if([&](const VarDecl *V) { return llvm::is_contained(R.Touched, V); });
    if (All.Data.empty() && All.Elsewhere.empty())
      continue;
    SiteText &T = Out.emplace_back(Ctx, B, R.Dir->Start);
    T.key(DVMRT_ANY_KIND).add("reached").place(Ctx.getSourceManager(), R.Dir->Start);
    for (const VarDecl *V : All.Data)
      usesText(T, B, V);
    callsText(T, All);
  }
  if (St.Directives.empty())
    return Out;
  for (const auto &[F, Own] : St.Reached) {
    if (!F->isDefined() || !F->hasExternalFormalLinkage() || F->isInlined() || F->hasAttr<AsmLabelAttr>() || F->isMain())
      continue;
    Closure All = closureOf(St, Ctx, F);
    if (All.Data.empty() && All.Elsewhere.empty())
      continue;
    SiteText &T = Out.emplace_back(Ctx, B, F->getLocation());
    T.key(DVMRT_ANY_KIND).add("reaches").place(Ctx.getSourceManager(), F->getLocation());
    T.key(DVMRT_DIRECTIVE_GROUP).add(F->getName());
    for (const VarDecl *V : All.Data)
      usesText(T, B, V);
    callsText(T, All);
  }
  return Out;
}
