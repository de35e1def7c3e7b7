// References of the source become marked accesses.  What was written stands in
// the text; HLFIR has the operations.  Per statement and variable the n-th
// reference of the text is the n-th use: the counts must agree, else the place
// is that of the statement.
// AccessUses.cpp finds the operations, AccessTexts.cpp pairs them with texts, Accesses.cpp marks elements, AccessArrays.cpp whole arrays,
// AccessRanks.cpp what execution by many ranks needs.
#ifndef DVM_FORTRAN_ACCESSES_H
#define DVM_FORTRAN_ACCESSES_H
#include "Arrays.h"
#include "Mark.h"
#include "References.h"
#include <deque>

namespace dvmf {

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

class Accesses {
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

bool isOutput(const Piece &P);
// To an array, whose elements have owners; a scalar is everybody's.
bool isAssignment(const Piece &P);
// A task's own statements are judged as the sequential part is.
bool isSequential(const Construct *Nest);
// The part of the designator that subscripts the root itself; null: none does,
// or a section.
hlfir::DesignateOp rootElement(const Use &U);
bool isData(mlir::Type Address);
// Type of a recorded value.
std::string valueOf(mlir::Type T);

} // namespace dvmf
#endif
