// References of the source become marked accesses.  What was written stands in
// the text; HLFIR has the operations.  Per statement and variable the n-th
// reference of the text is the n-th use: the counts must agree, else the place
// is that of the statement.
#include "Arrays.h"
#include "Sections.h"
#include "Cursor.h"
#include "Mark.h"
#include "Parallel.h"
#include "References.h"
#include "Targets.h"
#include "pass/markers.h"
#include "runtime/abi.h"
#include "runtime/site_text.h"
#include <deque>

using namespace dvmf;

namespace {
struct Affine {
  bool OK = false;
  int Index = -1;
  int64_t Coef = 0, Add = 0;
};

// A use of a variable by an operation.
struct Use {
  mlir::Operation *Op; // load, assign; a designate or call that passes it on
  mlir::Value Address;
  Variable *V;
  hlfir::DesignateOp Element; // or null
  char Kind;                  // r w; 0: it is only passed on
  const Reference *Text = nullptr;
  std::vector<Affine> Axes = {}; // of the subscripts of the root, before marks
                                 // stand between the operations
  std::vector<ArrayEvent> Arrays = {}; // what is done with all of it, if it is an array
};

struct Piece { // of a statement: what operations with one location belong to
  Position At;
  const Statement *S = nullptr;
  size_t From = 0;
  std::vector<Use> Uses;
  std::vector<Reference> References;
  std::deque<Reference> Others; // of the statement, outside of this piece
  long Expression = 0;
};

} // namespace

class dvmf::Accesses {
  mlir::func::FuncOp F;
  Model &Mo;
  Constructs &Known;
  const MarkOptions &O;
  Pairing &Pairs;
  std::map<Position, Piece> Pieces;
  long NextAccess = 1;

public:
  Accesses(mlir::func::FuncOp F, Model &Mo, Constructs &Known, const MarkOptions &O, Pairing &Pairs)
      : F(F), Mo(Mo), Known(Known), O(O), Pairs(Pairs) {}
  void run();

private:
  void visit(mlir::Operation *Op);
  void collect(mlir::Operation *Op);
  void collectArrays(mlir::Operation *Op);
  void noteCall(mlir::Operation *Op);
  Use *use(mlir::Operation *Op, mlir::Value Address, char Kind);
  std::set<mlir::Operation *> Visited;
  std::map<mlir::Operation *, std::pair<Position, size_t>> Designated; // uses of designators of arrays
  bool isInserted(mlir::Operation *Op, Position &P) const;
  void findTexts();
  void pair(Piece &P);
  std::map<Position, std::set<std::string>> Called; // procedures of the program, in small letters
  std::set<std::string> Arrays; // names in small letters
  void mark(Piece &P, Use &U);
  void markPart(Piece &P, Use &U);
  void markLent(Piece &P, Use &U);
  void markMet(Use &U, const Construct &Nest);
  void noteForm(Construct &Nest, const Use &U);
  void markEntered();
  std::set<mlir::Operation *> Entered; // declarations of dummy arrays that no directive names
  void markArray(Piece &P, Use &U, ArrayEvent Ev);
  void traceArray(const Piece &P, const Use &U, const ArrayEvent &Ev);
  void markLoad(mlir::Operation *Load, const std::string &Text);
  bool evaluatedFor(mlir::Operation *Op, const Construct *Nest, Site &T) const;
  void announce(mlir::Operation *Before, llvm::function_ref<void()> Again);
  void announceLoad(mlir::Operation *Load, const std::string &Text);
  void touch(const Piece &P, const Use &U, bool Array, bool Written, const Construct *Nest);
  void head(Site &T, const Piece &P, const Use &U, char Kind);
  size_t useOf(Construct &Nest, const Use &U, bool Writes);
  Construct *nestAt(unsigned Line);
  Affine affine(mlir::Value V, const Construct *Nest) const;
  char buffered(const Use &U, unsigned Line) const;
  void subscripts(Emitter &E, Site &T, const Use &U, long ID);
};

// ---- which operations
// --------------------------------------------------------------------------------------------------------

// Operations of what was inserted stand on lines of directives, where nothing
// else does.
bool Accesses::isInserted(mlir::Operation *Op, Position &P) const {
  std::string File;
  if (!Mo.position(Op->getLoc(), File, P) || File != Mo.Main.Path)
    return true;
  for (const Mark &M : Mo.Main.P->Marks)
    if (M.Line == P.Line)
      return true;
  return false;
}

// Of an element in the body of an elemental operation: what is done with all elements is judged.
static bool isPartOfElement(mlir::Value Address) {
  for (auto D = Address.getDefiningOp<hlfir::DesignateOp>(); D; D = D.getMemref().getDefiningOp<hlfir::DesignateOp>())
    if (isElementwise(D))
      return true;
  return false;
}

Use *Accesses::use(mlir::Operation *Op, mlir::Value Address, char Kind) {
  Position P;
  if (isInserted(Op, P))
    return nullptr;
  hlfir::DesignateOp Element = Address.getDefiningOp<hlfir::DesignateOp>();
  hlfir::DeclareOp D = Mo.rootOf(Address);
  if (!D || isPartOfElement(Address))
    return nullptr;
  Variable *V = Mo.of(D);
  if (V->Parameter || V->Unique.find('.') != std::string::npos)
    return nullptr;
  if (!Element && Address == D.getResult(1) && Address != D.getResult(0) && mlir::isa<fir::LoadOp>(Op))
    return nullptr;
  Piece &Pc = Pieces[P];
  Pc.At = P;
  Pc.Uses.push_back({Op, Address, V, Element, Kind});
  if (Element && isArray(Address.getType()))
    Designated[Element] = {P, Pc.Uses.size() - 1};
  return &Pc.Uses.back();
}

static bool isData(mlir::Type Address) { return fir::isa_ref_type(Address) && bytesOf(fir::unwrapRefType(Address)) != 0; }

// The compiler's own loads of a DO variable take the second result of its
// declaration.
static bool isCompilers(mlir::Value Address) {
  auto D = Address.getDefiningOp<hlfir::DeclareOp>();
  return D && mlir::cast<mlir::OpResult>(Address).getResultNumber() == 1;
}

// Of FORALL and WHERE: what gives the left side.
static bool isTarget(mlir::Operation *Yield) {
  auto Region = mlir::dyn_cast<hlfir::RegionAssignOp>(Yield->getParentOp());
  return Region && Yield->getParentRegion() == &Region.getLhsRegion();
}

void Accesses::collect(mlir::Operation *Op) {
  if (auto Load = mlir::dyn_cast<fir::LoadOp>(Op)) {
    if (isData(Load.getMemref().getType()) && !isCompilers(Load.getMemref()))
      use(Op, Load.getMemref(), 'r');
  } else if (auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Op)) {
    if (isData(Assign.getLhs().getType()))
      use(Op, Assign.getLhs(), 'w');
  } else if (auto D = mlir::dyn_cast<hlfir::DesignateOp>(Op); D && !isElementwise(D)) {
    bool Accessed = false;
    for (mlir::Operation *User : D->getUsers()) {
      if (auto Part = mlir::dyn_cast<hlfir::DesignateOp>(User); Part && isElementwise(Part))
        continue;
      Accessed |=
          mlir::isa<hlfir::DesignateOp>(User) || (mlir::isa<fir::LoadOp>(User) && isData(D.getType())) ||
          (mlir::isa<hlfir::AssignOp>(User) && isData(D.getType()) && mlir::cast<hlfir::AssignOp>(User).getLhs() == D.getResult()) ||
          (mlir::isa<hlfir::YieldOp>(User) && isTarget(User) && isData(D.getType()));
    }
    if (!Accessed)
      use(Op, D.getResult(), 0);
  } else if (auto Yield = mlir::dyn_cast<hlfir::YieldOp>(Op)) { // FORALL
    if (isTarget(Op) && isData(Yield.getEntity().getType()))
      use(Op, Yield.getEntity(), 'w');
  }
  noteCall(Op);
  collectArrays(Op);
}

// The name behind the last capital letter of what flang has made of it.
void Accesses::noteCall(mlir::Operation *Op) {
  auto Call = mlir::dyn_cast<fir::CallOp>(Op);
  Position P;
  if (!Call || !Call.getCallee() || isInserted(Op, P))
    return;
  const std::string Name = Call.getCallee()->getRootReference().getValue().str();
  size_t From = Name.size();
  while (From && !(Name[From - 1] >= 'A' && Name[From - 1] <= 'Z'))
    --From;
  if (Name.rfind("_Q", 0) == 0)
    Called[P].insert(Name.substr(From));
}

void Accesses::collectArrays(mlir::Operation *Op) {
  llvm::SmallVector<ArrayEvent, 4> Events;
  arrayEvents(Op, Events);
  for (const ArrayEvent &Ev : Events) {
    if (auto It = Designated.find(Ev.Entity.getDefiningOp()); It != Designated.end())
      Pieces[It->second.first].Uses[It->second.second].Arrays.push_back(Ev);
    else if (Ev.Entity.getDefiningOp<hlfir::DeclareOp>())
      if (Use *U = use(Op, Ev.Entity, 0))
        U->Arrays.push_back(Ev);
  }
}

// In the order of the text: what an expression of arrays is made of comes where its value goes.
void Accesses::visit(mlir::Operation *Op) {
  if (!Visited.insert(Op).second)
    return;
  for (mlir::Value V : Op->getOperands())
    if (mlir::Operation *D = V.getDefiningOp(); D && isDeferred(D))
      visit(D);
  collect(Op);
  if (auto D = mlir::dyn_cast<hlfir::DeclareOp>(Op))
    if (Variable *V = Mo.of(D); V->Rank)
      Arrays.insert(lower(V->Name));
  for (mlir::Region &R : Op->getRegions())
    for (mlir::Block &B : R)
      for (mlir::Operation &Inner : B)
        if (!isDeferred(&Inner))
          visit(&Inner);
}

// ---- texts
// -------------------------------------------------------------------------------------------------------------------

void Accesses::findTexts() {
  std::map<Position, std::pair<const Statement *, size_t>> Starts;
  for (const Statement &S : Mo.Main.P->Statements) {
    if (S.IsDirective || S.Text.empty() || !S.File.empty())
      continue;
    auto It = Pieces.lower_bound(S.Start);
    for (; It != Pieces.end() && !(S.At.back() < It->first); ++It) {
      if (It->first == S.Start) {
        It->second.S = &S;
        It->second.From = 0;
        continue;
      }
      for (size_t I = 0; I < S.Text.size(); ++I)
        if (S.At[I] == It->first) {
          It->second.S = &S;
          It->second.From = I;
        }
    }
  }
  for (auto It = Pieces.begin(); It != Pieces.end(); ++It) {
    Piece &P = It->second;
    if (!P.S)
      continue;
    size_t To = P.S->Text.size();
    if (auto Next = std::next(It); Next != Pieces.end() && Next->second.S == P.S)
      To = Next->second.From;
    P.References = referencesIn(*P.S, P.From, To);
    P.Expression = long(P.At.Line) * 1000 + P.At.Column;
  }
}

// The name behind CALL, in small letters.
static std::string calledName(const Statement &S) {
  const std::string T = lower(S.Text);
  size_t At = T.find("call ");
  At = At == std::string::npos ? At : T.find_first_not_of(' ', At + 5);
  size_t End = At;
  while (End < T.size() && isNameChar(T[End]))
    ++End;
  return At == std::string::npos ? "" : T.substr(At, End - At);
}

// Drops references that are whole arguments of what only gets their address, if as many as are wanted remain.
static void dropArguments(std::vector<const Reference *> &Texts, size_t Wanted, llvm::function_ref<bool(const std::string &)> IsPassed) {
  std::vector<const Reference *> Left;
  for (const Reference *R : Texts)
    if (R->Argument.empty() || !IsPassed(R->Argument))
      Left.push_back(R);
  if (Left.size() == Wanted)
    Texts = Left;
}

// Of the descriptor in a component, on the way to what it leads to.
static bool isDescriptor(const Use *U) {
  auto D = mlir::dyn_cast<hlfir::DesignateOp>(U->Op);
  return D && !U->Kind && mlir::isa<fir::BaseBoxType>(fir::unwrapRefType(D.getType()));
}

// A reference through a component uses its descriptor, and then what that leads to: one text for both.
static void repeatForDescriptors(std::vector<const Reference *> &Texts, const std::vector<Use *> &Uses) {
  const auto Reads = size_t(std::count_if(Uses.begin(), Uses.end(), isDescriptor));
  if (!Reads || isDescriptor(Uses.back()) || Texts.size() + Reads != Uses.size())
    return;
  std::vector<const Reference *> All;
  size_t Now = 0;
  for (const Use *U : Uses) {
    All.push_back(Texts[Now]);
    Now += !isDescriptor(U);
  }
  Texts = All;
}

void Accesses::pair(Piece &P) {
  std::map<std::pair<std::string, bool>, std::vector<Use *>> Groups;
  for (Use &U : P.Uses)
    Groups[{U.V->Unique, bool(U.Element)}].push_back(&U);
  for (auto &[Key, Uses] : Groups) {
    std::vector<const Reference *> Texts;
    for (const Reference &R : P.References)
      if (Mo.isNamed(R.Root, *Uses[0]->V) && R.Subscripted == Key.second)
        Texts.push_back(&R);
    // What a procedure gets as it is, is no use: first those of the CALL, then those of the program's functions, then those of all that
    // are no arrays.
    const std::string Name = P.S && squeezed(P.S->Text).find("call") != std::string::npos ? calledName(*P.S) : "";
    if (Texts.size() > Uses.size() && !Name.empty())
      dropArguments(Texts, Uses.size(), [&](const std::string &To) { return To == Name; });
    if (Texts.size() > Uses.size())
      dropArguments(Texts, Uses.size(), [&](const std::string &To) { return Called[P.At].count(To) != 0; });
    if (Texts.size() > Uses.size())
      dropArguments(Texts, Uses.size(), [&](const std::string &To) { return !Arrays.count(To); });
    // Bounds of implied DOs have the place of their statement, though they stand behind its items.
    std::vector<Reference> All;
    if (Texts.empty() && P.S && !P.From) {
      All = referencesIn(*P.S, 0, P.S->Text.size());
      for (Reference &R : All)
        if (Mo.isNamed(R.Root, *Uses[0]->V) && R.Subscripted == Key.second)
          Texts.push_back(&R);
      if (Texts.size() == 1)
        Texts[0] = &P.Others.emplace_back(*Texts[0]);
      else
        Texts.clear();
    }
    if (Texts.size() == 1) // flang has spread it over the elements of a constructor, or takes it twice
      Texts.resize(Uses.size(), Texts[0]);
    repeatForDescriptors(Texts, Uses);
    if (Texts.size() != Uses.size()) {
      Pairs.Unpaired += unsigned(Uses.size());
      Pairs.Kinds.push_back(std::to_string(P.At.Line) + ":" + std::to_string(P.At.Column) + ": '" + Uses[0]->V->Name +
                            "': " + std::to_string(Texts.size()) + " in the text, " + std::to_string(Uses.size()) + " uses");
      continue;
    }
    for (size_t I = 0; I < Uses.size(); ++I)
      Uses[I]->Text = Texts[I];
    Pairs.Exact += unsigned(Uses.size());
  }
}

// ---- marks
// -------------------------------------------------------------------------------------------------------------------

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
static hlfir::DesignateOp rootElement(const Use &U) {
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

static bool isOutput(const Piece &P) {
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
static bool isAssignment(const Piece &P) {
  for (const Use &U : P.Uses)
    if (U.Kind == 'w' && U.V->Rank)
      return true;
  return false;
}

// A task's own statements are judged as the sequential part is.
static bool isSequential(const Construct *Nest) { return !Nest || Nest->Enter->D->K == DirectiveKind::On; }

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

// Type of a recorded value.
static std::string valueOf(mlir::Type T) {
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

// ---- execution by many ranks
// --------------------------------------------------------------------------------------------------

// Before the extreme of a maxloc or minloc is assigned.
void Accesses::markMet(Use &U, const Construct &Nest) {
  int64_t Number = 0;
  for (const Clause &Cl : Nest.Enter->D->Clauses)
    for (const Reduction &R : Cl.Reductions) {
      if (R.Op != "maxloc" && R.Op != "minloc")
        continue;
      if (Mo.isNamed(R.Var, *U.V)) {
        Emitter E(U.Op);
        llvm::SmallVector<mlir::Value, 8> Args{E.value(Num::of(Nest.Enter->Construct)), E.value(Num::of(Number))};
        for (Variable *X : Nest.Indices)
          Args.push_back(E.toWord(E.B.create<fir::LoadOp>(E.L, X->Declare.getResult(1))));
        E.call(std::string(DVMM_MET) + "." + std::to_string(Nest.Indices.size()), {}, Args);
        return;
      }
      ++Number;
    }
}

void Accesses::noteForm(Construct &Nest, const Use &U) {
  for (const Clause &Cl : Nest.Enter->D->Clauses)
    for (const Ref &R : Cl.Refs) {
      if (Cl.K != ClauseKind::Across || !Mo.isNamed(R.Name, *U.V))
        continue;
      Construct::Form Form{U.Kind == 'w', {}};
      bool OK = U.Element && rootElement(U);
      for (const Affine &A : U.Axes) {
        Form.Axes.push_back({A.Index, A.Coef, A.Add});
        OK &= A.OK;
      }
      if (!OK)
        Form.Axes.clear();
      Nest.Across[lower(R.Name)].push_back(Form);
    }
}

void Accesses::markPart(Piece &P, Use &U) {
  Construct *Nest = nestAt(P.At.Line);
  if (U.Kind)
    touch(P, U, U.V->Rank != 0, U.Kind == 'w', Nest);
  const bool InParts = Nest && isDivided(*Nest, Mo);
  if (InParts && U.Kind == 'w' && !U.V->Rank)
    markMet(U, *Nest);
  if (InParts && U.V->Rank)
    noteForm(*Nest, U);
  if (InParts && U.Kind && Mo.Distributed.count(U.V->Unique))
    useOf(*Nest, U, U.Kind == 'w');
  if (!U.Kind || !U.V->Rank)
    return;
  if (!mayBeDivided(Mo, *U.V)) {
    if (U.V->Dummy && !InParts)
      Entered.insert(U.V->Declare);
    return;
  }
  mlir::Type Type = fir::unwrapRefType(U.Address.getType());
  Emitter E(U.Op);
  Site T(E);
  head(T, P, U, U.Kind);
  const bool Sequential = U.Kind == 'r' && !InParts;
  llvm::SmallVector<mlir::Value, 3> Args{E.toPointer(U.Address), E.value(Num::of(int64_t(bytesOf(Type))))};
  const bool Printed = Sequential && isOutput(P);
  if (!Printed)
    Args.push_back(E.text(T.T));
  mlir::Operation *Call = E.call(Printed ? "__dvmp_fetch" : Sequential ? DVMM_READ : DVMM_PART, E.pointer(), Args);
  mlir::Value Marked = E.B.create<fir::ConvertOp>(E.L, fir::ReferenceType::get(Type), Call->getResult(0));
  for (mlir::OpOperand &Operand : U.Op->getOpOperands())
    if (Operand.get() == U.Address)
      Operand.set(Marked);
}

// What a caller has distributed is not known here: a dummy array without a directive must not be.
void Accesses::markEntered() {
  for (mlir::Operation *Op : Entered) {
    Variable *V = Mo.of(mlir::cast<hlfir::DeclareOp>(Op));
    Emitter E(Op->getNextNode());
    E.L = Op->getLoc();
    Site T(E);
    T.key(DVMRT_ANY_KIND).add("r").key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F").place(V->File, V->At);
    T.key(DVMRT_ACCESS_TEXT).add(V->Name).key(DVMRT_ACCESS_VARIABLE).add(V->Name);
    E.call("__dvmp_entered", {}, {Mo.base(E, *V), E.text(T.T)});
  }
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
  F.walk([](fir::DoLoopOp Loop) {
    for (mlir::Value Next : Loop.getBody()->getTerminator()->getOperands())
      if (auto Sum = Next.getDefiningOp<mlir::arith::AddIOp>())
        Sum->setAttr("overflowFlags",
                     mlir::arith::IntegerOverflowFlagsAttr::get(Sum->getContext(), mlir::arith::IntegerOverflowFlags::nsw));
  });
}

void Accesses::run() {
  if (O.Parallel)
    noWrapInSubscripts(F);
  else if (!O.Trace && Mo.Main.P->HasDirectives)
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
