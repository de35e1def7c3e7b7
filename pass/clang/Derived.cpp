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
        return fail(At, "expected an expression in 'derived'");
      Rule.Values.push_back({Low, High});
      if (is(","))
        continue;
      return is("with") && ++At < End ? true : fail(At, "expected 'with' and an array or a template in 'derived'");
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
    return Rule.Index != ~0u ? true : fail(Rule.Target.first, "expected '[@' and the name of an index behind the array of 'derived'");
  }

  bool index(unsigned Dim) {
    if (Rule.Index != ~0u)
      return fail(At, "'derived' is executed in parallel with one index alone");
    Rule.Dim = Dim;
    Rule.Index = ++At;
    if (At >= End || !D.Tokens[At].getIdentifierInfo())
      return fail(At, "expected the name of an index behind '@'");
    ++At;
    return is("]") ? true : fail(At, "edges of 'derived' are not supported in parallel execution yet");
  }
};
} // namespace

bool dvm::readDerived(const State &St, const Directive &D, dvm_range R, DerivedRule &Rule) {
  Reader In{St, D, Rule, R.first, R.first + R.count};
  return In.values() && In.target();
}
