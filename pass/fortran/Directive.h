// The grammar of Fortran-DVM directives: the text behind the sentinel in, a
// tree or a mistake with its place out.
#ifndef DVM_FORTRAN_DIRECTIVE_H
#define DVM_FORTRAN_DIRECTIVE_H
#include "Lines.h"
#include <optional>

namespace dvmf {

struct Axis {
  enum Kind { Empty, Value, Affine, Range, Other } K = Empty;
  int Index = -1;        // Affine: Coef * index + Add
  std::string Coef, Add; // expressions; empty: 1 and 0.  Value, Other: Add
                         // alone; Range: Coef is the low, Add the high bound
  size_t At = 0;
};

struct Width {
  bool Given = false;
  std::string Low, High;
};

struct Ref {
  std::string Name;
  size_t At = 0; // offset in the directive's text
  bool Brackets = false;
  std::vector<Axis> Axes;
  std::vector<Width> Widths;
  bool Corner = false, Out = false;
  std::vector<std::string> Edges; // names of those that SHADOW_ADD has made
};

// Of DERIVED and SHADOW_ADD: "(NEAR(I), FAR(I):FAR(I)+1) WITH T(@I+'near', *)".
struct Rule {
  struct Index {
    unsigned Dim; // of the target, from 0
    std::string Name;
    std::vector<std::string> Edges; // that it goes through as well
  };
  std::vector<std::pair<std::string, std::string>> Values; // from, to
  std::string Target;
  unsigned Rank = 0; // of the target, as it is written
  std::vector<Index> Indices;
};

struct Dist {
  std::string Kind; // as site texts call it: block, *, genblock ..
  std::string Arg, Arg2; // derived: the variable that has the rule's number
  size_t At = 0;
  std::optional<Rule> How = {}; // derived
};

struct Reduction {
  std::string Op, Var, Loc, Len;
  size_t At = 0;
};

enum class ClauseKind { Private, Reduction, Renew, ShadowStart, ShadowWait, Across, Remote, Region, Consistent, Compute, Ignored };
struct Clause {
  ClauseKind K;
  std::vector<Ref> Refs;
  std::vector<Reduction> Reductions;
  std::string Group;
};

enum class DirectiveKind {
  Array, // distribute, align, shadow, dynamic: attributes of the arrays in Refs
  Template, // Refs with their sizes as axes (Range or Value)
  Inherit,
  Parallel,
  RemoteAccess, // before a statement
  ShadowAdd, // Refs: the array or template, and those that it is included to; Dists: the rule; Group: the name
  ShadowGroup,
  ShadowStart,
  ShadowWait,
  ReductionStart,
  ReductionWait,
  Prefetch, // of a remote group
  Reset,
  Redistribute,
  Realign,
  NewValue,   // of the directive before
  Task,       // Refs with their numbers
  Processors, // likewise
  Map,        // Target is a task, Onto are its processors
  TaskRegion, // Group: the task array
  On,
  Region,
  HostSection,
  Asynchronous,
  CopyBegin, // of END ASYNCHRONOUS: what its statements copy is under way until the wait
  CopyTo,
  CopyFrom,
  CopyWait,
  ConsistentStart,
  ConsistentWait,
  End, // of one of the blocks before
  Actual,
  GetActual,
  Measure,    // INTERVAL, TRACEON and their kin, by their word; Refs[0] has the numbers
  Accepted,   // says nothing that a check could judge
  Unjudged    // has a meaning that is not judged yet
};

struct Directive {
  DirectiveKind K = DirectiveKind::Accepted;
  std::string Word; // as written, in capital letters
  bool HasDist = false, HasAlign = false, HasShadow = false, Dynamic = false, Common = false, NewValue = false;
  std::vector<Dist> Dists;
  std::vector<std::string> Names; // index names of parallel and align; "."
                                  // where a dimension has none
  std::vector<Width> Widths;
  std::optional<Ref> Target; // align with, parallel on, map
  std::optional<Ref> Onto;   // processors, or a task
  std::vector<Ref> Refs;
  std::vector<Clause> Clauses;
  std::string Group;
  std::vector<std::string> Unjudged; // clauses that are accepted and not judged
};

struct Mistake {
  size_t At = 0; // offset in the text
  std::string Text, Help;
};

// Returns false with 'M' filled.  A line may hold several arrays, and so gives
// several directives.
bool parseDirective(const std::string &Text, std::vector<Directive> &Out, Mistake &M);

} // namespace dvmf
#endif
