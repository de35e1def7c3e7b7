#include "Arrays.h"
#include "pass/markers.h"
#include "runtime/abi.h"

using namespace dvmf;

static fir::SequenceType sequenceOf(mlir::Type T) {
  for (;;) {
    if (auto Box = mlir::dyn_cast<fir::BaseBoxType>(T))
      T = Box.getEleTy();
    else if (mlir::Type Inner = fir::dyn_cast_ptrEleTy(T))
      T = Inner;
    else
      return mlir::dyn_cast<fir::SequenceType>(T);
  }
}

bool dvmf::isArray(mlir::Type T) { return bool(sequenceOf(T)) && !mlir::isa<hlfir::ExprType>(T); }

static mlir::Operation *elementalAround(mlir::Operation *Op) {
  for (mlir::Operation *P = Op->getParentOp(); P && !mlir::isa<mlir::func::FuncOp>(P); P = P->getParentOp())
    if (mlir::isa<hlfir::ElementalOp, hlfir::ElementalAddrOp>(P))
      return P;
  return nullptr;
}

// Arithmetic on the place of the element, without data of the program.
static bool isPlaceInElemental(mlir::Value V, bool &Varies) {
  if (auto Argument = mlir::dyn_cast<mlir::BlockArgument>(V)) {
    const bool Place = mlir::isa<hlfir::ElementalOp, hlfir::ElementalAddrOp>(Argument.getOwner()->getParentOp());
    Varies |= Place;
    return Place;
  }
  mlir::Operation *D = V.getDefiningOp();
  if (mlir::isa<mlir::arith::ConstantOp, fir::BoxDimsOp>(D))
    return true;
  if (!mlir::isa<fir::ConvertOp, mlir::arith::AddIOp, mlir::arith::SubIOp>(D))
    return !elementalAround(D);
  for (mlir::Value Operand : D->getOperands())
    if (!isPlaceInElemental(Operand, Varies))
      return false;
  return true;
}

bool dvmf::isElementwise(hlfir::DesignateOp D) {
  bool Varies = false;
  if (D.getComponent() || !elementalAround(D))
    return false;
  for (bool Triplet : D.getIsTriplet())
    if (Triplet)
      return false;
  for (mlir::Value Index : D.getIndices())
    if (!isPlaceInElemental(Index, Varies))
      return false;
  return Varies;
}

static bool isIntrinsic(mlir::Operation *Op) {
  static const char *const Names[] = {"sum",    "product",     "maxval",    "minval",           "any",    "all",   "count",
                                      "matmul", "dot_product", "transpose", "matmul_transpose", "minloc", "maxloc"};
  llvm::StringRef Name = Op->getName().getStringRef();
  if (!Name.consume_front("hlfir."))
    return false;
  for (const char *N : Names)
    if (Name == N)
      return true;
  return false;
}

bool dvmf::isDeferred(mlir::Operation *Op) { return mlir::isa<hlfir::ElementalOp, hlfir::AsExprOp>(Op) || isIntrinsic(Op); }

// The declaration or designator behind descriptors and conversions; null: a temporary.
static mlir::Value entityOf(mlir::Value V) {
  while (mlir::Operation *D = V.getDefiningOp()) {
    if (mlir::isa<hlfir::DeclareOp, hlfir::DesignateOp>(D))
      return D->getResult(0);
    if (mlir::isa<fir::ConvertOp, fir::EmboxOp, fir::ReboxOp, fir::BoxAddrOp, hlfir::NoReassocOp>(D))
      V = D->getOperand(0);
    else if (auto Load = mlir::dyn_cast<fir::LoadOp>(D); Load && mlir::isa<fir::BaseBoxType>(Load.getType()))
      V = Load.getMemref();
    else
      return {};
  }
  return {};
}

template <typename T> static bool isIn(mlir::Operation *Op) { return Op->getParentOfType<T>() != nullptr; }

// Before the outermost elemental operation that the entity is not part of.
static mlir::Operation *before(mlir::Operation *Op, mlir::Value Entity) {
  mlir::Operation *At = Op;
  for (mlir::Operation *P = Op->getParentOp(); mlir::isa_and_nonnull<hlfir::ElementalOp, hlfir::ElementalAddrOp>(P); P = P->getParentOp()) {
    if (P->isAncestor(Entity.getDefiningOp()))
      break;
    At = P;
  }
  return At;
}

// Does what the elemental operation computes go to an array, element by element?
static bool isPaired(mlir::Operation *Elemental, int Depth = 0) {
  for (mlir::Operation *User : Elemental->getUsers()) {
    if (mlir::isa<hlfir::AssignOp>(User))
      return true;
    if (auto Apply = mlir::dyn_cast<hlfir::ApplyOp>(User))
      if (mlir::Operation *Outer = elementalAround(Apply); Outer && Depth < 100)
        return isPaired(Outer, Depth + 1);
  }
  return false;
}

static void ofDesignator(hlfir::DesignateOp D, llvm::SmallVectorImpl<ArrayEvent> &Out) {
  mlir::Value Entity = entityOf(D.getMemref());
  bool Read = false, Part = false;
  for (mlir::Operation *User : D->getUsers()) {
    Read |= mlir::isa<fir::LoadOp>(User);
    Part |= mlir::isa<hlfir::DesignateOp>(User);
  }
  if (!Entity || !(Read || Part))
    return;
  if (isIn<hlfir::WhereOp>(D)) {
    ArrayEvent Ev{Entity, D, 'r'};
    Ev.Each = true;
    Out.push_back(Ev);
    return;
  }
  mlir::Operation *Outermost = elementalAround(D);
  Out.push_back({Entity, before(D, Entity), 'r', !Read, isPaired(Outermost)});
}

// Of the arguments of the run-time library of Fortran.
static char kindOfArgument(llvm::StringRef Name, unsigned N) {
  auto Is = [&](std::initializer_list<const char *> Words) {
    for (const char *W : Words)
      if (Name.starts_with(W))
        return true;
    return false;
  };
  if (!Name.consume_front("_FortranA"))
    return 0;
  if (Name.consume_front("io"))
    return Name.starts_with("Output") ? 'r' : Name.starts_with("Input") ? 'w' : 0;
  if (Is({"RandomNumber", "RandomSeedGet", "DateAndTime"}))
    return 'w';
  if (Is({"Size",    "Lbound",  "Ubound",     "Shape",    "Allocat", "Pointer",   "Is",      "Assign",   "Copy",       "Same",
          "Extends", "Destroy", "Initialize", "Finalize", "Rank",    "Stop",      "Report",  "Clear",    "RandomSeed", "RandomInit",
          "Get",     "Set",     "MoveAlloc",  "Bounds",   "Shallow", "LboundDim", "Command", "Argument", "Associat",   "Storage"}))
    return 0;
  if (Is({"Reshape", "Spread", "Pack",   "Unpack",     "Cshift",    "Eoshift",   "Matmul", "Transpose", "MaxlocDim", "MinlocDim", "Findloc",
          "Maxloc",  "Minloc", "SumDim", "ProductDim", "MaxvalDim", "MinvalDim", "AnyDim", "AllDim",    "CountDim",  "Norm2Dim"}))
    return N ? 'r' : 0; // the first is the result
  return 'r';
}

static void ofCall(fir::CallOp Call, llvm::SmallVectorImpl<ArrayEvent> &Out) {
  auto Callee = Call.getCallee();
  if (!Callee || !Callee->getRootReference().getValue().starts_with("_FortranA"))
    return;
  for (unsigned N = 0; N < Call.getNumOperands(); ++N) {
    const char Kind = kindOfArgument(Callee->getRootReference().getValue(), N);
    mlir::Value Entity = Kind ? entityOf(Call.getOperand(N)) : mlir::Value();
    // Scalars are loaded for output, and given for input.
    if (Entity && (isArray(Entity.getType()) || Kind == 'w'))
      Out.push_back({Entity, Call, Kind});
  }
}

void dvmf::arrayEvents(mlir::Operation *Op, llvm::SmallVectorImpl<ArrayEvent> &Out) {
  auto Add = [&](mlir::Value V, char Kind, bool Copied = false, bool Paired = false) {
    mlir::Value Entity = isArray(V.getType()) ? entityOf(V) : mlir::Value();
    if (Entity)
      Out.push_back({Entity, before(Op, Entity), Kind, Copied, Paired});
  };
  if (auto Assign = mlir::dyn_cast<hlfir::AssignOp>(Op)) {
    Add(Assign.getRhs(), 'r', false, true);
    Add(Assign.getLhs(), 'w');
  } else if (auto D = mlir::dyn_cast<hlfir::DesignateOp>(Op)) {
    if (isElementwise(D))
      ofDesignator(D, Out);
  } else if (isIntrinsic(Op) || mlir::isa<hlfir::AsExprOp>(Op)) {
    for (mlir::Value V : Op->getOperands())
      Add(V, 'r');
  } else if (auto In = mlir::dyn_cast<hlfir::CopyInOp>(Op)) {
    Add(In.getVar(), 'r', true);
  } else if (auto CopyOut = mlir::dyn_cast<hlfir::CopyOutOp>(Op)) {
    if (CopyOut.getVar())
      Add(CopyOut.getVar(), 'w');
  } else if (auto Call = mlir::dyn_cast<fir::CallOp>(Op)) {
    ofCall(Call, Out);
  } else if (auto Yield = mlir::dyn_cast<hlfir::YieldOp>(Op)) {
    auto Region = mlir::dyn_cast<hlfir::RegionAssignOp>(Op->getParentOp());
    const bool Masked = Region && isIn<hlfir::WhereOp>(Region);
    if (Region)
      Add(Yield.getEntity(), Masked ? 0 : Op->getParentRegion() == &Region.getLhsRegion() ? 'w' : 'r', false, true);
  }
}

// ---- marks
// -------------------------------------------------------------------------------------------------------------------

static mlir::Value shapeOf(mlir::Value Entity) {
  if (auto D = Entity.getDefiningOp<hlfir::DeclareOp>())
    return D.getShape();
  if (auto D = Entity.getDefiningOp<hlfir::DesignateOp>())
    return D.getShape();
  return {};
}

static bool extentsOf(mlir::Value Shape, llvm::SmallVectorImpl<mlir::Value> &Out) {
  if (auto X = Shape ? Shape.getDefiningOp<fir::ShapeOp>() : fir::ShapeOp())
    Out.append(X.getExtents().begin(), X.getExtents().end());
  else if (auto Shift = Shape ? Shape.getDefiningOp<fir::ShapeShiftOp>() : fir::ShapeShiftOp())
    for (unsigned I = 1; I < Shift.getPairs().size(); I += 2)
      Out.push_back(Shift.getPairs()[I]);
  for (mlir::Value V : Out)
    if (V.getDefiningOp<fir::UndefOp>())
      return false;
  return !Out.empty();
}

namespace {
struct Dimension {
  Num Extent, Stride;
};
} // namespace

static void dimensionsOfBox(Emitter &E, mlir::Value Box, unsigned Rank, llvm::SmallVectorImpl<Dimension> &Dims) {
  auto Index = E.B.getIndexType();
  for (unsigned I = 0; I < Rank; ++I) {
    mlir::Value Number = E.B.create<mlir::arith::ConstantOp>(E.L, Index, E.B.getIndexAttr(I));
    auto D = E.B.create<fir::BoxDimsOp>(E.L, Index, Index, Index, Box, Number);
    Dims.push_back({E.number(D.getResult(1)), E.number(D.getResult(2))});
  }
}

bool dvmf::markSection(Emitter &E, mlir::Value Entity, const std::string &Text, const ArrayEvent &Ev) {
  mlir::Value V = Entity, Base;
  fir::SequenceType Seq = sequenceOf(V.getType());
  mlir::Type Element = Seq ? Seq.getEleTy() : fir::unwrapRefType(V.getType());
  const uint64_t Known = bytesOf(Element);
  if (mlir::isa<fir::CharacterType>(Element) || (!Known && !mlir::isa<fir::RecordType>(Element)) ||
      (Seq && (Seq.hasUnknownShape() || Seq.getDimension() > DVMRT_NDIMS_MAX)))
    return false;
  if (mlir::isa<fir::BaseBoxType>(fir::unwrapRefType(V.getType())) && fir::isa_ref_type(V.getType()))
    V = E.B.create<fir::LoadOp>(E.L, V);
  llvm::SmallVector<Dimension, 4> Dims;
  llvm::SmallVector<mlir::Value, 4> Extents;
  const bool Boxed = mlir::isa<fir::BaseBoxType>(V.getType());
  if (!Boxed && (!Seq ? !Known : !extentsOf(shapeOf(Entity), Extents)))
    return false;
  Num Bytes = Num::of(int64_t(Known));
  if (!Known) {
    mlir::Value Box = V;
    if (!Boxed)
      Box = E.B.create<fir::EmboxOp>(E.L, fir::BoxType::get(fir::unwrapRefType(V.getType())), V, shapeOf(Entity));
    Bytes = {std::nullopt, E.toWord(E.B.create<fir::BoxEleSizeOp>(E.L, E.B.getIndexType(), Box))};
  }
  if (Boxed) {
    dimensionsOfBox(E, V, Seq ? Seq.getDimension() : 0, Dims);
    Base = E.B.create<fir::BoxAddrOp>(E.L, V);
  } else {
    Num Stride = Bytes;
    for (mlir::Value Extent : Extents) {
      Dims.push_back({E.number(Extent), Stride});
      Stride = E.mul(Stride, Dims.back().Extent);
    }
    Base = V;
  }
  const int64_t Flags = (Ev.Kind == 'w' ? DVMRT_WRITE | DVMRT_STORED
                                        : DVMRT_READ | (Ev.Copied || !Known ? DVMRT_COPIED : 0) | (Ev.Anywhere ? DVMRT_PLACED : 0)) |
                        (Ev.InParts ? DVMM_SECTION_IN_PARTS : 0);
  llvm::SmallVector<mlir::Value, 16> Args{E.toPointer(Base), E.text(Text), E.value(Bytes), E.value(Num::of(Flags))};
  for (const Dimension &D : Dims) {
    Args.push_back(E.value(D.Extent));
    Args.push_back(E.value(D.Stride));
  }
  E.call(std::string(DVMM_SECTION) + "." + std::to_string(Dims.size()), {}, Args);
  return true;
}
