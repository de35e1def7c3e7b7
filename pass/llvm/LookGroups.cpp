#include "LookGroups.h"
#include "Doubt.h"
#include "runtime/abi.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace dvmir;

static constexpr int64_t Widest = 57; // bytes whose bits are in 64, wherever among eight bytes they begin
static constexpr size_t MostOpen = 16;

uint64_t LookGroup::bytes() const {
  uint64_t Bits = 0;
  for (const Part &P : Parts)
    if (P.Look)
      Bits |= maskTrailingOnes<uint64_t>(unsigned(P.Size)) << (P.At - Low);
  return Bits;
}

std::optional<unsigned> LookGroup::place() const { return Base8 ? std::optional(unsigned(*Base8 + uint64_t(Low)) % 8) : std::nullopt; }

bool dvmir::mayAskBefore(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    auto *Known = dyn_cast<IntrinsicInst>(Call);
    return Known && (Known->isAssumeLikeIntrinsic() || (!Known->mayHaveSideEffects() && Known->willReturn())) &&
           !Known->isLifetimeStartOrEnd();
  }
  return !I.isAtomic() && !I.isVolatile() && !isa<FenceInst>(I);
}

// What it hands to its slow path must be known where the first of the group is asked.
static bool isKnownAt(const CallInst *Look, const Instruction *First) {
  return all_of(Look->args(), [&](const Use &U) {
    auto *I = dyn_cast<Instruction>(U.get());
    return !I || U.getOperandNo() == LookAddress || I->getParent() != First->getParent() || I->comesBefore(First);
  });
}

static std::optional<unsigned> promised(const CallInst *Look, Value *Base, int64_t At, uint64_t Size, const DataLayout &DL) {
  if (Base->getPointerAlignment(DL).value() >= 8)
    return 0;
  return Size >= 8 && isPowerOf2_64(Size) && Look->hasMetadata("dvm.aligned") ? std::optional(unsigned(-uint64_t(At)) % 8) : std::nullopt;
}

static bool isWrite(const CallInst *Look) {
  return isa<ConstantPointerNull>(Look->getArgOperand(LookSite)) || (lookNumber(Look, LookFlags) & DVMRT_WRITE);
}

// The other memory may be the same, and what is read is judged by the target that follows it.
static bool mayPass(const LookGroup &G, bool Write) { return !G.WritesPassed && !(Write && G.ReadsPassed); }

void LookGroups::noteOthers(const LookGroup &Own, bool Write) {
  for (LookGroup &G : Open)
    if (&G != &Own)
      (Write ? G.WritesPassed : G.ReadsPassed) = true;
}

void LookGroups::add(CallInst *Look) {
  const uint64_t Size = lookNumber(Look, LookSize);
  APInt Way(DL.getIndexTypeSizeInBits(Look->getArgOperand(LookAddress)->getType()), 0);
  Value *Base = Look->getArgOperand(LookAddress)->stripAndAccumulateConstantOffsets(DL, Way, true);
  const int64_t At = Way.getSExtValue(), End = At + int64_t(Size);
  const std::optional<unsigned> Base8 = promised(Look, Base, At, Size, DL);
  const bool Write = isWrite(Look);
  for (LookGroup &G : Open) {
    const int64_t Low = std::min(G.Low, At), High = std::max(G.End, End);
    if (G.Base != Base || High - Low > Widest || !mayPass(G, Write) || !isKnownAt(Look, cast<Instruction>(G.Parts[0].Look)))
      continue;
    G.Low = Low;
    G.End = High;
    G.Base8 = G.Base8 ? G.Base8 : Base8;
    G.Parts.push_back({Look, At, Size});
    return noteOthers(G, Write);
  }
  if (Open.size() == MostOpen)
    close();
  Open.push_back({Base, At, End, Base8, {{Look, At, Size}}});
  noteOthers(Open.back(), Write);
}

void LookGroups::close() {
  for (LookGroup &G : Open)
    if (G.Parts.size() > 1)
      Closed.push_back(std::move(G));
  Open.clear();
}

std::vector<LookGroup> LookGroups::take() {
  close();
  return std::move(Closed);
}
