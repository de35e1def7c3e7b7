// State of one compilation: the directives read so far and what the front end keeps of them.
#ifndef DVM_CLANG_STATE_H
#define DVM_CLANG_STATE_H

#include "pass/directive/directive.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
class Preprocessor;
class Sema;
} // namespace clang

namespace dvm {

// An operand of a directive that the compiler itself parses and types: an integer expression, or an lvalue ('&' is put
// before it).  Operands are numbered in the order of Directive::Operands; they are the arguments of the entered call, or
// the initialisers of the entered constants where a declaration follows.
struct Operand {
  enum Kind { Value, Address, Derived } K; // Derived: of a rule, which is counted through where it stands
  dvm_range Range;
  // Affine axes that are not written as 'a*i+b' come twice, with 0 and with 1 in the place of the index variable.
  unsigned IndexToken = ~0u;
  bool IndexIsOne = false;
};

struct Directive {
  dvm_directive *D = nullptr;
  unsigned Number = 0;                 // index in State::Directives
  std::vector<clang::Token> Tokens;    // of the directive, macros expanded
  std::deque<std::string> Spelling;    // what dvm_token::text points into
  std::vector<dvm_token> ParserTokens;
  std::vector<Operand> Operands;
  clang::SourceLocation Start;         // of the directive's name
  bool OldText = false;                // written as DVM(..): macros in it are not expanded yet
  bool Used = false;                   // the AST walk has met it

  ~Directive() { dvm_directive_destroy(D); }
  clang::SourceLocation loc(unsigned TokenNumber) const { return TokenNumber < Tokens.size() ? Tokens[TokenNumber].getLocation() : Start; }
  std::string text(unsigned TokenNumber) const { return Spelling[TokenNumber]; }
  std::string text(dvm_range R) const;
  // Number of the operand that begins at this token, or -1.
  int operand(dvm_range R) const;
};

struct Options {
  struct Warning {
    bool On = true, Error = false;
  };
  Warning UndeclaredPrivate, Calloc, NamedTwice, HiddenState;
  bool Parallel = false; // the program will be executed by many ranks, not checked
  std::string Remarks; // -Rdvm=: a regular expression of what is wanted; empty: none
  bool Absolute = false; // names of files in texts of sites are absolute: who reads reports is in another folder
  bool AtRun = false; // what -Wdvm-undeclared-private finds is left to the run, which can say how it is repaired
  bool Count = false; // with Parallel: iterations are counted for comparisons
  bool Trace = false; // the program will record, not check: types of values, sequential loops
};

// What the code of a function uses of the data of the file that a region around its call takes for its own.
struct Reach {
  llvm::SmallVector<const clang::VarDecl *, 4> Data;
  llvm::SmallVector<const clang::FunctionDecl *, 4> Calls;
};

// A region whose block calls functions, of which some may come later, or stand in other files, or uses data that are only declared.
struct CallingRegion {
  Directive *Dir;
  std::vector<const clang::VarDecl *> Touched; // which its text says
  std::vector<const clang::VarDecl *> Declared; // used, too: perhaps in code that is left out
  llvm::SmallVector<const clang::FunctionDecl *, 4> Calls;
};

class State {
public:
  clang::CompilerInstance *CI = nullptr;
  clang::Sema *S = nullptr;
  Options Opts;
  unsigned BraceDepth = 0; // of the tokens lexed so far: Sema's scope lags behind by the parser's look-ahead
  std::vector<std::unique_ptr<Directive>> Directives;
  // Constants that carry the operands of directives before declarations, by name.
  llvm::DenseMap<const clang::IdentifierInfo *, const clang::VarDecl *> OperandVars;
  unsigned NextConstruct = 1;
  unsigned NextLoop = 1; // of sequential loops that record
  long AssignmentBase = 0; // numbers of assignments are unique in the translation unit
  std::vector<const clang::VarDecl *> StaticLocals; // with a directive: registered with the globals

  llvm::DenseMap<const clang::Decl *, Directive *> FirstDirective; // by canonical declaration
  llvm::MapVector<const clang::FunctionDecl *, Reach> Reached; // by canonical declaration, in the order of the file: the functions so far
  std::vector<CallingRegion> Regions;
  std::vector<const clang::VarDecl *> Externs; // with a directive, and no definition so far

  Directive *byNumber(llvm::StringRef Number) const;
  // The directive of this kind on a declaration (of any redeclaration), or null.
  Directive *attached(const clang::Decl *D) const;
  void attach(const clang::Decl *D, Directive *Dir) { Attached[D->getCanonicalDecl()] = Dir; }

  clang::DiagnosticsEngine &diags() const;
  void error(clang::SourceLocation L, const llvm::Twine &Text) const;
  void errorHint(clang::SourceLocation L, const llvm::Twine &Text, clang::CharSourceRange R, llvm::StringRef With) const;
  void warning(clang::SourceLocation L, const llvm::Twine &Text, bool AsError = false) const;
  // If it is asked for; 'Kind': what -Rdvm=... is matched with.
  void remark(clang::SourceLocation L, llvm::StringRef Kind, const llvm::Twine &Text) const;
  void note(clang::SourceLocation L, const llvm::Twine &Text) const;

private:
  llvm::DenseMap<const clang::Decl *, Directive *> Attached;
};

// Can the directive stand before what follows the end of its line?  If not, the error has been given.
bool standsWell(const State &St, clang::Preprocessor &PP, const Directive &D, clang::SourceLocation End);

// The state of the compilation in this process; null when no AST is built (-E).
State *currentState();

constexpr const char *AnnotationPrefix = "dvm:";
constexpr const char *OperandPrefix = "dvm_operand_";
constexpr const char *RulePrefix = "dvm_rule_"; // functions
} // namespace dvm
#endif
