#include "Run.h"

using namespace dvmf;

static fir::FirOpBuilder before(mlir::Operation *Op) {
  mlir::OpBuilder B(Op);
  return fir::FirOpBuilder(B, Op->getParentOfType<mlir::ModuleOp>());
}

Run::Run(mlir::Operation *Root, const Levels &Around) : B(before(Root)), Root(Root), L(Root->getLoc()), Around(Around) {
  Emitter E = here();
  for (const Level &X : Around)
    if (X.Kept)
      E.call("__dvmp_mask_again", {}, {X.Kept});
}

Emitter Run::here() {
  Emitter E(&*B.getInsertionPoint());
  E.L = L;
  return E;
}

mlir::Value Run::next(const Level &X) { return here().call("__dvmp_mask_next", B.getI32Type(), {X.Kept})->getResult(0); }

mlir::Value Run::copy(mlir::Region &R) {
  for (mlir::Operation &Op : R.front().without_terminator())
    if (auto Once = mlir::dyn_cast<hlfir::ExactlyOnceOp>(Op))
      Map.map(Once.getResult(), copy(Once.getBody()));
    else
      Copied.push_back(B.clone(Op, Map));
  auto Yield = mlir::dyn_cast<hlfir::YieldOp>(R.front().getTerminator());
  if (!Yield)
    return {};
  if (!Yield.getCleanup().empty())
    Cleanups.push_back({B.getInsertionBlock(), &Yield.getCleanup()});
  return Map.lookupOrDefault(Yield.getEntity());
}

// ---- FORALL ------------------------------------------------------------------------------------------------------------

void Run::loop(hlfir::ForallOp F) {
  const auto Bound = [&](mlir::Region &R) { return B.createConvert(L, B.getIndexType(), copy(R)); };
  mlir::Value Low = Bound(F.getLbRegion()), High = Bound(F.getUbRegion());
  mlir::Value Step = F.getStepRegion().empty() ? B.createIntegerConstant(L, B.getIndexType(), 1) : Bound(F.getStepRegion());
  auto Do = B.create<fir::DoLoopOp>(L, Low, High, Step);
  B.setInsertionPointToStart(Do.getBody());
  mlir::Value Argument = F.getForallIndexValue(), Index = B.createConvert(L, Argument.getType(), Do.getInductionVar());
  Map.map(Argument, Index);
  for (mlir::Operation &Op : F.getBody().front())
    if (auto X = mlir::dyn_cast<hlfir::ForallIndexOp>(Op)) {
      mlir::Value Place = B.createTemporary(L, Argument.getType());
      B.create<fir::StoreOp>(L, Index, Place);
      Map.map(X.getResult(), Place);
    }
}

void Run::loops() {
  for (const Level &X : Around)
    if (X.Loop)
      loop(X.Loop);
    else if (X.Scalar && X.Kept)
      Values[&X] = next(X);
}

void Run::testScalars() {
  for (const Level &X : Around)
    if (X.Scalar)
      test(X.Kept ? Values[&X] : copy(*X.Mask), X.Negated);
}

// ---- WHERE -------------------------------------------------------------------------------------------------------------

void Run::takeMasks() {
  for (const Level &X : Around)
    if (X.Mask && !X.Scalar && !X.Kept)
      Values[&X] = copy(*X.Mask);
}

void Run::takeBits() {
  for (const Level &X : Around)
    if (X.Mask && !X.Scalar && X.Kept)
      Values[&X] = next(X);
}

void Run::testMasks() {
  for (const Level &X : Around)
    if (X.Mask && !X.Scalar)
      test(X.Kept ? Values[&X] : element(Values[&X]), X.Negated);
}

void Run::test(mlir::Value Bit, bool Negated) {
  Bit = B.createConvert(L, B.getI1Type(), Bit);
  if (Negated)
    Bit = B.create<mlir::arith::XOrIOp>(L, Bit, B.createBool(L, true));
  auto If = B.create<fir::IfOp>(L, Bit, false);
  B.setInsertionPointToStart(&If.getThenRegion().front());
}

// ---- elements ----------------------------------------------------------------------------------------------------------

Run::Target Run::target(hlfir::RegionAssignOp S) {
  mlir::Value Whole = copy(S.getLhsRegion());
  if (Whole)
    return {hlfir::derefPointersAndAllocatables(L, B, hlfir::Entity{unmarked(Whole)}), {}};
  return {{}, mlir::cast<hlfir::ElementalAddrOp>(S.getLhsRegion().front().getTerminator())};
}

llvm::SmallVector<mlir::Value> Run::extents(const Target &T) {
  if (T.Whole)
    return extents(T.Whole);
  hlfir::ElementalAddrOp Indexed = T.Indexed;
  return hlfir::getIndexExtents(L, B, Map.lookupOrDefault(Indexed.getShape()));
}

void Run::elements(llvm::ArrayRef<mlir::Value> Extents) {
  hlfir::LoopNest Nest = hlfir::genLoopNest(L, B, Extents, false);
  B.setInsertionPointToStart(Nest.innerLoop.getBody());
  At.assign(Nest.oneBasedIndices.begin(), Nest.oneBasedIndices.end());
}

mlir::Value Run::element(const Target &T) {
  if (T.Whole)
    return At.empty() ? T.Whole : mlir::Value(hlfir::getElementAt(L, B, hlfir::Entity{T.Whole}, At));
  hlfir::ElementalAddrOp Indexed = T.Indexed;
  const auto All = [](hlfir::ElementalOp) { return true; };
  return unmarked(hlfir::inlineElementalOp(L, B, mlir::cast<hlfir::ElementalOpInterface>(Indexed.getOperation()), At, Map, All));
}

void Run::finish() {
  for (size_t I = Cleanups.size(); I-- > 0;) {
    auto [In, R] = Cleanups[I];
    B.setInsertionPoint(In == Root->getBlock() ? Root : In->getTerminator());
    for (mlir::Operation &Op : R->front())
      if (!mlir::isa<fir::FirEndOp>(Op))
        B.clone(Op, Map);
  }
  dropUnused(Copied);
}
