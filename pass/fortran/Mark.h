// Puts the marks of pass/markers.h into a module of HLFIR: calls of 'dvmmx<N>'
// (Place.h) become directives, references of the source become marked accesses.
#ifndef DVM_FORTRAN_MARK_H
#define DVM_FORTRAN_MARK_H
#include "Model.h"
#include <array>

namespace dvmf {

struct MarkOptions {
  bool Trace = false;
  bool Parallel = false; // the program will be executed by many ranks, not checked
  bool Count = false;    // .. which count iterations
};

struct Pairing {
  unsigned Exact = 0, Unpaired = 0; // references whose place in the text is known, and not
  std::vector<std::string> Kinds;   // of the latter, to be shown
};

class Marker {
public:
  Marker(mlir::ModuleOp M, Model &Mo, const MarkOptions &O, std::vector<Complaint> &Complaints)
      : M(M), Mo(Mo), Options(O), Complaints(Complaints) {}
  void run();
  Pairing Pairs;

private:
  friend class Accesses;
  friend class Directives;
  mlir::ModuleOp M;
  Model &Mo;
  const MarkOptions &Options;
  std::vector<Complaint> &Complaints;
};

// A construct of a function, while it is marked.
struct Construct {
  const Mark *Enter = nullptr;
  mlir::Operation *EnterAt = nullptr; // the call that becomes 'enter'
  llvm::SmallVector<mlir::Value, 8> Args;
  std::string Text;
  unsigned FirstLine = 0, LastLine = 0;
  struct Use {
    std::string Unique, Name;
    mlir::Value Base;
    const Variable *V = nullptr;
    bool Written = false;
  };
  std::vector<Use> Uses;
  std::vector<Variable *> Touched; // of a region: what it accesses
  std::vector<Variable *> Shared;  // of a nest: DVMRT_DIRECTIVE_SHARED
  std::vector<std::string> IndexUnique; // unique names of the index variables
  std::vector<Variable *> Indices;
  // For parallel execution, by unique name: subscripts of references to arrays under ACROSS, as far as they are affine (else empty).
  struct Form {
    bool Written;
    std::vector<std::array<int64_t, 3>> Axes; // index variable (-1: none), coefficient, constant
  };
  std::map<std::string, std::vector<Form>> Across;
  std::set<std::string> RemoteUnique;
};

using Constructs = std::map<unsigned, Construct>;

// Replaces the inserted calls of the function.  Enters stay as calls until the
// accesses are known: finishEnters.
void lowerDirectives(mlir::func::FuncOp F, Model &Mo, Constructs &Known, const MarkOptions &O, std::vector<Complaint> &Complaints);
// What the iterations of the nest pass on; 'Iteration' is the first operation of one.
std::vector<Variable *> sharedBy(Model &Mo, mlir::Operation *Iteration, const Construct &C);
void finishEnters(Model &Mo, Constructs &Known, const MarkOptions &O);
// Of all functions first: which arrays the directives name.
void findDistributed(mlir::ModuleOp M, Model &Mo);
void markAccesses(mlir::func::FuncOp F, Model &Mo, Constructs &Known, const MarkOptions &O, Pairing &Pairs);
// WHERE and FORALL become loops.
void lowerOrdered(mlir::ModuleOp M);
// Behind each statement that allocates an array of a module: the procedure is called that declares it, if the module has one.
void declareAllocated(mlir::func::FuncOp F, Model &Mo);
// Tells the LLVM pass which dummy arguments share their data with nothing.
void nameDummies(mlir::func::FuncOp F);
const Mark *markOf(fir::CallOp Call, const Model &Mo);

} // namespace dvmf
#endif
