#include "Sections.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "pass/markers.h"
#include "runtime/site_text.h"

using namespace dvmf;

// A descriptor is loaded from where the variable has it.
static mlir::Operation *behindDescriptor(mlir::Value V) {
  mlir::Operation *D = V.getDefiningOp();
  if (auto Load = mlir::dyn_cast_or_null<fir::LoadOp>(D); Load && mlir::isa<fir::BaseBoxType>(Load.getType()))
    D = Load.getMemref().getDefiningOp();
  return D;
}

static bool isOne(mlir::Value Step) {
  const auto C = fir::getIntIfConstant(Step);
  return C && *C == 1;
}

// How many dimensions are more than one place; 0: this is no such section.
static unsigned sideOf(mlir::Value V, Model &Mo, SectionCopy::Side &Out) {
  mlir::Operation *D = behindDescriptor(V);
  Out.Part = mlir::dyn_cast_or_null<hlfir::DesignateOp>(D);
  if (Out.Part)
    D = behindDescriptor(Out.Part.getMemref());
  auto Declare = mlir::dyn_cast_or_null<hlfir::DeclareOp>(D);
  Out.V = Declare ? Mo.of(Declare) : nullptr;
  if (!Out.V || !Out.V->Rank || !Out.V->Bytes || Out.V->Kind.empty() || !Mo.Distributed.count(Out.V->Unique))
    return 0;
  if (!Out.Part)
    return Out.V->Rank;
  if (Out.Part.getComponent() || !Out.Part.getSubstring().empty() || Out.Part.getComplexPart() ||
      Out.Part.getIsTriplet().size() != Out.V->Rank)
    return 0;
  unsigned Dimensions = 0, At = 0;
  for (bool Triplet : Out.Part.getIsTriplet()) {
    if (Triplet && !isOne(Out.Part.getIndices()[At + 2]))
      return 0;
    At += Triplet ? 3 : 1;
    Dimensions += Triplet;
  }
  return Dimensions;
}

std::optional<SectionCopy> dvmf::sectionCopyOf(hlfir::AssignOp Assign, Model &Mo) {
  SectionCopy C;
  const unsigned To = sideOf(Assign.getLhs(), Mo, C.To), From = sideOf(Assign.getRhs(), Mo, C.From);
  if (!To || To != From || C.To.V->Unique == C.From.V->Unique || C.To.V->Kind != C.From.V->Kind)
    return {};
  return C;
}

// From zero, the last dimension first, as the run time has them.
static void side(Site &T, Model &Mo, SectionCopy::Side S) {
  const Shape Sh = variableRef(T.E, Mo, T.key(DVMRT_DIRECTIVE_ARRAY), *S.V, S.V->Name);
  std::vector<unsigned> First;
  unsigned At = 0;
  for (unsigned I = 0; S.Part && I < S.V->Rank; ++I) {
    First.push_back(At);
    At += S.Part.getIsTriplet()[I] ? 3 : 1;
  }
  for (unsigned I = S.V->Rank; I-- > 0;) {
    T.key(DVMRT_DIRECTIVE_AXIS);
    if (!S.Part) {
      T.add("e");
      continue;
    }
    const auto FromZero = [&](unsigned N) {
      const Num X = T.E.sub(T.E.number(S.Part.getIndices()[First[I] + N]), Sh.Lower[I]);
      return N && X.C == -1 ? Num::of(-2) : X; // an empty section: as a number -1 means 'to the end'
    };
    if (!S.Part.getIsTriplet()[I])
      T.add("c").number(FromZero(0));
    else
      T.add("r").number(FromZero(0)).add(":").number(FromZero(1));
  }
}

void dvmf::copySection(Emitter &E, Model &Mo, const SectionCopy &C, Position At) {
  Site T(E);
  T.key(DVMRT_ANY_KIND).add("array_copy").key(DVMRT_ANY_LANGUAGE).add(sentinelOf(*Mo.Main.P)).place(Mo.Main.Name, At);
  side(T, Mo, C.To);
  side(T, Mo, C.From);
  llvm::SmallVector<mlir::Value, 8> Args{E.text(T.T)};
  Args.append(T.Args.begin(), T.Args.end());
  E.call(std::string(DVMM_DIRECT) + ".s" + std::to_string(At.Line) + "." + std::to_string(At.Column), {}, Args);
}
