// The base (what both sides last agreed on) after the tracker took something from us: a change, a comment.

import { isQuestionMark } from '../../core/task/body/question-marks.ts';
import type { RemoteChange, RemoteComment, RemoteTask } from '../../providers/provider.ts';
import { LOCAL_KEYS } from './fields.ts';
import { hashOf } from './keys.ts';
import { localFields } from './local-side.ts';
import type { Base, CommentPush, LocalSide } from './plan-data.ts';

/**
 * After an update: the tracker says `result`, the fields that were sent are agreed on as the file had them.
 * @param local the side the push was planned from, after the plan's own change of the file
 */
export function baseAfterPush(base: Base, change: RemoteChange, result: RemoteTask, local: LocalSide): Base {
  const { comments: _comments, ...remote } = result;
  const said = localFields(local);
  const sent = Object.fromEntries(
    LOCAL_KEYS.filter((key) => change[key] !== undefined).map((key) => [key, said[key]]),
  );
  // What the answer is silent about, and what changed upstream beside our write, is for the next plan to find.
  const mine = new Set(Object.keys(change));
  const kept: Record<string, unknown> = {};
  for (const key of LOCAL_KEYS) {
    if (!mine.has(key)) kept[key] = base.remote[key];
  }
  // Who changed the rest beside us is asked for since then.
  const { updatedAt } = base.remote;
  const state = mine.has('status') ? {} : { state: base.remote.state };
  for (const key of ['labels', 'assignees'] as const)
    if (change[key]) kept[key] = expected(base.remote[key], change[key], result[key], String);
  const { blockedBy } = change;
  if (blockedBy)
    kept.blockedBy = expected(base.remote.blockedBy, blockedBy, result.blockedBy, ({ ref }) => ref);
  return { ...base, remote: { ...remote, ...kept, ...state, updatedAt }, local: { ...base.local, ...sent } };
}

/** Of a list we changed: what somebody else put in beside us stays unknown, so that the next plan brings it down. */
function expected<T>(
  before: readonly T[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
  result: readonly T[],
  nameOf: (item: T) => string,
): T[] {
  const names = new Set([...before.map(nameOf), ...add].map((name) => name.toLowerCase()));
  for (const name of remove) names.delete(name.toLowerCase());
  return result.filter((item) => names.has(nameOf(item).toLowerCase()));
}

/** After a comment of ours was posted or edited. */
export function baseAfterComment(base: Base, push: CommentPush, result: RemoteComment): Base {
  const remote = hashOf(result.body);
  if (push.kind === 'entry' || push.kind === 'edit') {
    const at = isQuestionMark(push.entry) ? { at: result.createdAt } : {};
    const known = { remote, text: push.hash, local: push.entry, deleted: false, ...at };
    return { ...base, comments: { ...base.comments, [result.id]: known } };
  }
  const known = { remote, text: remote, local: `#${push.kind}`, deleted: false };
  return {
    ...base,
    comments: { ...base.comments, [result.id]: known },
    own: { ...base.own, [push.kind]: { ...push.own, id: result.id } },
  };
}

/** After a comment of ours turned out to be deleted upstream. */
export function baseAfterGone(base: Base, commentId: string): Base {
  const known = base.comments[commentId];
  if (!known) return base;
  return { ...base, comments: { ...base.comments, [commentId]: { ...known, deleted: true } } };
}

/** For another room: sections that went up are not its own. Their comments are known, so that they don't come in. */
export function withoutOwn(base: Base): Base {
  const comments = Object.entries(base.comments).map(([id, known]) => [
    id,
    known.local?.startsWith('#') ? { ...known, local: null } : known,
  ]);
  return { ...base, own: {}, comments: Object.fromEntries(comments) };
}
