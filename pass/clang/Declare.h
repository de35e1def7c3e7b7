// Directives before declarations: what they say of a variable, checks, and the texts that register it at run time.
#ifndef DVM_CLANG_DECLARE_H
#define DVM_CLANG_DECLARE_H

#include "SiteText.h"
#include <optional>

namespace dvm {

// The operands of one directive as the compiler typed them.
class Operands {
  State &St;
  clang::ASTContext &Ctx;

public:
  Directive &Dir;
  std::vector<clang::Expr *> E;             // operand by number: rvalue, or the lvalue under '&'
  std::vector<const clang::VarDecl *> Const; // the constant that holds it (declarations), or null

  Operands(State &St, clang::ASTContext &Ctx, Directive &Dir) : St(St), Ctx(Ctx), Dir(Dir) {}
  bool fromCall(clang::CallExpr *Call);
  bool fromConstants();

  clang::Expr *value(dvm_range R) const;      // null if absent
  clang::Expr *lvalue(dvm_range R) const;
  const clang::VarDecl *variable(dvm_range R) const; // null if the operand is no plain variable
  const clang::VarDecl *variable(unsigned NameToken) const { return variable(dvm_range{NameToken, 1}); }
  bool constant(dvm_range R, int64_t &V) const;
  // Integer type of every value operand; reports the others.
  bool checkTypes() const;
};

// What the declarations of one translation unit say.
class Declarations {
  State &St;
  clang::ASTContext &Ctx;
  Builder &B;
  std::optional<bool> Moves; // arrays, by the text of this file

  bool movesArrays();
  // May the array be given another place, as far as this file shows?
  bool mayMove(const clang::VarDecl *V, const Directive &Dir);

public:
  Declarations(State &St, clang::ASTContext &Ctx, Builder &B) : St(St), Ctx(Ctx), B(B) {}

  // Takes the annotations of a declaration away from code generation and keeps them.
  void take(clang::Decl *D);
  // True: it stands where a directive has waited for its declaration, and the error has been given.
  bool takeOperandConstant(clang::VarDecl *V);

  bool isDistributed(const clang::VarDecl *V, const clang::FunctionDecl *In) const; // array, template or inherited parameter
  bool isTask(const clang::VarDecl *V) const;
  bool isProcessors(const clang::VarDecl *V) const;
  // Declared shadow width of a dimension, low and high; false if not known while compiling.
  bool declaredWidth(const clang::VarDecl *V, unsigned Dim, int64_t &Low, int64_t &High);
  bool distributedInto(const clang::VarDecl *V, unsigned Dim, bool &Mapped);
  // Each rank has all of dimension 'Dim' wherever it has anything, as long as the program runs.
  bool neverDivided(const clang::VarDecl *V, unsigned Dim, unsigned Links = 0);
  std::optional<bool> isDivided(const clang::VarDecl *V, unsigned Dim, unsigned Links = 0); // also if it is aligned; none: not known
  unsigned rankOf(const clang::VarDecl *V); // of an array or template, 0 if unknown

  // Checks an array / template / task declaration; false after an error.
  bool check(const clang::VarDecl *V, Directive &Dir);
  bool checkAlone(const clang::VarDecl *V, Directive &Dir);
  bool checkAgain(const clang::VarDecl *V, Directive &Dir); // against the first declaration's
  std::string meaning(const clang::VarDecl *V, Directive &Dir);
  void reportSecond(Directive &First, Directive &Second) const;
  bool checkTemplate(const clang::VarDecl *V, Directive &Dir);
  bool checkArray(const clang::VarDecl *V, Directive &Dir);
  bool checkDistribution(const Operands &Ops) const;
  bool checkShadow(const Operands &Ops);
  bool checkAlignment(const Operands &Ops);
  bool checkOnto(const Operands &Ops);
  void checkInherit(const clang::FunctionDecl *F, Directive &Dir);
  // Text of 'K array', 'K bind', 'K template', 'K task'.  'Value': the pointer value for bind, else null.
  // 'Elsewhere': 'K extern' of a variable that another file defines.
  SiteText describe(const clang::VarDecl *V, Directive &Dir, bool Bind, clang::Expr *Value, bool Elsewhere = false);

  void writeDist(SiteText &T, Operands &Ops);
  void writeAlign(SiteText &T, Operands &Ops, const clang::VarDecl *Target);
  void writeHoles(SiteText &T, const clang::VarDecl *V); // of an element: bytes and bits that are no value
  void writeOnto(SiteText &T, Operands &Ops);
  static void writeWidths(SiteText &T, Operands &Ops, const dvm_width *W, unsigned N);
  void writeAxis(SiteText &T, Operands &Ops, const dvm_axis &A);
  void writeUnsplitAxis(SiteText &T, Operands &Ops, const dvm_axis &A);

  clang::Expr *operandValue(Operands &Ops, dvm_range R);
  clang::Expr *operandValue(Operands &Ops, unsigned I);

  State &state() const { return St; }
};

std::string quoted(const clang::NamedDecl *D);
// Does 'What' at L give as many dimensions as V has?  Reports it if not.
bool sameRank(const State &St, clang::SourceLocation L, const clang::VarDecl *V, unsigned Rank, llvm::StringRef What, unsigned Given);
// May it stand in 'on' and 'with': a constant, an affine form of one index, or nothing?
inline bool isPlace(const dvm_axis &A) { return A.kind == DVM_AXIS_OTHER ? A.affine : A.kind != DVM_AXIS_RANGE; }
} // namespace dvm
#endif
