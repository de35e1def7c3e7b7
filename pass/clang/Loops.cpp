// What recording needs of the source beyond the marks of a check: sequential loops and the types of values.
//   for (i = 0; ..) body   becomes   { __dvmm_direct("K loop 1 .."); for (i = 0; ..) { __dvmm_direct("K loop_iter 1 ..", (long)i); body }
//                                      __dvmm_direct("K loop_end 1"); }
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

std::string dvm::valueKind(const ASTContext &Ctx, QualType T) {
  T = T.getCanonicalType();
  if (const auto *A = T->getAs<AtomicType>())
    T = A->getValueType().getCanonicalType();
  if (T->isIncompleteType())
    return "o";
  std::string Bytes = std::to_string(Ctx.getTypeSizeInChars(T).getQuantity());
  if (T->isBooleanType())
    return "b" + Bytes;
  if (T->isPointerType())
    return "p" + Bytes;
  if (T->isComplexType())
    return "c" + Bytes;
  if (T->isRealFloatingType())
    return (&Ctx.getFloatTypeSemantics(T) == &llvm::APFloat::IEEEquad() ? "q" : "f") + Bytes;
  if (T->isIntegralOrEnumerationType())
    return (T->isUnsignedIntegerOrEnumerationType() ? "u" : "i") + Bytes;
  return "o";
}

// The integer variable that the loop's step changes.
static const VarDecl *indexOf(const ForStmt *F) {
  const Expr *E = F->getInc() ? F->getInc()->IgnoreParenImpCasts() : nullptr;
  const VarDecl *V = nullptr;
  if (const auto *U = dyn_cast_or_null<UnaryOperator>(E); U && U->isIncrementDecrementOp())
    V = asVariable(U->getSubExpr());
  else if (const auto *A = dyn_cast_or_null<BinaryOperator>(E); A && A->isAssignmentOp())
    V = asVariable(A->getLHS());
  return V && V->getType()->isIntegralOrEnumerationType() && !V->getType().isVolatileQualified() ? V : nullptr;
}

static Stmt *bodyOf(Stmt *S) {
  if (auto *F = dyn_cast<ForStmt>(S))
    return F->getBody();
  if (auto *W = dyn_cast<WhileStmt>(S))
    return W->getBody();
  return cast<DoStmt>(S)->getBody();
}

static void setBody(Stmt *S, Stmt *Body) {
  if (auto *F = dyn_cast<ForStmt>(S))
    F->setBody(Body);
  else if (auto *W = dyn_cast<WhileStmt>(S))
    W->setBody(Body);
  else
    cast<DoStmt>(S)->setBody(Body);
}

// A body of no statement of its own, as 'while (p = p->next) ;' has, is a loop all the same.
bool Rewriter::traceLoop(Stmt *&Slot) {
  Stmt *S = Slot;
  if (!isa<ForStmt, WhileStmt, DoStmt>(S) || std::exchange(AtLoop, false))
    return false;
  SourceLocation L = S->getBeginLoc();
  const auto *For = dyn_cast<ForStmt>(S);
  const VarDecl *Index = For ? indexOf(For) : nullptr;
  unsigned Number = St.NextLoop++;
  auto Text = [&](const char *Kind) {
    SiteText T(Ctx, B, L);
    T.key('K').add(Twine(Kind) + " " + Twine(Number)).place(Ctx.getSourceManager(), L);
    if (Index)
      T.key('N').add("1 " + Index->getName());
    else
      T.key('N').add("0");
    return B.string(T.Text, L);
  };
  AtLoop = true;
  walk(Slot);
  SmallVector<Expr *, 2> Args{Text("loop_iter")};
  if (Index)
    Args.push_back(B.toLong(B.load(B.ref(Index, L))));
  setBody(S, B.block({B.call(DVMM_DIRECT, Args, L), bodyOf(S)}, L));
  Slot = B.block({B.call(DVMM_DIRECT, {Text("loop")}, L), Slot, B.call(DVMM_DIRECT, {Text("loop_end")}, L)}, L);
  return true;
}

// double x = f();   becomes   double x = f(); int dvm_register = (__dvmm_direct("K w init ..", &x), 0);
VarDecl *Rewriter::traceInit(VarDecl *V) {
  QualType T = V->getType();
  if (!T->isScalarType() || T.isVolatileQualified() || V->getStorageClass() == SC_Register || V->isImplicit() ||
      T.getAddressSpace() != LangAS::Default || valueKind(Ctx, T) == "o" || (Header && Header->indexNumber(V) >= 0))
    return nullptr;
  SourceLocation L = V->getLocation();
  const SourceManager &SM = Ctx.getSourceManager();
  PresumedLoc P = presumed(SM, L);
  SiteText Text(Ctx, B, L);
  Text.key('K').add("w init").place(SM, L);
  Text.key('T').add(V->getName());
  Text.key('V').add(V->getName());
  if (P.isValid())
    Text.key('Q').add(Twine(P.getLine()) + " " + Twine(P.getColumn()) + " " + P.getFilename());
  Text.key('G').add("l");
  Text.key('S').add(Twine(Ctx.getTypeSizeInChars(T).getQuantity()));
  Text.key('y').add(valueKind(Ctx, T));
  auto *Record = VarDecl::Create(Ctx, V->getDeclContext(), L, L, &Ctx.Idents.get("dvm_register"), Ctx.IntTy,
                                 Ctx.getTrivialTypeSourceInfo(Ctx.IntTy, L), SC_None);
  Expr *Call = B.call(DVMM_DIRECT, {B.string(Text.Text, L), B.address(B.ref(V, L))}, L);
  Record->setInit(B.comma(Call, IntegerLiteral::Create(Ctx, llvm::APInt(32, 0), Ctx.IntTy, L)));
  Record->setImplicit();
  Record->addAttr(UnusedAttr::CreateImplicit(Ctx));
  return Record;
}
