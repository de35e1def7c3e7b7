// Calls of 'dvmmx<N>' become marks of directives, with the texts that the run
// time reads.
#include "Writer.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "pass/markers.h"
#include "runtime/site_text.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DJB.h"

using namespace dvmf;

const Mark *dvmf::markOf(fir::CallOp Call, const Model &Mo) {
  auto Callee = Call.getCallee();
  if (!Callee)
    return nullptr;
  llvm::StringRef Name = Callee->getRootReference().getValue();
  unsigned Number;
  if (!Name.consume_front(std::string("_QP") + CallPrefix) || Name.getAsInteger(10, Number))
    return nullptr;
  for (const Mark &M : Mo.Main.P->Marks)
    if (M.Number == Number)
      return &M;
  return nullptr;
}

// ---- marks
// -------------------------------------------------------------------------------------------------------------------

bool Writer::taskArray(Site &T, const std::string &Name) {
  for (const Mark &Other : Mo.Main.P->Marks)
    if (Other.K == MarkKind::Declare && Other.Array.IsTask && Other.Unit == M.Unit && lower(Other.Array.Name) == lower(Name)) {
      T.add(Other.Array.Name + " ").pointer(templateAddress(Name));
      return true;
    }
  error("'" + Name + "' is not a task array of this program unit (TASK declares one)");
  return false;
}

// Processors or a task; of a declaration, processors of other units say nothing.
void Writer::onto(Site &T, const Ref &R, bool Required) {
  const ArrayInfo *Info = nullptr;
  std::vector<Num> Lower, Extent;
  if (!templateSizes(R.Name, Lower, Extent, &Info) || !(Info->IsProcessors || Info->IsTask)) {
    if (Required)
      error("'" + R.Name +
            "' is neither an arrangement of processors nor a task array of this program unit (PROCESSORS and TASK declare them)");
    return;
  }
  T.key(DVMRT_DIRECTIVE_ONTO).add(Info->Name + " ").pointer(templateAddress(R.Name));
  axes(T, R);
}

void Writer::enter(Construct &C) {
  const Directive &D = *M.D;
  Site T(E);
  const bool Parallel = D.K == DirectiveKind::Parallel;
  const char *const Kind = Parallel                             ? "parallel "
                           : D.K == DirectiveKind::TaskRegion   ? "task_region "
                           : D.K == DirectiveKind::On           ? "on "
                           : D.K == DirectiveKind::Region       ? "region "
                           : D.K == DirectiveKind::HostSection  ? "host_section "
                           : D.K == DirectiveKind::Asynchronous ? "asynchronous "
                                                                : "remote_access ";
  T.key(DVMRT_ANY_KIND).add(Kind).add(int64_t(M.Construct));
  T.key(DVMRT_ANY_LANGUAGE).add(sentinelOf(*Mo.Main.P));
  T.key(DVMRT_DIRECTIVE_FUNCTION).add(std::to_string(uint64_t(M.Function.Line) << 32 | llvm::djbHash(Mo.Main.Name)));
  T.place(M.File.empty() ? Mo.Main.Name : M.File, M.At);
  if (Parallel) {
    T.key(DVMRT_DIRECTIVE_NAMES).add(int64_t(M.Indices.size()));
    for (const std::string &I : M.Indices)
      T.add(" " + I);
    T.key(DVMRT_DIRECTIVE_LOOP).add(M.Loop.Line).add(" ").add(M.Loop.Column);
    T.key(DVMRT_DIRECTIVE_STEPS);
    for (size_t I = 0; I < M.Indices.size(); ++I)
      T.add((I ? " " : "") + (I < M.Steps.size() ? M.Steps[I] : std::string("*")));
  }
  if (D.K == DirectiveKind::TaskRegion)
    taskArray(T.key(DVMRT_DIRECTIVE_TEMPLATE), D.Group);
  if (D.Target) {
    T.key(DVMRT_DIRECTIVE_ON);
    if (D.K == DirectiveKind::On)
      taskArray(T, D.Target->Name);
    else
      ref(T, D.Target->Name);
    axes(T, *D.Target);
  }
  bool Groups = false, RemoteGroups = false;
  for (const Clause &Cl : D.Clauses) {
    Groups |= (!Cl.Reductions.empty() || Cl.K == ClauseKind::Consistent) && !Cl.Group.empty();
    RemoteGroups |= Cl.K == ClauseKind::Remote && !Cl.Group.empty();
  }
  for (const Clause &Cl : D.Clauses) {
    if (RemoteGroups && Cl.K == ClauseKind::Remote)
      T.key(DVMRT_DIRECTIVE_REMOTE_GROUP).add(Cl.Group.empty() ? "-" : lower(Cl.Group));
    clause(T, Cl, Groups);
    if (Cl.K == ClauseKind::Remote)
      for (const Ref &R : Cl.Refs)
        if (Variable *V = variable(R.Name))
          C.RemoteUnique.insert(V->Unique);
  }
  C.Enter = &M;
  C.EnterAt = Call;
  C.Text = T.T;
  C.Args = T.Args;
}

void Writer::finish(const char *Marker, Site &T) {
  llvm::SmallVector<mlir::Value, 8> Args{E.text(T.T)};
  Args.append(T.Args.begin(), T.Args.end());
  E.call(std::string(Marker) + "." + std::to_string(M.Number), {}, Args);
}

void Writer::direct() {
  static const struct {
    DirectiveKind K;
    const char *Name;
  } Names[] = {{DirectiveKind::ShadowAdd, "shadow_add"},
               {DirectiveKind::ShadowGroup, "shadow_group"},
               {DirectiveKind::ShadowStart, "shadow_start"},
               {DirectiveKind::ShadowWait, "shadow_wait"},
               {DirectiveKind::ReductionStart, "reduction_start"},
               {DirectiveKind::ReductionWait, "reduction_wait"},
               {DirectiveKind::Prefetch, "remote_start"},
               {DirectiveKind::Reset, "remote_reset"},
               {DirectiveKind::ConsistentStart, "consistent_start"},
               {DirectiveKind::ConsistentWait, "consistent_wait"},
               {DirectiveKind::CopyBegin, "copy_begin"},
               {DirectiveKind::CopyTo, "copy_to"},
               {DirectiveKind::CopyFrom, "copy_from"},
               {DirectiveKind::CopyWait, "copy_wait"},
               {DirectiveKind::Redistribute, "redistribute"},
               {DirectiveKind::Realign, "realign"},
               {DirectiveKind::Map, "map"},
               {DirectiveKind::Actual, "actual"},
               {DirectiveKind::GetActual, "get_actual"}};
  const Directive &D = *M.D;
  const char *Name = "";
  for (const auto &Row : Names)
    if (Row.K == D.K)
      Name = Row.Name;
  auto Begin = [&](Site &T) {
    T.key(DVMRT_ANY_KIND).add(Name);
    T.key(DVMRT_ANY_LANGUAGE).add(sentinelOf(*Mo.Main.P));
    T.place(M.File.empty() ? Mo.Main.Name : M.File, M.At);
  };
  if (D.K == DirectiveKind::Redistribute || D.K == DirectiveKind::Realign) {
    for (const Ref &R : D.Refs) {
      Site T(E);
      Begin(T);
      ref(T.key(DVMRT_DIRECTIVE_ARRAY), R.Name);
      if (D.HasDist)
        dists(T, D.Dists);
      if (D.HasAlign)
        align(T, D, R.Name);
      if (D.Onto)
        onto(T, *D.Onto, true);
      if (D.NewValue)
        T.key(DVMRT_DIRECTIVE_NEW_VALUE).add("new_value");
      if (Failed)
        return;
      llvm::SmallVector<mlir::Value, 8> Args{E.text(T.T)};
      Args.append(T.Args.begin(), T.Args.end());
      E.call(std::string(DVMM_DIRECT) + "." + std::to_string(M.Number) + "." + lower(R.Name), {}, Args);
    }
    return;
  }
  Site T(E);
  if (D.K == DirectiveKind::Measure) {
    Name = D.Word == "TRACEON" ? "trace_on" : D.Word == "TRACEOFF" ? "trace_off" : nullptr;
    const std::string Word = Name ? Name : lower(D.Word);
    Name = Word.c_str();
    Begin(T);
    for (const Axis &X : D.Refs[0].Axes)
      (&X == &D.Refs[0].Axes[0] ? T.key(DVMRT_DIRECTIVE_INTERVAL) : T.add(" ")).number(value(X.Add, 0));
    if (!Failed)
      finish(DVMM_DIRECT, T);
    return;
  }
  Begin(T);
  if (D.K == DirectiveKind::Map) {
    if (taskArray(T.key(DVMRT_DIRECTIVE_ON), D.Target->Name))
      axes(T, *D.Target);
    onto(T, *D.Onto, true);
    if (!Failed)
      finish(DVMM_DIRECT, T);
    return;
  }
  const bool Edges = D.K == DirectiveKind::ShadowAdd;
  const bool Copies = D.K == DirectiveKind::CopyTo || D.K == DirectiveKind::CopyFrom;
  const bool Regions = D.K == DirectiveKind::Actual || D.K == DirectiveKind::GetActual, Sections = Copies || Regions;
  if (!Regions && !Edges)
    T.key(DVMRT_DIRECTIVE_GROUP).add(lower(D.Group));
  for (const Ref &R : D.Refs)
    if (Sections) {
      ref(T.key(DVMRT_DIRECTIVE_ARRAY), R.Name);
      axes(T, R);
    } else if (Edges) {
      ref(T.key(DVMRT_DIRECTIVE_ARRAY), R.Name);
      if (&R == &D.Refs[0])
        edgeRule(T, D);
    }
  if (D.K == DirectiveKind::ShadowGroup)
    for (const Ref &R : D.Refs)
      edge(T, DVMRT_DIRECTIVE_RENEW, R);
  if (!Failed)
    finish(DVMM_DIRECT, T);
}

bool Writer::declaredElsewhere(const Variable &V) const {
  if (V.Dummy && !(V.Indirect && M.Allocated && M.Array.Placed))
    return true; // it is what the caller has distributed, until it is allocated here
  return V.Indirect != M.Allocated; // told where it is allocated
}

void Writer::declare() {
  const ArrayInfo &A = M.Array;
  Variable *V = A.Template ? nullptr : variable(A.Name);
  if (!A.Template && !V)
    return error("'" + A.Name + "' is not an array of this program unit");
  if (V && declaredElsewhere(*V))
    return;
  Site T(E);
  T.key(DVMRT_ANY_KIND).add(A.IsTask ? "task" : A.IsProcessors ? "processors" : A.Template ? "template" : "array");
  T.key(DVMRT_ANY_LANGUAGE).add(sentinelOf(*Mo.Main.P));
  T.place(M.File.empty() ? Mo.Main.Name : M.File, M.At);
  if (V) {
    if (!V->Rank)
      return error("'" + A.Name + "' is not an array");
    ref(T.key(DVMRT_DIRECTIVE_ARRAY), A.Name, true);
  } else {
    std::vector<Num> Lower, Extent;
    const ArrayInfo *Info;
    templateSizes(A.Name, Lower, Extent, &Info);
    T.key(DVMRT_DIRECTIVE_TEMPLATE).add(A.Name + " ").pointer(templateAddress(A.Name)).add(" ").add(int64_t(Extent.size()));
    for (size_t I = Extent.size(); I-- > 0;)
      T.add(" ").number(Extent[I]);
    lowerBounds(T, Lower);
    if (A.Common)
      T.key(DVMRT_DIRECTIVE_VISIBLE);
  }
  if (A.Placed && A.Placed->HasDist && !A.Placed->Dists.empty()) {
    if (V && A.Placed->Dists.size() != V->Rank)
      return error("'" + A.Name + "' has " + std::to_string(V->Rank) + (V->Rank == 1 ? " dimension" : " dimensions") +
                   ", but DISTRIBUTE gives " + std::to_string(A.Placed->Dists.size()));
    dists(T, A.Placed->Dists);
  }
  if (A.Placed && A.Placed->Target)
    align(T, *A.Placed, A.Name);
  if (A.Onto)
    onto(T, *A.Onto, false);
  if (A.Shadowed) {
    if (V && A.Shadowed->Widths.size() != V->Rank)
      return errorAt(A.ShadowAt, A.ShadowFile,
                     "'" + A.Name + "' has " + std::to_string(V->Rank) + (V->Rank == 1 ? " dimension" : " dimensions") +
                         ", but SHADOW gives " + std::to_string(A.Shadowed->Widths.size()));
    widths(T, A.Shadowed->Widths);
  }
  if (A.Dynamic)
    T.key(DVMRT_DIRECTIVE_DYNAMIC);
  if (M.Sourced)
    T.key(DVMRT_DIRECTIVE_INIT);
  if (!Failed)
    finish(DVMM_DIRECT, T);
}

// The call and the temporaries that it was given.
void Writer::erase() {
  llvm::SmallVector<mlir::Operation *, 8> Temporaries;
  for (mlir::Value V : Call.getOperands())
    if (auto A = V.getDefiningOp<hlfir::AssociateOp>())
      Temporaries.push_back(A);
  Call.erase();
  for (mlir::Operation *A : Temporaries) {
    llvm::SmallSetVector<mlir::Operation *, 2> Ends(A->user_begin(), A->user_end()); // each uses two of its results
    for (mlir::Operation *End : Ends)
      End->erase();
    A->erase();
  }
}

// ---- a function
// --------------------------------------------------------------------------------------------------------------

static mlir::Value address(Emitter &E, Model &Mo, const Mark &M, fir::CallOp Call, const std::string &Name, Variable *&V,
                           std::vector<Complaint> &Complaints) {
  Writer W(Mo, M, Call, Complaints);
  V = W.variable(Name);
  return V ? Mo.base(E, *V) : mlir::Value();
}

static void lowerIter(Model &Mo, const Mark &M, fir::CallOp Call, Constructs &Known, const MarkOptions &O,
                      std::vector<Complaint> &Complaints) {
  Writer W(Mo, M, Call, Complaints);
  Emitter &E = W.E;
  llvm::SmallVector<mlir::Value, 8> Args{E.value(Num::of(M.Construct)), E.value(Num::of(int64_t(M.Indices.size())))};
  Construct &C = Known[M.Construct];
  C.IndexUnique.clear();
  C.Indices.clear();
  for (const std::string &Name : M.Indices) {
    Variable *V;
    mlir::Value Base = address(E, Mo, M, Call, Name, V, Complaints);
    if (!V)
      return W.error("'" + Name + "' is not a variable");
    C.IndexUnique.push_back(V->Unique);
    C.Indices.push_back(V);
    Args.push_back(Base);
    Args.push_back(E.value(Num::of(-int64_t(V->Bytes))));
  }
  if ((O.Parallel || O.Trace) && M.D->K == DirectiveKind::Parallel && M.D->Target)
    C.Shared = sharedBy(Mo, Call, C);
  if (!O.Parallel || O.Count)
    E.call(std::string(DVMM_ITER) + "." + std::to_string(M.Number), {}, Args);
  W.erase();
}

static bool isStep(fir::CallOp Call) {
  auto Callee = Call.getCallee();
  return Callee && Callee->getRootReference().getValue() == "_FortranAArgumentCount";
}

// What alone the checks know: ranks have the values at once.
static bool isChecked(const Directive &D) {
  switch (D.K) {
  case DirectiveKind::CopyBegin:
  case DirectiveKind::CopyTo:
  case DirectiveKind::CopyFrom:
  case DirectiveKind::CopyWait:
  case DirectiveKind::ConsistentStart:
  case DirectiveKind::ConsistentWait: return true;
  default: return false;
  }
}

void dvmf::lowerDirectives(mlir::func::FuncOp F, Model &Mo, Constructs &Known, const MarkOptions &O, std::vector<Complaint> &Complaints) {
  llvm::SmallVector<std::pair<fir::CallOp, const Mark *>, 8> Calls;
  const Mark *Pending = nullptr;
  F.walk<mlir::WalkOrder::PreOrder>([&](fir::CallOp Call) {
    if (const Mark *M = markOf(Call, Mo)) {
      Calls.push_back({Call, M});
      if (M->K == MarkKind::Enter)
        Pending = M;
      return;
    }
    std::string File;
    Position P;
    if (Pending && isStep(Call) && Mo.position(Call.getLoc(), File, P) && File == Mo.Main.Path && P.Line == Pending->Line) {
      Calls.push_back({Call, Pending});
      Pending = nullptr;
    }
  });
  for (auto &[Call, M] : Calls) {
    if (isStep(Call)) {
      Known[M->Construct].EnterAt = Call; // the condition; its arguments were evaluated before
      continue;
    }
    Writer W(Mo, *M, Call, Complaints);
    W.O = O;
    switch (M->K) {
    case MarkKind::Enter: {
      Construct &C = Known[M->Construct];
      W.enter(C);
      C.FirstLine = M->FirstLine;
      C.LastLine = M->LastLine;
      W.erase();
      break;
    }
    case MarkKind::Leave:
      W.E.call(DVMM_LEAVE, {}, {W.E.value(Num::of(M->Construct))});
      W.erase();
      break;
    case MarkKind::Row:
      if (!O.Parallel || O.Count)
        W.E.call(DVMM_ROW, {}, {W.E.value(Num::of(M->Construct))});
      W.erase();
      break;
    case MarkKind::Iter: lowerIter(Mo, *M, Call, Known, O, Complaints); break;
    case MarkKind::Direct:
      if (!(O.Parallel || O.Trace) || !isChecked(*M->D))
        W.direct();
      W.erase();
      break;
    case MarkKind::Declare:
      W.declare();
      W.erase();
      break;
    case MarkKind::RuleOver:
    case MarkKind::RuleNext:
    case MarkKind::RuleGive:
    case MarkKind::RuleEnd:
      W.rule();
      W.erase();
      break;
    }
  }
}

void dvmf::findDistributed(mlir::ModuleOp M, Model &Mo) {
  M.walk([&](fir::CallOp Call) {
    const Mark *K = markOf(Call, Mo);
    if (!K || K->K != MarkKind::Declare || K->Array.Template)
      return;
    std::vector<Complaint> Ignored;
    Writer W(Mo, *K, Call, Ignored);
    if (Variable *V = W.variable(K->Array.Name))
      Mo.Distributed.insert(V->Unique);
  });
}
