// Which operations are uses of variables.
#include "Accesses.h"

using namespace dvmf;

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

bool dvmf::isData(mlir::Type Address) { return fir::isa_ref_type(Address) && bytesOf(fir::unwrapRefType(Address)) != 0; }

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
