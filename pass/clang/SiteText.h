// Site texts (runtime/site_text.h): how the front end tells pass and runtime what stands in the source.
#ifndef DVM_CLANG_SITETEXT_H
#define DVM_CLANG_SITETEXT_H

#include "Build.h"
#include "State.h"
#include "runtime/site_text.h"
#include <string>
#include <vector>

namespace dvm {

// Where a token stands for the user: macro arguments at their spelling, the rest of a macro at its expansion.
clang::PresumedLoc presumed(const clang::SourceManager &SM, clang::SourceLocation L);
// The file's name as texts of sites have it: as the compiler was given it, or absolute (Options::Absolute).
std::string nameOf(const clang::SourceManager &SM, clang::PresumedLoc P);
// Source text of an expression as written, white space folded to single blanks.
std::string sourceText(const clang::ASTContext &Ctx, const clang::Expr *E);

// The subscripted form of a type: element and extents, outermost first.
struct Shape {
  clang::QualType Element;
  std::vector<clang::QualType> Dims; // array types from the outside in; a pointer type stands for an unknown first extent
  bool Pointer = false;
  unsigned rank() const { return Dims.size(); }
};
Shape shapeOf(const clang::ASTContext &Ctx, clang::QualType T);

// Value of an integer constant expression.
bool constantOf(const clang::ASTContext &Ctx, const clang::Expr *E, int64_t &Value);

// A text under construction together with the arguments of its '#' and '&'.
class SiteText {
  clang::ASTContext &Ctx;
  Builder &B;

public:
  std::string Text;
  std::vector<clang::Expr *> Args;
  clang::SourceLocation Loc; // for the nodes made

  SiteText(clang::ASTContext &Ctx, Builder &B, clang::SourceLocation Loc) : Ctx(Ctx), B(B), Loc(Loc) {}

  SiteText &key(char K);              // begins a line: "K "; DVMRT_ACCESS_*, DVMRT_DIRECTIVE_* ..
  SiteText &add(const llvm::Twine &T) {
    Text += T.str();
    return *this;
  }
  SiteText &place(const clang::SourceManager &SM, clang::SourceLocation L); // F and P lines
  SiteText &number(clang::Expr *E);   // its value, or '#'
  SiteText &pointer(clang::Expr *VoidPtr); // '&'
  SiteText &ref(const clang::VarDecl *V);  // a Ref
  SiteText &refWithValue(const clang::VarDecl *V, clang::Expr *Value); // the same, '&' is this pointer
  SiteText &shape(clang::QualType T); // "<element bytes> <ndims> <extents>"
};

std::string elementKind(const clang::ASTContext &Ctx, clang::QualType T);
bool isTemplateVar(const clang::VarDecl *V);
} // namespace dvm
#endif
