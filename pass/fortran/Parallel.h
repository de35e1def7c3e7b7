// -fdvm=parallel: loops of a nest run from the first to the last value that is this rank's, and the sequential part, which all ranks
// execute, assigns an element where it lies.  Arrays have their full size on each rank, subscripts stay as they are.
#ifndef DVM_FORTRAN_PARALLEL_H
#define DVM_FORTRAN_PARALLEL_H
#include "Mark.h"

namespace dvmf {

// What may be an element of a distributed array: as this file shows, or because another unit may have distributed it (COMMON, modules of
// other files, what pointers lead to).  The run time decides by the address.
bool mayBeDivided(const Model &Mo, const Variable &V);
// A construct of whose nest each rank executes its own iterations alone.
bool isDivided(const Construct &C, const Model &Mo);
// The loops of the nests of a function; those that cannot be cut are errors.
void clampLoops(mlir::func::FuncOp F, Model &Mo, const Constructs &Known, std::vector<Complaint> &Complaints);
// After its accesses have been marked: each assignment of the sequential part is executed by owners.
void divideAssignments(mlir::func::FuncOp F, Model &Mo, const Constructs &Known, std::vector<Complaint> &Complaints);

} // namespace dvmf
#endif
