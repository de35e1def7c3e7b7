// Constructs: a directive and the statement that it stands before.
#include "Rewriter.h"
#include "pass/markers.h"

using namespace clang;
using namespace dvm;

void Rewriter::nestMarkers(Construct &C) {
  SourceLocation L = C.Dir.Start;
  if (St.Opts.Parallel)
    clampHeaders(C);
  if (St.Opts.Parallel && !countsIterations(C))
    return;
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

// Of the threads' own variables nobody knows the place.
bool Rewriter::countsIterations(const Construct &C) const {
  return St.Opts.Count && !C.Loops.empty() &&
         llvm::all_of(C.Loops, [](const Loop &X) { return X.Index->getTLSKind() == VarDecl::TLS_None; });
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

// Whether the construct may stand inside of those around it in this function.
bool Rewriter::checkNesting(Construct &C) {
  dvm_directive_kind Kind = C.Dir.D->kind;
  for (const auto &Outer : Stack) {
    dvm_directive_kind O = Outer->Dir.D->kind;
    if (O == DVM_DIR_PARALLEL && Kind == DVM_DIR_PARALLEL && Outer->Dir.D->has_target &&
        Decls.isTask(Outer->Ops.variable(Outer->Dir.D->target.name)))
      continue; // its iterations are tasks: they hold parallel loops
    bool BothLoops = O == DVM_DIR_PARALLEL && (Kind == DVM_DIR_PARALLEL || Kind == DVM_DIR_TASK_REGION || Kind == DVM_DIR_REGION);
    if (BothLoops || (O == Kind && Kind != DVM_DIR_REMOTE_ACCESS)) {
      St.error(C.Dir.Start,
               Twine("'#pragma dvm ") + directiveName(C) + "' inside the '#pragma dvm " + directiveName(*Outer) + "' of this function");
      St.note(Outer->Dir.Start, "the outer directive is here");
      return false;
    }
  }
  return true;
}

bool Rewriter::checkTarget(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  if (!D.has_target)
    return true;
  bool OK = checkDistributed(C, D.target, "on", true);
  for (const dvm_axis &A : ArrayRef(D.target.axes, D.target.naxes))
    if (!isPlace(A)) {
      St.error(C.Dir.loc(A.expr.first), "expected a subscript of the form 'a*i+b' in 'on', found '" + C.Dir.text(A.expr) + "'");
      OK = false;
    }
  return OK;
}

// The body is walked with the construct around it.
void Rewriter::walkInside(std::unique_ptr<Construct> &Owned, llvm::function_ref<void()> Walk) {
  Stack.push_back(std::move(Owned));
  Walk();
  Owned = std::move(Stack.back());
  Stack.pop_back();
}

// 'OK': its clauses are right.
bool Rewriter::loopNest(std::unique_ptr<Construct> &Owned, WhileStmt *W, bool OK) {
  Construct &C = *Owned;
  C.Iterates = true;
  C.Mapped = C.Dir.D->has_target;
  if (!analyseNest(C, W->getBody()) || !checkReductions(C) || !checkSizes(C) || !OK)
    return false;
  makeOwnIndices(C, W);
  for (const dvm_clause &Cl : ArrayRef(C.Dir.D->clauses, C.Dir.D->nclauses))
    for (const dvm_reduction &R : ArrayRef(Cl.reductions, Cl.nreductions)) {
      noteTouched(C.Ops.variable(R.var));
      if (R.loc.count)
        noteTouched(C.Ops.variable(R.loc));
    }
  checkJumps(C, W->getBody());
  checkJumpsInto(C, W->getBody());
  warnUndeclaredPrivate(C);
  warnHiddenState(C, C.Loops.empty() ? nullptr : C.Loops.back().For->getBody());
  if (St.Opts.Parallel || St.Opts.Trace)
    findShared(C);
  if (St.Opts.Parallel)
    C.Sides = acrossForm(C); // before the walk leaves marks
  remarkConstruct(C);
  walkInside(Owned, [&] {
    Header = &C;
    for (const Loop &L : C.Loops) { // headers: outside the iterations
      Stmt *Init = L.For->getInit(), *Cond = L.For->getCond(), *Inc = L.For->getInc();
      walk(Init), walk(Cond), walk(Inc);
      L.For->setInit(Init), L.For->setCond(cast_or_null<Expr>(Cond)), L.For->setInc(cast_or_null<Expr>(Inc));
    }
    Header = nullptr;
    Stmt *Body = C.Loops.back().For->getBody();
    walk(Body, true);
    C.Loops.back().For->setBody(Body);
  });
  if (Emit)
    nestMarkers(C);
  return true;
}

void Rewriter::block(std::unique_ptr<Construct> &Owned, WhileStmt *W) {
  Construct &C = *Owned;
  const dvm_directive &D = *C.Dir.D;
  SourceLocation L = C.Dir.Start;
  if (!isa<CompoundStmt>(W->getBody()) && !C.Dir.OldText && D.kind != DVM_DIR_REGION && D.kind != DVM_DIR_REMOTE_ACCESS) {
    St.error(W->getBody()->getBeginLoc(), Twine("'#pragma dvm ") + directiveName(C) + "' must stand before a block");
    St.note(L, "the directive is here");
  }
  checkJumps(C, W->getBody());
  checkJumpsInto(C, W->getBody());
  C.Iterates = D.kind == DVM_DIR_ON;
  if (D.kind == DVM_DIR_TASK_REGION)
    checkReductions(C);
  if (D.kind == DVM_DIR_REMOTE_ACCESS) {
    noteChanged(C, W->getBody());
    for (const dvm_ref &R : ArrayRef(D.refs, D.nrefs))
      if (checkDistributed(C, R, "remote_access", false))
        C.Remote.push_back({C.Ops.variable(R.name), &R});
    remarkConstruct(C);
  }
  C.OpenLoops = OpenLoops.size();
  walkInside(Owned, [&] {
    Stmt *Body = W->getBody();
    walk(Body, true);
    if (C.Iterates && Emit && !St.Opts.Parallel)
      Body = B.block({B.call(DVMM_ITER, {B.integer(C.Cid, L), B.integer(0, L)}, L), Body}, L);
    W->setBody(Body);
  });
}

Stmt *Rewriter::construct(WhileStmt *W, CallExpr *Call) {
  auto Plain = [&]() -> Stmt * { // as if the directive were not there
    Stmt *Body = W->getBody();
    walk(Body);
    W->setBody(Body);
    return W;
  };
  Directive *Dir = St.byNumber(directiveNumber(Call));
  if (!Dir)
    return Plain();
  Dir->Used = true;
  auto Owned = std::make_unique<Construct>(St, Ctx, *Dir);
  Construct &C = *Owned;
  if (!C.Ops.fromCall(Call) || !checkNesting(C))
    return Plain();
  bool OK = checkClauses(C);
  OK &= checkTarget(C);
  if (Dir->D->kind == DVM_DIR_PARALLEL)
    OK = loopNest(Owned, W, OK);
  else if (OK)
    block(Owned, W);
  if (!OK)
    return Plain();
  finishWrapper(C, W);
  return withOwnIndices(C, W);
}
