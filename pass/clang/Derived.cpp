#include "Derived.h"

using namespace clang;
using namespace dvm;

namespace {

struct Reader {
  const State &St;
  const Directive &D;
  DerivedRule &Rule;
  unsigned At, End;

  bool is(StringRef Text) const { return At < End && D.Spelling[At] == Text; }
  bool opens() const { return is("(") || is("[") || is("{"); }
  bool closes() const { return is(")") || is("]") || is("}"); }
  std::string where() const { return std::string("'") + (D.D->kind == DVM_DIR_SHADOW_ADD ? "shadow_add" : "derived") + "'"; }
  bool fail(unsigned Token, const Twine &Text) const {
    St.error(D.loc(Token), Text);
    return false;
  }

  // Up to a comma, a colon that is no conditional's, or the word.
  dvm_range expression() {
    dvm_range R = {At, 0};
    for (int Depth = 0, Asked = 0; At < End; ++At) {
      if (!Depth && (is(",") || is("with") || (is(":") && !Asked)))
        break;
      Depth += opens() - closes();
      Asked += !Depth && is("?") ? 1 : !Depth && is(":") ? -1 : 0;
    }
    R.count = At - R.first;
    return R;
  }

  bool values() {
    for (;; ++At) {
      dvm_range Low = expression(), High = Low;
      if (is(":")) {
        ++At;
        High = expression();
      }
      if (!Low.count || !High.count)
        return fail(At, "expected an expression in " + where());
      Rule.Values.push_back({Low, High});
      if (is(","))
        continue;
      return is("with") && ++At < End ? true : fail(At, "expected 'with' and an array or a template in " + where());
    }
  }

  bool target() {
    Rule.Target = {At++, 1};
    for (unsigned Dim = 0; is("["); ++Dim) {
      if (D.Spelling[++At] == "@" && !index(Dim))
        return false;
      for (int Depth = 1; At < End && Depth; ++At)
        Depth += opens() - closes();
    }
    return !Rule.Indices.empty() ? true : fail(Rule.Target.first, "expected '[@' and the name of an index behind the array of " + where());
  }

  bool index(unsigned Dim) {
    RuleIndex Index = {Dim, ++At, {}};
    if (At >= End || !D.Tokens[At].getIdentifierInfo())
      return fail(At, "expected the name of an index behind '@'");
    for (const RuleIndex &Before : Rule.Indices)
      if (is(D.Spelling[Before.Name]))
        return fail(At, "two indices of " + where() + " have the name '" + D.Spelling[At] + "'");
    ++At;
    if (!edges(Index))
      return false;
    Rule.Indices.push_back(Index);
    return true;
  }

  // '+ "name"', again and again.
  bool edges(RuleIndex &Index) {
    for (; is("+"); ++At) {
      if (++At >= End || !tok::isStringLiteral(D.Tokens[At].getKind()))
        return fail(At, "expected the name of an edge, in quotes, behind '+' in " + where());
      Index.Edges.push_back(At);
    }
    return is("]") ? true : fail(At, "expected ']' or '+' and the name of an edge, in quotes, in " + where());
  }
};
} // namespace

bool dvm::readDerived(const State &St, const Directive &D, dvm_range R, DerivedRule &Rule) {
  Reader In{St, D, Rule, R.first, R.first + R.count};
  return In.values() && In.target();
}
