// Checks of clauses that need the loops of the nest, or no more than their operands.
#include "Rewriter.h"

using namespace clang;
using namespace dvm;

// What a reduction combines: the element of an array, or what a pointer points to.
static QualType reduced(ASTContext &Ctx, QualType Ty) {
  Ty = Ctx.getBaseElementType(Ty);
  return Ty->isPointerType() ? Ty->getPointeeType() : Ty;
}

static bool isBitwise(enum dvm_reduction_op Op) { return Op == DVM_RED_AND || Op == DVM_RED_OR || Op == DVM_RED_XOR; }

bool Rewriter::checkReduction(Construct &C, const dvm_reduction &R) {
  const Expr *L = C.Ops.lvalue(R.var);
  SourceLocation Loc = C.Dir.loc(R.var.first);
  std::string Text = C.Dir.text(R.var);
  if (!L)
    return true;
  QualType Ty = reduced(Ctx, L->getType());
  if (!Ty->isArithmeticType()) {
    St.error(Loc,
             "'" + Text + "' in 'reduction' is not a variable of an arithmetic type, but of type '" + L->getType().getAsString() + "'");
    return false;
  }
  if (isBitwise(R.op) && !Ty->isIntegerType()) {
    St.error(Loc, Twine("'") + dvm_reduction_name(R.op) + "' combines bits, but '" + Text + "' is of type '" + Ty.getAsString() + "'");
    return false;
  }
  if (Ty->isAnyComplexType() && R.op != DVM_RED_SUM && R.op != DVM_RED_PRODUCT) {
    St.error(Loc, Twine("'") + dvm_reduction_name(R.op) + "' orders values, but '" + Text + "' is of type '" + Ty.getAsString() + "'");
    return false;
  }
  int64_t Length;
  if (const VarDecl *At = R.loc.count ? C.Ops.variable(R.loc) : nullptr; At && R.len.count && C.Ops.constant(R.len, Length)) {
    int64_t Has = 1;
    for (QualType T = At->getType(); const auto *A = Ctx.getAsConstantArrayType(T); T = A->getElementType())
      Has *= A->getZExtSize();
    bool Known = !At->getType()->isPointerType() && !At->getType()->isVariablyModifiedType() && !At->getType()->isIncompleteType();
    if (Length < 1 || (Known && Length > Has)) {
      St.error(C.Dir.loc(R.len.first), Length < 1 ? Twine("a location cannot have ") + Twine(Length) + " elements"
                                                  : quoted(At) + " has " + Twine(Has) + (Has == 1 ? " element, '" : " elements, '") +
                                                        dvm_reduction_name(R.op) + "' takes " + Twine(Length));
      St.note(At->getLocation(), quoted(At) + " is declared here");
      return false;
    }
  }
  const VarDecl *V = C.Ops.variable(R.var);
  if (int I = V ? C.indexNumber(V) : -1; I >= 0) {
    St.error(Loc, quoted(V) + " is the index variable of loop " + Twine(I + 1) + ": it cannot be a reduction variable");
    return false;
  }
  return true;
}

// A second time is a slip: which of the two was meant, and what should stand in its place, only the user knows.  A variable that
// is private twice is private all the same, and converters take it.
bool Rewriter::namedOnce(Construct &C, Named &Seen, const VarDecl *V, unsigned Token, const char *Clause) {
  if (!V)
    return true;
  auto [At, New] = Seen.insert({V, Token});
  if (New)
    return true;
  const bool Harmless = StringRef(Clause) == "private";
  const auto &Option = St.Opts.NamedTwice;
  if (Harmless && !Option.On)
    return true;
  if (Harmless)
    St.warning(C.Dir.loc(Token), quoted(V) + " is under '" + Clause + "' twice [-Wdvm-named-twice]", Option.Error);
  else
    St.error(C.Dir.loc(Token), quoted(V) + " is under '" + Clause + "' twice");
  St.note(C.Dir.loc(At->second), "the first one is here");
  return Harmless && !Option.Error;
}

bool Rewriter::checkReductions(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  Named Results, Privates;
  bool OK = true;
  for (unsigned I = 0; I < D.nclauses; ++I) {
    const dvm_clause &Cl = D.clauses[I];
    for (unsigned J = 0; J < Cl.nreductions; ++J) {
      const dvm_reduction &R = Cl.reductions[J];
      OK &= checkReduction(C, R);
      OK &= namedOnce(C, Results, C.Ops.variable(R.var), R.var.first, "reduction");
      if (R.loc.count) // the location of one extreme is no other result
        OK &= namedOnce(C, Results, C.Ops.variable(R.loc), R.loc.first, "reduction");
    }
    for (unsigned J = 0; Cl.kind == DVM_CL_PRIVATE && J < Cl.nrefs; ++J)
      OK &= namedOnce(C, Privates, C.Ops.variable(Cl.refs[J].name), Cl.refs[J].name, "private");
  }
  return OK;
}

// Sizes of 'stage' and 'cuda_block', where they are known.
bool Rewriter::checkSizes(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  for (unsigned I = 0; I < D.nclauses; ++I) {
    const dvm_clause &Cl = D.clauses[I];
    int64_t V;
    if (Cl.kind != DVM_CL_STAGE && Cl.kind != DVM_CL_CUDA_BLOCK)
      continue;
    for (unsigned J = 0; J < Cl.nexprs; ++J)
      if (C.Ops.constant(Cl.exprs[J], V) && V < (Cl.kind == DVM_CL_CUDA_BLOCK)) {
        St.error(C.Dir.loc(Cl.exprs[J].first), Twine("'") + dvm_clause_name(Cl.kind) + "' cannot be " + Twine(V));
        return false;
      }
  }
  return true;
}

// A part of a distributed array, of another one, or a variable.
bool Rewriter::checkSection(Construct &C, const dvm_ref &R, const char *Where) {
  const VarDecl *V = C.Ops.variable(R.name);
  if (!V || !R.naxes)
    return true;
  unsigned Rank = Decls.rankOf(V);
  return (V->getType()->isPointerType() && !Decls.isDistributed(V, FD)) || sameRank(St, C.Dir.loc(R.name), V, Rank, Where, R.naxes);
}

// Elements are copied as they are.
bool Rewriter::checkCopiedTypes(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  const VarDecl *To = C.Ops.variable(D.refs[0].name), *From = C.Ops.variable(D.refs[1].name);
  QualType T = shapeOf(Ctx, To->getType()).Element, F = shapeOf(Ctx, From->getType()).Element;
  if (Ctx.hasSameUnqualifiedType(T, F))
    return true;
  St.error(C.Dir.loc(D.refs[1].name), "elements of type '" + F.getUnqualifiedType().getAsString() + "' are copied to elements of type '" +
                                          T.getUnqualifiedType().getAsString() + "': write a loop with 'remote_access'");
  return false;
}

// Both sides of 'array_copy' must have as many dimensions that are more than one place.
bool Rewriter::checkCopy(Construct &C) {
  const dvm_directive &D = *C.Dir.D;
  unsigned Extended[2] = {0, 0};
  for (unsigned I = 0; I < D.nrefs && I < 2; ++I) {
    const dvm_ref &R = D.refs[I];
    const VarDecl *V = C.Ops.variable(R.name);
    unsigned Rank = V ? Decls.rankOf(V) : 0;
    if (!Rank)
      return true;
    if (R.naxes && !sameRank(St, C.Dir.loc(R.name), V, Rank, "array_copy", R.naxes))
      return false;
    Extended[I] = R.naxes ? 0 : Rank;
    for (unsigned A = 0; R.axes && A < R.naxes; ++A)
      Extended[I] += R.axes[A].kind == DVM_AXIS_EMPTY || R.axes[A].kind == DVM_AXIS_RANGE;
  }
  if (D.nrefs < 2)
    return true;
  if (Extended[0] == Extended[1])
    return checkCopiedTypes(C);
  St.error(C.Dir.loc(D.refs[1].name), "a section of " + Twine(Extended[1]) + (Extended[1] == 1 ? " dimension" : " dimensions") +
                                          " is copied to one of " + Twine(Extended[0]));
  return false;
}
