// Whole arrays and sections.
#include "Accesses.h"
#include "Parallel.h"
#include "Sections.h"
#include "runtime/abi.h"
#include "runtime/site_text.h"

using namespace dvmf;

// Type of a recorded value.
std::string dvmf::valueOf(mlir::Type T) {
  const std::string Kind = kindOf(T);
  return mlir::isa<fir::LogicalType>(T) ? "b" + Kind.substr(1) : Kind;
}

static mlir::Type elementOf(mlir::Type T) {
  for (;;) {
    if (auto Box = mlir::dyn_cast<fir::BaseBoxType>(T))
      T = Box.getEleTy();
    else if (auto Seq = mlir::dyn_cast<fir::SequenceType>(T))
      T = Seq.getEleTy();
    else if (mlir::Type Inner = fir::dyn_cast_ptrEleTy(T))
      T = Inner;
    else
      return T;
  }
}

size_t Accesses::useOf(Construct &Nest, const Use &U, bool Writes) {
  const Variable &V = *U.V;
  size_t N = 0;
  while (N < Nest.Uses.size() && Nest.Uses[N].Unique != V.Unique)
    ++N;
  if (N == Nest.Uses.size()) {
    Emitter At(Nest.EnterAt);
    const bool Renamed = U.Text && lower(U.Text->Name) != lower(V.Name); // by USE
    Nest.Uses.push_back({V.Unique, Renamed ? U.Text->Name : V.Name, Mo.base(At, V), &V});
  }
  Nest.Uses[N].Written |= Writes;
  return N;
}

// A statement that assigns to a distributed array is executed by owners, element by element (Divide.cpp).
static bool isDividedAssignment(const Model &Mo, const Piece &P) {
  for (const Use &U : P.Uses)
    for (const ArrayEvent &Ev : U.Arrays)
      if (Ev.Kind == 'w' && mlir::isa<hlfir::AssignOp>(Ev.At) && mayBeDivided(Mo, *U.V))
        return true;
  return false;
}

// Of the run-time library of Fortran: lists of input and output (pass/llvm/FortranCalls.cpp).
static bool isTransfer(mlir::Operation *Op) {
  auto Call = mlir::dyn_cast<fir::CallOp>(Op);
  return Call && Call.getCallee() && Call.getCallee()->getRootReference().getValue().starts_with("_FortranAio");
}

// Outside of parallel loops: its elements are looked at where their owners assign (Divide.cpp, Masked.cpp).
static bool isForOwners(const Model &Mo, const Piece &P, const ArrayEvent &Ev) {
  if (Ev.InParts)
    return false;
  return mlir::isa<hlfir::YieldOp>(Ev.At) || ((Ev.Paired || mlir::isa<hlfir::AssignOp>(Ev.At)) && isDividedAssignment(Mo, P));
}

void Accesses::markArray(Piece &P, Use &U, ArrayEvent Ev) {
  Construct *Nest = nestAt(P.At.Line);
  Ev.InParts = O.Parallel && Nest && isDivided(*Nest, Mo);
  touch(P, U, true, Ev.Kind != 'r', Nest);
  if (O.Parallel && (!mayBeDivided(Mo, *U.V) || isTransfer(Ev.At) || Ev.Each || isForOwners(Mo, P, Ev))) {
    if (Ev.InParts && Mo.Distributed.count(U.V->Unique))
      useOf(*Nest, U, Ev.Kind != 'r');
    return;
  }
  mlir::Type Element = elementOf(U.Address.getType());
  if (!Ev.Kind) {
    if (Nest && Mo.Distributed.count(U.V->Unique))
      useOf(*Nest, U, true);
    return;
  }
  Emitter E(Ev.At);
  Site T(E);
  head(T, P, U, Ev.Kind);
  const uint64_t Bytes = bytesOf(Element);
  T.key(DVMRT_ACCESS_SIZE).add(int64_t(Bytes ? Bytes : 1));
  T.key(DVMRT_ACCESS_RANGE).add(Bytes ? "e" : "w");
  T.key(DVMRT_ACCESS_CONSTRUCT).add(int64_t(Nest ? Nest->Enter->Construct : 0));
  if (Mo.Distributed.count(U.V->Unique)) {
    if (Nest)
      useOf(*Nest, U, Ev.Kind == 'w');
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
  }
  if (auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Ev.At))
    Ev.Anywhere = Ev.Kind == 'r' && isSequential(Nest) && sectionCopyOf(Assign, Mo);
  if (char Agrees = buffered(U, P.At.Line))
    T.key(DVMRT_ACCESS_BUFFERED).add(std::string(1, Agrees));
  const bool Printed = isSequential(Nest) && isOutput(P), ForTarget = !Printed && Ev.Kind == 'r' && evaluatedFor(Ev.At, Nest, T);
  if (Printed)
    T.key(DVMRT_ACCESS_ROLE).add("io");
  else if (ForTarget && !Ev.Each)
    announce(Ev.At, [&] { markSection(E, Ev.Entity, T.T, Ev); });
  else if (!ForTarget && isSequential(Nest) && (Ev.Paired || mlir::isa<hlfir::AssignOp>(U.Op) || mlir::isa<hlfir::AssignOp>(Ev.At)))
    T.key(DVMRT_ACCESS_ROLE).add(Ev.Kind == 'w' ? "lhs " : "rhs ").add(int64_t(P.Expression));
  if (!Ev.Each) {
    markSection(E, Ev.Entity, T.T, Ev);
    return;
  }
  llvm::SmallVector<mlir::Operation *, 2> Loads;
  for (mlir::Operation *User : Ev.At->getUsers())
    if (mlir::isa<fir::LoadOp>(User))
      Loads.push_back(User);
  for (mlir::Operation *Load : Loads) {
    if (ForTarget)
      announceLoad(Load, T.T);
    markLoad(Load, T.T);
  }
}

// Behind the statement: what it has assigned.
void Accesses::traceArray(const Piece &P, const Use &U, const ArrayEvent &Ev) {
  const mlir::Type Element = elementOf(U.Address.getType());
  const std::string Kind = kindOf(Element);
  if (Ev.Kind != 'w' || Kind.empty() || mlir::isa<hlfir::YieldOp>(Ev.At))
    return;
  Construct *Nest = nestAt(P.At.Line);
  Emitter E(Ev.At->getNextNode());
  E.L = Ev.At->getLoc();
  Site T(E);
  head(T, P, U, 'w');
  T.key(DVMRT_ACCESS_SIZE).add(int64_t(bytesOf(Element)));
  T.key(DVMRT_TRACE_VALUE).add(valueOf(Element));
  T.key(DVMRT_ACCESS_CONSTRUCT).add(int64_t(Nest ? Nest->Enter->Construct : 0));
  if (Mo.Distributed.count(U.V->Unique)) {
    if (Nest)
      useOf(*Nest, U, true);
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
  }
  const Shape S = Mo.shape(E, *U.V);
  std::string Lower;
  const uint64_t Bytes = storedBytes(U.V->Element);
  for (size_t I = Bytes ? S.Extent.size() : 0; I-- > 0;) {
    const Num &Extent = S.Extent[I], &Low = S.Lower[I];
    T.key(DVMRT_ACCESS_SUBSCRIPT).add("o");
    T.key(DVMRT_ACCESS_EXTENT).add(Extent.C && *Extent.C >= 0 ? std::to_string(*Extent.C) : Extent.C ? "*" : "#");
    Lower += (Lower.empty() ? "" : " ") + (Low.C ? std::to_string(*Low.C) : std::string("*"));
  }
  if (!Lower.empty()) {
    T.key(DVMRT_ACCESS_ELEMENT).add(int64_t(Bytes));
    T.key(DVMRT_ACCESS_LOWER).add(Lower);
  }
  markSection(E, Ev.Entity, T.T, Ev);
}
