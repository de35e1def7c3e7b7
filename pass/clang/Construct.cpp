// Directives at statements: checks of their clauses, and the texts that the runtime reads at entry.
#include "Rewriter.h"
#include "llvm/Support/DJB.h"
#include "pass/markers.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

static const char *directiveName(const Construct &C) { return dvm_directive_name(C.Dir.D->kind); }

// ---- Checks ----------------------------------------------------------------------------------------------------------

bool Rewriter::checkDistributed(Construct &C, const dvm_ref &R, const char *Where, bool TemplateToo) {
  const VarDecl *V = C.Ops.variable(R.name);
  SourceLocation L = C.Dir.loc(R.name);
  if (!V) {
    St.error(L, Twine("'") + C.Dir.text(R.name) + "' in '" + Where + "' is not a variable");
    return false;
  }
  bool IsTemplate = isTemplateVar(V);
  if (!Decls.isDistributed(V, FD) || (IsTemplate && !TemplateToo)) {
    St.error(L, quoted(V) + " in '" + Where + "' is not a distributed array" + (TemplateToo ? " or template" : ""));
    St.note(V->getLocation(),
            quoted(V) + " is declared here" +
                (isa<ParmVarDecl>(V) ? "; a parameter needs '#pragma dvm inherit(" + V->getNameAsString() + ")' before the function"
                                     : ", without '#pragma dvm array'"));
    return false;
  }
  unsigned Rank = Decls.rankOf(V);
  return !R.naxes || !Rank || sameRank(St, L, V, Rank, Where, R.naxes);
}

bool Rewriter::checkWidths(Construct &C, const dvm_ref &R, const char *Where) {
  if (!checkDistributed(C, R, Where, false))
    return false;
  const VarDecl *V = C.Ops.variable(R.name);
  for (unsigned I = 0; R.widths && I < R.naxes; ++I) {
    int64_t Low = 0, High = 0, DeclLow, DeclHigh;
    if (!R.widths[I].given || !Decls.declaredWidth(V, I, DeclLow, DeclHigh))
      continue;
    bool Known = C.Ops.constant(R.widths[I].low, Low) && C.Ops.constant(R.widths[I].high, High);
    if (Known && (Low < 0 || High < 0)) {
      St.error(C.Dir.loc(R.widths[I].bracket), "a width cannot be negative");
      return false;
    }
    if (Known && (Low > DeclLow || High > DeclHigh)) {
      St.error(C.Dir.loc(R.widths[I].bracket), Twine("'") + Where + "' names the width " + Twine(Low) + ":" + Twine(High) +
                                                   " in dimension " + Twine(I + 1) + " of " + quoted(V) + ", whose shadow edge is " +
                                                   Twine(DeclLow) + ":" + Twine(DeclHigh));
      St.note(V->getLocation(), "the shadow edge of " + quoted(V) + " is declared here" +
                                    (St.attached(V)->D->has_shadow ? "" : " (1:1 in each distributed dimension without 'shadow')"));
      return false;
    }
  }
  return true;
}

// Of an array that has no shadow edge.
bool Rewriter::checkOrdinaryWidths(Construct &C, const dvm_ref &R) {
  const VarDecl *V = C.Ops.variable(R.name);
  unsigned Rank = shapeOf(Ctx, V->getType()).rank();
  if (R.widths && !sameRank(St, C.Dir.loc(R.name), V, Rank, "across", R.naxes))
    return false;
  for (unsigned I = 0; R.widths && I < R.naxes; ++I) {
    int64_t Low = 0, High = 0;
    if (R.widths[I].given && C.Ops.constant(R.widths[I].low, Low) && C.Ops.constant(R.widths[I].high, High) && (Low < 0 || High < 0)) {
      St.error(C.Dir.loc(R.widths[I].bracket), "a width cannot be negative");
      return false;
    }
  }
  return true;
}

// Where the variable is named in 'reduction'.
void Rewriter::noteReduction(Construct &C, const VarDecl *V) {
  const dvm_directive &D = *C.Dir.D;
  for (unsigned I = 0; I < D.nclauses; ++I)
    for (unsigned J = 0; J < D.clauses[I].nreductions; ++J)
      if (C.Ops.variable(D.clauses[I].reductions[J].var) == V)
        return St.note(C.Dir.loc(D.clauses[I].reductions[J].var.first), "it is under 'reduction' here");
}

bool Rewriter::checkClauses(Construct &C) {
  bool OK = true;
  const dvm_directive &D = *C.Dir.D;
  for (unsigned I = 0; I < D.nclauses; ++I) {
    const dvm_clause &Cl = D.clauses[I];
    const char *Name = dvm_clause_name(Cl.kind);
    for (unsigned J = 0; J < Cl.nrefs; ++J) {
      const dvm_ref &R = Cl.refs[J];
      const VarDecl *V = C.Ops.variable(R.name);
      switch (Cl.kind) {
      case DVM_CL_PRIVATE:
        if (!V) {
          St.error(C.Dir.loc(R.name), "'" + C.Dir.text(R.name) + "' in 'private' is not a variable");
          OK = false;
        } else if (Decls.isDistributed(V, FD)) {
          St.error(C.Dir.loc(R.name), "distributed array " + quoted(V) + " cannot be private");
          St.note(V->getLocation(), quoted(V) + " is declared here");
          OK = false;
        } else {
          C.Privates.insert(V);
        }
        break;
      case DVM_CL_ACROSS:
        // Without 'on' ordinary arrays carry dependences too.
        if (V && !D.has_target && !Decls.isDistributed(V, FD) && shapeOf(Ctx, V->getType()).rank())
          OK &= checkOrdinaryWidths(C, R);
        else
          OK &= checkWidths(C, R, Name);
        break;
      case DVM_CL_SHADOW_RENEW: OK &= checkWidths(C, R, Name); break;
      case DVM_CL_IN:
      case DVM_CL_OUT:
      case DVM_CL_LOCAL:
      case DVM_CL_INOUT:
      case DVM_CL_INLOCAL: OK &= checkSection(C, R, Name); break;
      case DVM_CL_REMOTE_ACCESS:
        OK &= checkDistributed(C, R, Name, false);
        if (V)
          C.Remote.push_back({V, &R});
        break;
      default: break;
      }
    }
    for (unsigned J = 0; J < Cl.nreductions; ++J) {
      const dvm_reduction &R = Cl.reductions[J];
      if (const VarDecl *V = C.Ops.variable(R.var)) {
        if (Decls.isDistributed(V, FD)) {
          St.error(C.Dir.loc(R.var.first), "distributed array " + quoted(V) + " cannot be a reduction variable");
          St.note(V->getLocation(), quoted(V) + " is declared here");
          OK = false;
        }
        C.Reductions.insert(V);
      } else if (const Expr *L = C.Ops.lvalue(R.var)) {
        const Expr *Base = L->IgnoreParenImpCasts();
        while (const auto *A = dyn_cast<ArraySubscriptExpr>(Base))
          Base = A->getBase()->IgnoreParenImpCasts();
        if (const VarDecl *W = asVariable(Base); W && Decls.isDistributed(W, FD)) {
          St.error(C.Dir.loc(R.var.first), "an element of the distributed array " + quoted(W) + " cannot be a reduction variable");
          OK = false;
        }
      }
      if (R.loc.count)
        if (const VarDecl *V = C.Ops.variable(R.loc))
          C.Reductions.insert(V);
    }
  }
  for (unsigned I = 0; I < D.nclauses; ++I)
    if (D.clauses[I].kind == DVM_CL_PRIVATE)
      for (unsigned J = 0; J < D.clauses[I].nrefs; ++J)
        if (const VarDecl *V = C.Ops.variable(D.clauses[I].refs[J].name); V && C.Reductions.count(V)) {
          St.error(C.Dir.loc(D.clauses[I].refs[J].name), quoted(V) + " cannot be both private and a reduction variable");
          noteReduction(C, V);
          OK = false;
        }
  return OK;
}

// 'break' and 'continue' that would bind to the entered wrapper, and jumps past the end of the construct.
void Rewriter::checkJumps(Construct &C, Stmt *Body) {
  bool Nest = C.Dir.D->kind == DVM_DIR_PARALLEL;
  const SourceManager &SM = Ctx.getSourceManager();
  SourceRange Inside = Body->getSourceRange();
  auto Report = [&](SourceLocation L, const char *What) {
    St.error(L, Twine("'") + What + "' jumps out of the " + (Nest ? "parallel loop" : "block of the directive"));
    St.note(C.Dir.Start, Twine("the '#pragma dvm ") + directiveName(C) + "' is here");
  };
  auto Visit = [&](auto &&Self, Stmt *S, bool BreakBinds, bool ContinueBinds) -> void {
    if (!S)
      return;
    if (isa<ReturnStmt>(S))
      Report(S->getBeginLoc(), "return");
    else if (auto *G = dyn_cast<GotoStmt>(S)) {
      SourceLocation L = G->getLabel()->getLocation();
      if (SM.isBeforeInTranslationUnit(L, Inside.getBegin()) || SM.isBeforeInTranslationUnit(Inside.getEnd(), L))
        Report(G->getGotoLoc(), "goto");
    } else if (isa<BreakStmt>(S) && !BreakBinds)
      Report(S->getBeginLoc(), "break");
    else if (isa<ContinueStmt>(S) && !ContinueBinds)
      Report(S->getBeginLoc(), "continue");
    bool IsLoop = isa<ForStmt>(S) || isa<WhileStmt>(S) || isa<DoStmt>(S);
    for (Stmt *X : S->children())
      Self(Self, X, BreakBinds || IsLoop || isa<SwitchStmt>(S), ContinueBinds || IsLoop);
  };
  if (Nest) {
    // In the innermost body 'continue' ends the iteration, which is fine; 'break' would end the loop.
    Visit(Visit, C.Loops.back().For->getBody(), false, true);
  } else {
    Visit(Visit, Body, false, false);
  }
}

// A label in the body that the rest of the function jumps to.
void Rewriter::checkJumpsInto(Construct &C, Stmt *Body) {
  const SourceManager &SM = Ctx.getSourceManager();
  SourceRange Inside = Body->getSourceRange();
  auto IsInside = [&](SourceLocation L) {
    return !SM.isBeforeInTranslationUnit(L, Inside.getBegin()) && !SM.isBeforeInTranslationUnit(Inside.getEnd(), L);
  };
  auto Visit = [&](auto &&Self, Stmt *S) -> void {
    if (!S || S == Body)
      return;
    if (auto *G = dyn_cast<GotoStmt>(S); G && IsInside(G->getLabel()->getLocation())) {
      St.error(G->getGotoLoc(),
               Twine("'goto' jumps into the ") + (C.Dir.D->kind == DVM_DIR_PARALLEL ? "parallel loop" : "block of the directive"));
      St.note(C.Dir.Start, Twine("the '#pragma dvm ") + directiveName(C) + "' is here");
    }
    for (Stmt *X : S->children())
      Self(Self, X);
  };
  Visit(Visit, FD->getBody());
}

// ---- Texts -----------------------------------------------------------------------------------------------------------

static void variableText(SiteText &T, ASTContext &Ctx, Builder &B, const VarDecl *V) {
  T.add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc))).add(" ");
  QualType Ty = V->getType();
  if (Ty->isVariableArrayType())
    T.number(B.toLong(B.sizeOf(Ty, T.Loc)));
  else
    T.add(Twine(Ctx.getTypeSizeInChars(Ty).getQuantity()));
  T.add(" " + elementKind(Ctx, shapeOf(Ctx, Ty->isPointerType() ? Ctx.VoidPtrTy : Ty).Element));
}

// 'Given': how many elements the clause says, 0: as many as there are.
static void reductionVariable(SiteText &T, ASTContext &Ctx, Builder &B, Expr *L, StringRef Name, uint64_t Given = 0) {
  QualType Ty = L->getType();
  QualType Element = Ty;
  uint64_t Count = 1;
  while (const auto *A = Ctx.getAsConstantArrayType(Element)) {
    Count *= A->getZExtSize();
    Element = A->getElementType();
  }
  bool Pointer = Ty->isPointerType() && !Ty->getPointeeType()->isVoidType();
  if (Pointer)
    Element = Ty->getPointeeType();
  if (Given)
    Count = Given;
  T.add(Name + " ").pointer(Pointer ? B.toVoidPtr(B.load(L)) : B.address(L));
  T.add(" " + Twine(Element->isIncompleteType() ? 0 : Ctx.getTypeSizeInChars(Element).getQuantity()) + " " + Twine(Count) + " " +
        elementKind(Ctx, Element));
}

static bool inGroups(const dvm_directive &D) {
  return llvm::any_of(llvm::ArrayRef(D.clauses, D.nclauses), [](const dvm_clause &Cl) { return Cl.kind == DVM_CL_REDUCTION && Cl.group; });
}

void Rewriter::clauseText(SiteText &T, Construct &C, const dvm_clause &Cl) {
  Operands &Ops = C.Ops;
  for (unsigned I = 0; I < Cl.nrefs; ++I) {
    const dvm_ref &R = Cl.refs[I];
    const VarDecl *V = Ops.variable(R.name);
    if (!V)
      continue;
    switch (Cl.kind) {
    case DVM_CL_PRIVATE: variableText(T.key(DVMRT_DIRECTIVE_PRIVATE), Ctx, B, V); break;
    case DVM_CL_SHADOW_RENEW:
    case DVM_CL_ACROSS:
      T.key(Cl.kind == DVM_CL_ACROSS ? DVMRT_DIRECTIVE_ACROSS : DVMRT_DIRECTIVE_RENEW).ref(V);
      T.key(DVMRT_DIRECTIVE_WIDTHS);
      Declarations::writeWidths(T, Ops, R.widths, R.widths ? R.naxes : 0);
      if (R.edge_name.count)
        T.add(" named");
      if (R.corner)
        T.add(" corner");
      if (R.out)
        T.add(" out");
      break;
    case DVM_CL_REMOTE_ACCESS:
      T.key(DVMRT_DIRECTIVE_REMOTE).ref(V);
      for (unsigned A = 0; R.axes && A < R.naxes; ++A)
        Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), Ops, R.axes[A]);
      break;
    case DVM_CL_IN:
    case DVM_CL_OUT:
    case DVM_CL_LOCAL:
    case DVM_CL_INOUT:
    case DVM_CL_INLOCAL:
      T.key(DVMRT_DIRECTIVE_REGION).add(Twine(dvm_clause_name(Cl.kind)) + " ").ref(V);
      for (unsigned A = 0; R.axes && A < R.naxes; ++A)
        Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), Ops, R.axes[A]);
      break;
    default: break;
    }
  }
  if (Cl.nreductions && inGroups(*C.Dir.D))
    T.key(DVMRT_DIRECTIVE_GROUP).add(Cl.group ? C.Dir.text(Cl.group) : "-");
  for (unsigned I = 0; I < Cl.nreductions; ++I) {
    const dvm_reduction &R = Cl.reductions[I];
    Expr *L = Ops.lvalue(R.var);
    if (!L)
      continue;
    T.key(DVMRT_DIRECTIVE_REDUCTION).add(Twine(dvm_reduction_name(R.op)) + " ");
    reductionVariable(T, Ctx, B, L, C.Dir.text(R.var));
    Shape Extents = shapeOf(Ctx, L->getType());
    if (Expr *Loc = R.loc.count ? Ops.lvalue(R.loc) : nullptr) {
      T.add(" ");
      int64_t Length = 0;
      if (R.len.count && !Ops.constant(R.len, Length))
        Length = 0;
      reductionVariable(T, Ctx, B, Loc, C.Dir.text(R.loc), Length > 0 ? Length : 0);
    }
    if (Extents.rank() && !Extents.Pointer) {
      T.key(DVMRT_DIRECTIVE_RESULTS).add(Twine(Extents.rank()));
      for (QualType D : Extents.Dims) {
        const auto *A = Ctx.getAsConstantArrayType(D);
        T.add(" " + Twine(A ? A->getZExtSize() : 0));
      }
    }
  }
  if (Cl.group && (Cl.kind == DVM_CL_SHADOW_START || Cl.kind == DVM_CL_SHADOW_WAIT))
    T.key(DVMRT_DIRECTIVE_SHADOW).add(Twine(Cl.kind == DVM_CL_SHADOW_START ? "start " : "wait ") + C.Dir.text(Cl.group));
}

SiteText Rewriter::enterText(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  SiteText T(Ctx, B, C.Dir.Start);
  T.key(DVMRT_ANY_KIND).add(Twine(directiveName(C)) + " " + Twine(C.Cid));
  PresumedLoc Function = presumed(Ctx.getSourceManager(), FD->getLocation());
  if (Function.isValid())
    T.key(DVMRT_DIRECTIVE_FUNCTION).add(Twine(uint64_t(Function.getLine()) << 32 | llvm::djbHash(Function.getFilename())));
  T.place(Ctx.getSourceManager(), C.Dir.Start);
  if (D.kind == DVM_DIR_PARALLEL) {
    T.key(DVMRT_DIRECTIVE_NAMES).add(Twine(C.Loops.size()));
    for (const Loop &L : C.Loops)
      T.add(" " + L.Index->getName());
    PresumedLoc P = presumed(Ctx.getSourceManager(), C.Loops[0].For->getForLoc());
    T.key(DVMRT_DIRECTIVE_LOOP).add(Twine(P.getLine()) + " " + Twine(P.getColumn()));
    T.key(DVMRT_DIRECTIVE_STEPS);
    for (const Loop &L : C.Loops)
      T.add((&L == C.Loops.data() ? "" : " ") + (L.StepKnown ? Twine(L.Step).str() : std::string("*")));
  }
  if (D.kind == DVM_DIR_TASK_REGION)
    if (const VarDecl *V = C.Ops.variable(D.subject))
      T.key(DVMRT_DIRECTIVE_TEMPLATE).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc)));
  if (D.has_target) {
    const VarDecl *V = C.Ops.variable(D.target.name);
    if (D.kind == DVM_DIR_ON)
      T.key(DVMRT_DIRECTIVE_ON).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc)));
    else
      T.key(DVMRT_DIRECTIVE_ON).ref(V);
    for (unsigned I = 0; I < D.target.naxes; ++I)
      Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), C.Ops, D.target.axes[I]);
  }
  for (unsigned I = 0; I < D.nclauses; ++I)
    clauseText(T, C, D.clauses[I]);
  if (D.kind == DVM_DIR_REMOTE_ACCESS)
    for (unsigned I = 0; I < D.nrefs; ++I) {
      const VarDecl *V = C.Ops.variable(D.refs[I].name);
      if (!V)
        continue;
      T.key(DVMRT_DIRECTIVE_REMOTE).ref(V);
      for (unsigned A = 0; D.refs[I].axes && A < D.refs[I].naxes; ++A)
        Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), C.Ops, D.refs[I].axes[A]);
    }
  for (const Use &U : C.Uses) {
    T.key(DVMRT_DIRECTIVE_USE).add(U.V->getName() + " ");
    Expr *R = B.ref(U.V, T.Loc);
    T.pointer(U.V->getType()->isPointerType() ? B.toVoidPtr(B.load(R)) : B.address(R));
    T.add(U.Written ? " w" : C.Opaque ? " ?" : " r");
  }
  if (St.Opts.Parallel && D.kind == DVM_DIR_PARALLEL)
    partsText(T, C);
  return T;
}

// ---- Statements ------------------------------------------------------------------------------------------------------

void Rewriter::nestMarkers(Construct &C) {
  SourceLocation L = C.Dir.Start;
  SmallVector<Expr *, 8> Args{B.integer(C.Cid, L), B.integer(C.Loops.size(), L)};
  for (const Loop &X : C.Loops) {
    Args.push_back(B.address(B.ref(X.Index, L)));
    int64_t Bytes = Ctx.getTypeSizeInChars(X.Index->getType()).getQuantity();
    Args.push_back(B.integer(X.Index->getType()->isUnsignedIntegerOrEnumerationType() ? Bytes : -Bytes, L));
  }
  ForStmt *Inner = C.Loops.back().For;
  Inner->setBody(B.block({B.call(DVMM_ITER, Args, L), Inner->getBody()}, Inner->getBody()->getBeginLoc()));
  if (C.Loops.size() > 1) {
    ForStmt *Outer = C.Loops[C.Loops.size() - 2].For;
    Outer->setBody(B.block({B.call(DVMM_ROW, {B.integer(C.Cid, L)}, L), Outer->getBody()}, Outer->getBody()->getBeginLoc()));
  }
}

void Rewriter::finishWrapper(Construct &C, WhileStmt *W) {
  if (!Emit)
    return;
  SourceLocation L = C.Dir.Start;
  SiteText T = enterText(C);
  SmallVector<Expr *, 16> Args{B.string(T.Text, L)};
  Args.append(T.Args.begin(), T.Args.end());
  W->setCond(B.call(DVMM_ENTER, Args, L));
  W->setBody(B.block({W->getBody(), B.call(DVMM_LEAVE, {B.integer(C.Cid, L)}, L)}, L));
}

void Rewriter::construct(WhileStmt *W, CallExpr *Call) {
  Directive *Dir = St.byNumber(directiveNumber(Call));
  auto Plain = [&] {
    Stmt *Body = W->getBody();
    walk(Body);
    W->setBody(Body);
  };
  if (!Dir)
    return Plain();
  Dir->Used = true;
  auto Owned = std::make_unique<Construct>(St, Ctx, *Dir);
  Construct &C = *Owned;
  const dvm_directive &D = *Dir->D;
  if (!C.Ops.fromCall(Call))
    return Plain();

  for (const auto &Outer : Stack) {
    dvm_directive_kind O = Outer->Dir.D->kind;
    if (O == DVM_DIR_PARALLEL && D.kind == DVM_DIR_PARALLEL && Outer->Dir.D->has_target &&
        Decls.isTask(Outer->Ops.variable(Outer->Dir.D->target.name)))
      continue; // its iterations are tasks: they hold parallel loops
    bool BothLoops = O == DVM_DIR_PARALLEL && (D.kind == DVM_DIR_PARALLEL || D.kind == DVM_DIR_TASK_REGION || D.kind == DVM_DIR_REGION);
    if (BothLoops || (O == D.kind && D.kind != DVM_DIR_REMOTE_ACCESS)) {
      St.error(Dir->Start,
               Twine("'#pragma dvm ") + directiveName(C) + "' inside the '#pragma dvm " + directiveName(*Outer) + "' of this function");
      St.note(Outer->Dir.Start, "the outer directive is here");
      return Plain();
    }
  }
  bool OK = checkClauses(C);
  if (D.has_target) {
    OK &= checkDistributed(C, D.target, "on", true);
    for (unsigned I = 0; I < D.target.naxes; ++I)
      if (!isPlace(D.target.axes[I])) {
        St.error(Dir->loc(D.target.axes[I].expr.first),
                 "expected a subscript of the form 'a*i+b' in 'on', found '" + Dir->text(D.target.axes[I].expr) + "'");
        OK = false;
      }
  }
  if (D.kind == DVM_DIR_PARALLEL) {
    C.Iterates = true;
    C.Mapped = D.has_target;
    if (!analyseNest(C, W->getBody()) || !checkReductions(C) || !checkSizes(C) || !OK)
      return Plain();
    checkJumps(C, W->getBody());
    checkJumpsInto(C, W->getBody());
    warnUndeclaredPrivate(C);
    Stack.push_back(std::move(Owned));
    Stmt *Body;
    Header = &C;
    for (const Loop &L : C.Loops) { // headers: outside the iterations
      Stmt *Init = L.For->getInit(), *Cond = L.For->getCond(), *Inc = L.For->getInc();
      walk(Init), walk(Cond), walk(Inc);
      L.For->setInit(Init), L.For->setCond(cast_or_null<Expr>(Cond)), L.For->setInc(cast_or_null<Expr>(Inc));
    }
    Header = nullptr;
    Body = C.Loops.back().For->getBody();
    walk(Body, true);
    C.Loops.back().For->setBody(Body);
    Owned = std::move(Stack.back());
    Stack.pop_back();
    if (Emit)
      St.Opts.Parallel ? clampHeaders(C) : nestMarkers(C);
    return finishWrapper(C, W);
  }
  if (!OK)
    return Plain();
  if (!isa<CompoundStmt>(W->getBody()) && D.kind != DVM_DIR_REGION && D.kind != DVM_DIR_REMOTE_ACCESS) {
    St.error(W->getBody()->getBeginLoc(), Twine("'#pragma dvm ") + directiveName(C) + "' must stand before a block");
    St.note(Dir->Start, "the directive is here");
  }
  checkJumps(C, W->getBody());
  checkJumpsInto(C, W->getBody());
  C.Iterates = D.kind == DVM_DIR_ON;
  if (D.kind == DVM_DIR_REMOTE_ACCESS) {
    noteChanged(C, W->getBody());
    for (unsigned I = 0; I < D.nrefs; ++I) {
      if (checkDistributed(C, D.refs[I], "remote_access", false))
        C.Remote.push_back({C.Ops.variable(D.refs[I].name), &D.refs[I]});
    }
  }
  Stack.push_back(std::move(Owned));
  Stmt *Body = W->getBody();
  walk(Body, true);
  if (C.Iterates && Emit && !St.Opts.Parallel)
    Body = B.block({B.call(DVMM_ITER, {B.integer(C.Cid, Dir->Start), B.integer(0, Dir->Start)}, Dir->Start), Body}, Dir->Start);
  W->setBody(Body);
  Owned = std::move(Stack.back());
  Stack.pop_back();
  finishWrapper(C, W);
}

void Rewriter::standAlone(Stmt *&Slot, CallExpr *Call, bool InBlock) {
  Directive *Dir = St.byNumber(directiveNumber(Call));
  if (!Dir)
    return;
  Dir->Used = true;
  const dvm_directive &D = *Dir->D;
  const char *Name = dvm_directive_name(D.kind);
  if (!InBlock)
    St.error(Dir->Start,
             Twine("'#pragma dvm ") + Name + "' cannot be the body of a statement: put it and the statement it goes with into braces");
  Construct C(St, Ctx, *Dir);
  if (!C.Ops.fromCall(Call))
    return;
  if (D.kind == DVM_DIR_INTERVAL) {
    Intervals.push_back(Dir);
  } else if (D.kind == DVM_DIR_ENDINTERVAL) {
    if (Intervals.empty())
      St.error(Dir->Start, "'#pragma dvm endinterval' without '#pragma dvm interval'");
    else
      Intervals.pop_back();
  } else if (D.kind == DVM_DIR_EXITINTERVAL && Intervals.empty()) {
    St.error(Dir->Start, "'#pragma dvm exitinterval' leaves no interval: none is open here");
  } else if (D.kind == DVM_DIR_ARRAY_COPY && !checkCopy(C)) {
    return;
  }
  for (const auto &Outer : Stack)
    if (Outer->Dir.D->kind == DVM_DIR_PARALLEL) {
      St.error(Dir->Start, Twine("'#pragma dvm ") + Name + "' cannot stand inside a parallel loop");
      St.note(Outer->Dir.Start, "the parallel loop is here");
      return;
    }

  SiteText T(Ctx, B, Dir->Start);
  T.key(DVMRT_ANY_KIND).add(Name).place(Ctx.getSourceManager(), Dir->Start);
  if (D.subject && (D.kind == DVM_DIR_REDISTRIBUTE || D.kind == DVM_DIR_REALIGN)) {
    dvm_ref Subject = {};
    Subject.name = D.subject;
    if (!checkDistributed(C, Subject, Name, D.kind == DVM_DIR_REDISTRIBUTE))
      return;
    const VarDecl *V = C.Ops.variable(D.subject);
    unsigned Rank = Decls.rankOf(V), Given = D.kind == DVM_DIR_REDISTRIBUTE ? D.ndists : D.nnames;
    if (Rank && !sameRank(St, Dir->loc(D.subject), V, Rank, Name, Given))
      return;
    if (D.has_target && C.Ops.variable(D.target.name) == V) {
      St.error(Dir->loc(D.target.name), quoted(V) + " cannot be aligned with itself");
      return;
    }
    T.key(DVMRT_DIRECTIVE_ARRAY).ref(V);
    if (D.has_distribute)
      Decls.writeDist(T, C.Ops);
    if (D.has_target) {
      if (!checkDistributed(C, D.target, "with", true))
        return;
      Decls.writeAlign(T, C.Ops, C.Ops.variable(D.target.name));
    }
    if (D.new_value)
      T.key(DVMRT_DIRECTIVE_NEW_VALUE).add("new_value");
  } else if (D.kind >= DVM_DIR_SHADOW_GROUP) {
    T.key(DVMRT_DIRECTIVE_GROUP).add(Dir->text(D.subject));
  }
  for (unsigned I = 0; I < D.nrefs; ++I) {
    const dvm_ref &R = D.refs[I];
    const VarDecl *V = C.Ops.variable(R.name);
    if (!V)
      continue;
    if (D.kind == DVM_DIR_SHADOW_GROUP) {
      if (!checkWidths(C, R, Name))
        return;
      T.key(DVMRT_DIRECTIVE_RENEW).ref(V).key(DVMRT_DIRECTIVE_WIDTHS);
      Declarations::writeWidths(T, C.Ops, R.widths, R.widths ? R.naxes : 0);
      if (R.edge_name.count)
        T.add(" named");
      if (R.corner)
        T.add(" corner");
    } else {
      if ((D.kind == DVM_DIR_ACTUAL || D.kind == DVM_DIR_GET_ACTUAL) && !checkSection(C, R, Name))
        return;
      T.key(DVMRT_DIRECTIVE_ARRAY).ref(V);
      if (D.kind == DVM_DIR_ACTUAL || D.kind == DVM_DIR_GET_ACTUAL || D.kind == DVM_DIR_ARRAY_COPY)
        for (unsigned A = 0; R.axes && A < R.naxes; ++A)
          Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), C.Ops, R.axes[A]);
    }
  }
  for (unsigned I = 0; D.kind == DVM_DIR_SHADOW_ADD && I < D.nclauses; ++I)
    for (unsigned J = 0; J < D.clauses[I].nrefs; ++J)
      if (const VarDecl *V = C.Ops.variable(D.clauses[I].refs[J].name))
        T.key(DVMRT_DIRECTIVE_ARRAY).ref(V); // include_to
  if (!Emit)
    return;
  SmallVector<Expr *, 16> Args{B.string(T.Text, Dir->Start)};
  Args.append(T.Args.begin(), T.Args.end());
  Slot = B.call(DVMM_DIRECT, Args, Dir->Start);
}
