// A module of HLFIR as marks are put into it: its variables, the numbers in
// texts, the texts themselves.
#ifndef DVM_FORTRAN_MODEL_H
#define DVM_FORTRAN_MODEL_H
#include "Place.h"
#include "Units.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <set>

namespace dvmf {

// A number that is known now, or a value of 64 bits.
struct Num {
  std::optional<int64_t> C;
  mlir::Value V;
  static Num of(int64_t N) { return {N, {}}; }
};

struct Emitter {
  mlir::OpBuilder B;
  mlir::Location L;
  mlir::ModuleOp M;

  explicit Emitter(mlir::Operation *Before) : B(Before), L(Before->getLoc()), M(Before->getParentOfType<mlir::ModuleOp>()) {}
  mlir::Type word() { return B.getI64Type(); }
  mlir::Type pointer() { return fir::LLVMPointerType::get(B.getI8Type()); }
  mlir::Value value(const Num &N);
  mlir::Value toWord(mlir::Value V);
  Num number(mlir::Value V); // folded where it is a constant
  Num add(const Num &X, const Num &Y);
  Num sub(const Num &X, const Num &Y);
  Num mul(const Num &X, const Num &Y);
  mlir::Value toPointer(mlir::Value Ref);
  mlir::Value text(const std::string &T); // the address of a constant
  // A call of a function of that name, declared as the arguments show.
  mlir::Operation *call(const std::string &Name, mlir::Type Result, llvm::ArrayRef<mlir::Value> Args);
};

struct Variable {
  hlfir::DeclareOp Declare;
  std::string Unique, Name; // Name: as its declaration writes it
  std::string File;         // of the declaration
  Position At;              // .. if there is one
  mlir::Type Element;
  std::string Kind; // as refs in site texts: f8 ..; empty: of no kind that is marked
  uint64_t Bytes = 0;
  unsigned Rank = 0;
  bool Boxed = false; // by a descriptor
  bool Indirect = false; // .. of which there is an address: allocatable, pointer
  bool Dummy = false, Parameter = false, Static = false, Module = false;
};

struct Shape {
  std::vector<Num> Lower,
      Extent; // in the order of Fortran; an extent may be -1: not known
};

struct SourceFile {
  std::string Name, Path; // as the compiler was given it; absolute
  const Placed *P;
  std::set<std::pair<std::string, std::string>> Renamed; // by USE, perhaps through modules: the name here, the own one; in small letters
};

class Model {
public:
  explicit Model(const SourceFile &Main) : Main(Main), Units(outlineOf(Main.P->Statements)) {}
  const SourceFile &Main;
  std::set<std::string> Distributed; // unique names

  Variable *of(hlfir::DeclareOp D);
  Shape shape(Emitter &E, const Variable &V);
  mlir::Value base(Emitter &E,
                   const Variable &V); // its address as marks take it
  // The variable that the value is the address, the descriptor or a part of;
  // null: none.
  hlfir::DeclareOp rootOf(mlir::Value V) const;
  std::string nameOf(const std::string &Path) const; // how a file is called in messages
  bool isNamed(const std::string &Name, const Variable &V) const; // so here, perhaps by USE
  bool position(mlir::Location L, std::string &File, Position &P) const;

private:
  const Outline Units;
  std::map<mlir::Operation *, std::unique_ptr<Variable>> Known;

  const Statement *statementAt(Position At) const;
  bool isDeclared(const Variable &V) const;
};

// A site text with its arguments.
struct Site {
  Emitter &E;
  std::string T;
  llvm::SmallVector<mlir::Value, 8> Args;

  explicit Site(Emitter &E) : E(E) {}
  Site &key(char K);
  Site &add(const std::string &S) {
    T += S;
    return *this;
  }
  Site &add(int64_t N) { return add(std::to_string(N)); }
  Site &place(const std::string &File, Position P);
  Site &number(const Num &N);
  Site &pointer(mlir::Value V);
};

// The language of a site text: fixed or free form.
std::string sentinelOf(const Placed &P);
// Adds the array to the text, as directives have arrays; what it is called there may differ from its own name.
Shape variableRef(Emitter &E, Model &Mo, Site &T, const Variable &V, const std::string &Name);
uint64_t bytesOf(mlir::Type T);
// .. of derived types too, as they lie in memory; 0: not known.
uint64_t storedBytes(mlir::Type T);
std::string kindOf(mlir::Type T);
} // namespace dvmf
#endif
