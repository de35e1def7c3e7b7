// Small builders of AST nodes, for code that the front end adds after Sema.
#ifndef DVM_CLANG_BUILD_H
#define DVM_CLANG_BUILD_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringMap.h"

namespace dvm {

class Builder {
  clang::ASTContext &Ctx;
  llvm::StringMap<clang::FunctionDecl *> Functions;
  clang::FunctionDecl *declare(llvm::StringRef Name, clang::QualType Ret, llvm::ArrayRef<clang::QualType> Params, bool Variadic);

public:
  explicit Builder(clang::ASTContext &Ctx) : Ctx(Ctx) {}

  // Declaration of a marker (pass/markers.h), made when first asked for.
  clang::FunctionDecl *marker(llvm::StringRef Name);

  // A function of the DVM run-time system that programs may call without declaring it, or null.
  clang::FunctionDecl *userFunction(llvm::StringRef Name);

  clang::Expr *call(llvm::StringRef Marker, llvm::ArrayRef<clang::Expr *> Args, clang::SourceLocation L);
  clang::Expr *string(llvm::StringRef S, clang::SourceLocation L);
  clang::Expr *integer(int64_t V, clang::SourceLocation L); // type long
  clang::Expr *ref(const clang::VarDecl *V, clang::SourceLocation L); // lvalue
  clang::Expr *load(clang::Expr *LValue);                   // lvalue to rvalue
  clang::Expr *address(clang::Expr *LValue);                // &e, as void *
  clang::Expr *toVoidPtr(clang::Expr *PointerRValue);
  clang::Expr *toLong(clang::Expr *IntegerRValue);
  clang::Expr *subtract(clang::Expr *LongA, clang::Expr *LongB);
  clang::Expr *cast(clang::Expr *E, clang::QualType T, clang::CastKind K);
  clang::Expr *deref(clang::Expr *VoidPtr, clang::QualType ObjectType); // *(T *)p
  clang::Expr *sizeOf(clang::QualType T, clang::SourceLocation L); // type size_t; VLAs as the compiler knows them there
  clang::Expr *divide(clang::Expr *A, clang::Expr *B);
  clang::Expr *either(clang::Expr *A, clang::Expr *B);     // A | B, of one integer type
  clang::Expr *ifSo(clang::Expr *Condition, clang::Expr *Then); // Condition ? Then : 0, of a scalar type
  clang::Expr *comma(clang::Expr *A, clang::Expr *B);
  clang::CompoundStmt *block(llvm::ArrayRef<clang::Stmt *> Stmts, clang::SourceLocation L);
};

} // namespace dvm
#endif
