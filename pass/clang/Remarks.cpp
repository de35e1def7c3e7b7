// -Rdvm: what each directive will send between ranks, said where it is compiled for parallel execution.
#include "Rewriter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace clang;
using namespace dvm;

namespace {
// Of one dimension of an array.
struct Edge {
  bool Divided = false, Known = false; // Known: the widths are
  int64_t Low = 0, High = 0;
  std::optional<uint64_t> Bytes; // of one element's width
};

std::string bytesText(std::optional<uint64_t> N) {
  if (!N)
    return "as many bytes as it turns out";
  return (Twine(*N) + (*N == 1 ? " byte" : " bytes")).str();
}

std::string join(ArrayRef<std::string> Parts) { return llvm::join(Parts, "; "); }
} // namespace

void State::remark(SourceLocation L, StringRef Kind, const Twine &Text) const {
  if (Opts.Remarks.empty() || !llvm::Regex(Opts.Remarks).match(Kind))
    return;
  diags().Report(L, diags().getCustomDiagID(DiagnosticsEngine::Remark, "%0")) << (Text + " [-Rdvm=" + Kind + "]").str();
}

// Is the dimension cut into parts, as far as this file shows?
std::optional<bool> Declarations::isDivided(const VarDecl *V, unsigned Dim, unsigned Links) {
  Directive *Dir = V ? St.attached(V) : nullptr;
  if (!Dir || Links == 16)
    return std::nullopt;
  const dvm_directive &D = *Dir->D;
  if (D.has_distribute)
    return Dim < D.ndists && D.dists[Dim].kind != DVM_DIST_NONE;
  if (!D.has_target)
    return std::nullopt;
  Operands Ops(St, Ctx, *Dir);
  if (!Ops.fromConstants())
    return std::nullopt;
  for (unsigned K = 0; K < D.target.naxes; ++K) {
    const dvm_axis &A = D.target.axes[K];
    if ((A.kind == DVM_AXIS_AFFINE || (A.kind == DVM_AXIS_OTHER && A.affine)) && A.index == Dim)
      return isDivided(Ops.variable(D.target.name), K, Links + 1);
  }
  return false;
}

static uint64_t extentOf(const ASTContext &Ctx, QualType T) {
  const auto *A = dyn_cast_or_null<ConstantArrayType>(Ctx.getAsArrayType(T));
  return A ? A->getSize().getZExtValue() : 0;
}

// Bytes of all elements, but for one dimension (all of them: -1).
static std::optional<uint64_t> bytesOf(const ASTContext &Ctx, const VarDecl *V, int Without = -1) {
  Shape S = shapeOf(Ctx, V->getType());
  if (S.Element->isIncompleteType() || S.Element->isDependentType())
    return std::nullopt;
  uint64_t N = Ctx.getTypeSizeInChars(S.Element).getQuantity();
  for (unsigned D = 0; D < S.rank(); ++D) {
    uint64_t Extent = int(D) == Without ? 1 : extentOf(Ctx, S.Dims[D]);
    if (!Extent)
      return std::nullopt;
    N *= Extent;
  }
  return N;
}

// What the clause gives, or else the declaration.
static Edge edgeOf(Construct &C, const ASTContext &Ctx, Declarations &Decls, const VarDecl *V, const dvm_ref &R, unsigned Dim) {
  Edge E;
  std::optional<bool> Divided = Decls.isDivided(V, Dim);
  E.Divided = Divided.value_or(true);
  E.Bytes = bytesOf(Ctx, V, int(Dim));
  if (R.widths && Dim < R.naxes && R.widths[Dim].given) {
    E.Known = C.Ops.constant(R.widths[Dim].low, E.Low) && C.Ops.constant(R.widths[Dim].high, E.High);
    return E;
  }
  Directive *D = Decls.state().attached(V);
  E.Known = Divided && D && (Decls.declaredWidth(V, Dim, E.Low, E.High) || !D->D->has_shadow);
  if (E.Known && !D->D->has_shadow)
    E.Low = E.High = E.Divided;
  return E;
}

// "dimension 1: 1 below and 1 above, up to 800 bytes each"
static std::string edgesText(Construct &C, const ASTContext &Ctx, Declarations &Decls, const VarDecl *V, const dvm_ref &R) {
  SmallVector<std::string, 4> Parts;
  unsigned Rank = shapeOf(Ctx, V->getType()).rank();
  if (R.edge_name.count)
    return "those that 'shadow_add' made";
  for (unsigned D = 0; D < Rank; ++D) {
    Edge E = edgeOf(C, Ctx, Decls, V, R, D);
    if (!E.Divided || (E.Known && !E.Low && !E.High))
      continue;
    std::string Text = ("dimension " + Twine(D + 1) + ": ").str();
    if (!E.Known)
      Text += "as wide as it turns out";
    else
      Text += (Twine(E.Low) + " below and " + Twine(E.High) + " above").str();
    if (E.Known && E.Bytes)
      Text += E.Low == E.High ? (", up to " + bytesText(E.Low * *E.Bytes) + " each")
                              : (", up to " + bytesText((E.Low > E.High ? E.Low : E.High) * *E.Bytes));
    Parts.push_back(Text);
  }
  if (R.corner && Parts.size() > 1)
    Parts.push_back("with corners");
  return join(Parts);
}

// One reference of a clause, in words; false: nothing is sent for it.
static bool remarkEdges(const State &St, Construct &C, const ASTContext &Ctx, Declarations &Decls, const dvm_clause &Cl, const dvm_ref &R) {
  const VarDecl *V = C.Ops.variable(R.name);
  bool Across = Cl.kind == DVM_CL_ACROSS;
  std::string Edges = V ? edgesText(C, Ctx, Decls, V, R) : "";
  if (Edges.empty())
    return false;
  if (!Across) {
    St.remark(C.Dir.loc(R.name), "shadow", "shadow edges of " + quoted(V) + " are renewed before the loop: " + Edges);
    return true;
  }
  int64_t Stages = 0;
  for (unsigned I = 0; I < C.Dir.D->nclauses; ++I)
    if (const dvm_clause &S = C.Dir.D->clauses[I]; S.kind == DVM_CL_STAGE && S.nexprs)
      C.Ops.constant(S.exprs[0], Stages);
  std::string How = C.Sides != 'a' || C.Loops.size() < 2 ? "the ranks work one after another"
                    : Stages > 0                         ? ("the ranks work in " + Twine(Stages) + " stages").str()
                                                         : "the ranks work in 8 stages, or in as many as they are";
  St.remark(C.Dir.loc(R.name), "across",
            "old values of " + quoted(V) + " come before the loop, new ones go from rank to rank while it runs: " + Edges + "; " + How);
  return true;
}

// "'B[k][]'": what of an array is fetched.
static bool remarkRemote(const State &St, Construct &C, const ASTContext &Ctx, const dvm_ref &R) {
  const VarDecl *V = C.Ops.variable(R.name);
  bool Parallel = C.Dir.D->kind == DVM_DIR_PARALLEL, Affine = false, All = true;
  if (!V)
    return false;
  std::optional<uint64_t> Bytes = bytesOf(Ctx, V);
  Shape S = shapeOf(Ctx, V->getType());
  for (unsigned I = 0; I < R.naxes && I < S.rank(); ++I) {
    const dvm_axis &A = R.axes[I];
    bool One = A.kind != DVM_AXIS_EMPTY && A.kind != DVM_AXIS_RANGE, Moves = A.kind == DVM_AXIS_AFFINE || (One && A.affine);
    All &= !One;
    Affine |= Moves && Parallel;
    uint64_t Extent = extentOf(Ctx, S.Dims[I]);
    if (One && Bytes && Extent)
      *Bytes /= Extent;
    else if (One)
      Bytes = std::nullopt;
  }
  std::string What = All ? "all of " + quoted(V) : "'" + C.Dir.text(R.whole) + "'";
  const char *When = Parallel ? "before the loop" : "before the block";
  if (Affine)
    St.remark(C.Dir.loc(R.name), "remote", "of " + What + " each rank fetches what its iterations use, " + When);
  else
    St.remark(C.Dir.loc(R.name), "remote", What + " goes to each rank that does not have it, " + When + ": " + bytesText(Bytes));
  return true;
}

static bool remarkReduction(const State &St, Construct &C, const ASTContext &Ctx, const dvm_clause &Cl, const dvm_reduction &R) {
  const Expr *E = C.Ops.lvalue(R.var);
  if (!E || E->getType()->isIncompleteType())
    return false;
  uint64_t Bytes = Ctx.getTypeSizeInChars(E->getType()).getQuantity();
  std::string When = Cl.group ? "between 'reduction_start' and 'reduction_wait' of '" + C.Dir.text(Cl.group) + "'" : "after the loop";
  St.remark(C.Dir.loc(R.op_token), "reduction",
            "the ranks' parts of '" + C.Dir.text(R.var) + "' are combined " + When + ": " + dvm_reduction_name(R.op) + ", " +
                bytesText(Bytes));
  return true;
}

static bool remarkClause(const State &St, Construct &C, const ASTContext &Ctx, Declarations &Decls, const dvm_clause &Cl) {
  bool Any = false;
  for (const dvm_ref &R : ArrayRef(Cl.refs, Cl.nrefs)) {
    if (Cl.kind == DVM_CL_SHADOW_RENEW || Cl.kind == DVM_CL_ACROSS)
      Any |= remarkEdges(St, C, Ctx, Decls, Cl, R);
    if (Cl.kind == DVM_CL_REMOTE_ACCESS)
      Any |= remarkRemote(St, C, Ctx, R);
  }
  for (const dvm_reduction &R : ArrayRef(Cl.reductions, Cl.nreductions))
    Any |= remarkReduction(St, C, Ctx, Cl, R);
  if (Cl.kind == DVM_CL_SHADOW_START || Cl.kind == DVM_CL_SHADOW_WAIT) {
    bool Start = Cl.kind == DVM_CL_SHADOW_START;
    St.remark(C.Dir.loc(Cl.word), "shadow",
              "the edges of the group '" + C.Dir.text(Cl.group) + (Start ? "' are sent after the loop" : "' have come before the loop"));
    Any = true;
  }
  return Any;
}

void Rewriter::remarkConstruct(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  bool Any = false;
  if (St.Opts.Remarks.empty() || !St.Opts.Parallel || (D.kind != DVM_DIR_PARALLEL && D.kind != DVM_DIR_REMOTE_ACCESS))
    return;
  if (D.kind == DVM_DIR_PARALLEL && !D.has_target) {
    St.remark(C.Dir.Start, "replicated", "each rank executes all iterations: there is no 'on'");
    return;
  }
  for (const dvm_clause &Cl : ArrayRef(D.clauses, D.nclauses))
    Any |= remarkClause(St, C, Ctx, Decls, Cl);
  for (const dvm_ref &R : ArrayRef(D.refs, D.kind == DVM_DIR_REMOTE_ACCESS ? D.nrefs : 0))
    Any |= remarkRemote(St, C, Ctx, R);
  if (!Any)
    St.remark(C.Dir.Start, "nothing", "each rank executes the iterations of its part; nothing is sent");
}

void Rewriter::remarkAlone(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  auto Name = [&](unsigned I) { return "'" + C.Dir.text(D.refs[I].name) + "'"; };
  if (St.Opts.Remarks.empty() || !St.Opts.Parallel)
    return;
  switch (D.kind) {
  case DVM_DIR_REDISTRIBUTE:
  case DVM_DIR_REALIGN: {
    const VarDecl *V = C.Ops.variable(D.subject);
    if (!V)
      return;
    if (D.new_value)
      St.remark(C.Dir.Start, "nothing", "of " + quoted(V) + " nothing is sent: its values are new");
    else if (isTemplateVar(V))
      St.remark(C.Dir.Start, "redistribute", "all arrays that are aligned with " + quoted(V) + " move");
    else
      St.remark(C.Dir.Start, "redistribute",
                quoted(V) + " and all that is aligned with it moves, as far as it will lie on another rank: up to " +
                    bytesText(bytesOf(Ctx, V)));
    return;
  }
  case DVM_DIR_ARRAY_COPY:
    if (D.nrefs > 1)
      St.remark(C.Dir.Start, "copy", "elements of " + Name(1) + " go to the ranks that have those of " + Name(0));
    return;
  case DVM_DIR_SHADOW_START:
    St.remark(C.Dir.Start, "shadow",
              "the edges of the group '" + C.Dir.text(D.subject) + "' are sent; what comes is waited for by 'shadow_wait'");
    return;
  case DVM_DIR_REDUCTION_START:
    St.remark(C.Dir.Start, "reduction", "the results of the group '" + C.Dir.text(D.subject) + "' are sent, one message each");
    return;
  default: return;
  }
}
