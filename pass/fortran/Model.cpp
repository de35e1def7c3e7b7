#include "Model.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "runtime/site_text.h"

using namespace dvmf;

uint64_t dvmf::bytesOf(mlir::Type T) {
  if (auto I = mlir::dyn_cast<mlir::IntegerType>(T))
    return (I.getWidth() + 7) / 8;
  if (auto F = mlir::dyn_cast<mlir::FloatType>(T))
    return F.getWidth() == 80 ? 16 : F.getWidth() / 8;
  if (auto L = mlir::dyn_cast<fir::LogicalType>(T))
    return L.getFKind();
  if (auto C = mlir::dyn_cast<fir::ComplexType>(T))
    return 2 * C.getFKind();
  if (auto C = mlir::dyn_cast<mlir::ComplexType>(T))
    return 2 * bytesOf(C.getElementType());
  if (auto R = mlir::dyn_cast<fir::RealType>(T))
    return R.getFKind();
  return 0;
}

// Returns the alignment; 0: the size is not known here.
static uint64_t layOut(mlir::Type T, uint64_t &Bytes) {
  if (auto Seq = mlir::dyn_cast<fir::SequenceType>(T)) {
    const uint64_t Align = Seq.hasUnknownShape() || Seq.hasDynamicExtents() ? 0 : layOut(Seq.getEleTy(), Bytes);
    Bytes *= Seq.getConstantArraySize();
    return Align;
  }
  if (auto Text = mlir::dyn_cast<fir::CharacterType>(T)) {
    Bytes = Text.hasConstantLen() ? uint64_t(Text.getLen()) * Text.getFKind() : 0;
    return Bytes ? Text.getFKind() : 0;
  }
  if (auto Box = mlir::dyn_cast<fir::BaseBoxType>(T)) { // a descriptor of flang 19
    mlir::Type Of = fir::dyn_cast_ptrEleTy(Box.getEleTy());
    auto Seq = mlir::dyn_cast_or_null<fir::SequenceType>(Of);
    const bool Typed = mlir::isa<fir::ClassType>(T) || mlir::isa_and_nonnull<fir::RecordType>(Seq ? Seq.getEleTy() : Of);
    Bytes = 24 + 24 * (Seq ? Seq.getDimension() : 0) + (Typed ? 16 : 0);
    return 8;
  }
  auto Record = mlir::dyn_cast<fir::RecordType>(T);
  if (!Record) {
    Bytes = bytesOf(T);
    return mlir::isa<fir::ComplexType, mlir::ComplexType>(T) ? Bytes / 2 : Bytes;
  }
  uint64_t Most = 1;
  Bytes = 0;
  for (auto &[Name, Component] : Record.getTypeList()) {
    uint64_t Own = 0;
    const uint64_t Align = layOut(Component, Own);
    if (!Align)
      return 0;
    Bytes = (Bytes + Align - 1) / Align * Align + Own;
    Most = std::max(Most, Align);
  }
  Bytes = (Bytes + Most - 1) / Most * Most;
  return Most;
}

uint64_t dvmf::storedBytes(mlir::Type T) {
  uint64_t Bytes = 0;
  return layOut(T, Bytes) ? Bytes : 0;
}

std::string dvmf::kindOf(mlir::Type T) {
  const uint64_t N = bytesOf(T);
  if (!N)
    return "";
  const char *Letter = mlir::isa<mlir::FloatType, fir::RealType>(T) ? "f" : mlir::isa<fir::ComplexType, mlir::ComplexType>(T) ? "c" : "i";
  return Letter + std::to_string(N);
}

// ---- Emitter
// -----------------------------------------------------------------------------------------------------------------

mlir::Value Emitter::value(const Num &N) {
  return N.C ? B.create<mlir::arith::ConstantOp>(L, word(), B.getI64IntegerAttr(*N.C)).getResult() : N.V;
}

mlir::Value Emitter::toWord(mlir::Value V) { return V.getType() == word() ? V : B.create<fir::ConvertOp>(L, word(), V).getResult(); }

static std::optional<int64_t> constantOf(mlir::Value V) {
  while (mlir::Operation *D = V.getDefiningOp()) {
    if (auto C = mlir::dyn_cast<mlir::arith::ConstantOp>(D)) {
      if (auto I = mlir::dyn_cast<mlir::IntegerAttr>(C.getValue()))
        return I.getValue().getSExtValue();
      return std::nullopt;
    }
    if (mlir::isa<fir::ConvertOp, hlfir::NoReassocOp>(D)) {
      V = D->getOperand(0);
      continue;
    }
    // the extent of 'lower:upper' with both known
    if (auto S = mlir::dyn_cast<mlir::arith::SelectOp>(D)) {
      auto Cmp = S.getCondition().getDefiningOp<mlir::arith::CmpIOp>();
      auto X = constantOf(S.getTrueValue()), Y = constantOf(S.getFalseValue());
      if (Cmp && X && Y && Cmp.getPredicate() == mlir::arith::CmpIPredicate::sgt && Cmp.getLhs() == S.getTrueValue())
        return std::max(*X, *Y);
      return std::nullopt;
    }
    if (mlir::isa<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp>(D)) {
      auto X = constantOf(D->getOperand(0)), Y = constantOf(D->getOperand(1));
      if (!X || !Y)
        return std::nullopt;
      return mlir::isa<mlir::arith::AddIOp>(D) ? *X + *Y : mlir::isa<mlir::arith::SubIOp>(D) ? *X - *Y : *X * *Y;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

Num Emitter::number(mlir::Value V) {
  if (auto C = constantOf(V))
    return Num::of(*C);
  return {std::nullopt, toWord(V)};
}

Num Emitter::add(const Num &X, const Num &Y) {
  if (X.C && Y.C)
    return Num::of(*X.C + *Y.C);
  if (Y.C && !*Y.C)
    return X;
  return {std::nullopt, B.create<mlir::arith::AddIOp>(L, value(X), value(Y), mlir::arith::IntegerOverflowFlags::nsw).getResult()};
}
Num Emitter::sub(const Num &X, const Num &Y) {
  if (X.C && Y.C)
    return Num::of(*X.C - *Y.C);
  if (Y.C && !*Y.C)
    return X;
  return {std::nullopt, B.create<mlir::arith::SubIOp>(L, value(X), value(Y), mlir::arith::IntegerOverflowFlags::nsw).getResult()};
}
Num Emitter::mul(const Num &X, const Num &Y) {
  if (X.C && Y.C)
    return Num::of(*X.C * *Y.C);
  if (Y.C && *Y.C == 1)
    return X;
  return {std::nullopt, B.create<mlir::arith::MulIOp>(L, value(X), value(Y), mlir::arith::IntegerOverflowFlags::nsw).getResult()};
}

mlir::Value Emitter::toPointer(mlir::Value Ref) { return B.create<fir::ConvertOp>(L, pointer(), Ref); }

mlir::Value Emitter::text(const std::string &T) {
  static const char Attribute[] = "dvm.texts";
  // One constant for each text would do; texts hold places and so differ.
  const std::string Whole = T + '\0';
  int64_t Number = 0;
  if (auto A = M->getAttrOfType<mlir::IntegerAttr>(Attribute))
    Number = A.getInt();
  M->setAttr(Attribute, B.getI64IntegerAttr(Number + 1));
  fir::FirOpBuilder FB(B, M);
  FB.setInsertionPoint(&*B.getInsertionPoint());
  auto Type = fir::CharacterType::get(B.getContext(), 1, int64_t(Whole.size()));
  auto Global = FB.createGlobalConstant(
      L, Type, "dvm.text." + std::to_string(Number),
      [&](fir::FirOpBuilder &In) { In.create<fir::HasValueOp>(L, In.createStringLitOp(L, Whole)); }, FB.createInternalLinkage());
  mlir::Value Address = B.create<fir::AddrOfOp>(L, Global.resultType(), Global.getSymbol());
  return B.create<fir::ConvertOp>(L, pointer(), Address);
}

mlir::Operation *Emitter::call(const std::string &Name, mlir::Type Result, llvm::ArrayRef<mlir::Value> Args) {
  if (!M.lookupSymbol<mlir::func::FuncOp>(Name)) {
    llvm::SmallVector<mlir::Type, 8> Types;
    for (mlir::Value V : Args)
      Types.push_back(V.getType());
    auto Saved = B.saveInsertionPoint();
    B.setInsertionPointToEnd(M.getBody());
    auto F = B.create<mlir::func::FuncOp>(L, Name, B.getFunctionType(Types, Result ? mlir::TypeRange(Result) : mlir::TypeRange()));
    F.setPrivate();
    B.restoreInsertionPoint(Saved);
  }
  llvm::SmallVector<mlir::Type, 1> Results;
  if (Result)
    Results.push_back(Result);
  return B.create<fir::CallOp>(L, mlir::SymbolRefAttr::get(B.getContext(), Name), llvm::ArrayRef<mlir::Type>(Results),
                               mlir::ValueRange(Args));
}

// ---- Model
// -------------------------------------------------------------------------------------------------------------------

std::string Model::nameOf(const std::string &Path) const { return Path == Main.Path ? Main.Name : Path; }

bool Model::isNamed(const std::string &Name, const Variable &V) const {
  const std::string Small = lower(Name), Own = lower(V.Name);
  return Small == Own || (V.Module && Main.Renamed.count({Small, Own}));
}

bool Model::position(mlir::Location L, std::string &File, Position &P) const {
  if (auto F = mlir::dyn_cast<mlir::FileLineColLoc>(L)) {
    File = F.getFilename().str();
    P = {F.getLine(), F.getColumn()};
    return P.Line != 0;
  }
  if (auto F = mlir::dyn_cast<mlir::FusedLoc>(L))
    for (mlir::Location Part : F.getLocations())
      if (position(Part, File, P))
        return true;
  return false;
}

hlfir::DeclareOp Model::rootOf(mlir::Value V) const {
  while (mlir::Operation *D = V.getDefiningOp()) {
    if (auto Declare = mlir::dyn_cast<hlfir::DeclareOp>(D))
      return Declare;
    if (mlir::isa<fir::ConvertOp, fir::BoxAddrOp, fir::EmboxOp, fir::ReboxOp>(D))
      V = D->getOperand(0);
    else if (auto G = mlir::dyn_cast<hlfir::DesignateOp>(D))
      V = G.getMemref();
    else if (auto Load = mlir::dyn_cast<fir::LoadOp>(D); Load && mlir::isa<fir::BaseBoxType>(Load.getType()))
      V = Load.getMemref();
    else
      return {};
  }
  return {};
}

const Statement *Model::statementAt(Position At) const {
  for (const Statement &S : Main.P->Statements)
    if (!S.IsDirective && S.File.empty() && !(At < S.Start) && !(S.At.back() < At))
      return &S;
  return nullptr;
}

// The name at that place of the statement, if it is this one but for its
// letters' size.
static std::string nameInSource(const Statement *S, Position At, const std::string &Small) {
  for (size_t I = 0; S && I < S->Text.size(); ++I)
    if (S->At[I] == At && lower(S->Text.substr(I, Small.size())) == Small)
      return S->Text.substr(I, Small.size());
  return Small;
}

// Else its place is where it is named first, perhaps in the body of a loop, whose own it is not.
bool Model::isDeclared(const Variable &V) const {
  const Statement *S = statementAt(V.At);
  const bool OfBlock = V.Unique.find('B') != std::string::npos; // the tag of BLOCK; names are in small letters
  if (!S || OfBlock)
    return true;
  const size_t Number = S - Main.P->Statements.data();
  const int Unit = Units.UnitOf[Number];
  return Unit < 0 || Number < Units.Units[Unit].FirstExecutable;
}

Variable *Model::of(hlfir::DeclareOp D) {
  auto &Slot = Known[D.getOperation()];
  if (Slot)
    return Slot.get();
  Slot = std::make_unique<Variable>();
  Variable &V = *Slot;
  V.Declare = D;
  V.Unique = D.getUniqName().str();
  std::string Small = V.Unique.substr(V.Unique.find_last_of('E') + 1); // names are in small letters, the tags in capital ones
  mlir::Type T = D.getMemref().getType();
  if (auto Ref = mlir::dyn_cast<fir::ReferenceType>(T); Ref && mlir::isa<fir::BaseBoxType>(Ref.getEleTy())) {
    V.Indirect = V.Boxed = true;
    T = Ref.getEleTy();
  }
  if (auto Box = mlir::dyn_cast<fir::BaseBoxType>(T)) {
    V.Boxed = true;
    T = Box.getEleTy();
  }
  T = fir::unwrapRefType(T);
  if (auto Seq = mlir::dyn_cast<fir::SequenceType>(T)) {
    V.Rank = Seq.getDimension();
    T = Seq.getEleTy();
  }
  V.Element = T;
  V.Kind = kindOf(T);
  V.Bytes = bytesOf(T);
  V.Dummy = mlir::isa<mlir::BlockArgument>(D.getMemref());
  V.Static = D.getMemref().getDefiningOp<fir::AddrOfOp>() != nullptr;
  V.Module = V.Unique.rfind("_QM", 0) == 0 && V.Unique.find('F') == std::string::npos;
  if (auto Flags = D.getFortranAttrs())
    V.Parameter = bitEnumContainsAny(*Flags, fir::FortranVariableFlagsEnum::parameter);
  std::string Path;
  if (position(D.getLoc(), Path, V.At))
    V.File = nameOf(Path);
  V.Name = Path == Main.Path ? nameInSource(statementAt(V.At), V.At, Small) : Small;
  if (Path == Main.Path && !isDeclared(V))
    V.At = {};
  return &V;
}

Shape Model::shape(Emitter &E, const Variable &V) {
  Shape S;
  hlfir::DeclareOp D = V.Declare;
  mlir::Value Form = D.getShape();
  if (V.Boxed) {
    mlir::Value Box = D.getResult(0);
    if (V.Indirect)
      Box = E.B.create<fir::LoadOp>(E.L, Box);
    auto Index = E.B.getIndexType();
    for (unsigned I = 0; I < V.Rank; ++I) {
      mlir::Value Number = E.B.create<mlir::arith::ConstantOp>(E.L, Index, E.B.getIndexAttr(I));
      auto Dims = E.B.create<fir::BoxDimsOp>(E.L, Index, Index, Index, Box, Number);
      S.Lower.push_back(E.number(Dims.getResult(0)));
      S.Extent.push_back(E.number(Dims.getResult(1)));
    }
    return S;
  }
  if (auto X = Form ? Form.getDefiningOp<fir::ShapeOp>() : fir::ShapeOp())
    for (mlir::Value Extent : X.getExtents()) {
      S.Lower.push_back(Num::of(1));
      S.Extent.push_back(E.number(Extent));
    }
  else if (auto Shift = Form ? Form.getDefiningOp<fir::ShapeShiftOp>() : fir::ShapeShiftOp())
    for (unsigned I = 0; I + 1 < Shift.getPairs().size(); I += 2) {
      S.Lower.push_back(E.number(Shift.getPairs()[I]));
      S.Extent.push_back(E.number(Shift.getPairs()[I + 1]));
    }
  // The last one of an assumed-size array is undefined.
  if (!S.Extent.empty() && !S.Extent.back().C && S.Extent.back().V.getDefiningOp<fir::UndefOp>())
    S.Extent.back() = Num::of(-1);
  return S;
}

mlir::Value Model::base(Emitter &E, const Variable &V) {
  hlfir::DeclareOp D = V.Declare;
  mlir::Value Box = D.getMemref();
  if (!V.Boxed)
    return E.toPointer(Box);
  if (V.Indirect)
    Box = E.B.create<fir::LoadOp>(E.L, D.getResult(0));
  return E.toPointer(E.B.create<fir::BoxAddrOp>(E.L, Box));
}

// ---- Site
// --------------------------------------------------------------------------------------------------------------------

Site &Site::key(char K) {
  if (!T.empty())
    T += '\n';
  T += K;
  T += ' ';
  return *this;
}

Site &Site::place(const std::string &File, Position P) {
  return key(DVMRT_ANY_FILE).add(File).key(DVMRT_ANY_PLACE).add(P.Line).add(" ").add(P.Column);
}

Site &Site::number(const Num &N) {
  if (N.C)
    return add(*N.C);
  Args.push_back(N.V);
  return add("#");
}

Site &Site::pointer(mlir::Value V) {
  Args.push_back(V);
  return add("&");
}

std::string dvmf::sentinelOf(const Placed &P) { return P.F.Fixed ? "f" : "F"; }

Shape dvmf::variableRef(Emitter &E, Model &Mo, Site &T, const Variable &V, const std::string &Name) {
  Shape S = Mo.shape(E, V);
  const bool Open = !S.Extent.empty() && S.Extent.back().C && *S.Extent.back().C < 0;
  T.add((lower(Name) != lower(V.Name) ? Name : V.Name) + (Open ? " p" : " a") + V.Kind + " ")
      .pointer(Mo.base(E, V))
      .add(" ")
      .add(int64_t(V.Bytes))
      .add(" ");
  T.add(int64_t(V.Rank));
  for (size_t I = S.Extent.size(); I-- > 0;) {
    T.add(" ");
    if (S.Extent[I].C && *S.Extent[I].C < 0)
      T.add("*");
    else
      T.number(S.Extent[I]);
  }
  return S;
}
