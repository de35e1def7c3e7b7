// Pieces of the texts of directives: references, edges, distributions, clauses.
#include "Writer.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "runtime/site_text.h"
#include "llvm/Support/DJB.h"

using namespace dvmf;

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

// The template of that name in this unit; null: there is none.
const ArrayInfo *Writer::templateOf(const std::string &Name) const {
  for (const Mark &Other : Mo.Main.P->Marks)
    if (Other.K == MarkKind::Declare && Other.Array.Template && Other.Unit == M.Unit && lower(Other.Array.Name) == lower(Name))
      return &Other.Array;
  return nullptr;
}

mlir::Value Writer::templateAddress(const std::string &Name) {
  const ArrayInfo *Info = templateOf(Name);
  const bool Common = Info && Info->Common;
  const std::string Symbol = "dvm.template." + (Common ? "" : M.Unit + ".") + lower(Name);
  fir::FirOpBuilder FB(E.B, E.M);
  FB.setInsertionPoint(Call);
  auto Global = FB.getNamedGlobal(Symbol);
  if (!Global)
    Global = FB.createGlobal(
        E.L, E.word(), Symbol, false, false,
        [&](fir::FirOpBuilder &In) { In.create<fir::HasValueOp>(E.L, In.createIntegerConstant(E.L, In.getI64Type(), 0)); },
        Common ? FB.createLinkOnceODRLinkage() : FB.createInternalLinkage());
  return E.toPointer(E.B.create<fir::AddrOfOp>(E.L, Global.resultType(), Global.getSymbol()));
}

// The sizes of a template of this unit are operands of its own declaration
// alone, elsewhere only constants are known.
bool Writer::templateSizes(const std::string &Name, std::vector<Num> &Lower, std::vector<Num> &Extent, const ArrayInfo **Info) {
  *Info = templateOf(Name);
  if (!*Info)
    return false;
  auto Literal = [&](const std::string &T, int64_t Otherwise) {
    long long N;
    return T.empty() ? Num::of(Otherwise) : llvm::StringRef(T).trim().getAsInteger(10, N) ? value(T, Otherwise) : Num::of(N);
  };
  for (const Axis &X : (*Info)->Template->Axes) {
    const bool Range = X.K == Axis::Range;
    Num Low = Range ? Literal(X.Coef, 1) : Num::of(1);
    Num High = Literal(X.Add, 0);
    Lower.push_back(Low);
    Extent.push_back(E.add(E.sub(High, Low), Num::of(1)));
  }
  return true;
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

void dvmf::lowerBounds(Site &T, const std::vector<Num> &Lower) {
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
      if (llvm::any_of(S.Lower, [](const Num &N) { return N.C && *N.C != 1; }))
        for (size_t I = S.Lower.size(); I-- > 0;)
          T.add(" ").add(S.Lower[I].C ? *S.Lower[I].C : 1);
    }
  }
  if (C.K == ClauseKind::ShadowStart || C.K == ClauseKind::ShadowWait)
    T.key(DVMRT_DIRECTIVE_SHADOW).add(C.K == ClauseKind::ShadowStart ? "start " : "wait ").add(lower(C.Group));
}
