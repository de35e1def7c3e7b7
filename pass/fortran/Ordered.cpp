// WHERE, FORALL and assignments to vectors of subscripts as the loops that they mean: so what is recorded are the elements that they assign.
// flang would do that later; calls in their regions, as marks are, would make it keep all addresses first and assign then.
#include "Mark.h"
#include "flang/Optimizer/HLFIR/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace dvmf;

void dvmf::lowerOrdered(mlir::ModuleOp M) {
  bool Found = false;
  M.walk([&](hlfir::RegionAssignOp) { Found = true; });
  if (!Found)
    return;
  mlir::PassManager Passes(M.getContext());
  Passes.addPass(hlfir::createLowerHLFIROrderedAssignments());
  (void)Passes.run(M); // what it cannot lower, it reports
}
