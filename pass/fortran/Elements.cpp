#include "Elements.h"
#include "Arrays.h"
#include "pass/markers.h"
#include "runtime/site_text.h"

using namespace dvmf;

static bool isMark(mlir::Operation *Op) {
  auto Call = mlir::dyn_cast<fir::CallOp>(Op);
  return Call && Call.getCallee() && Call.getCallee()->getRootReference().getValue().starts_with("__dvm");
}

mlir::Value dvmf::unmarked(mlir::Value V) {
  while (mlir::Operation *D = V.getDefiningOp())
    if (mlir::isa<fir::ConvertOp>(D) || isMark(D))
      V = D->getOperand(0);
    else
      break;
  return V;
}

Variable *dvmf::dividedOf(Model &Mo, mlir::Value V) {
  hlfir::DeclareOp D = Mo.rootOf(unmarked(V));
  Variable *X = D ? Mo.of(D) : nullptr;
  return X && mayBeDivided(Mo, *X) ? X : nullptr;
}

bool dvmf::isSequential(mlir::Operation *Op, const Model &Mo, const Constructs &Known, Position &P) {
  std::string File;
  if (!Mo.position(Op->getLoc(), File, P) || File != Mo.Main.Path)
    return false;
  for (const Mark &M : Mo.Main.P->Marks)
    if (M.Line == P.Line)
      return false; // inserted
  for (const auto &[Number, C] : Known)
    if (isDivided(C, Mo) && C.FirstLine <= P.Line && P.Line <= C.LastLine)
      return false;
  return true;
}

mlir::Value dvmf::isOwn(Emitter &E, mlir::Value Address) {
  mlir::Value Own = E.call("__dvmp_own", E.B.getI32Type(), {E.toPointer(Address)})->getResult(0);
  mlir::Value Zero = E.B.create<mlir::arith::ConstantOp>(E.L, E.B.getI32IntegerAttr(0));
  return E.B.create<mlir::arith::CmpIOp>(E.L, mlir::arith::CmpIPredicate::ne, Own, Zero);
}

fir::IfOp dvmf::ifOwn(Emitter &E, mlir::Value Address) { return E.B.create<fir::IfOp>(E.L, isOwn(E, Address), false); }

mlir::Value dvmf::elementOf(fir::FirOpBuilder &B, mlir::Location L, hlfir::Entity From, mlir::ValueRange At) {
  if (auto Elemental = From.getDefiningOp<hlfir::ElementalOp>()) {
    mlir::IRMapping Map;
    return hlfir::inlineElementalOp(L, B, Elemental, At, Map, [](hlfir::ElementalOp) { return true; });
  }
  if (From.isArray())
    From = hlfir::getElementAt(L, B, hlfir::derefPointersAndAllocatables(L, B, From), At);
  return hlfir::loadTrivialScalar(L, B, From);
}

void dvmf::markLoads(mlir::Operation *In, Model &Mo, Position P) {
  llvm::SmallVector<fir::LoadOp, 4> Loads;
  In->walk([&](fir::LoadOp Load) { Loads.push_back(Load); });
  for (fir::LoadOp Load : Loads) {
    Variable *V = dividedOf(Mo, Load.getMemref());
    const uint64_t Bytes = bytesOf(fir::unwrapRefType(Load.getMemref().getType()));
    if (!V || !Bytes || unmarked(Load.getMemref()) != Load.getMemref())
      continue;
    Emitter E(Load);
    Site T(E);
    T.key(DVMRT_ANY_KIND).add("r").key(DVMRT_ANY_LANGUAGE).add(Mo.Main.P->F.Fixed ? "f" : "F").place(Mo.Main.Name, P);
    T.key(DVMRT_ACCESS_TEXT).add(V->Name).key(DVMRT_ACCESS_VARIABLE).add(V->Name);
    mlir::Value Address = Load.getMemref();
    mlir::Operation *Call = E.call(DVMM_READ, E.pointer(), {E.toPointer(Address), E.value(Num::of(int64_t(Bytes))), E.text(T.T)});
    Load->setOperand(0, E.B.create<fir::ConvertOp>(E.L, Address.getType(), Call->getResult(0)));
  }
}

// ---- where elements come from ------------------------------------------------------------------------------------------

// An allocatable array is where its descriptor says.
static mlir::Value placeOf(mlir::Value V) {
  auto Load = unmarked(V).getDefiningOp<fir::LoadOp>();
  return Load && mlir::isa<fir::BaseBoxType>(Load.getType()) ? unmarked(Load.getMemref()) : unmarked(V);
}

// Computed from the same values by the same operations.
static bool isSame(mlir::Value A, mlir::Value B) {
  A = placeOf(A);
  B = placeOf(B);
  mlir::Operation *X = A.getDefiningOp(), *Y = B.getDefiningOp();
  if (A == B)
    return true;
  if (!X || !Y || X->getName() != Y->getName() || X->getNumRegions() || X->getNumOperands() != Y->getNumOperands() ||
      X->getAttrDictionary() != Y->getAttrDictionary() || mlir::isa<fir::CallOp>(X) ||
      mlir::cast<mlir::OpResult>(A).getResultNumber() != mlir::cast<mlir::OpResult>(B).getResultNumber())
    return false;
  for (unsigned I = 0; I < X->getNumOperands(); ++I)
    if (!isSame(X->getOperand(I), Y->getOperand(I)))
      return false;
  return true;
}

static bool isShared(hlfir::DeclareOp D) {
  auto Flags = D.getFortranAttrs();
  return Flags && bitEnumContainsAny(*Flags, fir::FortranVariableFlagsEnum::pointer | fir::FortranVariableFlagsEnum::target);
}

namespace {
struct Takes {
  const Model &Mo;
  mlir::Value To;
  hlfir::DeclareOp Root;
  std::set<mlir::Operation *> Seen;

  bool variable(mlir::Value V) const;
  bool designator(hlfir::DesignateOp D) const;
  bool operation(mlir::Operation *Op);
  bool expression(mlir::Value V);
};
} // namespace

static bool mayOverlap(hlfir::DeclareOp A, hlfir::DeclareOp B) { return A && B && (A == B || (isShared(A) && isShared(B))); }

// All of it is taken, element by element.
bool Takes::variable(mlir::Value V) const { return mayOverlap(Mo.rootOf(unmarked(V)), Root) && !isSame(V, To); }

bool Takes::designator(hlfir::DesignateOp D) const {
  bool Whole = false;
  for (mlir::Operation *User : D->getUsers())
    if (auto Part = mlir::dyn_cast<hlfir::DesignateOp>(User); Part && isElementwise(Part))
      Whole = true;
  if (Whole || !mayOverlap(Mo.rootOf(D.getResult()), Root))
    return false; // its elements are looked at
  return !(isElementwise(D) ? isSame(D.getMemref(), To) : isSame(D.getResult(), To));
}

// What elementals apply stands before them.
bool Takes::expression(mlir::Value V) {
  mlir::Operation *D = V.getDefiningOp();
  return D && mlir::isa<hlfir::ExprType>(V.getType()) && operation(D);
}

bool Takes::operation(mlir::Operation *Op) {
  if (!Seen.insert(Op).second)
    return false;
  if (auto D = mlir::dyn_cast<hlfir::DesignateOp>(Op))
    return designator(D);
  const bool Address = mlir::isa<fir::LoadOp, fir::ConvertOp, fir::BoxAddrOp, fir::BoxDimsOp, fir::EmboxOp, fir::ReboxOp>(Op) || isMark(Op);
  for (mlir::Value V : Op->getOperands())
    if ((!Address && variable(V)) || expression(V))
      return true;
  for (mlir::Region &R : Op->getRegions())
    for (mlir::Block &B : R)
      for (mlir::Operation &Inner : B)
        if (operation(&Inner))
          return true;
  return false;
}

bool dvmf::takesOthers(const Model &Mo, mlir::Value To, mlir::Value From) {
  Takes T{Mo, unmarked(To), Mo.rootOf(unmarked(To)), {}};
  return mlir::isa<hlfir::ExprType>(From.getType()) ? T.expression(From) : T.variable(From);
}

bool dvmf::takesOthers(const Model &Mo, mlir::Value To, mlir::Region &From) {
  Takes T{Mo, unmarked(To), Mo.rootOf(unmarked(To)), {}};
  for (mlir::Block &B : From)
    for (mlir::Operation &Op : B)
      if (T.operation(&Op))
        return true;
  return false;
}

// ---- assignments -------------------------------------------------------------------------------------------------------

void dvmf::assignElement(fir::FirOpBuilder &B, mlir::Location L, mlir::Value Value, mlir::Value Element, bool Kept) {
  if (!Kept) {
    B.create<hlfir::AssignOp>(L, Value, Element);
    return;
  }
  mlir::Type Type = fir::unwrapRefType(Element.getType());
  mlir::Value Place = B.createTemporary(L, Type);
  auto Store = B.create<fir::StoreOp>(L, B.createConvert(L, Type, Value), Place);
  Emitter E(Store->getNextNode());
  E.L = L;
  E.call("__dvmp_keep", {}, {E.toPointer(Element), E.toPointer(Place), E.value(Num::of(int64_t(bytesOf(Type))))});
}

mlir::Value dvmf::keepFrom(mlir::Operation *Statement) {
  Emitter E(Statement);
  return E.call("__dvmp_keep_from", E.word(), {})->getResult(0);
}

void dvmf::assignKept(mlir::Operation *Statement, mlir::Value From) {
  Emitter E(Statement);
  E.call("__dvmp_assign_kept", {}, {From});
}

llvm::SmallVector<mlir::Value> dvmf::extentsOf(mlir::Location L, fir::FirOpBuilder &B, hlfir::Entity Array) {
  auto Elemental = Array.getDefiningOp<hlfir::ElementalOp>();
  return hlfir::getIndexExtents(L, B,
                                Elemental ? Elemental.getShape() : hlfir::genShape(L, B, hlfir::derefPointersAndAllocatables(L, B, Array)));
}

void dvmf::checkExtents(Emitter &E, llvm::ArrayRef<mlir::Value> To, llvm::ArrayRef<mlir::Value> From) {
  for (size_t I = 0; I < To.size() && I < From.size(); ++I)
    if (const Num X = E.number(To[I]), Y = E.number(From[I]); !X.C || !Y.C || *X.C != *Y.C)
      E.call("__dvmp_conform", {}, {E.value(X), E.value(Y)});
}

void dvmf::elementalsOf(mlir::Value Expression, llvm::SmallVectorImpl<mlir::Operation *> &Out) {
  auto Elemental = Expression.getDefiningOp<hlfir::ElementalOp>();
  if (!Elemental || llvm::is_contained(Out, Elemental.getOperation()))
    return;
  Elemental->walk([&](hlfir::ApplyOp Apply) { elementalsOf(Apply.getExpr(), Out); });
  Out.push_back(Elemental);
}

static void drop(mlir::Operation *Elemental) {
  llvm::SmallVector<mlir::Operation *, 2> Ends;
  for (mlir::Operation *User : Elemental->getUsers())
    if (mlir::isa<hlfir::DestroyOp>(User))
      Ends.push_back(User);
    else
      return;
  for (mlir::Operation *End : Ends)
    End->erase();
  Elemental->erase();
}

void dvmf::dropUnused(llvm::ArrayRef<mlir::Operation *> Ops) {
  for (size_t I = Ops.size(); I-- > 0;)
    if (mlir::isa<hlfir::ElementalOp>(Ops[I]))
      drop(Ops[I]);
}
