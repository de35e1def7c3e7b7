// Calls of 'dvmmx<N>' become marks of directives, with the texts that the run
// time reads.
#include "Mark.h"
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

namespace {
struct Writer {
  Model &Mo;
  const Mark &M;
  fir::CallOp Call;
  Emitter E;
  std::vector<Complaint> &Complaints;
  bool Failed = false;
  MarkOptions O; // where rules are to be counted through

  Writer(Model &Mo, const Mark &M, fir::CallOp Call, std::vector<Complaint> &C) : Mo(Mo), M(M), Call(Call), E(Call), Complaints(C) {}

  mlir::Value argument(int I);
  Variable *variable(const std::string &Name);
  Num value(const std::string &Text, int64_t Otherwise);
  void error(const std::string &Text) {
    Complaints.push_back({true, M.At, Text, "", M.File});
    Failed = true;
  }

  void ref(Site &T, const std::string &Name, bool WithLower = false);
  void axis(Site &T, const Axis &X, const Num &Lower, const std::vector<Num> *NameLower);
  void axes(Site &T, const Ref &R, const std::vector<Num> *NameLower = nullptr);
  void widths(Site &T, const std::vector<Width> &W);
  void edge(Site &T, char Key, const Ref &R);
  void dists(Site &T, const std::vector<Dist> &D);
  void edgeRule(Site &T, const Directive &D);
  void align(Site &T, const Directive &D, const std::string &Array);
  void variableText(Site &T, const std::string &Name, bool Bytes, const std::string &Length = "");
  void clause(Site &T, const Clause &C, bool Groups);
  bool templateSizes(const std::string &Name, std::vector<Num> &Lower, std::vector<Num> &Extent, const ArrayInfo **Info);
  mlir::Value templateAddress(const std::string &Name);
  std::vector<Num> lowers(const std::string &Name);

  bool taskArray(Site &T, const std::string &Name);
  void onto(Site &T, const Ref &R, bool Required);
  void enter(Construct &C);
  void direct();
  void declare();
  bool declaredElsewhere(const Variable &V) const;
  bool counts() const;
  mlir::Value local(const std::string &Name);
  void store(mlir::Value V, const std::string &Name);
  mlir::Operation *callRule(const char *Name, mlir::Type Result, llvm::ArrayRef<mlir::Value> Args);
  void rule();
  void ruleOver();
  void ruleNext();
  void ruleGive();
  void finish(const char *Marker, Site &T);
  void erase();
};
} // namespace

// What the call's argument was before it was put into a temporary.
mlir::Value Writer::argument(int I) {
  mlir::Value V = Call.getOperand(unsigned(I));
  while (mlir::Operation *D = V.getDefiningOp()) {
    if (mlir::isa<hlfir::AssociateOp, hlfir::NoReassocOp>(D))
      V = D->getOperand(0);
    else
      break;
  }
  return V;
}

Variable *Writer::variable(const std::string &Name) {
  const int I = M.find(true, Name);
  if (I < 0)
    return nullptr;
  hlfir::DeclareOp D = Mo.rootOf(argument(I));
  return D ? Mo.of(D) : nullptr;
}

Num Writer::value(const std::string &Text, int64_t Otherwise) {
  if (Text.empty())
    return Num::of(Otherwise);
  const int I = M.find(false, Text);
  if (I < 0)
    return Num::of(Otherwise);
  mlir::Value V = argument(I);
  if (fir::isa_ref_type(V.getType()))
    V = E.B.create<fir::LoadOp>(E.L, V);
  if (!mlir::isa<mlir::IntegerType, mlir::IndexType>(V.getType())) {
    error("expected an integer expression, found '" + Text + "'");
    return Num::of(Otherwise);
  }
  return E.number(V);
}

// ---- templates: they have no variable, so they get a word of static memory
// ----------------------------------------------------

static std::string templateSymbol(const Mark &M, const std::string &Name) { return "dvm.template." + M.Unit + "." + lower(Name); }

mlir::Value Writer::templateAddress(const std::string &Name) {
  const std::string Symbol = templateSymbol(M, Name);
  fir::FirOpBuilder FB(E.B, E.M);
  FB.setInsertionPoint(Call);
  auto Global = FB.getNamedGlobal(Symbol);
  if (!Global)
    Global = FB.createGlobal(
        E.L, E.word(), Symbol, false, false,
        [&](fir::FirOpBuilder &In) { In.create<fir::HasValueOp>(E.L, In.createIntegerConstant(E.L, In.getI64Type(), 0)); },
        FB.createInternalLinkage());
  return E.toPointer(E.B.create<fir::AddrOfOp>(E.L, Global.resultType(), Global.getSymbol()));
}

// The template of that name in this unit; its sizes are operands of its own
// declaration alone, elsewhere only constants are known.
bool Writer::templateSizes(const std::string &Name, std::vector<Num> &Lower, std::vector<Num> &Extent, const ArrayInfo **Info) {
  for (const Mark &Other : Mo.Main.P->Marks) {
    if (Other.K != MarkKind::Declare || !Other.Array.Template || Other.Unit != M.Unit || lower(Other.Array.Name) != lower(Name))
      continue;
    *Info = &Other.Array;
    for (const Axis &X : Other.Array.Template->Axes) {
      auto Literal = [&](const std::string &T, int64_t Otherwise) {
        long long N;
        return T.empty() ? Num::of(Otherwise) : llvm::StringRef(T).trim().getAsInteger(10, N) ? value(T, Otherwise) : Num::of(N);
      };
      const bool Range = X.K == Axis::Range;
      Num Low = Range ? Literal(X.Coef, 1) : Num::of(1);
      Num High = Literal(X.Add, 0);
      Lower.push_back(Low);
      Extent.push_back(E.add(E.sub(High, Low), Num::of(1)));
    }
    return true;
  }
  return false;
}

std::vector<Num> Writer::lowers(const std::string &Name) {
  if (Variable *V = variable(Name))
    return Mo.shape(E, *V).Lower;
  std::vector<Num> Lower, Extent;
  const ArrayInfo *Info;
  templateSizes(Name, Lower, Extent, &Info);
  return Lower;
}

// ---- pieces of texts
// ---------------------------------------------------------------------------------------------------------

static void lowerBounds(Site &T, const std::vector<Num> &Lower) {
  T.key(DVMRT_DIRECTIVE_LOWER);
  for (size_t I = Lower.size(); I-- > 0;) {
    T.number(Lower[I]);
    if (I)
      T.add(" ");
  }
}

// "A af8 & 8 2 100 100": the run time has the dimensions in the order of C.
void Writer::ref(Site &T, const std::string &Name, bool WithLower) {
  Variable *V = variable(Name);
  if (!V) {
    std::vector<Num> Lower, Extent;
    const ArrayInfo *Info;
    if (!templateSizes(Name, Lower, Extent, &Info)) {
      error("'" + Name + "' is neither an array nor a template of this program unit");
      return;
    }
    T.add(Info->Name + " t ").pointer(templateAddress(Name)).add(" 0 0");
    return;
  }
  if (V->Kind.empty())
    return error("'" + Name + "' is of a type that the directives do not take in this version of dvmfc");
  const Shape S = variableRef(E, Mo, T, *V, Name);
  if (WithLower)
    lowerBounds(T, S.Lower);
}

// 'Lower': of the target's dimension; 'NameLower': of the array's dimensions
// that the indices stand for, if they are no variables.
void Writer::axis(Site &T, const Axis &X, const Num &Lower, const std::vector<Num> *NameLower) {
  T.key(DVMRT_DIRECTIVE_AXIS);
  switch (X.K) {
  case Axis::Empty: T.add("e"); break;
  case Axis::Value: T.add("c").number(E.sub(value(X.Add, 0), Lower)); break;
  case Axis::Affine: {
    Num Coef = value(X.Coef, 1), Add = E.sub(value(X.Add, 0), Lower);
    int64_t Index = X.Index;
    if (NameLower) {
      if (size_t(X.Index) < NameLower->size())
        Add = E.add(Add, E.mul(Coef, (*NameLower)[size_t(X.Index)]));
      Index = int64_t(NameLower->size()) - 1 - X.Index; // reversed
    }
    T.add("a").add(Index).add(":").number(Coef).add(":").number(Add);
    break;
  }
  case Axis::Range:
    T.add("r").number(X.Coef.empty() ? Num::of(0) : E.sub(value(X.Coef, 1), Lower)).add(":");
    if (X.Add.empty())
      T.add("*");
    else
      T.number(E.sub(value(X.Add, 0), Lower));
    break;
  case Axis::Other: T.add("o"); break;
  }
}

void Writer::axes(Site &T, const Ref &R, const std::vector<Num> *NameLower) {
  const std::vector<Num> Lower = lowers(R.Name);
  if (!R.Axes.empty() && !Lower.empty() && Lower.size() != R.Axes.size())
    error("'" + R.Name + "' has " + std::to_string(Lower.size()) + (Lower.size() == 1 ? " dimension" : " dimensions") + ", but is given " +
          std::to_string(R.Axes.size()) + " subscript" + (R.Axes.size() == 1 ? "" : "s"));
  for (size_t I = R.Axes.size(); I-- > 0;)
    axis(T, R.Axes[I], I < Lower.size() ? Lower[I] : Num::of(1), NameLower);
}

void Writer::widths(Site &T, const std::vector<Width> &W) {
  T.key(DVMRT_DIRECTIVE_WIDTHS);
  for (size_t I = W.size(); I-- > 0;) {
    T.number(value(W[I].Low, 0)).add(":").number(value(W[I].High, 0));
    if (I)
      T.add(" ");
  }
}

void Writer::edge(Site &T, char Key, const Ref &R) {
  Variable *V = variable(R.Name);
  if (V && !R.Widths.empty() && R.Widths.size() != V->Rank)
    error("'" + R.Name + "' has " + std::to_string(V->Rank) + " dimensions, but is given " + std::to_string(R.Widths.size()) + " widths");
  for (size_t I = 0; I < std::max<size_t>(1, R.Edges.size()); ++I) {
    ref(T.key(Key), R.Name, Key == DVMRT_DIRECTIVE_ACROSS); // arrays without a directive have no lower bounds elsewhere
    widths(T, R.Widths);
    if (!R.Edges.empty())
      T.add(" named");
    if (R.Corner)
      T.add(" corner");
    if (R.Out)
      T.add(" out");
    if (!R.Edges.empty())
      T.key(DVMRT_DIRECTIVE_EDGE).add(R.Edges[I]);
  }
}

void Writer::dists(Site &T, const std::vector<Dist> &D) {
  T.key(DVMRT_DIRECTIVE_DISTRIBUTION);
  for (size_t I = D.size(); I-- > 0;) {
    const Dist &X = D[I];
    T.add(X.Kind);
    if (X.Kind == "multblock" || (X.How && counts())) {
      T.add(",").number(value(X.Arg, 1));
    } else if (X.Kind == "genblock" || X.Kind == "wgtblock" || X.Kind == "indirect") {
      Variable *V = variable(X.Arg);
      if (!V)
        return error("'" + X.Arg + "' is not an array of this program unit");
      Shape S = Mo.shape(E, *V);
      T.add(",").pointer(Mo.base(E, *V));
      int64_t Count = 1;
      for (const Num &N : S.Extent)
        Count = N.C && *N.C > 0 ? Count * *N.C : 0;
      T.add("," + std::to_string(Count) + "," + V->Kind);
      if (X.Kind == "wgtblock")
        T.add(",").number(value(X.Arg2, 1));
    }
    if (I)
      T.add(" ");
  }
}

// Of SHADOW_ADD: one dimension of its array or template has a rule.
void Writer::edgeRule(Site &T, const Directive &D) {
  const std::string &Name = D.Refs[0].Name;
  const size_t Rank = lowers(Name).size();
  if (Rank && Rank != D.Dists.size())
    return error("'" + Name + "' has " + std::to_string(Rank) + (Rank == 1 ? " dimension" : " dimensions") + ", but SHADOW_ADD gives " +
                 std::to_string(D.Dists.size()));
  dists(T, D.Dists);
  T.key(DVMRT_DIRECTIVE_EDGE).add(D.Group);
}

void Writer::align(Site &T, const Directive &D, const std::string &Array) {
  std::vector<Num> Lower = lowers(Array);
  ref(T.key(DVMRT_DIRECTIVE_ALIGN), D.Target->Name);
  if (!Lower.empty() && Lower.size() != D.Names.size())
    error("'" + Array + "' has " + std::to_string(Lower.size()) + " dimensions, but ALIGN gives " + std::to_string(D.Names.size()));
  Lower.resize(D.Names.size(), Num::of(1));
  // ':' stands for an offset from the beginning, a name for the subscript
  // itself.
  Ref Target = *D.Target;
  const std::vector<Num> TargetLower = lowers(Target.Name);
  for (size_t I = Target.Axes.size(); I-- > 0;) {
    Axis &X = Target.Axes[I];
    const Num Low = I < TargetLower.size() ? TargetLower[I] : Num::of(1);
    const bool Colon = X.K == Axis::Affine && size_t(X.Index) < D.Names.size() && D.Names[size_t(X.Index)][0] == ':';
    if (Colon)
      T.key(DVMRT_DIRECTIVE_AXIS).add("a").add(int64_t(D.Names.size()) - 1 - X.Index).add(":1:0");
    else
      axis(T, X, Low, &Lower);
  }
  T.key(DVMRT_DIRECTIVE_NAMES).add(int64_t(D.Names.size()));
  for (size_t I = D.Names.size(); I-- > 0;)
    T.add(" ").add(D.Names[I][0] == ':' ? "i" + std::to_string(I) : D.Names[I]);
}

// 'Length': how many of its elements; empty: all.
void Writer::variableText(Site &T, const std::string &Name, bool Bytes, const std::string &Length) {
  Variable *V = variable(Name);
  if (!V)
    return error("'" + Name + "' is not a variable of this program unit");
  if (V->Kind.empty())
    return error("'" + Name +
                 "' is of a type that the directives do not take in this "
                 "version of dvmfc");
  T.add(V->Name + " ").pointer(Mo.base(E, *V)).add(" ");
  Num Count = Num::of(1);
  for (const Num &N : Mo.shape(E, *V).Extent)
    Count = E.mul(Count, N);
  if (!Length.empty()) {
    const Num Given = value(Length, 1);
    if (Given.C && *Given.C < 1)
      return error("a location cannot have " + std::to_string(*Given.C) + " elements");
    if (Given.C && Count.C && *Count.C >= 0 && *Given.C > *Count.C)
      return error("'" + Name + "' has " + std::to_string(*Count.C) + (*Count.C == 1 ? " element" : " elements") +
                   ", but the reduction takes " + std::to_string(*Given.C));
    Count = Given;
  }
  if (Bytes)
    T.number(E.mul(Count, Num::of(int64_t(V->Bytes))));
  else
    T.add(int64_t(V->Bytes)).add(" ").number(Count);
  T.add(" " + V->Kind);
}

void Writer::clause(Site &T, const Clause &C, bool Groups) {
  for (const Ref &R : C.Refs) {
    switch (C.K) {
    case ClauseKind::Private:
      if (Variable *V = variable(R.Name); !V || !V->Kind.empty())
        variableText(T.key(DVMRT_DIRECTIVE_PRIVATE), R.Name, true);
      else if (const uint64_t Bytes = storedBytes(V->Element)) {
        Num Count = Num::of(int64_t(Bytes));
        for (const Num &N : Mo.shape(E, *V).Extent)
          Count = E.mul(Count, N);
        T.key(DVMRT_DIRECTIVE_PRIVATE).add(V->Name + " ").pointer(Mo.base(E, *V)).add(" ").number(Count).add(" o");
      }
      break;
    case ClauseKind::Renew: edge(T, DVMRT_DIRECTIVE_RENEW, R); break;
    case ClauseKind::Across: edge(T, DVMRT_DIRECTIVE_ACROSS, R); break;
    case ClauseKind::Remote:
      ref(T.key(DVMRT_DIRECTIVE_REMOTE), R.Name);
      axes(T, R);
      break;
    case ClauseKind::Consistent:
      if (Groups)
        T.key(DVMRT_DIRECTIVE_GROUP).add(C.Group.empty() ? "-" : lower(C.Group));
      variableText(T.key(DVMRT_DIRECTIVE_CONSISTENT), R.Name, true);
      break;
    case ClauseKind::Compute: edge(T, DVMRT_DIRECTIVE_RECOMPUTE, R); break;
    case ClauseKind::Region:
      ref(T.key(DVMRT_DIRECTIVE_REGION).add(C.Group + " "), R.Name);
      axes(T, R);
      break;
    default: break;
    }
  }
  if (!C.Reductions.empty() && Groups)
    T.key(DVMRT_DIRECTIVE_GROUP).add(C.Group.empty() ? "-" : lower(C.Group));
  for (const Reduction &R : C.Reductions) {
    Variable *V = variable(R.Var);
    const bool Logical = V && mlir::isa<fir::LogicalType>(V->Element);
    std::string Op = R.Op;
    if ((Op == "and" || Op == "or" || Op == "eqv" || Op == "neqv") && V && !Logical)
      return error("'" + R.Var + "' is not LOGICAL, as the reduction '" + R.Op + "' requires");
    variableText(T.key(DVMRT_DIRECTIVE_REDUCTION).add(Op + " "), R.Var, false);
    if (!R.Loc.empty()) {
      T.add(" ");
      variableText(T, R.Loc, false, R.Len);
    }
    if (V && V->Rank && !V->Boxed) {
      Shape S = Mo.shape(E, *V);
      T.key(DVMRT_DIRECTIVE_RESULTS).add(int64_t(V->Rank));
      for (size_t I = S.Extent.size(); I-- > 0;)
        T.add(" ").add(S.Extent[I].C ? *S.Extent[I].C : 0);
    }
  }
  if (C.K == ClauseKind::ShadowStart || C.K == ClauseKind::ShadowWait)
    T.key(DVMRT_DIRECTIVE_SHADOW).add(C.K == ClauseKind::ShadowStart ? "start " : "wait ").add(lower(C.Group));
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
  const char *const Kind = Parallel                            ? "parallel "
                           : D.K == DirectiveKind::TaskRegion  ? "task_region "
                           : D.K == DirectiveKind::On          ? "on "
                           : D.K == DirectiveKind::Region      ? "region "
                           : D.K == DirectiveKind::HostSection ? "host_section "
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
      return error("'" + A.Name + "' has " + std::to_string(V->Rank) + (V->Rank == 1 ? " dimension" : " dimensions") +
                   ", but SHADOW gives " + std::to_string(A.Shadowed->Widths.size()));
    widths(T, A.Shadowed->Widths);
  }
  if (A.Dynamic)
    T.key(DVMRT_DIRECTIVE_DYNAMIC);
  if (!Failed)
    finish(DVMM_DIRECT, T);
}

// ---- rules of DERIVED and SHADOW_ADD: what counts through them is in the run-time library
// ---------------------------------------------------------------------

bool Writer::counts() const { return O.Parallel || (!O.Trace && M.D && M.D->K == DirectiveKind::ShadowAdd); }

// The address of a variable that was inserted.
mlir::Value Writer::local(const std::string &Name) {
  const int I = M.find(true, Name);
  hlfir::DeclareOp D = I < 0 ? hlfir::DeclareOp() : Mo.rootOf(argument(I));
  return D ? D.getResult(1) : mlir::Value();
}

void Writer::store(mlir::Value V, const std::string &Name) {
  mlir::Value To = local(Name);
  if (!To || !fir::isa_ref_type(To.getType()))
    return error("'" + Name + "' cannot be the index of a rule");
  E.B.create<fir::StoreOp>(E.L, E.B.create<fir::ConvertOp>(E.L, fir::unwrapRefType(To.getType()), V), To);
}

mlir::Operation *Writer::callRule(const char *Name, mlir::Type Result, llvm::ArrayRef<mlir::Value> Args) {
  return E.call(std::string(O.Parallel ? "__dvmp_rule_" : "__dvmrt_rule_") + Name, Result, Args);
}

void Writer::ruleOver() {
  const Rule::Index &I = M.R->Indices[M.Level];
  Variable *V = variable(M.R->Target);
  mlir::Value Address = V ? E.toPointer(Mo.base(E, *V)) : templateAddress(M.R->Target);
  const auto Int = [&](int64_t N) { return E.B.create<mlir::arith::ConstantIntOp>(E.L, N, 32).getResult(); };
  if (!M.Level)
    callRule("begin", {}, {});
  callRule("over", {}, {Int(M.Level), Address, Int(int64_t(M.R->Rank) - 1 - I.Dim)});
  for (const std::string &Edge : I.Edges)
    callRule("edge", {}, {Int(M.Level), E.text(Edge)});
}

void Writer::ruleNext() {
  const Rule::Index &I = M.R->Indices[M.Level];
  mlir::Value Level = E.B.create<mlir::arith::ConstantIntOp>(E.L, M.Level, 32), Index = local("dvmmix");
  if (!Index)
    return error("expected a variable, found '" + I.Name + "'");
  mlir::Value Go = callRule("next", E.B.getI32Type(), {Level, E.toPointer(Index)})->getResult(0);
  store(Go, "dvmmgo");
  const std::vector<Num> Lower = lowers(M.R->Target);
  const Num Place = E.number(E.B.create<fir::LoadOp>(E.L, Index));
  store(E.value(E.add(Place, I.Dim < Lower.size() ? Lower[I.Dim] : Num::of(1))), I.Name);
}

void Writer::ruleGive() {
  const std::vector<Num> Lower = lowers(M.Array.Name.empty() ? M.D->Refs[0].Name : M.Array.Name);
  const auto &[Low, High] = M.R->Values[M.Level];
  const Num From = M.Dim < Lower.size() ? Lower[M.Dim] : Num::of(1);
  const Num A = value(Low, 0), B = Low == High ? A : value(High, 0);
  callRule("give", {}, {E.value(E.sub(A, From)), E.value(E.sub(B, From))});
}

void Writer::rule() {
  const size_t Rank = lowers(M.R->Target).size();
  if (Rank != M.R->Rank && M.K == MarkKind::RuleOver && !M.Level)
    return error("'" + M.R->Target + "' has " + std::to_string(Rank) + (Rank == 1 ? " dimension" : " dimensions") +
                 ", but the rule gives it " + std::to_string(M.R->Rank));
  Variable *V = M.Array.Name.empty() || M.Array.Template ? nullptr : variable(M.Array.Name);
  if (!counts() || (V && declaredElsewhere(*V))) {
    if (M.K == MarkKind::RuleNext || M.K == MarkKind::RuleEnd)
      store(E.value(Num::of(0)), M.Operands[0].Text);
    return;
  }
  switch (M.K) {
  case MarkKind::RuleOver: return ruleOver();
  case MarkKind::RuleNext: return ruleNext();
  case MarkKind::RuleGive: return ruleGive();
  default: store(callRule("end", E.word(), {})->getResult(0), M.Operands[0].Text);
  }
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

// ---- what execution by many ranks needs
// ---------------------------------------------------------------------------------------

// a: of each reference all displacements from what the iteration writes are towards iterations on one side, in each loop.
static char formOf(const Mark &M, const std::vector<Construct::Form> &Forms) {
  const Construct::Form *First = nullptr;
  for (const Construct::Form &F : Forms)
    if (F.Written && !First)
      First = &F;
  char Form = 'a';
  for (const Construct::Form &F : Forms) {
    int Sides = 0;
    if (!First || F.Axes.empty() || F.Axes.size() != First->Axes.size())
      return '?';
    for (size_t D = 0; D < F.Axes.size(); ++D) {
      const auto &[Index, Coef, Add] = F.Axes[D];
      const auto &[FirstIndex, FirstCoef, FirstAdd] = First->Axes[D];
      if (Index != FirstIndex || Coef != FirstCoef)
        return '?';
      if (Index < 0 || Add == FirstAdd)
        continue;
      if (M.Steps[size_t(Index)] == "*")
        return '?';
      Sides |= ((Add > FirstAdd) == (Coef > 0)) == (M.Steps[size_t(Index)][0] != '-') ? 1 : 2;
    }
    Form = Sides == 3 ? 'm' : Form;
  }
  return First ? Form : '?';
}

// Is the comparison with the variable one that a second extreme of the same value passes?
static bool takesEqual(const Placed &P, const Mark &M, const std::string &Name) {
  for (const Statement &S : P.Statements) {
    if (S.IsDirective || S.FirstLine < M.FirstLine || S.FirstLine > M.LastLine)
      continue;
    const std::string T = squeezed(S.Text);
    const size_t At = T.find(lower(Name));
    if (At != std::string::npos && T.rfind("if(", 0) == 0)
      for (const char *Op : {"<=", ">=", ".le.", ".ge."})
        if (T.find(Op) != std::string::npos)
          return true;
  }
  return false;
}

static std::string partsText(const Placed &P, const Construct &C) {
  std::string Out, Places;
  char Form = 0;
  if (C.Enter->D->K != DirectiveKind::Parallel)
    return Out;
  for (const Clause &Cl : C.Enter->D->Clauses) {
    for (const Reduction &R : Cl.Reductions)
      if (R.Op == "maxloc" || R.Op == "minloc")
        Places += takesEqual(P, *C.Enter, R.Var) ? 'l' : 's';
    if (Cl.K == ClauseKind::Across)
      for (const Ref &R : Cl.Refs) {
        auto It = C.Across.find(lower(R.Name));
        const char One = It == C.Across.end() ? '?' : formOf(*C.Enter, It->second);
        Form = !Form || Form == 'a' ? One : One == 'm' ? 'm' : Form;
      }
  }
  if (Form)
    Out += std::string("\n") + char(DVMRT_DIRECTIVE_SIDES) + " " + Form;
  if (!Places.empty())
    Out += std::string("\n") + char(DVMRT_DIRECTIVE_PLACES) + " " + Places;
  return Out;
}

void dvmf::finishEnters(Model &Mo, Constructs &Known, const MarkOptions &O) {
  for (auto &[Number, C] : Known) {
    auto Step = mlir::dyn_cast_or_null<fir::CallOp>(C.EnterAt);
    if (!Step || !C.Enter)
      continue;
    Emitter E(Step);
    std::string Text = C.Text;
    llvm::SmallVector<mlir::Value, 8> Args{mlir::Value()};
    Args.append(C.Args.begin(), C.Args.end());
    bool Recomputes = false; // all that it writes
    for (const Clause &Cl : C.Enter->D->Clauses)
      Recomputes |= Cl.K == ClauseKind::Compute && Cl.Refs.empty();
    for (const Construct::Use &U : C.Uses) {
      Text += std::string("\n") + char(DVMRT_DIRECTIVE_USE) + " " + U.Name + " & " + (U.Written ? "w" : "r");
      Args.push_back(U.Base);
    }
    Site Touched(E);
    const bool Copies = C.Enter->D->K == DirectiveKind::Asynchronous;
    for (Variable *V : C.Touched) {
      if (V->Kind.empty() || (Copies && !Mo.Distributed.count(V->Unique)) || (O.Parallel && !Copies))
        continue;
      Copies ? Touched.key(DVMRT_DIRECTIVE_REMOTE) : Touched.key(DVMRT_DIRECTIVE_REGION).add("uses ");
      variableRef(E, Mo, Touched, *V, V->Name);
      for (unsigned I = 0; Copies && I < V->Rank; ++I)
        Touched.key(DVMRT_DIRECTIVE_AXIS).add("e");
    }
    for (Variable *V : C.Shared)
      Touched.key(DVMRT_DIRECTIVE_SHARED).add(V->Name + " ").pointer(Mo.base(E, *V)).add(" ").add(int64_t(V->Bytes));
    for (const Construct::Use &U : C.Uses)
      if (Recomputes && U.Written) {
        variableRef(E, Mo, Touched.key(DVMRT_DIRECTIVE_RECOMPUTE), *U.V, U.Name);
        Touched.key(DVMRT_DIRECTIVE_WIDTHS);
      }
    Text += (Touched.T.empty() ? "" : "\n") + Touched.T;
    if (O.Parallel)
      Text += partsText(*Mo.Main.P, C);
    if (O.Count && C.Enter->D->K == DirectiveKind::Parallel)
      Text += std::string("\n") + char(DVMRT_DIRECTIVE_COUNTED) + " ";
    Args.append(Touched.Args.begin(), Touched.Args.end());
    Args[0] = E.text(Text);
    mlir::Operation *Enter = E.call(std::string(DVMM_ENTER) + "." + std::to_string(C.Enter->Number), E.B.getI32Type(), Args);
    Step.getResult(0).replaceAllUsesWith(Enter->getResult(0));
    Step.erase();
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
