// Which statement is what: program units, loops and their ends, where
// executable statements begin.
#ifndef DVM_FORTRAN_UNITS_H
#define DVM_FORTRAN_UNITS_H
#include "Lines.h"

namespace dvmf {

struct Loop {
  size_t Do = 0, End = 0; // numbers of the statements; End 0: not found
  int Before = -1;        // the statement that is not a directive behind Do
  std::string Index;      // as written; empty: no counted loop
  std::string Label;      // of the terminal statement
};

struct Unit {
  enum Kind { Program, Procedure, Module, BlockData } K = Program;
  std::string Name; // in small letters
  int Parent = -1;
  size_t Begin = 0, End = 0; // first and last statement
  size_t FirstExecutable = 0;               // or what stands where they would begin: CONTAINS, END
  size_t Contains = 0; // 0: none
  bool HasExecutable = false;
};

struct Outline {
  std::vector<Unit> Units;
  std::vector<Loop> Loops;
  std::vector<int> UnitOf;      // of each statement; -1: none
  std::vector<bool> InInterface; // of each statement: in the body of an interface
  std::vector<int> LoopAt;      // the loop that begins at the statement, or -1
  std::vector<size_t> BlockEnd; // of the statement that begins a block (IF
                                // THEN, SELECT CASE ..): its end; else itself
};

Outline outlineOf(const std::vector<Statement> &S);
} // namespace dvmf
#endif
