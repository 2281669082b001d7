// Decides one field. The decision table finds a reason from a few facts; the reason says what the file gets, what the tracker
// gets, and what both then agree on. A body is merged by lines, and each side keeps its own spelling of what nobody edited:
// normalised texts are compared, never written.
import type { Field } from '../../core/chore/chore.ts';
import { mergeLines } from '../../core/merge/line-merge.ts';
import { mergeSpellings, type TwoSpellings } from '../../core/merge/spelling-merge.ts';
import { once } from '../../core/plain-data.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import type { Loss, PlanInput, RemoteFields } from './plan-data.ts';
import { cutText, withRest } from './upstream-text.ts';

/** What a file says of a field. */
export type Word = string | readonly string[] | null;

type Reason =
  | 'equal'
  | 'remote_changed'
  | 'local_changed'
  | 'both_same'
  | 'merged'
  | 'conflict_remote_wins'
  | 'conflict_local_wins'
  | 'not_pushed'
  | 'not_writable'
  | 'silent'
  | 'no_local_word';

/** What becomes of one field. Without `down` the file stays as it is, without `up` the tracker. */
export interface FieldPlan<Down extends Word = Word> {
  field: Field;
  reason: Reason;
  down?: Down | undefined;
  up?: unknown;
  agreed: Down; // What the base says of the file afterwards.
  loss?: Loss;
}

type SharedFacts = ReturnType<typeof sharedFacts>;

function sharedFacts({ base, remote, config, profile, savedAt }: PlanInput, field: Field) {
  const spoken = remote ?? base?.remote;
  return {
    remoteSpeaks: spoken !== undefined && !spoken.silent.includes(field),
    known: base !== null, // There was an agreement to compare with.
    pushed: config.push.includes(field),
    writable: profile.writable.includes(field),
    prefer: config.prefer,
    localIsNewer: savedAt > (spoken?.updatedAt ?? 0),
  };
}

interface Scalar<T> {
  local: T;
  remote: T; // The tracker's word in the file's terms.
  localBase: T; // What the file said at the last agreement.
  localChanged: boolean;
  remoteChanged: boolean;
  same: boolean; // Both sides mean the same now.
  sent: unknown; // The file's word in the tracker's terms; undefined where it has none.
  localSpeaks?: boolean; // False when the file has no word on it.
  merged?: () => T | null; // Both changes in one value, when they fit.
}

/** Read top to bottom: the first line that fits answers. `isMergeable`: both changes fit into one value. */
function decideField(shared: SharedFacts, scalar: Scalar<unknown>, isMergeable: boolean): Reason {
  const { known, writable, prefer, localIsNewer } = shared;
  const { localChanged, remoteChanged, same, localSpeaks = true, sent } = scalar;
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
    return !writable ? 'not_writable' : shared.pushed && sent !== undefined ? 'local_changed' : 'not_pushed';
  // Both changed, or nobody knows who did: no base.
  if (isMergeable) return 'merged';
  const localWins = prefer === 'local' || (prefer === 'newest' && localIsNewer);
  return localWins ? 'conflict_local_wins' : 'conflict_remote_wins';
}

/** Decides one value; both sides' changes in one where `merged` can. */
export function planScalar<T extends string | null>(
  input: PlanInput,
  field: Field,
  scalar: Scalar<T>,
): FieldPlan<T> {
  const { local, remote, localBase, localChanged, remoteChanged, same } = scalar;
  const shared = sharedFacts(input, field);
  const isSent = shared.pushed && shared.writable;
  const both = isSent && shared.known && localChanged && remoteChanged && !same;
  const merged = both ? (scalar.merged?.() ?? null) : null;
  const reason = decideField(shared, scalar, merged !== null);
  const up = isSent ? scalar.sent : undefined;
  const lost = (side: Loss['side'], text: T) => ({ field, side, text: text ?? 'none' });
  switch (reason) {
    case 'merged':
      return { field, reason, down: merged!, up: merged, agreed: remote };
    case 'remote_changed':
      return { field, reason, down: remote, agreed: remote };
    case 'conflict_remote_wins':
      return { field, reason, down: remote, agreed: remote, loss: lost('local', local) };
    case 'local_changed':
      return { field, reason, up, agreed: localBase };
    case 'conflict_local_wins':
      return { field, reason, up, agreed: remote, loss: lost('remote', remote) };
    case 'equal':
    case 'both_same':
      return { field, reason, agreed: local };
    default:
      return { field, reason, agreed: shared.known ? localBase : local };
  }
}

/** Merges two lists as sets: what a side added or took out since its own base is done to the other. The file keeps its order.
 * @param lists `localBase`: what the file said at the last agreement, `remoteBase` what the tracker said
 * @param refOf the item in the tracker's terms, or null where it has none
 * @param keyOf items with one key are the same */
export function planSet(
  input: PlanInput,
  field: Field,
  lists: Record<'localBase' | 'remoteBase' | 'local' | 'remote', readonly string[]>,
  refOf: (item: string) => string | null,
  keyOf: (item: string) => string,
): FieldPlan {
  const { remoteSpeaks, pushed, writable, known } = sharedFacts(input, field);
  const { local, remote, localBase } = lists;
  if (!remoteSpeaks) return { field, reason: 'silent', agreed: known ? localBase : local };
  const lacks = (list: readonly string[]) => {
    const keys = new Set(list.map(keyOf));
    return (item: string) => !keys.has(keyOf(item));
  };
  const [newHere, newThere] = [lacks(localBase), lacks(lists.remoteBase)];
  const [notHere, notThere] = [lacks(local), lacks(remote)];
  const came = remote.filter((item) => notHere(item) && newHere(item) && newThere(item));
  const result = [...local.filter((item) => newThere(item) || !notThere(item)), ...new Set(came)];
  const add = local.filter((item) => newHere(item) && notThere(item));
  const remove = remote.filter((item) => !newHere(item) && notHere(item));
  const isDown = result.join('\n') !== local.join('\n');
  const wants = add.length + remove.length > 0;
  const refs = (list: readonly string[]) => list.flatMap((item) => refOf(item) ?? []);
  const change = { add: refs(add), remove: refs(remove) };
  const isUp = pushed && writable && change.add.length + change.remove.length > 0;
  const unsent = !wants ? 'equal' : writable ? 'not_pushed' : 'not_writable';
  return {
    field,
    reason: isDown ? (isUp ? 'merged' : 'remote_changed') : isUp ? 'local_changed' : unsent,
    down: isDown ? result : undefined,
    up: isUp ? change : undefined,
    // What is still to be sent must look like a change of the file afterwards, too.
    agreed: [...result.filter((item) => !add.includes(item)), ...remove],
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
  const isCut = whole !== null || wasCut || localBase.length > limits.body;
  const means = (a: string, b: string): boolean => normalise(cutText(a, limits.body)) === normalise(b);
  const carry = (bodies: TwoSpellings) => {
    const both = isCut ? null : mergeSpellings(bodies, normalise);
    return both !== null && means(both.local, both.remote) ? both : null;
  };
  const now: TwoSpellings = { localBase, remoteBase: from, local: mine, remote: said };
  const both = once(() => carry(now));
  const theirs = whole ?? said;
  const plan = planScalar(input, 'body', {
    local: mine,
    remote: theirs,
    localBase,
    localSpeaks: local.body !== null,
    localChanged: mine !== localBase || wasCut,
    remoteChanged,
    same: means(mine, said),
    sent: mine,
    merged: () =>
      isCut ? mergeText(whole === null ? from : localBase, mine, theirs) : (both()?.local ?? null),
  });
  if (base === null) return plan;
  // Each side's words in that side's spelling, where they can be told apart: our text with their edits, theirs with ours.
  const isOurs = plan.reason === 'local_changed';
  if (isOurs || plan.reason === 'merged' || plan.reason === 'conflict_local_wins') {
    if (!isOurs) plan.agreed = carry({ ...now, local: localBase })?.local ?? plan.agreed;
    if (plan.up === undefined) return plan;
    const carried = plan.reason === 'merged' ? both() : carry({ ...now, remote: from });
    const up = carried?.remote ?? (plan.up as string);
    // A browser's line ends upstream stay what they are.
    const isUnix = !remote.body.includes('\r\n') || /(^|[^\r])\n/.test(remote.body);
    plan.up = isUnix ? up : up.replaceAll('\n', '\r\n');
  } else if (plan.down !== undefined) {
    plan.agreed = carry({ ...now, local: localBase })?.local ?? plan.agreed;
    plan.down = plan.agreed;
  }
  return plan;
}

/** Merges by lines what two sides made of `base`; null when both changed one place in different ways. */
function mergeText(base: string, local: string, remote: string): string | null {
  const { lines, conflicts } = mergeLines(base.split('\n'), local.split('\n'), remote.split('\n'));
  return conflicts.length === 0 ? lines.join('\n') : null;
}
