// Whether evaluating an expression is seen by anything but who gets its value.
#ifndef DVM_PASS_CLANG_EFFECTS_H
#define DVM_PASS_CLANG_EFFECTS_H
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace dvm {
// A call is seen through where the function's body is in this file.  False: it has none, for certain ('errno' not counted).
bool mayHaveEffects(const clang::ASTContext &Ctx, const clang::Expr *E);
// A function whose only result is its value, by its declaration alone.
bool isPureByName(const clang::FunctionDecl *F);
} // namespace dvm
#endif
