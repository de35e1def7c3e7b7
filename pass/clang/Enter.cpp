// The texts of constructs and clauses that the run time reads at entry.
#include "Members.h"
#include "Rewriter.h"
#include "llvm/Support/DJB.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

static void variableText(SiteText &T, ASTContext &Ctx, Builder &B, const VarDecl *V) {
  T.add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc))).add(" ");
  QualType Ty = V->getType();
  if (Ty->isVariableArrayType())
    T.number(B.toLong(B.sizeOf(Ty, T.Loc)));
  else
    T.add(Twine(Ctx.getTypeSizeInChars(Ty).getQuantity()));
  T.add(" " + elementKind(Ctx, shapeOf(Ctx, Ty->isPointerType() ? Ctx.VoidPtrTy : Ty).Element));
}

// Of a kind that does not tell the size.
static void elementText(SiteText &T, ASTContext &Ctx, QualType Element) {
  if (Element->isIncompleteType() || !StringRef(elementKind(Ctx, Element)).starts_with("o"))
    return;
  T.key(DVMRT_DIRECTIVE_ELEMENT).add(Twine(Ctx.getTypeSizeInChars(Element).getQuantity()));
  if (Element->isRecordType())
    partsText(T, Ctx, Element);
}

// Replicated data.  A pointer stands for what it leads to: as many bytes as its declaration says, else (flag p) those of a row.
static void consistentText(SiteText &T, ASTContext &Ctx, Builder &B, const VarDecl *V) {
  QualType Ty = V->getType();
  QualType Element = shapeOf(Ctx, Ty).Element;
  if (!Ty->isPointerType()) {
    variableText(T, Ctx, B, V);
    return elementText(T, Ctx, Element);
  }
  QualType Row = Ty->getPointeeType(), Whole = Row;
  if (const auto *Decayed = Ty->getAs<DecayedType>(); Decayed && Ctx.getAsConstantArrayType(Decayed->getOriginalType()))
    Whole = Decayed->getOriginalType();
  T.add(V->getName() + " ").pointer(B.toVoidPtr(B.load(B.ref(V, T.Loc)))).add(" ");
  if (Whole->isVariableArrayType())
    T.number(B.toLong(B.sizeOf(Whole, T.Loc)));
  else
    T.add(Twine(Ctx.getTypeSizeInChars(Whole).getQuantity()));
  T.add((Whole == Row ? " p" : " ") + elementKind(Ctx, Element));
  elementText(T, Ctx, Element);
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

static bool remoteInGroups(const dvm_directive &D) {
  return llvm::any_of(llvm::ArrayRef(D.clauses, D.nclauses),
                      [](const dvm_clause &Cl) { return Cl.kind == DVM_CL_REMOTE_ACCESS && Cl.group; });
}

void Rewriter::edgeText(SiteText &T, Operands &Ops, char Key, const VarDecl *V, const dvm_ref &R) {
  if (!R.edge_name.count)
    return widthsText(T.key(Key).ref(V), Ops, R);
  for (unsigned I = 0; I < R.edge_name.count; I += 2) { // between them are commas
    widthsText(T.key(Key).ref(V), Ops, R);
    edgeName(T, Ops, R.edge_name.first + I);
  }
}

void Rewriter::widthsText(SiteText &T, Operands &Ops, const dvm_ref &R) {
  T.key(DVMRT_DIRECTIVE_WIDTHS);
  Declarations::writeWidths(T, Ops, R.widths, R.widths ? R.naxes : 0);
  if (R.edge_name.count)
    T.add(" named");
  if (R.corner)
    T.add(" corner");
  if (R.out)
    T.add(" out");
}

void Rewriter::edgeName(SiteText &T, Operands &Ops, unsigned Token) {
  T.key(DVMRT_DIRECTIVE_EDGE).add(StringRef(Ops.Dir.text(Token)).trim('"'));
}

void Rewriter::axesText(SiteText &T, Operands &Ops, const dvm_ref &R) {
  for (unsigned A = 0; R.axes && A < R.naxes; ++A)
    Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), Ops, R.axes[A]);
}

void Rewriter::referenceText(SiteText &T, Construct &C, dvm_clause_kind Kind, const dvm_ref &R) {
  const VarDecl *V = C.Ops.variable(R.name);
  if (!V)
    return;
  switch (Kind) {
  case DVM_CL_PRIVATE: return variableText(T.key(DVMRT_DIRECTIVE_PRIVATE), Ctx, B, V);
  case DVM_CL_CONSISTENT: return consistentText(T.key(DVMRT_DIRECTIVE_CONSISTENT), Ctx, B, V);
  case DVM_CL_SHADOW_COMPUTE: return edgeText(T, C.Ops, DVMRT_DIRECTIVE_RECOMPUTE, V, R);
  case DVM_CL_SHADOW_RENEW: return edgeText(T, C.Ops, DVMRT_DIRECTIVE_RENEW, V, R);
  case DVM_CL_ACROSS: return edgeText(T, C.Ops, DVMRT_DIRECTIVE_ACROSS, V, R);
  case DVM_CL_REMOTE_ACCESS: T.key(DVMRT_DIRECTIVE_REMOTE).ref(V); return axesText(T, C.Ops, R);
  case DVM_CL_IN:
  case DVM_CL_OUT:
  case DVM_CL_LOCAL:
  case DVM_CL_INOUT:
  case DVM_CL_INLOCAL: T.key(DVMRT_DIRECTIVE_REGION).add(Twine(dvm_clause_name(Kind)) + " ").ref(V); return axesText(T, C.Ops, R);
  default: return;
  }
}

void Rewriter::resultText(SiteText &T, Construct &C, const dvm_reduction &R) {
  Operands &Ops = C.Ops;
  Expr *L = Ops.lvalue(R.var);
  if (!L)
    return;
  T.key(DVMRT_DIRECTIVE_REDUCTION).add(Twine(dvm_reduction_name(R.op)) + " ");
  reductionVariable(T, Ctx, B, L, C.Dir.text(R.var));
  if (Expr *Loc = R.loc.count ? Ops.lvalue(R.loc) : nullptr) {
    T.add(" ");
    int64_t Length = 0;
    if (R.len.count && !Ops.constant(R.len, Length))
      Length = 0;
    reductionVariable(T, Ctx, B, Loc, C.Dir.text(R.loc), Length > 0 ? Length : 0);
  }
  Shape Extents = shapeOf(Ctx, L->getType());
  if (!Extents.rank() || Extents.Pointer)
    return;
  T.key(DVMRT_DIRECTIVE_RESULTS).add(Twine(Extents.rank()));
  for (QualType D : Extents.Dims) {
    const auto *A = Ctx.getAsConstantArrayType(D);
    T.add(" " + Twine(A ? A->getZExtSize() : 0));
  }
}

// 'shadow_compute' without a list: all that the loop writes.
void Rewriter::computeText(SiteText &T, Construct &C) {
  for (const Use &U : C.Uses)
    if (U.Written && !isTemplateVar(U.V)) {
      T.key(DVMRT_DIRECTIVE_RECOMPUTE).ref(U.V);
      T.key(DVMRT_DIRECTIVE_WIDTHS);
    }
}

void Rewriter::clauseText(SiteText &T, Construct &C, const dvm_clause &Cl) {
  if (Cl.kind == DVM_CL_REMOTE_ACCESS && remoteInGroups(*C.Dir.D))
    T.key(DVMRT_DIRECTIVE_REMOTE_GROUP).add(Cl.group ? C.Dir.text(Cl.group) : "-");
  if (Cl.kind == DVM_CL_SHADOW_COMPUTE && !Cl.nrefs)
    computeText(T, C);
  for (const dvm_ref &R : ArrayRef(Cl.refs, Cl.nrefs))
    referenceText(T, C, Cl.kind, R);
  if (Cl.nreductions && inGroups(*C.Dir.D))
    T.key(DVMRT_DIRECTIVE_GROUP).add(Cl.group ? C.Dir.text(Cl.group) : "-");
  for (const dvm_reduction &R : ArrayRef(Cl.reductions, Cl.nreductions))
    resultText(T, C, R);
  if (Cl.group && (Cl.kind == DVM_CL_SHADOW_START || Cl.kind == DVM_CL_SHADOW_WAIT))
    T.key(DVMRT_DIRECTIVE_SHADOW).add(Twine(Cl.kind == DVM_CL_SHADOW_START ? "start " : "wait ") + C.Dir.text(Cl.group));
}

void Rewriter::loopsText(SiteText &T, Construct &C) {
  T.key(DVMRT_DIRECTIVE_NAMES).add(Twine(C.Loops.size()));
  for (const Loop &L : C.Loops)
    T.add(" " + L.Index->getName());
  PresumedLoc P = presumed(Ctx.getSourceManager(), C.Loops[0].For->getForLoc());
  T.key(DVMRT_DIRECTIVE_LOOP).add(Twine(P.getLine()) + " " + Twine(P.getColumn()));
  T.key(DVMRT_DIRECTIVE_STEPS);
  for (const Loop &L : C.Loops)
    T.add((&L == C.Loops.data() ? "" : " ") + (L.StepKnown ? Twine(L.Step).str() : std::string("*")));
}

void Rewriter::targetText(SiteText &T, Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  const VarDecl *V = C.Ops.variable(D.target.name);
  if (D.kind == DVM_DIR_ON)
    T.key(DVMRT_DIRECTIVE_ON).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc)));
  else
    T.key(DVMRT_DIRECTIVE_ON).ref(V);
  for (unsigned I = 0; I < D.target.naxes; ++I)
    Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), C.Ops, D.target.axes[I]);
}

// A block of a task region: each task adds to the results of the region.
void Rewriter::taskText(SiteText &T) {
  for (const auto &Outer : llvm::reverse(Stack)) {
    if (Outer->Dir.D->kind != DVM_DIR_TASK_REGION)
      continue;
    for (const dvm_clause &Cl : ArrayRef(Outer->Dir.D->clauses, Outer->Dir.D->nclauses))
      for (const dvm_reduction &R : ArrayRef(Cl.reductions, Cl.nreductions))
        resultText(T, *Outer, R);
    break;
  }
  for (const auto &Outer : llvm::reverse(Stack))
    if (St.Opts.Trace && Outer->Dir.D->kind == DVM_DIR_TASK_REGION && Outer->OpenLoops < OpenLoops.size())
      T.key(DVMRT_DIRECTIVE_LOOPED).add("looped");
}

void Rewriter::remoteText(SiteText &T, Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  if (D.group)
    T.key(DVMRT_DIRECTIVE_REMOTE_GROUP).add(C.Dir.text(D.group));
  for (const dvm_ref &R : ArrayRef(D.refs, D.nrefs)) {
    const VarDecl *V = C.Ops.variable(R.name);
    if (!V)
      continue;
    T.key(DVMRT_DIRECTIVE_REMOTE).ref(V);
    for (unsigned A = 0; R.axes && A < R.naxes; ++A)
      Decls.writeAxis(T.key(DVMRT_DIRECTIVE_AXIS), C.Ops, R.axes[A]);
  }
}

// What is only declared may be defined nowhere, if it stands in a branch that clang leaves out: its address is given apart, where a reference
// can be weak.
void Rewriter::noteRegion(Construct &C) {
  CallingRegion R{&C.Dir, {}, {}, C.Called};
  for (const VarDecl *V : C.Touched)
    (V->hasDefinition(Ctx) == VarDecl::DeclarationOnly && !St.attached(V) ? R.Declared : R.Touched).push_back(V);
  C.Touched = R.Touched;
  if (!R.Calls.empty() || !R.Declared.empty())
    St.Regions.push_back(std::move(R));
}

SiteText Rewriter::enterText(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  SiteText T(Ctx, B, C.Dir.Start);
  T.key(DVMRT_ANY_KIND).add(Twine(directiveName(C)) + " " + Twine(C.Cid));
  PresumedLoc Function = presumed(Ctx.getSourceManager(), FD->getLocation());
  if (Function.isValid())
    T.key(DVMRT_DIRECTIVE_FUNCTION).add(Twine(uint64_t(Function.getLine()) << 32 | llvm::djbHash(Function.getFilename())));
  T.place(Ctx.getSourceManager(), C.Dir.Start);
  if (D.kind == DVM_DIR_PARALLEL)
    loopsText(T, C);
  if (D.kind == DVM_DIR_TASK_REGION)
    if (const VarDecl *V = C.Ops.variable(D.subject))
      T.key(DVMRT_DIRECTIVE_TEMPLATE).add(V->getName() + " ").pointer(B.address(B.ref(V, T.Loc)));
  for (const auto &[Old, New] : C.OwnIndices)
    variableText(T.key(DVMRT_DIRECTIVE_PRIVATE), Ctx, B, Old);
  if (D.has_target)
    targetText(T, C);
  for (unsigned I = 0; I < D.nclauses; ++I)
    clauseText(T, C, D.clauses[I]);
  if (D.kind == DVM_DIR_ON)
    taskText(T);
  if (D.kind == DVM_DIR_REMOTE_ACCESS)
    remoteText(T, C);
  for (const Use &U : C.Uses) {
    T.key(DVMRT_DIRECTIVE_USE).add(U.V->getName() + " ");
    Expr *R = B.ref(U.V, T.Loc);
    T.pointer(U.V->getType()->isPointerType() ? B.toVoidPtr(B.load(R)) : B.address(R));
    T.add(U.Written ? " w" : C.Opaque ? " ?" : " r");
  }
  if (D.kind == DVM_DIR_REGION)
    noteRegion(C);
  for (const VarDecl *V : C.Touched)
    T.key(DVMRT_DIRECTIVE_REGION).add("uses ").ref(V);
  for (const auto &[V, Bytes, Given] : C.Shared)
    T.key(DVMRT_DIRECTIVE_SHARED)
        .add(V->getName() + " ")
        .pointer(B.address(B.ref(V, T.Loc)))
        .add(" " + Twine(Bytes) + (Given ? " given" : ""));
  if (St.Opts.Parallel && D.kind == DVM_DIR_PARALLEL)
    partsText(T, C);
  if (St.Opts.Parallel && D.kind == DVM_DIR_PARALLEL && countsIterations(C))
    T.key(DVMRT_DIRECTIVE_COUNTED);
  return T;
}
