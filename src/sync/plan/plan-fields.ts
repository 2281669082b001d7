// What becomes of one field. The decision table finds a reason from five facts, and everything the engine does to a field
// follows from the reason: a word for the file, a word for the tracker, and what both then agree on. An edit of the body is
// carried into the other side line by line, and each side keeps its own spelling of what nobody edited: normalised texts are
// compared, never written.
import type { Field } from '../../core/chore/chore.ts';
import { mergeLines } from '../../core/merge/line-merge.ts';
import { mergeSpellings, type TwoSpellings } from '../../core/merge/spelling-merge.ts';
import { once } from '../../core/once.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import type { ListChange } from '../../providers/provider.ts';
import type { Loss, PlanInput, Reason, RemoteFields } from './plan-data.ts';
import { cutText, withRest } from './upstream-text.ts';

/** Read top to bottom: the first line that fits answers. `isMergeable`: both changes fit into one value. */
function decideField(shared: SharedFacts, scalar: Scalar<unknown>, isMergeable: boolean): Reason {
  const { known, writable, prefer, localIsNewer } = shared;
  const { localChanged, remoteChanged, same, localSpeaks = true, sendable = true } = scalar;
  // A server without relations, a `fields:` list: silence is no empty value.
  if (!shared.remoteSpeaks) return 'silent';
  // A person took the body markers out: headings rule again, and neither side is written.
  if (!localSpeaks) return 'no_local_word';
  // The same edit on both sides, or our own push coming back.
  if (same) return localChanged || remoteChanged ? 'both_same' : 'equal';
  // They differ in words only: rewritten or cut upstream when it was pushed.
  if (known && !localChanged && !remoteChanged) return 'equal';
  if (known && !localChanged) return 'remote_changed';
  if (known && !remoteChanged)
    return !writable ? 'not_writable' : shared.pushed && sendable ? 'local_changed' : 'not_pushed';
  // Both changed, or nobody knows who did: no base.
  if (isMergeable) return 'merged';
  const localWins = prefer === 'local' || (prefer === 'newest' && localIsNewer);
  return localWins ? 'conflict_local_wins' : 'conflict_remote_wins';
}

/** The file's value is written upstream. */
export function goesUp(reason: Reason): boolean {
  return reason === 'local_changed' || reason === 'merged' || reason === 'conflict_local_wins';
}

/** The tracker's value (or the merge) is written into the file. */
export function comesDown(reason: Reason): boolean {
  return reason === 'remote_changed' || reason === 'merged' || reason === 'conflict_remote_wins';
}

/** What becomes of one field. Absent `down`: the file stays; absent `up`: the tracker stays. */
export interface FieldPlan<Down, Up = Down> {
  field: Field;
  reason: Reason;
  down?: { value: Down };
  up?: { value: Up };
  /** What the base says of the file afterwards. */
  agreed: Down;
  loss?: Loss;
}

type SharedFacts = ReturnType<typeof sharedFacts>;

function sharedFacts({ base, remote, config, profile, savedAt }: PlanInput, field: Field) {
  const spoken = remote ?? base?.remote;
  return {
    /** The tracker's answer speaks of this field. */
    remoteSpeaks: spoken !== undefined && !spoken.silent.includes(field),
    /** There was an agreement to compare with. */
    known: base !== null,
    pushed: config.push.includes(field),
    writable: profile.writable.includes(field),
    prefer: config.prefer,
    localIsNewer: savedAt > (spoken?.updatedAt ?? 0),
  };
}

interface Scalar<T> {
  local: T;
  /** The tracker's word in the file's terms. */
  remote: T;
  /** What the file said at the last agreement. */
  localBase: T;
  localChanged: boolean;
  remoteChanged: boolean;
  /** Both sides mean the same now. */
  same: boolean;
  /** False when the file has no word on it. */
  localSpeaks?: boolean;
  /** Both changes in one value, when they fit. */
  merged?: () => T | null;
  /** False when the file's word has no counterpart upstream. */
  sendable?: boolean;
}

/** Decides one value; both sides' changes in one where `merged` can. */
export function planScalar<T extends string | null>(
  input: PlanInput,
  field: Field,
  scalar: Scalar<T>,
): FieldPlan<T> {
  const { local, remote, localBase, localChanged, remoteChanged, same } = scalar;
  const shared = sharedFacts(input, field);
  const both = shared.known && localChanged && remoteChanged && !same;
  const merged = both && shared.pushed && shared.writable ? (scalar.merged?.() ?? null) : null;
  const reason = decideField(shared, scalar, merged !== null);
  const lost = (side: Loss['side'], text: T) => ({ loss: { field, side, text: text ?? 'none' } });
  const isSent = shared.pushed && scalar.sendable !== false && shared.writable;
  const sent = isSent ? { up: { value: local } } : {};
  switch (reason) {
    case 'merged':
      return { field, reason, down: { value: merged! }, up: { value: merged! }, agreed: remote };
    case 'remote_changed':
      return { field, reason, down: { value: remote }, agreed: remote };
    case 'conflict_remote_wins':
      return { field, reason, down: { value: remote }, agreed: remote, ...lost('local', local) };
    case 'local_changed':
      return { field, reason, agreed: localBase, ...sent };
    case 'conflict_local_wins':
      return { field, reason, agreed: remote, ...sent, ...lost('remote', remote) };
    case 'equal':
    case 'both_same':
      return { field, reason, agreed: local };
    default:
      return { field, reason, agreed: shared.known ? localBase : local };
  }
}

/**
 * Merges by lines what two sides made of `base`; null when both changed one place in different ways.
 * All three with `\n` line ends.
 */
function mergeText(base: string, local: string, remote: string): string | null {
  const { lines, conflicts } = mergeLines(base.split('\n'), local.split('\n'), remote.split('\n'));
  return conflicts.length === 0 ? lines.join('\n') : null;
}

type SetFacts = Record<'localBase' | 'remoteBase' | 'local' | 'remote', readonly string[]>;

/**
 * Merges two lists as sets, compared by `keyOf`. What a side added or took out since its own base is done to the other.
 * @param lists `localBase`: what the file said at the last agreement, `remoteBase` what the tracker said
 * @returns the list for the file (local order, then what came from the other side), and what to add and remove upstream
 */
function mergeSets(lists: SetFacts, keyOf: (item: string) => string) {
  const { local, remote } = lists;
  const keys = (list: readonly string[]) => new Set(list.map(keyOf));
  const [wasLocal, wasRemote] = [keys(lists.localBase), keys(lists.remoteBase)];
  const [isLocal, isRemote] = [keys(local), keys(remote)];
  const kept = local.filter((item) => !wasRemote.has(keyOf(item)) || isRemote.has(keyOf(item)));
  const came = new Set<string>();
  for (const item of remote) {
    const key = keyOf(item);
    if (!isLocal.has(key) && !wasLocal.has(key) && !wasRemote.has(key)) came.add(item);
  }
  return {
    result: [...kept, ...came],
    add: local.filter((item) => !wasLocal.has(keyOf(item)) && !isRemote.has(keyOf(item))),
    remove: remote.filter((item) => wasLocal.has(keyOf(item)) && !isLocal.has(keyOf(item))),
  };
}

export function planSet(
  input: PlanInput,
  field: Field,
  lists: SetFacts,
  // Blanks around a name are no part of it.
  keyOf = (item: string) => item.trim().toLowerCase(),
): FieldPlan<string[], ListChange> {
  const { remoteSpeaks, pushed, writable, known } = sharedFacts(input, field);
  if (!remoteSpeaks) return { field, reason: 'silent', agreed: [...(known ? lists.localBase : lists.local)] };
  const { result, add, remove } = mergeSets(lists, keyOf);
  const down = result.join('\n') !== lists.local.join('\n');
  const wants = add.length + remove.length > 0;
  const up = wants && pushed && writable;
  let reason: Reason = down ? 'remote_changed' : 'equal';
  if (up) reason = down ? 'merged' : 'local_changed';
  else if (wants && !down) reason = writable ? 'not_pushed' : 'not_writable';
  // What is still to be sent must look like a change of the file afterwards, too.
  const agreed = [...result.filter((item) => !add.includes(item)), ...remove];
  return {
    field,
    reason,
    agreed,
    ...(down ? { down: { value: result } } : {}),
    ...(up ? { up: { value: { add, remove } } } : {}),
  };
}

export function planBody(input: PlanInput, remote: RemoteFields): FieldPlan<string> {
  const { base, local, profile } = input;
  const { limits, normalise } = profile;
  const said = normaliseForeign(remote.body);
  const mine = local.body ?? '';
  const localBase = base?.local.body ?? mine;
  const remoteChanged = base !== null && remote.body !== base.remote.body;
  // What was cut upstream is in the file alone: their edit is of the part that was sent, never of the rest.
  const from = normaliseForeign(base?.remote.body ?? '');
  const whole = remoteChanged ? withRest(localBase, from, said) : null;
  const wasCut = remoteChanged && whole === null && localBase.length > limits.body && localBase !== from;
  const theirs = whole ?? said;
  const isCut = whole !== null || wasCut || localBase.length > limits.body;
  const means = (a: string, b: string): boolean => normalise(cutText(a, limits.body)) === normalise(b);
  const carry = (bodies: TwoSpellings): Carried => {
    const both = isCut ? null : mergeSpellings(bodies, normalise);
    return both !== null && means(both.local, both.remote) ? both : null;
  };
  const now: TwoSpellings = { localBase, remoteBase: from, local: mine, remote: said };
  const both = once(() => carry(now));
  const plan = planScalar(input, 'body', {
    local: mine,
    remote: theirs,
    localBase,
    localSpeaks: local.body !== null,
    localChanged: mine !== localBase || wasCut,
    remoteChanged,
    same: means(mine, said),
    merged: () =>
      isCut ? mergeText(whole === null ? from : localBase, mine, theirs) : (both()?.local ?? null),
  });
  if (base === null) return plan;
  const ownLetters = spelled(plan, {
    up: () => (plan.reason === 'merged' ? both() : carry({ ...now, remote: from }))?.remote ?? null,
    down: () => carry({ ...now, local: localBase })?.local ?? null,
  });
  return withLineEnds(ownLetters, remote.body);
}

type Carried = { local: string; remote: string } | null;

/**
 * The plan with each side's words in that side's spelling, where they can be told apart.
 * @param carried their text with our edits (`up`), ours with theirs (`down`); null where neither is known
 */
function spelled(
  plan: FieldPlan<string>,
  carried: Record<'up' | 'down', () => string | null>,
): FieldPlan<string> {
  switch (plan.reason) {
    case 'remote_changed':
    case 'conflict_remote_wins': {
      const value = carried.down() ?? plan.agreed;
      return { ...plan, down: { value }, agreed: value };
    }
    case 'local_changed':
    case 'conflict_local_wins':
    case 'merged': {
      const agreed = plan.reason === 'local_changed' ? plan.agreed : (carried.down() ?? plan.agreed);
      if (!plan.up) return { ...plan, agreed };
      return { ...plan, agreed, up: { value: carried.up() ?? plan.up.value } };
    }
    default:
      return plan;
  }
}

/** A browser's line ends upstream stay what they are. */
function withLineEnds(plan: FieldPlan<string>, remote: string): FieldPlan<string> {
  if (!plan.up || !remote.includes('\r\n') || /(^|[^\r])\n/.test(remote)) return plan;
  return { ...plan, up: { value: plan.up.value.replaceAll('\n', '\r\n') } };
}
