// Recording: what is written by no assignment of the source.
//   (double[]){1, 2}        where its address is used   *(p = &(double[]){1, 2}, __dvmm_direct("K w init ..", p), p)
//   __sync_add_and_fetch(a, 1)                          (p = a, v = __sync_add_and_fetch(p, 1), __dvmm_direct(.., p), v)
//   __asm__("..." : "=r"(x));                           { __asm__("..." : "=r"(x)); __dvmm_direct(.., &x); }
#include "Whole.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace dvm;

Expr *Rewriter::unrecordedMark(SourceLocation L, StringRef What) {
  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add("unrecorded").place(Ctx.getSourceManager(), L).key(DVMRT_ACCESS_TEXT).add(What);
  return B.call(DVMM_DIRECT, {B.string(T.Text, L)}, L);
}

// ---- Compound literals: one whose value alone is used is recorded where that goes ----

bool Rewriter::traceLiteral(Stmt *S) {
  auto *Decay = dyn_cast<ImplicitCastExpr>(S);
  auto *Address = dyn_cast<UnaryOperator>(S);
  auto *Member = dyn_cast<MemberExpr>(S);
  Expr *Of = Decay && Decay->getCastKind() == CK_ArrayToPointerDecay         ? Decay->getSubExpr()
             : Address && Address->getOpcode() == UO_AddrOf                  ? Address->getSubExpr()
             : Member && !Member->isArrow() && Member->getBase()->isLValue() ? Member->getBase()
                                                                             : nullptr;
  auto *Literal = Of ? dyn_cast<CompoundLiteralExpr>(Of->IgnoreParens()) : nullptr;
  const SourceLocation L = Literal ? Literal->getBeginLoc() : SourceLocation();
  if (!Literal || Literal->isFileScope() || Literal->containsErrors() || Ctx.getSourceManager().isInSystemMacro(L))
    return false;
  walkChildren(Literal);
  const QualType T = Literal->getType();
  const auto *R = Ctx.getBaseElementType(T)->getAs<RecordType>();
  const std::string Type = R && !R->getDecl()->getIdentifier() && !R->getDecl()->getTypedefNameForAnonDecl()
                               ? R->getDecl()->getKindName().str()
                               : T.getUnqualifiedType().getAsString(Ctx.getPrintingPolicy());
  auto *At = new (Ctx) OpaqueValueExpr(L, Ctx.VoidPtrTy, VK_PRValue, OK_Ordinary, B.address(Literal));
  SmallVector<Expr *, 8> Steps{At};
  recordLeaves(declaredWhole(L, "(" + Type + ")", T), T, 'w', At, Steps);
  if (Steps.size() == 1)
    return true;
  Expr *Recorded = B.deref(PseudoObjectExpr::Create(Ctx, Literal, Steps, 0), T);
  if (Decay)
    Decay->setSubExpr(Recorded);
  else if (Address)
    Address->setSubExpr(Recorded);
  else
    Member->setBase(Recorded);
  return true;
}

// ---- Builtins that write through pointers ----

// Which of the operands of an atomic operation it writes to.
static SmallVector<unsigned, 2> targetsOf(const AtomicExpr *A) {
  enum { Pointer = 0, First = 2, Second = 4 };
  switch (A->getOp()) {
  case AtomicExpr::AO__atomic_load:
  case AtomicExpr::AO__scoped_atomic_load: return {First};
  case AtomicExpr::AO__c11_atomic_load:
  case AtomicExpr::AO__atomic_load_n:
  case AtomicExpr::AO__scoped_atomic_load_n: return {};
  case AtomicExpr::AO__atomic_exchange:
  case AtomicExpr::AO__scoped_atomic_exchange: return {Pointer, Second};
  default: return A->isCmpXChg() ? SmallVector<unsigned, 2>{Pointer, First} : SmallVector<unsigned, 2>{Pointer};
  }
}

// The argument that a builtin without a function in a library writes through, or -1.
static int targetOf(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getBuiltinID() || !F->getIdentifier())
    return -1;
  StringRef Name = F->getName();
  if (Name.starts_with("__sync_") || Name == "__atomic_test_and_set" || Name == "__atomic_clear")
    return 0;
  if (Name == "__builtin_nontemporal_store")
    return 1;
  if (Name.starts_with("__builtin_") && Name.ends_with("_overflow"))
    return 2;
  return Name.starts_with("__builtin_addc") || Name.starts_with("__builtin_subc") ? 3 : -1;
}

static std::string pointedText(const ASTContext &Ctx, const Expr *Pointer) {
  std::string Text = sourceText(Ctx, Pointer);
  return isa<BinaryOperator, ConditionalOperator>(Pointer) ? "(" + Text + ")" : Text;
}

bool Rewriter::traceThrough(Stmt *&Slot, ArrayRef<Stmt **> Pointers) {
  struct Target {
    Stmt **Slot;
    Whole W;
    QualType T;
  };
  SmallVector<Target, 2> Targets;
  auto *X = cast<Expr>(Slot);
  const SourceLocation L = X->getExprLoc();
  if (X->containsErrors() || X->getType()->isRecordType() || X->getType()->isAnyComplexType())
    return false;
  for (Stmt **P : Pointers) {
    auto *Pointer = cast<Expr>(*P);
    const QualType T = Pointer->getType()->isPointerType() ? Pointer->getType()->getPointeeType().getUnqualifiedType() : QualType();
    if (T.isNull() || T->isIncompleteType() || T->isFunctionType())
      continue;
    auto *Of = dyn_cast<UnaryOperator>(Pointer->IgnoreParenCasts());
    const bool Named = Of && Of->getOpcode() == UO_AddrOf && Ctx.hasSameUnqualifiedType(Of->getSubExpr()->getType(), T);
    Whole W = wholeOf(Named ? Of->getSubExpr() : B.deref(Pointer, T));
    if (!Named)
      W.Text = "*" + pointedText(Ctx, Pointer->IgnoreImpCasts());
    Targets.push_back({P, W, T});
  }
  if (Targets.empty())
    return false;
  walkChildren(X);
  SmallVector<Expr *, 8> Steps, Records;
  for (const Target &To : Targets) {
    auto *Pointer = cast<Expr>(*To.Slot);
    auto *At = new (Ctx) OpaqueValueExpr(L, Ctx.VoidPtrTy, VK_PRValue, OK_Ordinary, B.toVoidPtr(Pointer));
    *To.Slot = B.cast(At, Pointer->getType(), CK_BitCast);
    Steps.push_back(At);
    recordLeaves(To.W, To.T, 'w', At, Records);
  }
  const bool Void = X->getType()->isVoidType();
  const unsigned Result = Steps.size();
  Steps.push_back(Void ? X : new (Ctx) OpaqueValueExpr(L, X->getType(), VK_PRValue, OK_Ordinary, X));
  Steps.append(Records);
  Slot = PseudoObjectExpr::Create(Ctx, X, Steps, Void ? unsigned(PseudoObjectExpr::NoResult) : Result);
  return true;
}

// ---- Assembly ----

// It is given something and may write memory that no operand names.
static bool writesUnseen(const GCCAsmStmt *A) {
  if (A->getAsmString()->getString().trim().empty() || !(A->getNumInputs() || A->getNumOutputs()))
    return false;
  for (unsigned N = 0; N < A->getNumClobbers(); ++N)
    if (A->getClobber(N) == "memory")
      return true;
  return false;
}

bool Rewriter::traceAssembly(Stmt *&Slot) {
  auto *A = dyn_cast<GCCAsmStmt>(Slot);
  if (!A || Ctx.getSourceManager().isInSystemMacro(A->getAsmLoc()))
    return false;
  const SourceLocation L = A->getAsmLoc();
  bool Unseen = writesUnseen(A) || (A->isAsmGoto() && A->getNumOutputs());
  SmallVector<std::pair<Whole, Expr *>, 4> Outputs;
  for (unsigned N = 0; N < A->getNumOutputs(); ++N) {
    Expr *To = A->getOutputExpr(N)->IgnoreParens();
    if (const VarDecl *V = asVariable(To); V && V->getStorageClass() == SC_Register && V->hasAttr<AsmLabelAttr>())
      continue; // a register by its name
    if (!To->isLValue() || To->getObjectKind() != OK_Ordinary || To->HasSideEffects(Ctx))
      Unseen = true;
    else
      Outputs.push_back({wholeOf(To), To});
  }
  walkChildren(A);
  SmallVector<Expr *, 4> Records;
  for (auto &[W, To] : Outputs) {
    const size_t Before = Records.size();
    recordLeaves(W, To->getType().getUnqualifiedType(), 'w', B.address(To), Records);
    Unseen |= Records.size() == Before;
  }
  SmallVector<Stmt *, 8> Steps;
  if (Unseen)
    Steps.push_back(unrecordedMark(L, "asm"));
  Steps.push_back(A);
  Steps.append(Records.begin(), Records.end());
  if (Steps.size() > 1)
    Slot = B.block(Steps, L);
  return true;
}

// ---- Functions of the library that write where no argument points ----

static bool writesElsewhere(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  return F && F->getIdentifier() && !F->isStatic() && !F->isDefined() &&
         llvm::StringSwitch<bool>(F->getName())
             .Cases("readv", "preadv", "preadv64", "preadv2", "preadv64v2", "process_vm_readv", true)
             .Cases("recvmsg", "recvmmsg", "strsep", "strtok", "strtok_r", "__strtok_r", true)
             .Default(false);
}

bool Rewriter::traceBeside(Stmt *&Slot) {
  if (traceLiteral(Slot) || traceAssembly(Slot))
    return true;
  SmallVector<Stmt **, 2> Pointers;
  if (auto *A = dyn_cast<AtomicExpr>(Slot)) {
    SmallVector<Stmt **, 6> All;
    for (Stmt *&X : A->children())
      All.push_back(&X);
    for (unsigned N : targetsOf(A))
      if (N < All.size())
        Pointers.push_back(All[N]);
    return !Pointers.empty() && traceThrough(Slot, Pointers);
  }
  auto *C = dyn_cast<CallExpr>(Slot);
  if (!C)
    return false;
  if (int N = targetOf(C); N >= 0 && unsigned(N) < C->getNumArgs()) {
    Stmt *Pointer = C->getArg(N);
    for (Stmt *&X : C->children())
      if (X == Pointer)
        Pointers.push_back(&X);
    return traceThrough(Slot, Pointers);
  }
  if (writesElsewhere(C) && !Ctx.getSourceManager().isInSystemMacro(C->getBeginLoc())) {
    Expr *Told = unrecordedMark(C->getBeginLoc(), C->getDirectCallee()->getName());
    walkAnyCall(C);
    Slot = B.comma(Told, C);
    return true;
  }
  return false;
}
