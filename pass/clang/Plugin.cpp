// The plug-in: state, markers found by name look-up, and the consumer that sees each declaration before code generation.
#include "OldText.h"
#include "OpenMP.h"
#include "Reach.h"
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaConsumer.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace clang;
using namespace dvm;

static State *Current;
State *dvm::currentState() { return Current; }

Directive *State::byNumber(StringRef Number) const {
  unsigned N;
  return Number.getAsInteger(10, N) || N >= Directives.size() ? nullptr : Directives[N].get();
}

Directive *State::attached(const Decl *D) const {
  if (Directive *Dir = Attached.lookup(D->getCanonicalDecl()))
    return Dir;
  for (const Decl *R : D->redecls())
    if (R->hasAttrs())
      for (const auto *A : R->specific_attrs<AnnotateAttr>())
        if (A->getAnnotation().starts_with(AnnotationPrefix))
          return byNumber(A->getAnnotation().drop_front(StringRef(AnnotationPrefix).size()));
  return nullptr;
}

DiagnosticsEngine &State::diags() const { return CI->getDiagnostics(); }

void State::error(SourceLocation L, const Twine &Text) const {
  diags().Report(L, diags().getCustomDiagID(DiagnosticsEngine::Error, "%0")) << Text.str();
}
void State::errorHint(SourceLocation L, const Twine &Text, CharSourceRange R, StringRef With) const {
  diags().Report(L, diags().getCustomDiagID(DiagnosticsEngine::Error, "%0")) << Text.str() << FixItHint::CreateReplacement(R, With);
}
void State::warning(SourceLocation L, const Twine &Text, bool AsError) const {
  DiagnosticsEngine &D = diags();
  // A bare -Werror is about the compiler's own warnings; ours has a flag of its own.
  bool Werror = D.getWarningsAsErrors();
  D.setWarningsAsErrors(false);
  D.Report(L, D.getCustomDiagID(AsError ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning, "%0")) << Text.str();
  D.setWarningsAsErrors(Werror);
}
void State::note(SourceLocation L, const Twine &Text) const {
  diags().Report(L, diags().getCustomDiagID(DiagnosticsEngine::Note, "%0")) << Text.str();
}

namespace {

// Names that exist without a declaration, found only where the program has none of its own: the markers of the entered
// tokens, and the functions of the DVM run-time system that public programs call without an include.
class Names : public ExternalSemaSource {
  Builder &B;

public:
  explicit Names(Builder &B) : B(B) {}
  bool LookupUnqualified(LookupResult &R, Scope *) override {
    IdentifierInfo *II = R.getLookupName().getAsIdentifierInfo();
    if (!II || R.getLookupKind() != Sema::LookupOrdinaryName)
      return false;
    StringRef N = II->getName();
    FunctionDecl *FD = N == DVMM_ENTER || N == DVMM_DIRECT ? B.marker(N) : B.userFunction(N);
    if (!FD)
      return false;
    R.addDecl(FD);
    R.resolveKind();
    return true;
  }
};

bool generatesCode(const CompilerInstance &CI) {
  switch (CI.getFrontendOpts().ProgramAction) {
  case frontend::EmitAssembly:
  case frontend::EmitBC:
  case frontend::EmitLLVM:
  case frontend::EmitLLVMOnly:
  case frontend::EmitCodeGenOnly:
  case frontend::EmitObj: return true;
  default: return false;
  }
}

class Consumer : public SemaConsumer {
  State St;
  std::unique_ptr<Builder> B;
  std::unique_ptr<Declarations> Decls;
  bool Emit, Precompiles; // what other compilations read would be without the directives
  std::vector<const VarDecl *> Globals; // with a directive, defined here
  std::vector<std::pair<const VarDecl *, Directive *>> Declared; // each declaration with its own directive
  llvm::DenseSet<const Decl *> Seen;
  IntrusiveRefCntPtr<Names> Source;

public:
  Consumer(CompilerInstance &CI, const Options &Opts)
      : Emit(generatesCode(CI)), Precompiles(CI.getFrontendOpts().ProgramAction == frontend::GeneratePCH) {
    St.CI = &CI;
    St.Opts = Opts;
    Current = &St;
    Preprocessor &PP = CI.getPreprocessor();
    passOverOpenMP(PP);
    readOldText(PP);
    PP.setTokenWatcher([this](const Token &T) {
      if (T.is(tok::l_brace))
        ++St.BraceDepth;
      else if (T.is(tok::r_brace) && St.BraceDepth)
        --St.BraceDepth;
    });
    PP.setPredefines(PP.getPredefines() + "#ifndef _DVMH\n#define _DVMH 1\n#endif\n");
    if (Emit) {
      CodeGenOptions &CG = CI.getCodeGenOpts();
      CG.SanitizeAddressUseAfterScope = true; // lifetime markers also at -O0
    }
  }
  ~Consumer() override { Current = nullptr; }

  void Initialize(ASTContext &Ctx) override {
    B = std::make_unique<Builder>(Ctx);
    Decls = std::make_unique<Declarations>(St, Ctx, *B);
  }
  void InitializeSema(Sema &S) override {
    St.S = &S;
    Source = new Names(*B);
    S.addExternalSource(Source.get());
  }
  void ForgetSema() override { St.S = nullptr; }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group) {
      if (!Seen.insert(D).second)
        continue;
      if (auto *F = dyn_cast<FunctionDecl>(D))
        function(F);
      else if (auto *V = dyn_cast<VarDecl>(D))
        variable(V);
      else if (!isa<TagDecl>(D))
        misplaced(D);
    }
    return true;
  }

  void HandleTranslationUnit(ASTContext &Ctx) override {
    if (Precompiles && !St.Directives.empty())
      St.error(St.Directives.front()->Start,
               "a precompiled header cannot hold '#pragma dvm': leave it out of the header that is precompiled");
    for (const auto &D : St.Directives)
      if (!D->Used && !St.diags().hasErrorOccurred() && D->D->kind != DVM_DIR_INSTANTIATIONS)
        St.error(D->Start, Twine("'#pragma dvm ") + dvm_directive_name(D->D->kind) + "' is not followed by anything that it can apply to");
    if (Emit && !St.diags().hasErrorOccurred())
      emitRegistration(Ctx);
  }

private:
  void misplaced(Decl *D) {
    Decls->take(D);
    if (Directive *Dir = St.attached(D)) {
      Dir->Used = true;
      St.error(Dir->Start, Twine("'#pragma dvm ") + dvm_directive_name(Dir->D->kind) + "' cannot stand before this declaration");
      St.note(D->getLocation(), "the declaration is here");
    }
  }

  void function(FunctionDecl *F) {
    Decls->take(F);
    if (Directive *Dir = St.attached(F); Dir && !Dir->Used)
      Decls->checkInherit(F, *Dir);
    const bool Rule = F->getIdentifier() && F->getName().starts_with(RulePrefix);
    if (!F->doesThisDeclarationHaveABody() || F->isInvalidDecl() || Rule)
      return;
    ASTContext &Ctx = F->getASTContext();
    const bool Library = Ctx.getSourceManager().isInSystemHeader(F->getLocation());
    bool Marks = Emit && !F->hasAttr<NakedAttr>() && !Library;
    if (Library && Emit && St.Opts.Trace)
      markLibraryFunction(Ctx, F);
    Rewriter(St, Ctx, *B, *Decls, F, Marks).run();
  }

  void variable(VarDecl *V) {
    if (Decls->takeOperandConstant(V))
      return;
    Decls->take(V);
    Directive *Dir = St.attached(V);
    if (!Dir)
      return;
    bool OK = Decls->check(V, *Dir);
    if (OK)
      Declared.push_back({V, Dir});
    if (OK && V->isThisDeclarationADefinition() == VarDecl::DeclarationOnly)
      St.Externs.push_back(V);
    if (OK && V->isThisDeclarationADefinition() != VarDecl::DeclarationOnly)
      if (llvm::none_of(Globals, [&](const VarDecl *G) { return G->getCanonicalDecl() == V->getCanonicalDecl(); }))
        Globals.push_back(V);
  }

  // static void __attribute__((constructor)) dvm_register(void) { __dvmm_direct(..); .. }
  void emitRegistration(ASTContext &Ctx) {
    std::vector<const VarDecl *> All = Globals;
    All.insert(All.end(), St.StaticLocals.begin(), St.StaticLocals.end());
    llvm::DenseSet<const Decl *> Known;
    for (const VarDecl *V : Globals)
      Known.insert(V->getCanonicalDecl());
    const size_t Own = All.size();
    for (const VarDecl *V : St.Externs)
      if (!St.Opts.Trace && !St.Opts.Parallel && St.attached(V)->D->kind != DVM_DIR_TASK && Known.insert(V->getCanonicalDecl()).second)
        All.push_back(V);
    const std::vector<SiteText> Reached = reachedTexts(St, Ctx, *B);
    if ((All.empty() && Reached.empty()) || !St.S)
      return;
    SourceLocation L = All.empty() ? Reached.front().Loc : All.front()->getLocation();
    SmallVector<Stmt *, 8> Body;
    auto Tell = [&](const SiteText &T, SourceLocation At) {
      SmallVector<Expr *, 16> Args{B->string(T.Text, At)};
      Args.append(T.Args.begin(), T.Args.end());
      Body.push_back(B->call(DVMM_DIRECT, Args, At));
    };
    auto Register = [&](const VarDecl *V, Directive &Dir, bool Elsewhere) {
      Tell(Decls->describe(V, Dir, false, nullptr, Elsewhere), V->getLocation());
    };
    for (size_t I = 0; I < All.size(); ++I)
      Register(All[I], *St.attached(All[I]), I >= Own);
    // A repair has to change all directives that the variable has.
    for (const auto &[V, Dir] : Declared)
      if (!St.Opts.Trace && !St.Opts.Parallel && Dir != St.attached(V) && Dir->D->kind == DVM_DIR_ARRAY && V->isExternallyVisible())
        Register(V, *Dir, true);
    for (const SiteText &T : Reached)
      Tell(T, T.Loc);
    QualType FT = Ctx.getFunctionType(Ctx.VoidTy, {}, FunctionProtoType::ExtProtoInfo());
    auto *F = FunctionDecl::Create(Ctx, Ctx.getTranslationUnitDecl(), L, L, &Ctx.Idents.get("dvm_register"), FT,
                                   Ctx.getTrivialTypeSourceInfo(FT, L), SC_Static);
    F->setImplicit();
    // After the constructor that announces the object's sites, before those of the program.
    F->addAttr(ConstructorAttr::CreateImplicit(Ctx, 101));
    F->addAttr(UsedAttr::CreateImplicit(Ctx));
    F->setBody(B->block(Body, L));
    Ctx.getTranslationUnitDecl()->addDecl(F);
    Seen.insert(F);
    St.S->getASTConsumer().HandleTopLevelDecl(DeclGroupRef(F));
  }
};

class Action : public PluginASTAction {
  Options Opts;

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override { return std::make_unique<Consumer>(CI, Opts); }
  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Args) override {
    for (const std::string &A : Args) {
      if (setWarning(A))
        continue;
      if (A == "trace")
        Opts.Trace = true;
      else if (A == "absolute")
        Opts.Absolute = true;
      else if (A == "at-run")
        Opts.AtRun = true;
      else if (A == "parallel")
        Opts.Parallel = true;
      else if (A == "count")
        Opts.Count = true;
      else if (StringRef(A).starts_with("Rdvm=")) {
        Opts.Remarks = A.substr(5);
        if (std::string Why; !Opts.Remarks.empty() && !llvm::Regex(Opts.Remarks).isValid(Why)) {
          DiagnosticsEngine &D = CI.getDiagnostics();
          D.Report(D.getCustomDiagID(DiagnosticsEngine::Error, "in the pattern of '-Rdvm=%0': %1")) << Opts.Remarks << Why;
          return false;
        }
      } else {
        DiagnosticsEngine &D = CI.getDiagnostics();
        D.Report(D.getCustomDiagID(DiagnosticsEngine::Error, "unknown option '%0' of the dvm plug-in")) << A;
        return false;
      }
    }
    return true;
  }
  // W[no-][error=]NAME
  bool setWarning(StringRef A) {
    if (!A.consume_front("W"))
      return false;
    bool On = !A.consume_front("no-"), Error = A.consume_front("error=");
    auto *W = llvm::StringSwitch<Options::Warning *>(A)
                  .Case("dvm-undeclared-private", &Opts.UndeclaredPrivate)
                  .Case("dvm-calloc", &Opts.Calloc)
                  .Case("dvm-named-twice", &Opts.NamedTwice)
                  .Case("dvm-hidden-state", &Opts.HiddenState)
                  .Default(nullptr);
    if (!W)
      return false;
    if (Error)
      W->Error = On;
    if (!Error || On)
      W->On = On;
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

FrontendPluginRegistry::Add<Action> Registration("dvm", "checks and lowers '#pragma dvm' directives");
} // namespace
