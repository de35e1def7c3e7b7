// Directives that stand alone, not before a statement.
#include "Rewriter.h"
#include "pass/markers.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

// 'interval' and its ends are nested.
bool Rewriter::checkInterval(Construct &C) {
  SourceLocation L = C.Dir.Start;
  switch (C.Dir.D->kind) {
  case DVM_DIR_INTERVAL: Intervals.push_back(&C.Dir); break;
  case DVM_DIR_ENDINTERVAL:
    if (Intervals.empty())
      St.error(L, "'#pragma dvm endinterval' without '#pragma dvm interval'");
    else
      Intervals.pop_back();
    break;
  case DVM_DIR_EXITINTERVAL:
    if (Intervals.empty())
      St.error(L, "'#pragma dvm exitinterval' has no interval to leave: none is open here");
    break;
  case DVM_DIR_ARRAY_COPY: return checkCopy(C);
  case DVM_DIR_LOCALIZE: return checkLocalize(C);
  default: break;
  }
  return true;
}

bool Rewriter::outsideLoops(Construct &C) {
  for (const auto &Outer : Stack)
    if (Outer->Dir.D->kind == DVM_DIR_PARALLEL) {
      St.error(C.Dir.Start, Twine("'#pragma dvm ") + directiveName(C) + "' cannot appear inside a parallel loop");
      St.note(Outer->Dir.Start, "the parallel loop is here");
      return false;
    }
  return true;
}

// redistribute, realign
bool Rewriter::placeText(SiteText &T, Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  dvm_ref Subject = {};
  Subject.name = D.subject;
  if (!checkDistributed(C, Subject, directiveName(C), D.kind == DVM_DIR_REDISTRIBUTE))
    return false;
  const VarDecl *V = C.Ops.variable(D.subject);
  unsigned Rank = Decls.rankOf(V), Given = D.kind == DVM_DIR_REDISTRIBUTE ? D.ndists : D.nnames;
  if (Rank && !sameRank(St, C.Dir.loc(D.subject), V, Rank, directiveName(C), Given))
    return false;
  if (D.has_target && C.Ops.variable(D.target.name) == V) {
    St.error(C.Dir.loc(D.target.name), quoted(V) + " cannot be aligned with itself");
    return false;
  }
  T.key(DVMRT_DIRECTIVE_ARRAY).ref(V);
  if (D.has_distribute)
    Decls.writeDist(T, C.Ops);
  if (D.has_target) {
    if (!checkDistributed(C, D.target, "with", true))
      return false;
    Decls.writeAlign(T, C.Ops, C.Ops.variable(D.target.name));
  }
  if (D.has_onto) {
    if (!Decls.checkOnto(C.Ops))
      return false;
    Decls.writeOnto(T, C.Ops);
  }
  if (D.new_value)
    T.key(DVMRT_DIRECTIVE_NEW_VALUE).add("new_value");
  return true;
}

// map(T[e] onto P[l:h])
bool Rewriter::mapText(SiteText &T, Construct &C) {
  const dvm_ref &R = C.Dir.D->refs[0];
  const VarDecl *V = C.Ops.variable(R.name);
  if (!Decls.isTask(V)) {
    St.error(C.Dir.loc(R.name), "'" + C.Dir.text(R.name) + "' in 'map' is not an array of tasks");
    return false;
  }
  if (!Decls.checkOnto(C.Ops))
    return false;
  if (!Decls.isProcessors(C.Ops.variable(C.Dir.D->onto.name))) {
    St.error(C.Dir.loc(C.Dir.D->onto.name), "'" + C.Dir.text(C.Dir.D->onto.name) + "' in 'map' is not an array of processors");
    return false;
  }
  T.key(DVMRT_DIRECTIVE_ON).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc)));
  axesText(T, C.Ops, R);
  Decls.writeOnto(T, C.Ops);
  return true;
}

// The array or template, the rule of its dimension, the name; 'include_to' follows.
bool Rewriter::namedEdgeText(SiteText &T, Construct &C, const dvm_ref &R) {
  if (!checkDistributed(C, R, "shadow_add", true))
    return false;
  unsigned Rules = 0;
  T.key(DVMRT_DIRECTIVE_ARRAY).ref(C.Ops.variable(R.name)).key(DVMRT_DIRECTIVE_DISTRIBUTION);
  for (unsigned I = 0; I < R.naxes; ++I) {
    Expr *Rule = R.axes[I].kind == DVM_AXIS_EXPR ? C.Ops.value(R.axes[I].expr) : nullptr;
    Rules += R.axes[I].kind == DVM_AXIS_EXPR;
    T.add(I ? " " : "").add(Rule ? "derived," : R.axes[I].kind == DVM_AXIS_EXPR ? "derived" : "*");
    if (Rule)
      T.number(Rule);
  }
  edgeName(T, C.Ops, R.edge_name.first);
  if (Rules != 1)
    St.error(C.Dir.loc(R.name), "'shadow_add' takes the rule of one dimension of " + quoted(C.Ops.variable(R.name)) + ", it has " +
                                    (Rules ? Twine(Rules) : Twine("none")));
  return Rules == 1;
}

bool Rewriter::includeText(SiteText &T, Construct &C, const dvm_ref &R) {
  if (!checkDistributed(C, R, "include_to", false))
    return false;
  T.key(DVMRT_DIRECTIVE_ARRAY).ref(C.Ops.variable(R.name));
  return true;
}

// localize(ref => target[:]): numbers stay as they are; what is said of them must hold all the same.
bool Rewriter::checkLocalize(Construct &C) {
  const dvm_ref &Ref = C.Dir.D->refs[0], &Target = C.Dir.D->refs[1];
  const VarDecl *V = C.Ops.variable(Ref.name);
  if (!checkDistributed(C, Target, "localize", true))
    return false;
  unsigned Marked = 0;
  for (unsigned I = 0; I < Target.naxes; ++I)
    Marked += Target.axes[I].kind == DVM_AXIS_RANGE;
  if (V && !shapeOf(Ctx, V->getType()).Element->isIntegralOrEnumerationType())
    return refuse(C, Ref.name, V, "'localize' is for numbers of elements: the elements of " + quoted(V) + " are no integers");
  if (Marked != 1)
    St.error(C.Dir.loc(Target.name), "'localize' takes the one dimension of " + quoted(C.Ops.variable(Target.name)) +
                                         " that is marked '[:]', it has " + (Marked ? Twine(Marked) : Twine("none")));
  return Marked == 1;
}

bool Rewriter::subjectText(SiteText &T, Construct &C, const dvm_ref &R) {
  dvm_directive_kind Kind = C.Dir.D->kind;
  bool Section = Kind == DVM_DIR_ACTUAL || Kind == DVM_DIR_GET_ACTUAL;
  const VarDecl *V = C.Ops.variable(R.name);
  if (!V)
    return true;
  if (Kind == DVM_DIR_SHADOW_ADD)
    return namedEdgeText(T, C, R);
  if (Kind == DVM_DIR_SHADOW_GROUP) {
    if (!checkWidths(C, R, directiveName(C)))
      return false;
    edgeText(T, C.Ops, DVMRT_DIRECTIVE_RENEW, V, R);
    return true;
  }
  if (Section && !checkSection(C, R, directiveName(C)))
    return false;
  T.key(DVMRT_DIRECTIVE_ARRAY).ref(V);
  if (Section || Kind == DVM_DIR_ARRAY_COPY)
    axesText(T, C.Ops, R);
  for (unsigned I = 0; Kind == DVM_DIR_LOCALIZE && I < R.naxes; ++I) // its bounds say nothing
    T.key(DVMRT_DIRECTIVE_AXIS).add(R.axes[I].kind == DVM_AXIS_RANGE ? "r0:*" : "e");
  return true;
}

bool Rewriter::standAloneText(SiteText &T, Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  std::string Kind = D.kind == DVM_DIR_TRACE ? D.on ? "trace_on" : "trace_off" : directiveName(C);
  T.key(DVMRT_ANY_KIND).add(Kind).place(Ctx.getSourceManager(), C.Dir.Start);
  if (D.kind == DVM_DIR_MAP)
    return mapText(T, C);
  if (D.group)
    T.key(DVMRT_DIRECTIVE_GROUP).add(C.Dir.text(D.group));
  if (D.subject && (D.kind == DVM_DIR_REDISTRIBUTE || D.kind == DVM_DIR_REALIGN)) {
    if (!placeText(T, C))
      return false;
  } else if (D.kind >= DVM_DIR_SHADOW_GROUP) {
    T.key(DVMRT_DIRECTIVE_GROUP).add(C.Dir.text(D.subject));
  }
  for (unsigned I = 0; I < D.nexprs; ++I)
    if (Expr *Number = C.Ops.value(D.exprs[I]); Number && Number->getType()->isIntegralOrEnumerationType())
      (I ? T.add(" ") : T.key(DVMRT_DIRECTIVE_INTERVAL)).number(Number); // of interval and exitinterval
  for (const dvm_ref &R : ArrayRef(D.refs, D.nrefs))
    if (!subjectText(T, C, R))
      return false;
  for (const dvm_clause &Cl : ArrayRef(D.clauses, D.kind == DVM_DIR_SHADOW_ADD ? D.nclauses : 0))
    for (const dvm_ref &R : ArrayRef(Cl.refs, Cl.nrefs))
      if (!includeText(T, C, R))
        return false;
  return true;
}

void Rewriter::standAlone(Stmt *&Slot, CallExpr *Call, bool InBlock) {
  Directive *Dir = St.byNumber(directiveNumber(Call));
  if (!Dir)
    return;
  Dir->Used = true;
  Construct C(St, Ctx, *Dir);
  if (!InBlock)
    St.error(Dir->Start, Twine("'#pragma dvm ") + directiveName(C) +
                             "' cannot be the body of a statement: enclose it and the statement it belongs to in braces");
  SiteText T(Ctx, B, Dir->Start);
  if (!C.Ops.fromCall(Call) || !checkInterval(C) || !outsideLoops(C) || !standAloneText(T, C))
    return;
  remarkAlone(C);
  if (!Emit)
    return;
  SmallVector<Expr *, 16> Args{B.string(T.Text, Dir->Start)};
  Args.append(T.Args.begin(), T.Args.end());
  Slot = B.call(DVMM_DIRECT, Args, Dir->Start);
}
