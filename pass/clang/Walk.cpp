// The walk: every statement and expression of a function, in the order of the source.
#include "Effects.h"
#include "Polynomial.h"
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace dvm;

CallExpr *dvm::markerCall(Stmt *S, StringRef Name) {
  auto *E = dyn_cast_or_null<Expr>(S);
  auto *C = E ? dyn_cast<CallExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && F->isImplicit() && F->getIdentifier() && F->getName() == Name ? C : nullptr;
}

StringRef dvm::directiveNumber(const CallExpr *Call) {
  const auto *S = Call->getNumArgs() ? dyn_cast<StringLiteral>(Call->getArg(0)->IgnoreParenImpCasts()) : nullptr;
  return S ? S->getString() : StringRef();
}

// The subscripted pointer of a distributed array is resolved once at entry; checking each read of it would only cost.
void Rewriter::walkSubscript(ArraySubscriptExpr *A) {
  const VarDecl *Base = asVariable(A->getBase());
  bool SkipBase = Base && Base->getType()->isPointerType() && Decls.isDistributed(Base, FD);
  for (Stmt *&X : A->children())
    if (!SkipBase || X != A->getBase())
      walk(X);
}

void Rewriter::bindPointer(BinaryOperator *Assign) {
  const VarDecl *V = asVariable(Assign->getLHS());
  Directive *Dir = V && V->getType()->isPointerType() ? St.attached(V) : nullptr;
  if (!Dir || Dir->D->kind != DVM_DIR_ARRAY)
    return;
  SourceLocation L = Assign->getOperatorLoc();
  Expr *Value = Assign->getRHS();
  warnCalloc(V, Value);
  if (!Emit)
    return;
  SiteText T = Decls.describe(V, *Dir, true, B.toVoidPtr(Value));
  SmallVector<Expr *, 16> Args{T.Args[0], B.string(T.Text, L)};
  Args.append(T.Args.begin() + 1, T.Args.end());
  Assign->setRHS(B.cast(B.call(DVMM_BIND, Args, L), Value->getType(), CK_BitCast));
}

// The variable whose value the expression is, or null.
static const VarDecl *valueOf(const Expr *E) {
  const auto *C = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  if (!C || C->getCastKind() != CK_LValueToRValue)
    return nullptr;
  const auto *R = dyn_cast<DeclRefExpr>(C->getSubExpr()->IgnoreParens());
  return R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
}

void Rewriter::walkDecls(DeclStmt *DS) {
  SmallVector<Decl *, 4> Group;
  bool Added = false;
  for (Decl *D : DS->decls()) {
    Group.push_back(D);
    auto *V = dyn_cast<VarDecl>(D);
    if (!V) {
      if (!isa<TagDecl>(D))
        Decls.take(D);
      continue;
    }
    if (Decls.takeOperandConstant(V))
      continue;
    Decls.take(V);
    // 'int x = x;' only tells the compiler not to warn.
    if (V->hasInit() && !V->isStaticLocal() && valueOf(V->getInit()) != V) {
      char Outer = std::exchange(Standing, Standing ? Standing : 'd');
      walk(*V->getInitAddress());
      Standing = Outer;
      if (VarDecl *Record = St.Opts.Trace && Emit ? traceInit(V) : nullptr) {
        Group.push_back(Record);
        Added = true;
      }
    }
    if (St.Opts.Trace && Emit)
      traceUnset(V);
    Directive *Dir = St.attached(V);
    if (!Dir || !Decls.check(V, *Dir))
      continue;
    if (V->hasExternalStorage()) {
      St.Externs.push_back(V);
      continue;
    }
    if (V->isStaticLocal()) {
      St.StaticLocals.push_back(V);
      continue;
    }
    bool Pointer = V->getType()->isPointerType() && Dir->D->kind == DVM_DIR_ARRAY;
    if (Pointer)
      warnCalloc(V, V->getInit());
    if (!Emit || (Pointer && !V->getInit()))
      continue;
    SourceLocation L = V->getLocation();
    SiteText T = Decls.describe(V, *Dir, Pointer, nullptr);
    SmallVector<Expr *, 16> Args{B.string(T.Text, L)};
    Args.append(T.Args.begin(), T.Args.end());
    auto *Reg = VarDecl::Create(Ctx, V->getDeclContext(), L, L, &Ctx.Idents.get("dvm_register"), Ctx.IntTy,
                                Ctx.getTrivialTypeSourceInfo(Ctx.IntTy, L), SC_None);
    Expr *Zero = IntegerLiteral::Create(Ctx, llvm::APInt(32, 0), Ctx.IntTy, L);
    Reg->setInit(B.comma(B.call(DVMM_DIRECT, Args, L), Zero));
    Reg->setImplicit();
    Reg->addAttr(UnusedAttr::CreateImplicit(Ctx));
    Group.push_back(Reg);
    Added = true;
  }
  if (Added)
    DS->setDeclGroup(DeclGroupRef::Create(Ctx, Group.data(), Group.size()));
}

// Functions of the standard library whose arguments are input or output of the program.
static bool onStream(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier() || F->isStatic())
    return false;
  return llvm::StringSwitch<bool>(F->getName())
      .Cases("printf", "fprintf", "vprintf", "vfprintf", "scanf", "fscanf", "vscanf", "vfscanf", true)
      .Cases("puts", "fputs", "putc", "fputc", "putchar", "fgets", "fread", "fwrite", true)
      .Cases("wprintf", "fwprintf", "wscanf", "fwscanf", "__printf_chk", "__fprintf_chk", true)
      .Cases("__isoc99_scanf", "__isoc99_fscanf", "perror", "fread_unlocked", "fwrite_unlocked", true)
      .Default(false);
}

void Rewriter::walkCall(CallExpr *C) {
  bool Stream = onStream(C);
  std::vector<Given> All; // before the walk changes what is given
  if (St.Opts.Trace && Emit)
    All = findGiven(C);
  auto Ranges = rangesOf(C, Stream);
  for (Stmt *&X : C->children()) {
    if (!X)
      continue;
    if (Stream) {
      Expr *A = cast<Expr>(X)->IgnoreParenCasts();
      StreamArgument = A; // the lvalue under casts, loads included
    }
    walk(X);
    StreamArgument = nullptr;
  }
  markGiven(C, All);
  for (const Range &R : Ranges)
    markRange(C, R);
}

void Rewriter::walkChildren(Stmt *S, bool ChildrenInBlock) {
  for (Stmt *&X : S->children())
    if (X)
      walk(X, ChildrenInBlock);
}

// Builtins whose arguments are not evaluated, or are read in ways that are not accesses.
static bool leaveArguments(const CallExpr *C) {
  switch (C->getBuiltinCallee()) {
  case Builtin::BI__builtin_constant_p:
  case Builtin::BI__builtin_object_size:
  case Builtin::BI__builtin_dynamic_object_size:
  case Builtin::BI__builtin_classify_type:
  case Builtin::BI__builtin_va_start:
  case Builtin::BI__builtin_va_end:
  case Builtin::BI__builtin_va_copy:
  case Builtin::BI__builtin_stdarg_start: return true;
  default: return false;
  }
}

// Does the statement hold a jump that leaves it, so that it cannot become the body of a directive?
static bool jumpsOut(const Stmt *S, bool InLoop = false, bool InSwitch = false) {
  if (!S)
    return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S) || (isa<ContinueStmt>(S) && !InLoop) || (isa<BreakStmt>(S) && !InLoop && !InSwitch))
    return true;
  bool Loop = isa<ForStmt, WhileStmt, DoStmt>(S);
  return any_of(S->children(), [&](const Stmt *X) { return jumpsOut(X, InLoop || Loop, InSwitch || isa<SwitchStmt>(S)); });
}

// A directive, or what another mode than checking does with a whole statement.
bool Rewriter::walkWhole(Stmt *&Slot, bool InBlock) {
  Stmt *S = Slot;
  noteStatements(S);
  if (auto *W = dyn_cast<WhileStmt>(S))
    if (CallExpr *Call = markerCall(W->getCond(), DVMM_ENTER)) {
      Slot = construct(W, Call);
      return true;
    }
  if (CallExpr *Call = markerCall(S, DVMM_DIRECT); Call && Call == S) {
    standAlone(Slot, Call, InBlock);
    return true;
  }
  if (St.Opts.Trace && Emit && (traceLoop(Slot) || traceWhole(Slot) || traceJump(Slot) || traceBeside(Slot)))
    return true;
  if (!St.Opts.Parallel || !Emit)
    return false;
  return assignPart(Slot);
}

// Of 'return' all, of a loop its head stand where no directive can.
void Rewriter::walkLoop(Stmt *S) {
  auto *For = dyn_cast<ForStmt>(S);
  const Stmt *Body = For                 ? For->getBody()
                     : isa<WhileStmt>(S) ? cast<WhileStmt>(S)->getBody()
                     : isa<DoStmt>(S)    ? cast<DoStmt>(S)->getBody()
                                         : nullptr;
  const Stmt *Before = For && !isa_and_nonnull<DeclStmt>(For->getInit()) ? For->getInit() : nullptr;
  for (Stmt *&X : S->children()) {
    if (!X)
      continue;
    llvm::SaveAndRestore Here(Standing, !Body ? 'r' : X != Body && X != Before ? 'f' : char(0));
    walk(X, false);
  }
}

void Rewriter::walkChoice(Stmt *S, const Stmt *Condition) {
  bool Jumps = jumpsOut(S);
  for (Stmt *&X : S->children()) {
    if (!X)
      continue;
    llvm::SaveAndRestore Here(Standing, X == Condition && Jumps && !Standing ? 'j' : Standing);
    walk(X, false);
  }
}

bool Rewriter::walkValue(ImplicitCastExpr *C) {
  if (C->getCastKind() != CK_LValueToRValue)
    return false;
  Stmt *Sub = C->getSubExpr();
  mark(Sub, 'r');
  C->setSubExpr(cast<Expr>(Sub));
  return true;
}

// Expressions that stand as statements, and those whose values nobody uses.
void Rewriter::noteStatements(Stmt *S) {
  auto Note = [&](Stmt *X) {
    if (isa_and_nonnull<Expr>(X))
      Discarded.insert(X);
  };
  if (auto *E = dyn_cast<Expr>(S))
    return noteUnused(E);
  if (auto *Block = dyn_cast<CompoundStmt>(S)) {
    for (Stmt *X : Block->body())
      if (Block != Valued || X != Block->body_back())
        Note(X);
  } else if (auto *I = dyn_cast<IfStmt>(S))
    Note(I->getThen()), Note(I->getElse());
  else if (auto *F = dyn_cast<ForStmt>(S)) {
    Note(F->getBody());
    for (Stmt *X : {F->getInit(), static_cast<Stmt *>(F->getInc())})
      if (isa_and_nonnull<Expr>(X))
        Unused.insert(X);
  } else if (auto *W = dyn_cast<WhileStmt>(S))
    Note(W->getBody());
  else if (auto *D = dyn_cast<DoStmt>(S))
    Note(D->getBody());
  else if (auto *L = dyn_cast<LabelStmt>(S))
    Note(L->getSubStmt());
  else if (auto *C = dyn_cast<SwitchCase>(S))
    Note(C->getSubStmt());
}

// Within an expression.
void Rewriter::noteUnused(Expr *E) {
  const bool None = isUnused(E);
  if (auto *X = dyn_cast<StmtExpr>(E))
    Valued = None ? nullptr : X->getSubStmt();
  if (auto *A = dyn_cast<BinaryOperator>(E); A && A->getOpcode() == BO_Comma)
    Unused.insert(A->getLHS());
  if (auto *C = dyn_cast<CStyleCastExpr>(E); C && C->getCastKind() == CK_ToVoid)
    Unused.insert(C->getSubExpr());
  if (!None)
    return;
  if (auto *P = dyn_cast<ParenExpr>(E))
    Unused.insert(P->getSubExpr());
  else if (auto *F = dyn_cast<FullExpr>(E))
    Unused.insert(F->getSubExpr());
  else if (auto *A = dyn_cast<BinaryOperator>(E); A && (A->getOpcode() == BO_Comma || A->isLogicalOp()))
    Unused.insert(A->getRHS());
  else if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    Unused.insert(C->getTrueExpr());
    Unused.insert(C->getFalseExpr());
  }
}

bool Rewriter::isUnused(const Stmt *S) const { return Discarded.count(S) || Unused.count(S); }

bool Rewriter::walkAssignment(BinaryOperator *A) {
  if (!A->isAssignmentOp())
    return false;
  const bool Used = !isUnused(A), Changes = A->isCompoundAssignmentOp();
  const bool Goes = Used && Assignment && !Changes && !A->getType()->isRecordType() && !isOrdinary(A->getLHS());
  llvm::SaveAndRestore Here(Assignment);
  long Target = Assignment;
  if (!isOrdinary(A->getLHS())) {
    if (!Goes)
      Target = NextAssignment++;
    Assignment = Used && (Changes || !Assignment) ? 0 : Target; // what goes on to ordinary data everybody needs
  } else {
    Assignment = 0;
  }
  Stmt *R = A->getRHS();
  walk(R);
  A->setRHS(cast<Expr>(R));
  bindPointer(A);
  Stmt *L = A->getLHS();
  Assignment = Target;
  llvm::SaveAndRestore On(GoesOn, Goes);
  llvm::SaveAndRestore All(ForAll, Used && Changes && Target != 0);
  mark(L, Changes ? 'm' : 'w');
  A->setLHS(cast<Expr>(L));
  return true;
}

bool Rewriter::walkIncrement(UnaryOperator *U) {
  if (!U->isIncrementDecrementOp())
    return false;
  llvm::SaveAndRestore Here(Assignment, NextAssignment++);
  llvm::SaveAndRestore All(ForAll, !isUnused(U));
  Stmt *X = U->getSubExpr();
  mark(X, 'm');
  U->setSubExpr(cast<Expr>(X));
  return true;
}

void Rewriter::walkAnyCall(CallExpr *C) {
  if (leaveArguments(C))
    return;
  if (Construct *Nest = innermostNest(); Nest && !isPureByName(C->getDirectCallee()))
    Nest->Opaque = true;
  noteCalled(C);
  walkCall(C);
}

// Longer than others: one case for each kind of statement, all that a walk has to know of it; a table would hide the order in which kinds that
// share a case fall through.
void Rewriter::walk(Stmt *&Slot, bool InBlock) {
  Stmt *S = Slot;
  if (!S || walkWhole(Slot, InBlock))
    return;
  switch (S->getStmtClass()) {
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::OffsetOfExprClass:
  case Stmt::ConstantExprClass:
  case Stmt::BlockExprClass: return;
  case Stmt::CompoundStmtClass: {
    llvm::SaveAndRestore Here(Standing, char(0));
    return walkChildren(S, true);
  }
  case Stmt::ReturnStmtClass:
  case Stmt::ForStmtClass:
  case Stmt::WhileStmtClass:
  case Stmt::DoStmtClass: return walkLoop(S);
  case Stmt::IfStmtClass: return walkChoice(S, cast<IfStmt>(S)->getCond());
  case Stmt::SwitchStmtClass: return walkChoice(S, cast<SwitchStmt>(S)->getCond());
  case Stmt::AttributedStmtClass:
    if (hasSpecificAttr<MustTailAttr>(cast<AttributedStmt>(S)->getAttrs()))
      return; // its call must stay the last
    return walkChildren(S, InBlock);
  case Stmt::LabelStmtClass:
  case Stmt::DefaultStmtClass: return walkChildren(S, InBlock);
  case Stmt::CaseStmtClass: {
    auto *C = cast<CaseStmt>(S);
    Stmt *Sub = C->getSubStmt();
    walk(Sub, InBlock);
    return C->setSubStmt(Sub);
  }
  case Stmt::DeclStmtClass: return walkDecls(cast<DeclStmt>(S));
  case Stmt::GenericSelectionExprClass: return walkChildren(cast<GenericSelectionExpr>(S)->getResultExpr());
  case Stmt::ChooseExprClass: return walkChildren(cast<ChooseExpr>(S)->getChosenSubExpr());
  case Stmt::ArraySubscriptExprClass: return walkSubscript(cast<ArraySubscriptExpr>(S));
  case Stmt::ImplicitCastExprClass:
    if (walkValue(cast<ImplicitCastExpr>(S)))
      return;
    break;
  case Stmt::CStyleCastExprClass: {
    auto *C = cast<CStyleCastExpr>(S);
    if (C->getCastKind() == CK_ToVoid && valueOf(C->getSubExpr()))
      return; // '(void)x;' says that x is not used
    break;
  }
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    if (walkAssignment(cast<BinaryOperator>(S)))
      return;
    break;
  case Stmt::UnaryOperatorClass:
    if (walkIncrement(cast<UnaryOperator>(S)))
      return;
    break;
  case Stmt::CallExprClass: return walkAnyCall(cast<CallExpr>(S));
  default:
    if (const auto *Parallel = dyn_cast<OMPExecutableDirective>(S)) { // its body is captured elsewhere
      if (St.Opts.Trace && Emit && Parallel->hasAssociatedStmt())
        traceUnrecorded(Slot);
      return;
    }
  }
  walkChildren(S);
}

void Rewriter::run() {
  Stmt *Body = FD->getBody();
  walk(Body);
  St.AssignmentBase += NextAssignment;
  for (Directive *D : Intervals) {
    St.error(D->Start, "'#pragma dvm interval' without '#pragma dvm endinterval' in this function");
  }
}
