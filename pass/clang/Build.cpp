#include "Build.h"
#include "pass/markers.h"

using namespace clang;
using namespace dvm;

FunctionDecl *Builder::marker(StringRef Name) {
  FunctionDecl *&FD = Functions[Name];
  if (FD)
    return FD;
  QualType Long = Ctx.LongTy, Void = Ctx.VoidTy, Ptr = Ctx.VoidPtrTy;
  QualType Str = Ctx.getPointerType(Ctx.CharTy.withConst());
  struct Signature {
    QualType Ret;
    SmallVector<QualType, 4> Params;
    bool Variadic;
  } Sig;
  if (Name == DVMM_ACCESS)
    Sig = {Ptr, {Ptr, Long, Str}, false};
  else if (Name == DVMM_INDEX)
    Sig = {Long, {Long, Long, Long}, false};
  else if (Name == DVMM_RANGE)
    Sig = {Ptr, {Ptr, Str}, false};
  else if (Name == DVMM_ENTER)
    Sig = {Ctx.IntTy, {Str}, true};
  else if (Name == DVMM_DIRECT)
    Sig = {Void, {Str}, true};
  else if (Name == DVMM_KEPT)
    Sig = {Ptr, {Ptr}, false};
  else if (Name == DVMM_BIND || Name == DVMM_GIVEN)
    Sig = {Ptr, {Ptr, Str}, true};
  else if (Name == DVMM_FIRST)
    Sig = {Long, {Long, Long, Long, Long, Long, Long}, false};
  else if (Name == DVMM_LAST)
    Sig = {Long, {Long, Long, Long, Long, Long}, false};
  else if (Name == DVMM_READ || Name == DVMM_CHANGE || Name == DVMM_PART)
    Sig = {Ptr, {Ptr, Long, Str}, false};
  else if (Name == "__dvmp_store" || Name == "__dvmp_fetch")
    Sig = {Ptr, {Ptr, Long}, false};
  else if (Name == "__dvmp_own")
    Sig = {Ctx.IntTy, {Ptr}, false};
  else if (Name == DVMM_ITER || Name == DVMM_MET)
    Sig = {Void, {Long, Long}, true};
  else // leave, row
    Sig = {Void, {Long}, false};

  return FD = declare(Name, Sig.Ret, Sig.Params, Sig.Variadic);
}

FunctionDecl *Builder::declare(StringRef Name, QualType Ret, ArrayRef<QualType> ParamTypes, bool Variadic) {
  FunctionProtoType::ExtProtoInfo EPI;
  EPI.Variadic = Variadic;
  QualType FT = Ctx.getFunctionType(Ret, ParamTypes, EPI);
  auto *FD = FunctionDecl::Create(Ctx, Ctx.getTranslationUnitDecl(), SourceLocation(), SourceLocation(), &Ctx.Idents.get(Name), FT, nullptr,
                                  SC_Extern);
  SmallVector<ParmVarDecl *, 4> Params;
  for (QualType T : ParamTypes)
    Params.push_back(ParmVarDecl::Create(Ctx, FD, SourceLocation(), SourceLocation(), nullptr, T, nullptr, SC_None, nullptr));
  FD->setParams(Params);
  FD->setImplicit();
  return FD;
}

FunctionDecl *Builder::userFunction(StringRef Name) {
  struct Row {
    const char *Name;
    QualType Ret;
    bool Int;
  } Rows[] = {{"dvmh_barrier", Ctx.VoidTy, false},
              {"dvmh_wtime", Ctx.DoubleTy, false},
              {"dvtime_", Ctx.DoubleTy, false}, // of C-DVM
              {"dvmh_get_total_num_procs", Ctx.IntTy, false},
              {"dvmh_get_num_procs", Ctx.IntTy, true}};
  for (const Row &R : Rows)
    if (Name == R.Name) {
      FunctionDecl *&FD = Functions[Name];
      if (!FD)
        FD = R.Int ? declare(Name, R.Ret, {Ctx.IntTy}, false) : declare(Name, R.Ret, {}, false);
      return FD;
    }
  return nullptr;
}

Expr *Builder::call(StringRef Marker, ArrayRef<Expr *> Args, SourceLocation L) {
  FunctionDecl *FD = marker(Marker);
  auto *Ref = DeclRefExpr::Create(Ctx, NestedNameSpecifierLoc(), SourceLocation(), FD, false, L, FD->getType(), VK_PRValue);
  Expr *Fn = cast(Ref, Ctx.getPointerType(FD->getType()), CK_FunctionToPointerDecay);
  return CallExpr::Create(Ctx, Fn, Args, FD->getReturnType(), VK_PRValue, L, FPOptionsOverride());
}

Expr *Builder::string(StringRef S, SourceLocation L) {
  QualType T = Ctx.getStringLiteralArrayType(Ctx.CharTy, S.size());
  Expr *Lit = StringLiteral::Create(Ctx, S, StringLiteralKind::Ordinary, false, T, L);
  return cast(Lit, Ctx.getPointerType(Ctx.CharTy.withConst()), CK_ArrayToPointerDecay);
}

Expr *Builder::integer(int64_t V, SourceLocation L) {
  return IntegerLiteral::Create(Ctx, llvm::APInt(Ctx.getIntWidth(Ctx.LongTy), V, true), Ctx.LongTy, L);
}

Expr *Builder::ref(const VarDecl *V, SourceLocation L) {
  auto *Var = const_cast<VarDecl *>(V);
  Var->setReferenced();
  Var->markUsed(Ctx);
  return DeclRefExpr::Create(Ctx, NestedNameSpecifierLoc(), SourceLocation(), Var, false, L, V->getType().getNonReferenceType(), VK_LValue);
}

Expr *Builder::load(Expr *LValue) { return cast(LValue, LValue->getType().getUnqualifiedType(), CK_LValueToRValue); }

Expr *Builder::address(Expr *LValue) {
  Expr *A = UnaryOperator::Create(Ctx, LValue, UO_AddrOf, Ctx.getPointerType(LValue->getType()), VK_PRValue, OK_Ordinary,
                                  LValue->getBeginLoc(), false, FPOptionsOverride());
  return toVoidPtr(A);
}

Expr *Builder::toVoidPtr(Expr *P) { return cast(P, Ctx.VoidPtrTy, CK_BitCast); }

Expr *Builder::toLong(Expr *E) {
  if (Ctx.hasSameUnqualifiedType(E->getType(), Ctx.LongTy))
    return E;
  return cast(E, Ctx.LongTy, CK_IntegralCast);
}

Expr *Builder::cast(Expr *E, QualType T, CastKind K) {
  return ImplicitCastExpr::Create(Ctx, T, K, E, nullptr, VK_PRValue, FPOptionsOverride());
}

Expr *Builder::deref(Expr *VoidPtr, QualType T) {
  Expr *P = cast(VoidPtr, Ctx.getPointerType(T), CK_BitCast);
  return UnaryOperator::Create(Ctx, P, UO_Deref, T, VK_LValue, OK_Ordinary, VoidPtr->getExprLoc(), false, FPOptionsOverride());
}

Expr *Builder::sizeOf(QualType T, SourceLocation L) {
  return new (Ctx) UnaryExprOrTypeTraitExpr(UETT_SizeOf, Ctx.getTrivialTypeSourceInfo(T, L), Ctx.getSizeType(), L, L);
}

Expr *Builder::divide(Expr *A, Expr *B) {
  return BinaryOperator::Create(Ctx, A, B, BO_Div, A->getType(), VK_PRValue, OK_Ordinary, A->getExprLoc(), FPOptionsOverride());
}

Expr *Builder::subtract(Expr *A, Expr *B) {
  return BinaryOperator::Create(Ctx, A, B, BO_Sub, Ctx.LongTy, VK_PRValue, OK_Ordinary, A->getExprLoc(), FPOptionsOverride());
}

Expr *Builder::either(Expr *A, Expr *B) {
  return BinaryOperator::Create(Ctx, A, B, BO_Or, A->getType(), VK_PRValue, OK_Ordinary, A->getExprLoc(), FPOptionsOverride());
}

Expr *Builder::ifSo(Expr *Condition, Expr *Then) {
  auto *Else = new (Ctx) ImplicitValueInitExpr(Then->getType());
  SourceLocation L = Then->getExprLoc();
  return new (Ctx) ConditionalOperator(Condition, L, Then, L, Else, Then->getType(), VK_PRValue, OK_Ordinary);
}

Expr *Builder::comma(Expr *A, Expr *B) {
  return BinaryOperator::Create(Ctx, A, B, BO_Comma, B->getType(), VK_PRValue, OK_Ordinary, A->getExprLoc(), FPOptionsOverride());
}

CompoundStmt *Builder::block(ArrayRef<Stmt *> Stmts, SourceLocation L) {
  return CompoundStmt::Create(Ctx, Stmts, FPOptionsOverride(), L, L);
}
