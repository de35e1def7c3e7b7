// The plug-in of flang: 'flang -fc1 -load dvm-fortran.so -plugin dvm'.  It
// compiles a copy of the source with statements in place of the directives
// (Place.h), puts marks into its HLFIR (Mark.h) and goes on with flang's own
// code generation.
#include "Conditional.h"
#include "Mark.h"
#include "Messages.h"
#include "flang/Frontend/CompilerInstance.h"
#include "flang/Frontend/FrontendActions.h"
#include "flang/Frontend/FrontendPluginRegistry.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace dvmf;
using namespace Fortran::frontend;

// '-plugin' takes the place of the action that flang was called for: the driver
// says which.
static llvm::cl::opt<std::string> Output("dvm-fortran-output", llvm::cl::init("obj"), llvm::cl::Hidden,
                                         llvm::cl::desc("obj, asm, ll, bc, hlfir, none; text: the source "
                                                        "with what is inserted"));
static llvm::cl::opt<bool> Statistics("dvm-fortran-pairing", llvm::cl::Hidden,
                                      llvm::cl::desc("Say of how many references the place in the text is known"));
static llvm::cl::opt<bool> Werror("dvm-fortran-werror", llvm::cl::Hidden, llvm::cl::desc("Warnings of directives are errors"));

static llvm::cl::opt<std::string> Sources("dvm-fortran-sources", llvm::cl::Hidden,
                                          llvm::cl::desc("Texts in this folder, by absolute names, stand in place of the files' own"));

static llvm::cl::opt<bool> Absolute("dvm-fortran-absolute", llvm::cl::Hidden, llvm::cl::desc("Files have absolute names in reports"));

static llvm::cl::opt<bool> Trace("dvm-fortran-trace", llvm::cl::Hidden, llvm::cl::desc("Marks for recording, not for checks"));

static llvm::cl::opt<bool> InParallel("dvm-fortran-parallel", llvm::cl::Hidden,
                                      llvm::cl::desc("Marks for execution by many ranks, not for checks"));

static llvm::cl::opt<bool> Count("dvm-fortran-count", llvm::cl::Hidden, llvm::cl::desc("Ranks count the iterations that they execute"));

// flang loads one plug-in alone ('-load'); options of the pass are to be known when options are read.
static bool loadPass() {
  Dl_info Own;
  if (!dladdr(reinterpret_cast<void *>(&loadPass), &Own))
    return false;
  llvm::SmallString<256> Path(llvm::sys::path::parent_path(Own.dli_fname));
  llvm::sys::path::append(Path, "dvm-pass.so");
  return dlopen(Path.c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr;
}
static const bool HasPass = loadPass();

namespace {
struct Generation : CodeGenAction {
  explicit Generation(BackendActionTy A) : CodeGenAction(A) {}
  mlir::ModuleOp module() { return *mlirModule; }
};

class CheckedAction : public PluginParseTreeAction {
  bool beginSourceFileAction() override;
  void executeAction() override {}
  bool isPreprocessed(CompilerInstance &CI);
  bool compile(const std::string &Name, const std::string &Raw, const Placed &P);
  bool complain(const std::string &Name, const std::string &Raw, const std::vector<Complaint> &Complaints);
};
} // namespace

static BackendActionTy backend() {
  return Output == "asm"                         ? BackendActionTy::Backend_EmitAssembly
         : Output == "ll"                        ? BackendActionTy::Backend_EmitLL
         : Output == "bc"                        ? BackendActionTy::Backend_EmitBC
         : Output == "hlfir" || Output == "none" ? BackendActionTy::Backend_EmitHLFIR
                                                 : BackendActionTy::Backend_EmitObj;
}

static std::string lineOf(const std::string &Raw, unsigned Number) {
  size_t From = 0;
  for (unsigned Line = 1; Line < Number && From != std::string::npos; ++Line) {
    From = Raw.find('\n', From);
    From += From != std::string::npos;
  }
  return From == std::string::npos ? "" : Raw.substr(From, Raw.find('\n', From) - From);
}

static std::string absolute(llvm::StringRef Name) {
  llvm::SmallString<256> Path(Name);
  llvm::sys::fs::make_absolute(Path);
  return Path.str().str();
}

// As flang names it in the locations of operations: './a.f' is '/here/a.f'.
static std::string asInLocations(llvm::StringRef Name) {
  llvm::SmallString<256> Path(absolute(Name));
  llvm::sys::path::remove_dots(Path);
  return Path.str().str();
}

static std::string readAll(const std::string &Name) {
  if (Name == "-") {
    std::string Text;
    char Buffer[1 << 16];
    for (ssize_t N; (N = read(0, Buffer, sizeof Buffer)) > 0;)
      Text.append(Buffer, size_t(N));
    return Text;
  }
  if (!Sources.empty())
    if (auto Instead = llvm::MemoryBuffer::getFile(Sources + absolute(Name)))
      return (*Instead)->getBuffer().str();
  auto File = llvm::MemoryBuffer::getFile(Name);
  return File ? (*File)->getBuffer().str() : std::string();
}

// Where included files are looked for: texts that stand in place of others come first.
static std::vector<std::string> including(const std::vector<std::string> &Folders) {
  std::vector<std::string> Out;
  for (const std::string &F : Folders) {
    if (!Sources.empty())
      Out.push_back(Sources + absolute(F.empty() ? "." : F));
    Out.push_back(Absolute ? absolute(F.empty() ? "." : F) : F);
  }
  return Out;
}

// What is not judged is no matter where nothing is: only what would have an effect is refused.
static std::vector<Complaint> inParallel(const std::vector<Complaint> &Complaints) {
  static const char *const Effects[] = {"TEMPLATE_CREATE", "TEMPLATE_DELETE", "POINTER", "HEAP"};
  std::vector<Complaint> Out;
  for (Complaint C : Complaints) {
    bool Effect = false;
    for (const char *Word : Effects)
      Effect |= C.Unjudged == Word;
    if (Effect) {
      C.IsError = true;
      C.Text = "the directive " + C.Unjudged + " is not supported in parallel execution yet";
    }
    if (C.IsError || C.Text.find("[-Wdvm-unjudged]") == std::string::npos)
      Out.push_back(C);
  }
  return Out;
}

// Returns false if one of them is an error.
bool CheckedAction::complain(const std::string &Name, const std::string &Raw, const std::vector<Complaint> &Complaints) {
  unsigned Errors = 0;
  for (const Complaint &C : Complaints) {
    const bool Error = C.IsError || Werror;
    const std::string &File = C.File.empty() ? Name : C.File;
    llvm::errs() << File << ':' << C.At.Line << ':' << C.At.Column << ": " << (Error ? "error: " : "warning: ") << C.Text << '\n';
    const std::string Shown = C.File.empty() ? Raw : readAll(C.File);
    const std::string Line = Shown.rfind("#", 0) == 0 ? lineOf(readAll(File), C.At.Line) : lineOf(Shown, C.At.Line);
    llvm::errs() << llvm::format("%5u | ", C.At.Line) << Line << "\n      | ";
    for (unsigned I = 0; I + 1 < C.At.Column && I < Line.size(); ++I)
      llvm::errs() << (Line[I] == '\t' ? '\t' : ' ');
    llvm::errs() << "^\n";
    if (!C.Help.empty())
      llvm::errs() << "help: " << C.Help << '\n';
    Errors += Error;
  }
  if (!Errors)
    return true;
  auto &Diags = getInstance().getDiagnostics();
  Diags.Report(Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, "the DVM directives of '%0' are wrong")) << Name;
  return false;
}

// flang reads files by name: the text gets one that exists as long as it is
// open.
static int openText(const std::string &Text) {
  const int FD = memfd_create("dvm", 0);
  for (size_t At = 0; FD >= 0 && At < Text.size();) {
    const ssize_t N = write(FD, Text.data() + At, Text.size() - At);
    if (N < 0)
      return -1;
    At += size_t(N);
  }
  return FD;
}

static void findRenames(const Fortran::semantics::Scope &In, std::set<std::pair<std::string, std::string>> &Out) {
  for (const auto &[Name, Symbol] : In)
    if (const auto &Own = Symbol->GetUltimate().name(); Symbol->has<Fortran::semantics::UseDetails>() && Own != Name)
      Out.insert({Name.ToString(), Own.ToString()});
  for (const Fortran::semantics::Scope &Inner : In.children())
    if (!Inner.IsModuleFile())
      findRenames(Inner, Out);
}

// As 'beginSourceFile', and says it of the file and of its directives.
static bool begin(Generation &G, CompilerInstance &CI, FrontendInputFile &Input, const Placed &P, const std::string &Raw) {
  clang::DiagnosticsEngine &Diags = CI.getDiagnostics();
  std::string Said;
  llvm::raw_string_ostream Stream(Said);
  Listener Heard;
  std::unique_ptr<clang::DiagnosticConsumer> Own = Diags.takeClient();
  clang::DiagnosticConsumer *Before = Own ? Own.get() : Diags.getClient();
  Diags.setClient(&Heard, false);
  CI.setSemaOutputStream(Stream);
  const bool OK = G.beginSourceFile(CI, Input);
  CI.setSemaOutputStream(llvm::errs());
  Diags.setClient(Before, Own.release() != nullptr);
  Heard.tell(Diags, Input.getFile().str(), P.File);
  llvm::errs() << ofDirectives(Said, [&](const std::string &File) { return File == P.File ? Raw : readAll(File); });
  return OK;
}

bool CheckedAction::compile(const std::string &Name, const std::string &Raw, const Placed &P) {
  CompilerInstance &CI = getInstance();
  const FrontendInputFile Original = getCurrentInput();
  const int FD = openText(P.Text);
  auto &Diags = CI.getDiagnostics();
  if (FD < 0) {
    Diags.Report(Diags.getCustomDiagID(clang::DiagnosticsEngine::Error, "no memory for the text of '%0'")) << Name;
    return false;
  }
  const std::string Path = "/proc/self/fd/" + std::to_string(FD);
  CompilerInvocation &Invocation = CI.getInvocation();
  // What the name's suffix would have said, and where the file lies.
  Invocation.getFrontendOpts().fortranForm = P.F.Fixed ? FortranForm::FixedForm : FortranForm::FreeForm;
  if (Original.getMustBePreprocessed() && Invocation.getPreprocessorOpts().macrosFlag == PPMacrosFlag::Unknown)
    Invocation.getPreprocessorOpts().macrosFlag = PPMacrosFlag::Include;
  auto &Folders = Invocation.getFortranOpts().searchDirectories;
  llvm::StringRef Folder = llvm::sys::path::parent_path(Name);
  Folders.insert(Folders.begin(), Folder.empty() ? "." : Folder.str());
  Folders = including(Folders);
  Generation G(backend());
  FrontendInputFile Input(Path, Original.getKind());
  if (!begin(G, CI, Input, P, Raw)) {
    close(FD);
    return false;
  }
  SourceFile Main{P.File, asInLocations(P.File), &P, {}};
  findRenames(CI.getSemanticsContext().globalScope(), Main.Renamed);
  Model Mo(Main);
  MarkOptions Options;
  Options.Trace = Trace && HasPass;
  Options.Parallel = InParallel;
  Options.Count = Count;
  if (InParallel) // names of arrays without their size are written in assembler (pass/llvm/HiddenExtents.cpp); flang has none by itself
    llvm::InitializeNativeTargetAsmParser();
  std::vector<Complaint> Complaints;
  Marker Marks(G.module(), Mo, Options, Complaints);
  Marks.run();
  bool OK = complain(P.File, Raw, Complaints);
  if (Statistics) {
    llvm::errs() << "pairing: " << P.File << ": " << Marks.Pairs.Exact << " exact, " << Marks.Pairs.Unpaired << " not\n";
    for (const std::string &Kind : Marks.Pairs.Kinds)
      llvm::errs() << "pairing: " << P.File << ':' << Kind << '\n';
  }
  if (OK && Output != "none")
    if (auto E = G.execute()) {
      llvm::consumeError(std::move(E));
      OK = false;
    }
  G.endSourceFile();
  close(FD);
  return OK;
}

// As flang decides it.
bool CheckedAction::isPreprocessed(CompilerInstance &CI) {
  const PPMacrosFlag Macros = CI.getInvocation().getPreprocessorOpts().macrosFlag;
  return Macros == PPMacrosFlag::Include || (Macros == PPMacrosFlag::Unknown && getCurrentInput().getMustBePreprocessed());
}

bool CheckedAction::beginSourceFileAction() {
  CompilerInstance &CI = getInstance();
  const std::string Name = getCurrentFileOrBufferName().str();
  const auto &Options = CI.getInvocation().getFortranOpts();
  const std::string Whole = readAll(Name), Raw = isPreprocessed(CI) ? onlyCompiled(Whole, Name, Options) : Whole;
  std::vector<std::string> Folders{llvm::sys::path::parent_path(Name).str()};
  Folders.insert(Folders.end(), Options.searchDirectories.begin(), Options.searchDirectories.end());
  const Placed P =
      placeDirectives(Raw, Absolute ? absolute(Name) : Name, {Options.isFixedForm, unsigned(Options.fixedFormColumns)}, including(Folders));
  if (Output == "text") {
    llvm::outs() << P.Text;
    return true;
  }
  return complain(P.File, Raw, InParallel ? inParallel(P.Complaints) : P.Complaints) && compile(Name, Raw, P);
}

static FrontendPluginRegistry::Add<CheckedAction> Registered("dvm", "checks DVM directives");
