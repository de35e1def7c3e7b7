// A copy of a source with statements in place of its directives.  Each group of
// them is fenced by '#line', so that no statement of the user's changes its
// line, column or file.  What is inserted are calls of 'dvmmx<N>', which
// Mark.cpp replaces; their arguments are the operands of the directive, so that
// flang looks them up, types and evaluates them.
#ifndef DVM_FORTRAN_PLACE_H
#define DVM_FORTRAN_PLACE_H
#include "Directive.h"
#include "Units.h"
#include <memory>
#include <set>

namespace dvmf {

constexpr char CallPrefix[] = "dvmmx";
constexpr char InitPrefix[] = "dvmmi_"; // of procedures that declare the arrays of a module
constexpr char AllocatedPrefix[] = "dvmma_"; // .. and one each for what has just been allocated: dvmma_<module>_<array>
constexpr char StepPrefix[] = "dvmml"; // nothing has this name: see Place.cpp

struct Operand {
  bool IsVariable; // its address; else the value of an integer expression
  std::string Text;
};

// What the declarations of a unit say of one name.
struct ArrayInfo {
  std::string Name;  // as the directive writes it
  Position At;       // of the directive that places it
  unsigned Line = 0; // where that, or what includes it, stands in the source
  std::string File;  // of the directive, if it is included
  const Directive *Placed = nullptr, *Shadowed = nullptr;
  Position ShadowAt;      // of the latter
  std::string ShadowFile; // .. if it is included
  const Ref *Template = nullptr; // its sizes
  bool IsTask = false;           // a task array: a template of one dimension
  bool IsProcessors = false;     // a template, too
  bool Common = false;           // one template for all program units
  const Ref *Onto = nullptr;     // processors that it is put onto
  bool Dynamic = false, Inherited = false;
};

// Rule..: a rule is counted through before the directive that it belongs to, level by level, and gives its elements.
enum class MarkKind { Enter, Leave, Row, Iter, Direct, Declare, RuleOver, RuleNext, RuleGive, RuleEnd };

struct Mark {
  MarkKind K;
  unsigned Number,
      Construct = 0; // numbers of marks and constructs of the file, from 1
  Position At;       // of the directive
  unsigned Line = 0; // of the source: what is inserted for it bears this number
  std::string File; // it is included from there; empty: it stands in the source
  bool Allocated = false; // Declare: behind an ALLOCATE
  bool Sourced = false;   // .. that gives values
  Position Loop;          // Enter of a parallel: of the outermost loop
  std::vector<Position> Loops; // .. of all of them
  Position Function;      // where the unit begins
  const Directive *D = nullptr;
  ArrayInfo Array;  // Declare
  std::string Unit; // its name, for templates
  std::vector<Operand> Operands;
  unsigned FirstLine = 0,
           LastLine = 0; // Enter: of the statement that the construct is made of
  std::vector<std::string> Indices; // Enter, Iter: index variables, outermost first
  std::vector<std::string> Steps; // Enter: of the loops; '*' where it is not a number
  const Rule *R = nullptr;        // Rule..
  unsigned Level = 0, Dim = 0;    // .. an index, and of Give a value; the dimension that the values are of

  void add(bool IsVariable, const std::string &Text);
  int find(bool IsVariable, const std::string &Text) const;
};

struct Complaint {
  bool IsError;
  Position At;
  std::string Text, Help;
  std::string File = {}; // an included one
  std::string Unjudged = {}; // a warning: what checks do not judge, the directive or clause
};

struct Placed {
  std::string File; // what the text is called in messages: by its line markers,
                    // else as the compiler was given it
  std::string Text;
  std::vector<Statement> Statements;
  Form F;
  std::vector<std::unique_ptr<Directive>> Directives;
  std::vector<Mark> Marks;
  std::vector<Complaint> Complaints;
  bool HasDirectives = false;
  std::set<std::string> Modules; // of this file, in small letters
};

// 'File': as the compiler was given it; 'Folders': where included files are
// looked for.
Placed placeDirectives(const std::string &Raw, const std::string &File, const Form &F, const std::vector<std::string> &Folders);

} // namespace dvmf
#endif
