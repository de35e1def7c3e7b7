// Elements that are accessed become marks.
#include "Accesses.h"
#include "Cursor.h"
#include "Parallel.h"
#include "Targets.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "runtime/site_text.h"

using namespace dvmf;

Construct *Accesses::nestAt(unsigned Line) {
  Construct *Best = nullptr;
  for (auto &[Number, C] : Known)
    if (C.Enter && (C.Enter->D->K == DirectiveKind::Parallel || C.Enter->D->K == DirectiveKind::On) && C.FirstLine <= Line &&
        Line <= C.LastLine && (!Best || C.FirstLine > Best->FirstLine))
      Best = &C;
  return Best;
}

Affine Accesses::affine(mlir::Value V, const Construct *Nest) const {
  Affine A;
  mlir::Operation *D = V.getDefiningOp();
  if (!D)
    return A;
  if (auto C = mlir::dyn_cast<mlir::arith::ConstantOp>(D)) {
    if (auto I = mlir::dyn_cast<mlir::IntegerAttr>(C.getValue())) {
      A.OK = true;
      A.Add = I.getValue().getSExtValue();
    }
    return A;
  }
  if (mlir::isa<fir::ConvertOp, hlfir::NoReassocOp>(D))
    return affine(D->getOperand(0), Nest);
  if (auto Load = mlir::dyn_cast<fir::LoadOp>(D)) {
    hlfir::DeclareOp Root = Load.getMemref().getDefiningOp<hlfir::DeclareOp>();
    for (size_t I = 0; Nest && Root && I < Nest->IndexUnique.size(); ++I)
      if (Nest->IndexUnique[I] == Root.getUniqName().str()) {
        A.OK = true;
        A.Index = int(I);
        A.Coef = 1;
      }
    return A;
  }
  if (D->getNumOperands() != 2)
    return A;
  const Affine X = affine(D->getOperand(0), Nest), Y = affine(D->getOperand(1), Nest);
  if (!X.OK || !Y.OK)
    return A;
  const bool Sub = mlir::isa<mlir::arith::SubIOp>(D);
  if (mlir::isa<mlir::arith::AddIOp>(D) || Sub) {
    if (X.Index >= 0 && Y.Index >= 0)
      return A;
    A.OK = true;
    A.Index = std::max(X.Index, Y.Index);
    A.Coef = X.Coef + (Sub ? -Y.Coef : Y.Coef);
    A.Add = X.Add + (Sub ? -Y.Add : Y.Add);
  } else if (mlir::isa<mlir::arith::MulIOp>(D) && (X.Index < 0 || Y.Index < 0)) {
    const Affine &C = X.Index < 0 ? X : Y, &I = X.Index < 0 ? Y : X;
    A = {true, I.Index, I.Coef * C.Add, I.Add * C.Add};
  }
  return A;
}

// Integer overflow is undefined in Fortran: so the pass can see that subscripts
// are linear.
static void noWrap(mlir::Value V) {
  mlir::Operation *D = V.getDefiningOp();
  if (!D)
    return;
  if (mlir::isa<fir::ConvertOp, hlfir::NoReassocOp>(D))
    return noWrap(D->getOperand(0));
  if (!mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp>(D))
    return;
  D->setAttr("overflowFlags", mlir::arith::IntegerOverflowFlagsAttr::get(D->getContext(), mlir::arith::IntegerOverflowFlags::nsw));
  noWrap(D->getOperand(0));
  noWrap(D->getOperand(1));
}

// Does a section of remote_access cover the reference?  As it is written.
char Accesses::buffered(const Use &U, unsigned Line) const {
  if (!U.Text)
    return 0;
  for (const auto &[Number, C] : Known) {
    if (C.Enter && C.Enter->D->K == DirectiveKind::Asynchronous && C.FirstLine <= Line && Line <= C.LastLine)
      return '1'; // a copy between any two arrays
    if (!C.Enter || Line < C.FirstLine || Line > C.LastLine || !C.RemoteUnique.count(U.V->Unique))
      continue;
    for (const Clause &Cl : C.Enter->D->Clauses) {
      if (Cl.K != ClauseKind::Remote)
        continue;
      for (const Ref &R : Cl.Refs) {
        const bool Whole = U.Text->Subscripts.empty();
        if (!Mo.isNamed(R.Name, *U.V) || (!R.Axes.empty() && !Whole && R.Axes.size() != U.Text->Subscripts.size()))
          continue;
        bool Agrees = true, Varies = false;
        for (size_t I = 0; I < R.Axes.size(); ++I) {
          const Axis &X = R.Axes[I];
          if (X.K == Axis::Empty)
            continue;
          if (Whole) {
            Agrees = false;
            break;
          }
          Axis Y;
          splitAffine(U.Text->Subscripts[I], C.Enter->D->Names, Y);
          const bool Same = X.K == Y.K && X.Index == Y.Index && squeezed(X.Coef) == squeezed(Y.Coef) && squeezed(X.Add) == squeezed(Y.Add);
          Agrees &= Same;
          Varies |= C.Enter->D->K != DirectiveKind::Parallel && Y.Add.find_first_not_of("0123456789+-") != std::string::npos;
        }
        if (Agrees)
          return Varies ? '?' : '1';
      }
    }
  }
  return 0;
}

// Of what the descriptor in a component leads to.
static bool isBehindComponent(mlir::Value Memref) {
  mlir::Operation *D = Memref.getDefiningOp();
  while (D && mlir::isa<fir::ConvertOp, fir::BoxAddrOp, fir::EmboxOp, fir::ReboxOp, fir::LoadOp>(D))
    D = D->getOperand(0).getDefiningOp();
  return D && mlir::isa<hlfir::DesignateOp>(D);
}

// The part of the designator that subscripts the root itself; null: none does,
// or a section.
hlfir::DesignateOp dvmf::rootElement(const Use &U) {
  hlfir::DesignateOp D = U.Element;
  while (D && D.getMemref().getDefiningOp<hlfir::DesignateOp>())
    D = D.getMemref().getDefiningOp<hlfir::DesignateOp>();
  if (!D || D.getComponent() || D.getIndices().size() != U.V->Rank || isBehindComponent(D.getMemref()))
    return {};
  for (bool Triplet : D.getIsTriplet())
    if (Triplet)
      return {};
  return D;
}

// The subscripts of an element of the root: its own, or those of one of a section of it, which loops of WHERE and FORALL run through.
static llvm::SmallVector<mlir::Value, 4> rootSubscripts(Emitter &E, const Use &U) {
  llvm::SmallVector<mlir::Value, 4> Out;
  if (hlfir::DesignateOp D = rootElement(U)) {
    Out.append(D.getIndices().begin(), D.getIndices().end());
    return Out;
  }
  hlfir::DesignateOp D = U.Element, Section = D ? D.getMemref().getDefiningOp<hlfir::DesignateOp>() : D;
  if (!Section || D.getComponent() || Section.getComponent() || !Section.getMemref().getDefiningOp<hlfir::DeclareOp>() ||
      Section.getIsTriplet().size() != U.V->Rank)
    return Out;
  size_t From = 0, Inner = 0;
  for (bool Triplet : Section.getIsTriplet()) {
    const auto Bounds = Section.getIndices().drop_front(From);
    From += Triplet ? 3 : 1;
    if (!Triplet) {
      Out.push_back(Bounds[0]);
      continue;
    }
    if (Inner == D.getIndices().size())
      return {};
    const Num Turn = E.sub({std::nullopt, E.toWord(D.getIndices()[Inner++])}, Num::of(1));
    Out.push_back(E.value(E.add({std::nullopt, E.toWord(Bounds[0])}, E.mul(Turn, {std::nullopt, E.toWord(Bounds[2])}))));
  }
  return Out;
}

// Innermost dimensions last, as in C; from zero.
void Accesses::subscripts(Emitter &E, Site &T, const Use &U, long ID) {
  const llvm::SmallVector<mlir::Value, 4> Subscripts = rootSubscripts(E, U);
  if (Subscripts.empty())
    return;
  const uint64_t Bytes = O.Trace ? storedBytes(U.V->Element) : U.V->Bytes ? U.V->Bytes : bytesOf(fir::unwrapRefType(U.Address.getType()));
  const Shape S = Mo.shape(E, *U.V);
  if (S.Lower.size() != U.V->Rank || !Bytes)
    return;
  std::string Lower;
  unsigned Dim = 0;
  for (size_t I = U.V->Rank; I-- > 0; ++Dim) {
    mlir::Value Index = Subscripts[I];
    noWrap(Index);
    Affine A = I < U.Axes.size() ? U.Axes[I] : Affine();
    const Num &Low = S.Lower[I], &Extent = S.Extent[I];
    const int64_t FromZero = A.Add - Low.C.value_or(1); // a lower bound that the run alone knows counts as 1 in texts
    T.key(DVMRT_ACCESS_SUBSCRIPT);
    if (A.OK && A.Index < 0)
      T.add("c").add(FromZero);
    else if (A.OK)
      T.add("a").add(int64_t(A.Index)).add(":").add(A.Coef).add(":").add(FromZero);
    else
      T.add("o");
    const bool Fixed = Extent.C && *Extent.C >= 0;
    T.key(DVMRT_ACCESS_EXTENT).add(Fixed ? std::to_string(*Extent.C) : Extent.C ? "*" : "#");
    auto Marker = [&](const Num &N, unsigned Number) {
      E.call(DVMM_INDEX, E.word(), {E.value(N), E.value(Num::of(ID)), E.value(Num::of(Number))});
    };
    if (!A.OK || A.Index >= 0 || !Low.C)
      Marker(E.sub({std::nullopt, E.toWord(Index)}, Low), Dim);
    if (!Extent.C)
      Marker(Extent, DVMM_EXTENT + Dim);
    Lower += (Lower.empty() ? "" : " ") + (Low.C ? std::to_string(*Low.C) : std::string("*"));
  }
  T.key(DVMRT_ACCESS_ELEMENT).add(int64_t(Bytes));
  T.key(DVMRT_ACCESS_LOWER).add(Lower);
}

bool dvmf::isOutput(const Piece &P) {
  std::string T = P.S ? squeezed(P.S->Text) : "";
  if (T.rfind("if(", 0) == 0 && P.From) { // "if (..) print .."; its condition has the place of the statement
    int Depth = 0;
    size_t I = 2;
    do
      Depth += T[I] == '(' ? 1 : T[I] == ')' ? -1 : 0;
    while (++I < T.size() && Depth);
    T = T.substr(I);
  }
  auto Starts = [&](const char *W) { return T.rfind(W, 0) == 0; };
  return Starts("print") || Starts("write(") || Starts("read");
}

// To an array, whose elements have owners; a scalar is everybody's.
bool dvmf::isAssignment(const Piece &P) {
  for (const Use &U : P.Uses)
    if (U.Kind == 'w' && U.V->Rank)
      return true;
  return false;
}

// A task's own statements are judged as the sequential part is.
bool dvmf::isSequential(const Construct *Nest) { return !Nest || Nest->Enter->D->K == DirectiveKind::On; }

// What the regions around make a datum of theirs: arrays, and what their own statements assign.
void Accesses::touch(const Piece &P, const Use &U, bool Array, bool Written, const Construct *Nest) {
  if (Nest)
    for (const std::string &Index : Nest->IndexUnique)
      if (Index == U.V->Unique)
        return;
  for (const Clause &Cl : Nest ? Nest->Enter->D->Clauses : std::vector<Clause>())
    for (const Ref &R : Cl.Refs)
      if (Cl.K == ClauseKind::Private && Mo.isNamed(R.Name, *U.V))
        return;
  if (!Array && (!Written || Nest))
    return;
  for (auto &[Number, C] : Known)
    if (C.Enter && (C.Enter->D->K == DirectiveKind::Region || C.Enter->D->K == DirectiveKind::Asynchronous) && C.FirstLine <= P.At.Line &&
        P.At.Line <= C.LastLine && std::find(C.Touched.begin(), C.Touched.end(), U.V) == C.Touched.end())
      C.Touched.push_back(U.V);
}

// What texts of elements and of sections begin with.
void Accesses::head(Site &T, const Piece &P, const Use &U, char Kind) {
  T.key(DVMRT_ANY_KIND).add(std::string(1, Kind));
  T.key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F");
  T.place(Mo.Main.Name, U.Text ? U.Text->At : P.At);
  T.key(DVMRT_ACCESS_TEXT).add(U.Text ? U.Text->Text : U.V->Name);
  T.key(DVMRT_ACCESS_VARIABLE).add(U.Text ? U.Text->Name : U.V->Name);
  if (U.V->At.Line)
    T.key(DVMRT_ACCESS_DECLARED).add(U.V->At.Line).add(" ").add(U.V->At.Column).add(" ").add(U.V->File);
  T.key(DVMRT_ACCESS_ROOT).add(U.V->Dummy ? "p" : U.V->Module ? "g" : U.V->Static ? "s" : "l");
}

void Accesses::markLoad(mlir::Operation *Load, const std::string &Text) {
  Emitter E(Load);
  mlir::Value Address = Load->getOperand(0);
  if (!bytesOf(fir::unwrapRefType(Address.getType())))
    return;
  mlir::Operation *Call = E.call(DVMM_ACCESS, E.pointer(), {E.toPointer(Address), E.value(Num::of(NextAccess++)), E.text(Text)});
  Load->setOperand(0, E.B.create<fir::ConvertOp>(E.L, Address.getType(), Call->getResult(0)));
}

// ---- arguments
// --------------------------------------------------------------------------------------------------------------------

// The calls of procedures of the program that get the address as it is.
static void callsWith(mlir::Value Address, llvm::SmallSetVector<mlir::Operation *, 2> &Calls) {
  for (mlir::Operation *User : Address.getUsers())
    if (auto Call = mlir::dyn_cast<fir::CallOp>(User)) {
      if (!Call.getCallee() || Call.getCallee()->getRootReference().getValue().starts_with("_Q"))
        Calls.insert(User);
    } else if (mlir::isa<fir::ConvertOp, fir::EmboxOp, hlfir::NoReassocOp>(User)) {
      callsWith(User->getResult(0), Calls);
    }
}

// An element that a procedure is given under remote_access: it reads the buffer.
void Accesses::markLent(Piece &P, Use &U) {
  const uint64_t Bytes = bytesOf(fir::unwrapRefType(U.Address.getType()));
  const char Agrees = U.Element && isData(U.Address.getType()) ? buffered(U, P.At.Line) : 0;
  llvm::SmallSetVector<mlir::Operation *, 2> Calls;
  if (Agrees)
    callsWith(U.Address, Calls);
  for (mlir::Operation *Call : Calls) {
    Emitter E(Call);
    Site T(E);
    head(T, P, U, 'r');
    T.key(DVMRT_ACCESS_SIZE).add(int64_t(Bytes)).key(DVMRT_ACCESS_RANGE).add("e");
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-").key(DVMRT_ACCESS_BUFFERED).add(std::string(1, Agrees));
    for (uint32_t Flag : {uint32_t(DVMRT_LENT), uint32_t(DVMRT_RETURNED)}) {
      E.call(std::string(DVMM_SECTION) + ".0", {},
             {E.toPointer(U.Address), E.text(T.T), E.value(Num::of(int64_t(Bytes))), E.value(Num::of(Flag))});
      E.B.setInsertionPointAfter(Call);
    }
  }
}

// ---- WHERE and FORALL
// -------------------------------------------------------------------------------------------------------------------

// What is read where another element is to be assigned must lie there.
bool Accesses::evaluatedFor(mlir::Operation *Op, const Construct *Nest, Site &T) const {
  if (O.Trace || O.Parallel || !Mo.Main.P->HasDirectives || !isSequential(Nest) || targetsOf(Op).empty())
    return false;
  T.key(DVMRT_ACCESS_ROLE).add("rhs ").add(expressionOf(Op, Mo));
  if (Op->getParentOfType<hlfir::ForallOp>())
    T.key(DVMRT_ACCESS_STANDING).add("f");
  return true;
}

// Of several statements under one mask it must lie where each has its element: 'Again' reads it for all but the last.
void Accesses::announce(mlir::Operation *Before, llvm::function_ref<void()> Again) {
  const auto Targets = targetsOf(Before);
  for (hlfir::RegionAssignOp S : Targets) {
    Emitter E(Before);
    announceTarget(E, Mo, S, Before);
    if (S != Targets.back())
      Again();
  }
}

void Accesses::announceLoad(mlir::Operation *Load, const std::string &Text) {
  mlir::Value Address = Load->getOperand(0);
  const uint64_t Bytes = bytesOf(fir::unwrapRefType(Address.getType()));
  announce(Load, [&] {
    Emitter E(Load);
    E.call(std::string(DVMM_SECTION) + ".0", {},
           {E.toPointer(Address), E.text(Text), E.value(Num::of(int64_t(Bytes))), E.value(Num::of(DVMRT_READ | DVMRT_COPIED))});
  });
}

void Accesses::mark(Piece &P, Use &U) {
  for (const ArrayEvent &Ev : U.Arrays)
    O.Trace ? traceArray(P, U, Ev) : markArray(P, U, Ev);
  if (O.Parallel)
    return markPart(P, U);
  if (!U.Kind)
    return O.Trace ? void() : markLent(P, U);
  mlir::Type Type = fir::unwrapRefType(U.Address.getType());
  Construct *Nest = nestAt(P.At.Line);
  const long ID = NextAccess++;
  touch(P, U, U.V->Rank != 0, U.Kind == 'w', Nest);
  Emitter E(U.Op);
  Site T(E);
  head(T, P, U, U.Kind);
  T.key(DVMRT_ACCESS_SIZE).add(int64_t(bytesOf(Type)));
  const std::string Kind = kindOf(Type);
  if (Kind[0] == 'f' || Kind[0] == 'c')
    T.key(DVMRT_ACCESS_FLOATING).add("f");
  if (O.Trace)
    T.key(DVMRT_TRACE_VALUE).add(valueOf(Type));
  T.key(DVMRT_ACCESS_CONSTRUCT).add(int64_t(Nest ? Nest->Enter->Construct : 0));
  for (size_t I = 0; Nest && !U.Element && I < Nest->IndexUnique.size(); ++I)
    if (Nest->IndexUnique[I] == U.V->Unique)
      T.key(DVMRT_ACCESS_INDEX_VARIABLE).add(int64_t(I));
  const size_t Before = T.T.size();
  if (U.Element)
    subscripts(E, T, U, ID);
  const bool Whole = U.Element && T.T.size() != Before;
  if (Mo.Distributed.count(U.V->Unique)) {
    if (Nest && Whole) {
      const size_t N = useOf(*Nest, U, U.Kind == 'w');
      T.key(DVMRT_ACCESS_DISTRIBUTED).add(int64_t(N));
    } else {
      T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
    }
  }
  if (char Agrees = buffered(U, P.At.Line))
    T.key(DVMRT_ACCESS_BUFFERED).add(std::string(1, Agrees));
  if (isSequential(Nest) && isOutput(P))
    T.key(DVMRT_ACCESS_ROLE).add("io");
  else if (U.Kind == 'r' && evaluatedFor(U.Op, Nest, T))
    announceLoad(U.Op, T.T);
  else if (isSequential(Nest) && isAssignment(P))
    T.key(DVMRT_ACCESS_ROLE).add(U.Kind == 'w' ? "lhs " : "rhs ").add(int64_t(P.Expression));
  mlir::Operation *Call = E.call(DVMM_ACCESS, E.pointer(), {E.toPointer(U.Address), E.value(Num::of(ID)), E.text(T.T)});
  mlir::Value Marked = E.B.create<fir::ConvertOp>(E.L, fir::ReferenceType::get(Type), Call->getResult(0));
  for (mlir::OpOperand &Operand : U.Op->getOpOperands())
    if (Operand.get() == U.Address)
      Operand.set(Marked);
}

// Bounds of sections too, whose extents are constant then, whatever the bounds of the loops around.  The optimiser makes one sum of 'i + 1'
// and the increment of the loop over 'i'.
static void noWrapInSubscripts(mlir::func::FuncOp F) {
  F.walk([](hlfir::DesignateOp D) {
    for (mlir::Value Index : D.getIndices())
      noWrap(Index);
  });
}

// The number of turns is known before the first one: a DO variable does not overflow, nor may the bounds.
static void noWrapInLoops(mlir::func::FuncOp F) {
  F.walk([](fir::DoLoopOp Loop) {
    noWrap(Loop.getLowerBound());
    noWrap(Loop.getUpperBound());
    for (mlir::Value Next : Loop.getBody()->getTerminator()->getOperands())
      if (auto Sum = Next.getDefiningOp<mlir::arith::AddIOp>())
        Sum->setAttr("overflowFlags",
                     mlir::arith::IntegerOverflowFlagsAttr::get(Sum->getContext(), mlir::arith::IntegerOverflowFlags::nsw));
  });
}

void Accesses::run() {
  noWrapInLoops(F);
  noWrapInSubscripts(F);
  if (!O.Parallel && !O.Trace && Mo.Main.P->HasDirectives)
    spreadMasked(F);
  visit(F);
  F.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *Op) { visit(Op); }); // what nobody uses
  findTexts();
  for (auto &[At, P] : Pieces) {
    pair(P);
    for (Use &U : P.Uses)
      if (hlfir::DesignateOp D = rootElement(U))
        for (mlir::Value Index : D.getIndices())
          U.Axes.push_back(affine(Index, nestAt(At.Line)));
  }
  for (auto &[At, P] : Pieces)
    for (Use &U : P.Uses)
      mark(P, U);
  markEntered();
}

void dvmf::markAccesses(mlir::func::FuncOp F, Model &Mo, Constructs &Known, const MarkOptions &O, Pairing &Pairs) {
  Accesses(F, Mo, Known, O, Pairs).run();
}

void Marker::run() {
  if (Options.Trace)
    lowerOrdered(M);
  findDistributed(M, Mo);
  llvm::SmallVector<mlir::func::FuncOp, 16> Functions;
  for (auto F : M.getOps<mlir::func::FuncOp>())
    if (!F.isDeclaration())
      Functions.push_back(F);
  for (auto F : Functions) {
    Constructs Known;
    nameDummies(F);
    declareAllocated(F, Mo);
    lowerDirectives(F, Mo, Known, Options, Complaints);
    for (const Complaint &C : Complaints)
      if (C.IsError)
        return;
    markAccesses(F, Mo, Known, Options, Pairs);
    if (Options.Parallel) {
      clampLoops(F, Mo, Known, Complaints);
      divideAssignments(F, Mo, Known, Complaints);
    }
    finishEnters(Mo, Known, Options);
  }
}
