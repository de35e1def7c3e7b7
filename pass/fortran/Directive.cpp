#include "Directive.h"
#include "Cursor.h"
#include "base/text.h"
#include <algorithm>
#include <cctype>

using namespace dvmf;

namespace {

struct Parser : Cursor {
  const std::string &Text;
  std::vector<Directive> &Out;
  Directive D;

  Parser(const std::string &Text, std::vector<Directive> &Out, Mistake &M) : Cursor(Text, M), Text(Text), Out(Out) {}
  bool behind(const std::string &Word, bool &Known);
  bool parse();

  // pieces
  template <typename F> bool list(const std::string &Where, F Item) { // ( item, .. )
    if (!expect('(', Where))
      return false;
    do {
      if (!Item())
        return false;
    } while (take(','));
    return expect(')', Where);
  }
  bool axes(Ref &R, const std::vector<std::string> &Names, const std::string &Where);
  bool widths(std::vector<Width> &W, const std::string &Where);
  bool dists(std::vector<Dist> &To);
  bool indexNames();
  bool target(const std::string &Where);
  bool names(std::vector<Ref> &To, const std::string &Where);
  bool colonList(const std::string &Where);

  // directives
  bool distribute(), align(), shadow(), dynamic(), templates(), inherit(), parallel(), remoteAccess(), group(DirectiveKind K);
  bool shadowAdd(), shadowGroup(), redistribute(), realign(), task(), taskRegion(), on(), region(), hostSection(), asynchronous(),
      sections(DirectiveKind K);
  bool ending(DirectiveKind Of), rest();
  bool measure();
  bool actual() { return sections(DirectiveKind::Actual); }
  bool getActual() { return sections(DirectiveKind::GetActual); }
  bool refs(std::vector<Ref> &To, const std::string &Where);
  bool attributes(bool Leading), onto(), processors(), map();
  bool clause();
  bool privates(), reduction(), renew(), across(), remote();
  bool edge(Ref &R, const std::string &Where);
  bool edgeName(std::vector<std::string> &To, const std::string &Where);
  bool rule(Dist &X, const std::string &Where);
  bool ruleValues(Rule &R, bool Enclosed, const std::string &Where);
  bool ruleTarget(Rule &R, const std::string &Where);
  std::string beforeWith();
  bool encloses();
  bool skipRest();
};
} // namespace

// "(I+1, *, :)"; ':' alone and '*' are empty.
bool Parser::axes(Ref &R, const std::vector<std::string> &Names, const std::string &Where) {
  R.Brackets = true;
  return list(Where, [&] {
    Axis X;
    X.At = position();
    if (take('*')) {
      R.Axes.push_back(X);
      return true;
    }
    std::string Low = expression();
    if (take(':')) {
      std::string High = expression();
      if (!Low.empty() || !High.empty()) {
        X.K = Axis::Range;
        X.Coef = Low;
        X.Add = High;
      }
    } else if (Low.empty()) {
      return fail("expected a subscript " + Where + ", " + found());
    } else {
      splitAffine(Low, Names, X);
    }
    R.Axes.push_back(X);
    return true;
  });
}

bool Parser::widths(std::vector<Width> &W, const std::string &Where) {
  return list(Where, [&] {
    Width X;
    X.Given = true;
    X.Low = X.High = expression();
    if (take(':'))
      X.High = expression();
    if (X.Low.empty() || X.High.empty())
      return fail("expected a width " + Where + ", " + found());
    W.push_back(X);
    return true;
  });
}

bool Parser::dists(std::vector<Dist> &To) {
  static const struct {
    const char *Word, *Kind;
    int Arguments;
  } Rows[] = {{"block", "block", 0},          {"gen_block", "genblock", 1}, {"wgt_block", "wgtblock", 2},
              {"mult_block", "multblock", 1}, {"indirect", "indirect", 1},  {"derived", "derived", -1}};
  return list("in the distribution", [&] {
    Dist X;
    X.At = position();
    if (take('*')) {
      X.Kind = "*";
      To.push_back(X);
      return true;
    }
    for (const auto &Row : Rows) {
      if (!takeWord(Row.Word))
        continue;
      X.Kind = Row.Kind;
      if (Row.Arguments && !expect('(', "after the word"))
        return false;
      if (Row.Arguments < 0) {
        if (!rule(X, "in DERIVED") || !expect(')', "after the rule"))
          return false;
      } else if (Row.Arguments) {
        X.Arg = expression();
        if (Row.Arguments == 2 && !expect(',', "and the number of weights"))
          return false;
        if (Row.Arguments == 2)
          X.Arg2 = expression();
        if (!expect(')', "after the argument"))
          return false;
      }
      To.push_back(X);
      return true;
    }
    return fail("expected a distribution (BLOCK, GEN_BLOCK, WGT_BLOCK, "
                "MULT_BLOCK, INDIRECT, DERIVED or *), " +
                found());
  });
}

// "(I, *, :)": ':' is a name of its own.
bool Parser::indexNames() {
  D.Names.clear();
  int Colons = 0;
  return list("around the indices", [&] {
    std::string Name;
    if (take('*'))
      Name = ".";
    else if (take(':'))
      Name = ":" + std::to_string(Colons++);
    else if (!name(Name, "the name of an index"))
      return false;
    D.Names.push_back(Name);
    return true;
  });
}

bool Parser::target(const std::string &Where) {
  Ref R;
  R.At = position();
  if (!name(R.Name, "the name of an array or template " + Where) || !axes(R, D.Names, "in the target"))
    return false;
  int Colons = 0; // the n-th ':' goes with the n-th of the array
  for (Axis &X : R.Axes)
    for (size_t N = 0; X.K == Axis::Empty && N < D.Names.size(); ++N)
      if (D.Names[N] == ":" + std::to_string(Colons)) {
        X.K = Axis::Affine;
        X.Index = int(N);
        ++Colons;
        break;
      }
  D.Target = R;
  return true;
}

// A, B(..) .. to the end
bool Parser::names(std::vector<Ref> &To, const std::string &Where) {
  do {
    Ref R;
    R.At = position();
    if (!name(R.Name, "the name of an array " + Where))
      return false;
    if (at('(') && !axes(R, {}, Where))
      return false;
    To.push_back(R);
  } while (take(','));
  return atEnd() || fail("expected ',' or the end " + Where + ", " + found());
}

bool Parser::colonList(const std::string &Where) { return expect(':', Where) && expect(':', Where) && names(D.Refs, Where); }

bool Parser::skipRest() {
  while (!atEnd())
    ++At;
  return true;
}

// ---- declarations
// ------------------------------------------------------------------------------------------------------------

// What may follow the first attribute, up to '::'.
bool Parser::attributes(bool Leading) {
  for (bool First = Leading; !atEnd() && !at(':'); First = false) {
    if (!First)
      take(',');
    if (takeWord("distribute")) {
      D.HasDist = true;
      if (at('(') && !dists(D.Dists))
        return false;
    } else if (takeWord("align")) {
      D.HasAlign = true;
      if (at('(') && (!indexNames() || !takeWord("with") || !target("after WITH")))
        return M.Text.empty() ? fail("expected WITH and an array, " + found()) : false;
    } else if (takeWord("shadow")) {
      D.HasShadow = true;
      if (!widths(D.Widths, "in SHADOW"))
        return false;
    } else if (takeWord("dynamic")) {
      D.Dynamic = true;
    } else if (takeWord("onto")) {
      if (!onto())
        return false;
    } else if (takeWord("template")) {
      D.K = DirectiveKind::Template;
    } else if (D.K == DirectiveKind::Template && takeWord("common")) {
      D.Common = true;
    } else if (takeWord("dimension")) {
      Ref R;
      if (!axes(R, {}, "in DIMENSION"))
        return false;
    } else {
      return fail("expected DISTRIBUTE, ALIGN, SHADOW, DYNAMIC or '::', " + found());
    }
  }
  return true;
}

// What stands behind ONTO: processors, or a task.
bool Parser::onto() {
  Ref R;
  R.At = position();
  if (!name(R.Name, "the name of a processor arrangement or task after ONTO") || (at('(') && !axes(R, {}, "in ONTO")))
    return false;
  D.Onto = R;
  return true;
}

bool Parser::distribute() {
  D.HasDist = true;
  if (at('(') || at(':')) { // (BLOCK,*), DYNAMIC :: A, B
    if (at('(') && !dists(D.Dists))
      return false;
    return attributes(false) && colonList("in DISTRIBUTE");
  }
  if (at(',')) // DISTRIBUTE, DYNAMIC :: A
    return attributes(false) && colonList("in DISTRIBUTE");
  for (;;) { // A (BLOCK,*) [ONTO P], B (..)
    Ref R;
    R.At = position();
    if (!name(R.Name, "the name of an array, '(' or '::' in DISTRIBUTE"))
      return false;
    D.Dists.clear();
    D.Onto.reset();
    if (!dists(D.Dists))
      return false;
    if (peekWord() == "onto" && !attributes(true))
      return false;
    D.Refs = {R};
    if (!take(','))
      break;
    Out.push_back(D);
  }
  return atEnd() || fail("expected ',' or the end in DISTRIBUTE, " + found());
}

bool Parser::align() {
  D.HasAlign = true;
  if (at('(') || at(':') || at(',')) {
    if (at('(') && (!indexNames() || !(takeWord("with") || fail("expected WITH and an array, " + found())) || !target("after WITH")))
      return false;
    return attributes(false) && colonList("in ALIGN");
  }
  Ref R;
  R.At = position();
  if (!name(R.Name, "the name of an array, '(' or '::' in ALIGN") || !indexNames())
    return false;
  D.Refs = {R};
  return (takeWord("with") || fail("expected WITH and an array, " + found())) && target("after WITH") &&
         (atEnd() || fail("expected the end in ALIGN, " + found()));
}

bool Parser::shadow() {
  D.HasShadow = true;
  if (at('('))
    return widths(D.Widths, "in SHADOW") && attributes(false) && colonList("in SHADOW");
  for (;;) {
    Ref R;
    R.At = position();
    if (!name(R.Name, "the name of an array in SHADOW"))
      return false;
    D.Widths.clear();
    if (!widths(D.Widths, "in SHADOW"))
      return false;
    D.Refs = {R};
    if (!take(','))
      break;
    Out.push_back(D);
  }
  return atEnd() || fail("expected ',' or the end in SHADOW, " + found());
}

bool Parser::dynamic() {
  D.Dynamic = true;
  if (at(','))
    return attributes(false) && colonList("in DYNAMIC");
  if (at(':'))
    return colonList("in DYNAMIC");
  return names(D.Refs, "in DYNAMIC");
}

bool Parser::templates() {
  D.K = DirectiveKind::Template;
  if (at(',') || at(':'))
    return attributes(false) && colonList("in TEMPLATE");
  return names(D.Refs, "in TEMPLATE");
}

bool Parser::inherit() {
  D.K = DirectiveKind::Inherit;
  return names(D.Refs, "in INHERIT");
}

// ---- clauses
// -----------------------------------------------------------------------------------------------------------------

bool Parser::privates() {
  Clause &C = D.Clauses.back();
  return list("in the list of private variables", [&] {
    Ref R;
    R.At = position();
    if (!name(R.Name, "the name of a variable"))
      return false;
    C.Refs.push_back(R);
    return true;
  });
}

bool Parser::reduction() {
  static const char *const Rows[][2] = {{"sum", "sum"},       {"product", "product"}, {"max", "max"}, {"min", "min"},
                                        {"and", "and"},       {"or", "or"},           {"eqv", "eqv"}, {"neqv", "neqv"},
                                        {"maxloc", "maxloc"}, {"minloc", "minloc"}};
  Clause &C = D.Clauses.back();
  return list("in REDUCTION", [&] {
    Reduction R;
    size_t Start = At;
    std::string Group;
    if (C.Reductions.empty() && C.Group.empty() && name(Group, "an operation in REDUCTION") && take(':'))
      C.Group = Group;
    else
      At = Start;
    R.At = position();
    for (const auto &Row : Rows)
      if (R.Op.empty() && takeWord(Row[0]))
        R.Op = Row[1];
    if (R.Op.empty())
      return fail("expected an operation (SUM, PRODUCT, MAX, MIN, AND, OR, "
                  "EQV, NEQV, MAXLOC, MINLOC) in REDUCTION, " +
                  found());
    if (!expect('(', "after the operation"))
      return false;
    R.Var = expression();
    if (R.Var.empty())
      return fail("expected a variable in REDUCTION, " + found());
    if (take(','))
      R.Loc = expression();
    if (!R.Loc.empty() && take(','))
      R.Len = expression();
    C.Reductions.push_back(R);
    return expect(')', "after the variable of the reduction");
  });
}

// The expression up to ',', ':', WITH or the parenthesis that closes what is around it.
std::string Parser::beforeWith() {
  const size_t From = position();
  size_t End = From;
  for (int Depth = 0; !atEnd() && (Depth || (!at(',') && !at(':') && !at(')') && peekWord() != "with")); End = At) {
    Depth += at('(') ? 1 : at(')') ? -1 : 0;
    At += std::max<size_t>(1, peekWord().size());
  }
  return Text.substr(From, End - From);
}

// Is the parenthesis here one around all of what stands before WITH?
bool Parser::encloses() {
  const size_t From = position();
  if (!take('('))
    return false;
  for (int Depth = 1; Depth && !atEnd(); ++At)
    Depth += at('(') ? 1 : at(')') ? -1 : 0;
  const bool Is = peekWord() == "with";
  At = Is ? From + 1 : From;
  return Is;
}

bool Parser::ruleValues(Rule &R, bool Enclosed, const std::string &Where) {
  do {
    const std::string Low = beforeWith(), High = take(':') ? beforeWith() : Low;
    if (Low.empty() || High.empty())
      return fail("expected an expression " + Where + ", " + found());
    R.Values.push_back({Low, High});
  } while (take(','));
  return (!Enclosed || expect(')', Where)) &&
         (takeWord("with") || fail("expected WITH and an array or template " + Where + ", " + found()));
}

// T(*, @I+"near")
bool Parser::ruleTarget(Rule &R, const std::string &Where) {
  const size_t From = position();
  if (!name(R.Target, "the name of an array or template behind WITH " + Where))
    return false;
  const auto Item = [&] {
    Rule::Index X;
    X.Dim = R.Rank++;
    if (!take('@')) {
      expression();
      take(':');
      expression();
      return true;
    }
    if (!name(X.Name, "the name of an index behind '@'"))
      return false;
    for (const Rule::Index &Before : R.Indices)
      if (lower(Before.Name) == lower(X.Name))
        return fail("two indices of the rule " + Where + " have the name '" + X.Name + "'");
    while (take('+'))
      if (!edgeName(X.Edges, Where))
        return false;
    R.Indices.push_back(X);
    return true;
  };
  return list(Where, Item) && (!R.Indices.empty() || fail(From, "expected '@' and the name of an index in the array behind WITH " + Where));
}

// "NEAR(I) WITH T(@I)": which elements go where one of T is, or are in the edge there.
bool Parser::rule(Dist &X, const std::string &Where) {
  X.Kind = "derived";
  X.How.emplace();
  X.Arg = "dvmmr" + std::to_string(position());
  const bool Enclosed = encloses();
  return ruleValues(*X.How, Enclosed, Where) && ruleTarget(*X.How, Where);
}

bool Parser::edgeName(std::vector<std::string> &To, const std::string &Where) {
  const size_t From = position();
  const char Quote = at('"') ? '"' : '\'';
  const size_t End = at(Quote) ? Text.find(Quote, At + 1) : std::string::npos;
  if (End == std::string::npos || End < At + 2)
    return fail(From, "expected the name of an edge in quotes " + Where + ", " + found());
  To.push_back(Text.substr(At + 1, End - At - 1));
  At = End + 1;
  return true;
}

// A, A(1:1), A(1:1)(CORNER), A(CORNER), A("near")
bool Parser::edge(Ref &R, const std::string &Where) {
  R.At = position();
  if (!name(R.Name, "the name of an array " + Where))
    return false;
  for (int Groups = 0; at('(') && Groups < 2; ++Groups) {
    size_t Start = At++;
    if (takeWord("corner") && take(')')) {
      R.Corner = true;
      continue;
    }
    if (at('"') || at('\'')) {
      do
        if (!edgeName(R.Edges, Where))
          return false;
      while (take(','));
      if (!expect(')', "after the name of the edge"))
        return false;
      continue;
    }
    At = Start;
    if (!widths(R.Widths, Where))
      return false;
  }
  return true;
}

bool Parser::renew() {
  Clause &C = D.Clauses.back();
  return list("in SHADOW_RENEW", [&] {
    C.Refs.emplace_back();
    return edge(C.Refs.back(), "in SHADOW_RENEW");
  });
}

bool Parser::across() {
  Clause &C = D.Clauses.back();
  return list("in ACROSS", [&] {
    size_t Start = At;
    bool IsOut = takeWord("out") && take(':');
    if (!IsOut)
      At = Start;
    C.Refs.emplace_back();
    C.Refs.back().Out = IsOut;
    return edge(C.Refs.back(), "in ACROSS");
  });
}

bool Parser::remote() {
  Clause &C = D.Clauses.back();
  return list("in REMOTE_ACCESS", [&] {
    Ref R;
    R.At = position();
    size_t Start = At;
    std::string Group;
    if (C.Refs.empty() && C.Group.empty() && name(Group, "the name of an array in REMOTE_ACCESS") && take(':')) {
      C.Group = Group;
      R.At = position();
    } else {
      At = Start;
    }
    if (!name(R.Name, "the name of an array in REMOTE_ACCESS"))
      return false;
    if (at('(') && !axes(R, D.Names, "in REMOTE_ACCESS"))
      return false;
    C.Refs.push_back(R);
    return true;
  });
}

bool Parser::clause() {
  auto Begin = [&](ClauseKind K) {
    D.Clauses.emplace_back();
    D.Clauses.back().K = K;
    return true;
  };
  auto Named = [&](ClauseKind K) {
    Begin(K);
    const bool Parens = take('(');
    return name(D.Clauses.back().Group, "the name of a group") && (!Parens || expect(')', "after the group"));
  };
  if (takeWord("new") || takeWord("private"))
    return Begin(ClauseKind::Private) && privates();
  if (takeWord("reduction"))
    return Begin(ClauseKind::Reduction) && reduction();
  if (takeWord("shadow_renew"))
    return Begin(ClauseKind::Renew) && renew();
  if (takeWord("across"))
    return Begin(ClauseKind::Across) && across();
  if (takeWord("remote_access"))
    return Begin(ClauseKind::Remote) && remote();
  if (takeWord("shadow_start"))
    return Named(ClauseKind::ShadowStart);
  if (takeWord("shadow_wait"))
    return Named(ClauseKind::ShadowWait);
  if (takeWord("stage") || takeWord("cuda_block") || takeWord("tie"))
    return Begin(ClauseKind::Ignored) && list("in the clause", [&] {
             expression();
             return true;
           });
  if (takeWord("shadow_compute"))
    return Begin(ClauseKind::Compute) && (!at('(') || renew());
  if (takeWord("consistent"))
    return Begin(ClauseKind::Consistent) && remote();
  if (takeWord("indirect_access")) { // A(B(I)): any element of A
    if (!Begin(ClauseKind::Remote) || !remote())
      return false;
    for (Ref &R : D.Clauses.back().Refs)
      for (Axis &X : R.Axes)
        if (X.K == Axis::Other)
          X.K = Axis::Empty;
    return true;
  }
  return fail("expected a clause of PARALLEL (NEW, PRIVATE, REDUCTION, "
              "SHADOW_RENEW, SHADOW_START, SHADOW_WAIT, ACROSS, REMOTE_ACCESS, "
              "CONSISTENT, SHADOW_COMPUTE, STAGE, CUDA_BLOCK, TIE), " +
              found());
}

// ---- executable directives
// ---------------------------------------------------------------------------------------------------

bool Parser::parallel() {
  D.K = DirectiveKind::Parallel;
  if (!indexNames())
    return false;
  for (const std::string &N : D.Names)
    if (!isNameStart(N[0]))
      return fail("PARALLEL needs the names of its loops' indices");
  if (takeWord("on") && !target("after ON"))
    return false;
  while (!atEnd()) {
    take(',');
    if (!clause())
      return false;
  }
  return true;
}

bool Parser::remoteAccess() {
  D.K = DirectiveKind::RemoteAccess;
  D.Clauses.emplace_back();
  D.Clauses.back().K = ClauseKind::Remote;
  return remote() && (atEnd() || fail("expected the end of REMOTE_ACCESS, " + found()));
}

bool Parser::group(DirectiveKind K) {
  D.K = K;
  const bool Parens = take('(');
  return name(D.Group, "the name of a group") && (!Parens || expect(')', "after the group")) &&
         (atEnd() || fail("expected the end of the directive, " + found()));
}

// SHADOW_ADD (T(NEAR(I) WITH T(@I)) = "near") INCLUDE_TO A, B
bool Parser::shadowAdd() {
  D.K = DirectiveKind::ShadowAdd;
  Ref R;
  std::vector<std::string> Names;
  if (!expect('(', "in SHADOW_ADD"))
    return false;
  R.At = position();
  if (!name(R.Name, "the name of an array or template in SHADOW_ADD"))
    return false;
  const auto Item = [&] {
    D.Dists.emplace_back();
    D.Dists.back().At = position();
    D.Dists.back().Kind = "*";
    return take('*') || rule(D.Dists.back(), "in SHADOW_ADD");
  };
  if (!list("and the rule of the edge", Item) || !expect('=', "and the name of the edge") || !edgeName(Names, "in SHADOW_ADD") ||
      !expect(')', "after the name of the edge"))
    return false;
  const auto Rules = std::count_if(D.Dists.begin(), D.Dists.end(), [](const Dist &X) { return X.How.has_value(); });
  if (Rules != 1)
    return fail(R.At, "SHADOW_ADD takes the rule of one dimension of '" + R.Name + "', it has " + (Rules ? std::to_string(Rules) : "none"));
  D.Group = Names[0];
  D.Refs = {R};
  take(',');
  if (!takeWord("include_to"))
    return atEnd() || fail("expected INCLUDE_TO or the end of SHADOW_ADD, " + found());
  return at('(') ? refs(D.Refs, "in INCLUDE_TO") && (atEnd() || fail("expected the end of SHADOW_ADD, " + found()))
                 : names(D.Refs, "in INCLUDE_TO");
}

bool Parser::shadowGroup() {
  D.K = DirectiveKind::ShadowGroup;
  if (!name(D.Group, "the name of a group in SHADOW_GROUP"))
    return false;
  return list("in SHADOW_GROUP",
              [&] {
                D.Refs.emplace_back();
                return edge(D.Refs.back(), "in SHADOW_GROUP");
              }) &&
         (atEnd() || fail("expected the end of SHADOW_GROUP, " + found()));
}

bool Parser::redistribute() {
  D.K = DirectiveKind::Redistribute;
  return distribute();
}

bool Parser::realign() {
  D.K = DirectiveKind::Realign;
  return align();
}

// ---- tasks and regions
// ------------------------------------------------------------------------------------------------------------

bool Parser::task() {
  D.K = DirectiveKind::Task;
  if (!names(D.Refs, "in TASK"))
    return false;
  for (const Ref &R : D.Refs)
    if (R.Axes.size() != 1 || (R.Axes[0].K != Axis::Value && R.Axes[0].K != Axis::Range))
      return fail(R.At, "the task array '" + R.Name + "' needs the number of its tasks, as in TASK " + R.Name + "(4)");
  return true;
}

// PROCESSORS P(4,2), Q(8)
bool Parser::processors() {
  D.K = DirectiveKind::Processors;
  take(':');
  take(':');
  if (!names(D.Refs, "in PROCESSORS"))
    return false;
  for (const Ref &R : D.Refs)
    for (const Axis &X : R.Axes)
      if (X.K == Axis::Empty)
        return fail(X.At, "the processors '" + R.Name + "' need their number, as in PROCESSORS " + R.Name + "(4)");
  return true;
}

// MAP T(1) ONTO P(1:2)
bool Parser::map() {
  D.K = DirectiveKind::Map;
  if (!target("in MAP"))
    return false;
  if (D.Target->Axes.size() != 1 || D.Target->Axes[0].K != Axis::Value)
    return fail(D.Target->At, "MAP needs the number of a task, as in MAP " + D.Target->Name + "(1) ONTO P(1:2)");
  if (!takeWord("onto"))
    return fail("expected ONTO and processors in MAP, " + found());
  return onto() && (atEnd() || fail("expected the end of MAP, " + found()));
}

// Clauses that say how, or what is not judged: each is named once.
bool Parser::rest() {
  while (!atEnd()) {
    take(',');
    std::string Word;
    if (!name(Word, "a clause"))
      return false;
    D.Unjudged.push_back(Word);
    Ref Ignored;
    for (int Depth = 0; at('(') || Depth;) {
      if (atEnd())
        return fail("expected ')', " + found());
      Depth += at('(') ? 1 : at(')') ? -1 : 0;
      ++At;
    }
  }
  return true;
}

bool Parser::taskRegion() {
  D.K = DirectiveKind::TaskRegion;
  if (!name(D.Group, "the name of a task array in TASK_REGION"))
    return false;
  for (take(','); peekWord() == "reduction"; take(','))
    if (!clause())
      return false;
  return rest();
}

bool Parser::on() {
  D.K = DirectiveKind::On;
  return target("after ON") && rest();
}

bool Parser::refs(std::vector<Ref> &To, const std::string &Where) {
  if (!expect('(', Where))
    return false;
  if (take(')'))
    return true;
  do {
    Ref R;
    R.At = position();
    if (!name(R.Name, "the name of a variable " + Where) || (at('(') && !axes(R, {}, Where)))
      return false;
    To.push_back(R);
  } while (take(','));
  return expect(')', Where);
}

bool Parser::region() {
  D.K = DirectiveKind::Region;
  while (!atEnd()) {
    take(',');
    bool Known = false;
    for (const char *Word : {"in", "out", "local", "inout", "inlocal"})
      if (!Known && takeWord(Word)) {
        Known = true;
        D.Clauses.emplace_back();
        D.Clauses.back().K = ClauseKind::Region;
        D.Clauses.back().Group = Word;
        if (!refs(D.Clauses.back().Refs, "in a clause of REGION"))
          return false;
      }
    if (Known || takeWord("async"))
      continue;
    if (!takeWord("targets"))
      return fail("expected a clause of REGION (IN, OUT, LOCAL, INOUT, INLOCAL, TARGETS, ASYNC), " + found());
    std::vector<Ref> Targets;
    if (!refs(Targets, "in TARGETS"))
      return false;
  }
  return true;
}

// ASYNCHRONOUS id
bool Parser::asynchronous() {
  D.K = DirectiveKind::Asynchronous;
  return name(D.Group, "the name of an asynchronous copy") && (atEnd() || fail("expected the end of ASYNCHRONOUS, " + found()));
}

bool Parser::hostSection() {
  D.K = DirectiveKind::HostSection;
  return atEnd() || fail("expected the end of HOST_SECTION, " + found());
}

// ACTUAL, ACTUAL (A, B(1:2,3))
bool Parser::sections(DirectiveKind K) {
  D.K = K;
  return (atEnd() || refs(D.Refs, "in " + D.Word)) && (atEnd() || fail("expected the end of " + D.Word + ", " + found()));
}

// INTERVAL [n], EXITINTERVAL n, m
bool Parser::measure() {
  D.K = DirectiveKind::Measure;
  D.Refs.emplace_back();
  const bool Takes = D.Word == "INTERVAL" || D.Word == "EXITINTERVAL";
  for (bool More = Takes && !atEnd(); More; More = D.Word == "EXITINTERVAL" && take(',')) {
    Axis X;
    X.K = Axis::Value;
    X.Add = expression();
    if (X.Add.empty())
      return fail("expected the number of an interval, " + found());
    D.Refs[0].Axes.push_back(X);
  }
  return atEnd() || fail("expected the end of " + D.Word + ", " + found());
}

// Nothing that a check could judge.
static const char *const Accepted[] = {"consistent",   "asyncid", "consistent_group", "reduction_group", "checksection", "endchecksection",
                                       "remote_group", "debug",   "enddebug",         "barrier",         "io_mode",      "check",
                                       "routine",      "f90",     "localize",         "unlocalize"};
static const char *const Unjudged[] = {"template_create", "template_delete", "indirect_access", "own",     "pointer", "heap",
                                       "independent",     "cp_create",       "cp_save",         "cp_load", "cp_wait"};

static const char *const Blocks[] = {"endregion", "endhost_section", "endtask_region", "endon", "endasynchronous", "new_value"};

template <size_t N> static bool isOneOf(const std::string &Word, const char *const (&Names)[N]) {
  return std::find(Names, Names + N, Word) != Names + N;
}

// What stands behind the word; what the word does not begin is 'Known' false.
bool Parser::behind(const std::string &Word, bool &Known) {
  static const struct {
    const char *Word;
    bool (Parser::*Parse)();
  } Rows[] = {
      {"distribute", &Parser::distribute},
      {"align", &Parser::align},
      {"shadow", &Parser::shadow},
      {"dynamic", &Parser::dynamic},
      {"template", &Parser::templates},
      {"inherit", &Parser::inherit},
      {"parallel", &Parser::parallel},
      {"remote_access", &Parser::remoteAccess},
      {"shadow_add", &Parser::shadowAdd},
      {"shadow_group", &Parser::shadowGroup},
      {"redistribute", &Parser::redistribute},
      {"realign", &Parser::realign},
      {"task", &Parser::task},
      {"processors", &Parser::processors},
      {"map", &Parser::map},
      {"task_region", &Parser::taskRegion},
      {"on", &Parser::on},
      {"region", &Parser::region},
      {"host_section", &Parser::hostSection},
      {"asynchronous", &Parser::asynchronous},
      {"interval", &Parser::measure},
      {"endinterval", &Parser::measure},
      {"exitinterval", &Parser::measure},
      {"traceon", &Parser::measure},
      {"traceoff", &Parser::measure},
      {"actual", &Parser::actual},
      {"get_actual", &Parser::getActual},
  };
  static const struct {
    const char *Word;
    DirectiveKind K;
  } Groups[] = {{"shadow_start", DirectiveKind::ShadowStart},
                {"shadow_wait", DirectiveKind::ShadowWait},
                {"reduction_start", DirectiveKind::ReductionStart},
                {"reduction_wait", DirectiveKind::ReductionWait},
                {"prefetch", DirectiveKind::Prefetch},
                {"reset", DirectiveKind::Reset},
                {"asyncwait", DirectiveKind::CopyWait},
                {"consistent_start", DirectiveKind::ConsistentStart},
                {"consistent_wait", DirectiveKind::ConsistentWait}};
  for (const auto &Row : Rows)
    if (Word == Row.Word)
      return (this->*Row.Parse)();
  for (const auto &Row : Groups)
    if (Word == Row.Word)
      return group(Row.K);
  if (isOneOf(Word, Blocks)) {
    D.K = Word == "new_value" ? DirectiveKind::NewValue : DirectiveKind::End;
    return atEnd() || fail("expected the end of the directive, " + found());
  }
  if (isOneOf(Word, Accepted) || isOneOf(Word, Unjudged)) {
    D.K = isOneOf(Word, Accepted) ? DirectiveKind::Accepted : DirectiveKind::Unjudged;
    return true;
  }
  Known = false;
  return false;
}

static std::string nearest(const std::string &Word) {
  static const char *const Words[] = {"distribute",   "align",       "shadow",          "dynamic",        "template",
                                      "inherit",      "parallel",    "redistribute",    "realign",        "remote_access",
                                      "task",         "task_region", "region",          "end region",     "shadow_group",
                                      "shadow_start", "shadow_wait", "reduction_start", "reduction_wait", "remote_group",
                                      "prefetch",     "processors",  "get_actual",      "actual",         nullptr};
  const char *Best = dvm_text_nearest(Word.c_str(), Words);
  if (!Best)
    return "a comment that is no directive begins otherwise: '!' and a blank";
  std::string Help = std::string("did you mean '") + Best + "'?";
  std::transform(Help.begin() + 14, Help.end(), Help.begin() + 14, [](unsigned char C) { return char(std::toupper(C)); });
  return Help;
}

bool Parser::parse() {
  if (atEnd())
    return fail("expected a directive, found the end of the line");
  const size_t Start = position();
  std::string Word = peekWord();
  At += Word.size();
  if (Word == "end") {
    Word += peekWord();
    At += Word.size() - 3;
  }
  D.Word = Word;
  for (char &C : D.Word)
    C = static_cast<char>(std::toupper(static_cast<unsigned char>(C)));
  D.K = DirectiveKind::Array;
  bool Known = true;
  if (behind(Word, Known)) {
    Out.push_back(D);
    return true;
  }
  if (Known)
    return false;
  At = Start;
  return fail("unknown directive '" + (D.Word.empty() ? std::string("?") : D.Word) + "'", nearest(Word));
}

bool dvmf::parseDirective(const std::string &Text, std::vector<Directive> &Out, Mistake &M) {
  M = Mistake();
  Parser P(Text, Out, M);
  return P.parse();
}
