// What can be told from a directive and its operands alone: names, ranks, widths, clauses that exclude each other, jumps.
#include "Rewriter.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

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
        return St.note(C.Dir.loc(D.clauses[I].reductions[J].var.first), "it is named in 'reduction' here");
}

// A variable that is declared elsewhere: told where.
bool Rewriter::refuse(Construct &C, unsigned Token, const VarDecl *V, const Twine &Text) {
  St.error(C.Dir.loc(Token), Text);
  St.note(V->getLocation(), quoted(V) + " is declared here");
  return false;
}

bool Rewriter::checkPrivate(Construct &C, const dvm_ref &R, const VarDecl *V) {
  if (!V) {
    St.error(C.Dir.loc(R.name), "'" + C.Dir.text(R.name) + "' in 'private' is not a variable");
    return false;
  }
  if (Decls.isDistributed(V, FD))
    return refuse(C, R.name, V, "distributed array " + quoted(V) + " cannot be private");
  C.Privates.insert(V);
  return true;
}

// Replicated data, of which each iteration assigns elements.
bool Rewriter::checkConsistent(Construct &C, const dvm_ref &R, const VarDecl *V) {
  if (!V || !shapeOf(Ctx, V->getType()).rank()) {
    St.error(C.Dir.loc(R.name), "'" + C.Dir.text(R.name) + "' in 'consistent' is not an array");
    return false;
  }
  if (Decls.isDistributed(V, FD))
    return refuse(C, R.name, V, quoted(V) + " in 'consistent' is distributed: the clause is for replicated arrays");
  if (!C.Dir.D->has_target) {
    St.error(C.Dir.loc(R.name), "'consistent' needs a loop with 'on': it says which processor assigns which elements");
    return false;
  }
  return !R.naxes || sameRank(St, C.Dir.loc(R.name), V, shapeOf(Ctx, V->getType()).rank(), "consistent", R.naxes);
}

bool Rewriter::checkReference(Construct &C, dvm_clause_kind Kind, const dvm_ref &R) {
  const char *Name = dvm_clause_name(Kind);
  const VarDecl *V = C.Ops.variable(R.name);
  switch (Kind) {
  case DVM_CL_PRIVATE: return checkPrivate(C, R, V);
  case DVM_CL_ACROSS: // without 'on' ordinary arrays carry dependences too
    if (V && !C.Dir.D->has_target && !Decls.isDistributed(V, FD) && shapeOf(Ctx, V->getType()).rank())
      return checkOrdinaryWidths(C, R);
    return checkWidths(C, R, Name);
  case DVM_CL_SHADOW_RENEW:
  case DVM_CL_SHADOW_COMPUTE: return checkWidths(C, R, Name);
  case DVM_CL_CONSISTENT: return checkConsistent(C, R, V);
  case DVM_CL_IN:
  case DVM_CL_OUT:
  case DVM_CL_LOCAL:
  case DVM_CL_INOUT:
  case DVM_CL_INLOCAL: return checkSection(C, R, Name);
  case DVM_CL_REMOTE_ACCESS:
    if (V)
      C.Remote.push_back({V, &R});
    return checkDistributed(C, R, Name, false);
  default: return true;
  }
}

// Its variable, which is not distributed, and that of its place.
bool Rewriter::checkResult(Construct &C, const dvm_reduction &R) {
  bool OK = true;
  if (const VarDecl *V = C.Ops.variable(R.var)) {
    if (Decls.isDistributed(V, FD))
      OK = refuse(C, R.var.first, V, "distributed array " + quoted(V) + " cannot be a reduction variable");
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
  return OK;
}

bool Rewriter::checkClauses(Construct &C) {
  bool OK = true;
  ArrayRef<dvm_clause> Clauses(C.Dir.D->clauses, C.Dir.D->nclauses);
  for (const dvm_clause &Cl : Clauses) {
    for (const dvm_ref &R : ArrayRef(Cl.refs, Cl.nrefs))
      OK &= checkReference(C, Cl.kind, R);
    for (const dvm_reduction &R : ArrayRef(Cl.reductions, Cl.nreductions))
      OK &= checkResult(C, R);
  }
  for (const dvm_clause &Cl : Clauses)
    for (const dvm_ref &R : ArrayRef(Cl.refs, Cl.kind == DVM_CL_PRIVATE ? Cl.nrefs : 0))
      if (const VarDecl *V = C.Ops.variable(R.name); V && C.Reductions.count(V)) {
        St.error(C.Dir.loc(R.name), quoted(V) + " cannot be both private and a reduction variable");
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
