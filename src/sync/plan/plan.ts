// The plan for one mirror: both sides against what they last agreed on, in; what to write where, out. Pure. How each
// field is decided stands in plan-fields.ts.
import { isFinished } from '../../core/task/status.ts';
import type { RemoteChange } from '../../providers/provider.ts';
import { ISSUE_FIELDS, LOCAL_KEYS, textOf } from './fields.ts';
import { planComments } from './plan-comments.ts';
import type {
  Base,
  LocalChange,
  LocalKey,
  Loss,
  MirrorPlan,
  PlanInput,
  Reason,
  RemoteFields,
} from './plan-data.ts';
import type { FieldPlan } from './plan-fields.ts';
import { planGate } from './trust.ts';

export function emptyChange(): LocalChange {
  return { newComments: [], answers: [], editedComments: [], deletedComments: [], notes: [] };
}

/**
 * Plans one mirror.
 * @throws Error when there is neither a base nor a remote: nothing is known of the issue
 */
export function planMirror(asked: PlanInput): MirrorPlan {
  const unended = withoutEnding(asked);
  const { input, losses } = withoutRestored(unended);
  const remote = fieldsOf(asked);
  const fields = Object.fromEntries(
    LOCAL_KEYS.map((key) => [key, ISSUE_FIELDS[key].plan(input, remote)]),
  ) as unknown as FieldPlans;
  const comments = planComments(input);
  const gate = planGate(input, remote, fields);
  const list = Object.values(fields) as FieldPlan<unknown, unknown>[];
  const change: LocalChange = {
    ...fileChangeOf(fields),
    ...factsOf(input, remote),
    ...(gate.pause ? { paused: true as const } : {}),
    newComments: comments.fresh,
    answers: comments.answers,
    editedComments: comments.edited,
    deletedComments: comments.deleted,
    notes: [...gate.notes, ...cutNote(input, fields.body)],
  };
  return {
    decisions: list.map(({ field, reason }) => ({ field, reason })),
    local: isEmpty(change) ? null : change,
    base: {
      remote: settled(asked, remote, fields),
      local: Object.fromEntries(
        LOCAL_KEYS.map((key) => [key, fields[key].agreed]),
      ) as unknown as Base['local'],
      comments: comments.comments,
      own: comments.own,
      name: input.base?.name ?? '',
      gate: gate.gate,
    },
    push: upstreamChangeOf(input, fields),
    comments: comments.pushes,
    losses: [...losses, ...list.flatMap(({ loss }) => loss ?? []), ...comments.losses],
    skipped: [...list.flatMap(whySkipped(input)), ...comments.skipped],
    heard: comments.heard,
    stranger: comments.stranger,
    dueAt: comments.dueAt,
    held: unended !== asked || (input.running && input.local.outcome.length > 0),
  };
}

/** A turn that says done may be sent back to doing by its checks: nobody upstream is told before it is over. */
function withoutEnding(input: PlanInput): PlanInput {
  const { running, local, base, remote } = input;
  if (!running || base === null || !isFinished(local.status) || isFinished(base.local.status)) return input;
  // The tracker has another word on it: that can't wait.
  if (remote !== null && remote.status !== base.remote.status) return input;
  return { ...input, local: { ...local, status: base.local.status } };
}

function fieldsOf({ remote, base }: PlanInput): RemoteFields {
  if (remote) {
    const { comments: _comments, ...fields } = remote;
    return fields;
  }
  if (base) return base.remote;
  throw new Error('a mirror without a base needs the remote side');
}

type FieldPlans = { [K in LocalKey]: ReturnType<(typeof ISSUE_FIELDS)[K]['plan']> };

function fileChangeOf(fields: FieldPlans): Partial<LocalChange> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, { down }]) => (down ? [[key, down.value]] : [])),
  );
}

/** Facts that only come down: the reference (an issue can move), the milestone. */
function factsOf({ provider, local, base, remote: asked }: PlanInput, remote: RemoteFields) {
  const change: Partial<LocalChange> = {};
  const word = `task:${provider}:${remote.ref}`;
  if (local.remote === null || `task:${local.remote.trim().replace(/^task:/, '')}` !== word)
    change.remote = word;
  if (asked && remote.milestone !== (base?.remote.milestone ?? null)) change.milestone = remote.milestone;
  return change;
}

function upstreamChangeOf({ profile }: PlanInput, fields: FieldPlans): RemoteChange | null {
  const sent = LOCAL_KEYS.flatMap((key) => {
    const { up } = fields[key];
    return up ? [[key, ISSUE_FIELDS[key].fit?.(up.value as never, profile) ?? up.value]] : [];
  });
  return sent.length === 0 ? null : Object.fromEntries(sent);
}

function isEmpty(change: LocalChange): boolean {
  const { newComments, answers, editedComments, deletedComments, notes, ...keys } = change;
  const lists = [newComments, answers, editedComments, deletedComments, notes];
  // An empty list under a key takes the last label away: that is a change.
  return Object.keys(keys).length === 0 && lists.every((list) => list.length === 0);
}

/** The tracker's words; of a field that is not settled those of the last agreement. */
function settled({ base }: PlanInput, remote: RemoteFields, fields: FieldPlans): RemoteFields {
  if (!base) return remote;
  const kept = LOCAL_KEYS.filter((key) => ['silent', 'no_local_word'].includes(fields[key].reason)).flatMap(
    (key) => (ISSUE_FIELDS[key].words ?? [key]).map((word) => [word, base.remote[word]]),
  );
  return { ...remote, ...Object.fromEntries(kept) };
}

function cutNote({ profile }: PlanInput, { up }: FieldPlan<string>): string[] {
  const { body } = profile.limits;
  if (!up || up.value.length <= body) return [];
  return [`Upstream this task is cut after ${body} characters; the whole text is here.`];
}

const WHY: Partial<Record<Reason, string>> = {
  not_pushed: 'changed here, and `push:` does not name it',
  not_writable: 'changed here, and this tracker does not take it',
  no_local_word: 'the body markers are gone from the file, so that its body is no longer mirrored',
};

function whySkipped({ config, local }: PlanInput) {
  return ({ field, reason }: FieldPlan<unknown, unknown>): MirrorPlan['skipped'] => {
    if (reason === 'not_pushed' && config.push.includes(field)) {
      const what = field === 'parent' ? local.parent : 'a blocker';
      return [{ field, why: `${what} is no issue of this tracker` }];
    }
    const why = WHY[reason];
    return why === undefined ? [] : [{ field, why }];
  };
}

/**
 * The input as if the file had not been touched and upstream had changed since, for each field that would be undone: of a
 * file that is an earlier version of itself again (a restore from git or a backup) what upstream said since stands, and the
 * restored words are kept. What went up from here and is changed back is an edit like any other.
 */
function withoutRestored(input: PlanInput): { input: PlanInput; losses: Loss[] } {
  const { base, local } = input;
  const fields = restoredFields(input);
  if (base === null || fields.length === 0) return { input, losses: [] };
  const was = (side: (key: LocalKey) => unknown) => Object.fromEntries(fields.map((key) => [key, side(key)]));
  const remote = { ...base.remote, ...was((key) => asUpstream(input, key)) } as RemoteFields;
  return {
    input: { ...input, base: { ...base, local: { ...base.local, ...was((key) => local[key]) }, remote } },
    losses: fields.map((key) => lossOf(input, key)),
  };
}

/** Fields that say again what they said before upstream changed them, by a restore and not by somebody who meant just that. */
function restoredFields({ base, local, restored }: PlanInput): LocalKey[] {
  if (base === null || restored === null) return [];
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const fields = LOCAL_KEYS.filter(
    (key) =>
      restored.undone.includes(key) &&
      isSame(local[key], restored.local[key]) &&
      !isSame(local[key], base.local[key]),
  );
  // One value alone that is as it was: whoever changes it back in an editor saves the same bytes as who copies a backup.
  const count = fields.length + Number(restored.undone.includes('comments'));
  return restored.proved || count > 1 ? fields : [];
}

function asUpstream(input: PlanInput, key: LocalKey): unknown {
  const { upstream } = ISSUE_FIELDS[key];
  const said = input.local[key];
  return upstream === undefined ? (said ?? '') : upstream(said as never, input);
}

function lossOf({ local }: PlanInput, key: LocalKey): Loss {
  const { name } = ISSUE_FIELDS[key];
  return { field: name, side: 'local', text: textOf(local[key], name), isRestored: true };
}
