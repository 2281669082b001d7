// Plans one mirror: both sides against what they last agreed on, in; what to write where, out. Pure.
import { isFinished, readStatus } from '../../core/task/status.ts';
import type { RemoteChange } from '../../providers/provider.ts';
import { FACTS, ISSUE_FIELDS, LOCAL_KEYS, stateOf, textOf } from './fields.ts';
import { planComments } from './plan-comments.ts';
import type { Base, LocalChange, LocalKey, Loss, MirrorPlan, PlanInput, RemoteFields } from './plan-data.ts';
import type { FieldPlan } from './plan-fields.ts';
import { planGate } from './trust.ts';
import { cutText } from './upstream-text.ts';

export function emptyChange(): LocalChange {
  return { newComments: [], answers: [], editedComments: [], notes: [] };
}

/** Plans one mirror. @throws Error when there is neither a base nor a remote: nothing is known of the issue */
export function planMirror(asked: PlanInput): MirrorPlan {
  const unended = withoutEnding(asked);
  const { input, losses } = withoutRestored(unended);
  const remote = fieldsOf(asked);
  const fields = byKey((key) => ISSUE_FIELDS[key].plan(input, remote)) as Record<LocalKey, FieldPlan>;
  const list = Object.values(fields);
  const { known, own, newComments, answers, editedComments, ...comments } = planComments(input);
  const gate = planGate(input, remote, fields);
  const push = byKey((key) => fields[key].up) as RemoteChange;
  const { body: most } = input.profile.limits;
  const isCut = (push.body?.length ?? 0) > most;
  if (push.body !== undefined) push.body = cutText(push.body, most);
  const cutNote = `Upstream this task is cut after ${most} characters; the whole text is here.`;
  const change: LocalChange = {
    ...byKey((key) => fields[key].down),
    ...factsOf(input, remote),
    ...(gate.pause ? { paused: true as const } : {}),
    ...{ newComments, answers, editedComments },
    notes: [...gate.notes, ...(isCut ? [cutNote] : [])],
  };
  return {
    ...comments,
    local: isEmpty(change) ? null : change,
    base: {
      remote: agreedRemote(asked, remote, fields),
      local: byKey((key) => fields[key].agreed) as unknown as Base['local'],
      ...{ comments: known, own, name: input.base?.name ?? '', gate: gate.gate },
    },
    push: Object.keys(push).length === 0 ? null : push,
    losses: [...losses, ...list.flatMap(({ loss }) => loss ?? []), ...comments.losses],
    skipped: [...list.flatMap((plan) => whySkipped(input, plan)), ...comments.skipped],
    held: unended !== asked || (input.running && input.local.outcome.length > 0),
  };
}

const byKey = (choose: (key: LocalKey) => unknown): Record<string, unknown> =>
  Object.fromEntries(LOCAL_KEYS.map((key) => [key, choose(key)]).filter(([, value]) => value !== undefined));

/** A turn that says done may be sent back to doing by its checks: nobody upstream is told before it is over. */
function withoutEnding(input: PlanInput): PlanInput {
  const { running, local, base, remote, statuses } = input;
  if (!running || base === null || !isFinished(local.class)) return input;
  const before = readStatus(base.local.status, () => statuses)?.status ?? 'doing';
  if (isFinished(before)) return input;
  // The tracker has another word on it: that can't wait.
  if (remote !== null && remote.status !== base.remote.status) return input;
  return { ...input, local: { ...local, status: base.local.status, class: before } };
}

function fieldsOf({ remote, base }: PlanInput): RemoteFields {
  if (remote) {
    const { comments: _comments, ...fields } = remote;
    return fields;
  }
  if (base) return base.remote;
  throw new Error('a mirror without a base needs the remote side');
}

/** Facts that only come down; the reference is one, since an issue can move. */
function factsOf({ provider, local, base, remote: asked }: PlanInput, remote: RemoteFields) {
  const change: Partial<LocalChange> = {};
  const word = `task:${provider}:${remote.ref}`;
  if (local.remote === null || `task:${local.remote.trim().replace(/^task:/, '')}` !== word)
    change.remote = word;
  for (const key of FACTS) {
    const value = remote[key] ?? null;
    const isKnown = JSON.stringify(value) === JSON.stringify(base?.remote[key] ?? null);
    if (asked && !isKnown) Object.assign(change, { [key]: value });
  }
  return change;
}

function isEmpty(change: LocalChange): boolean {
  const { newComments, answers, editedComments, notes, ...keys } = change;
  // An empty list under a key takes the last label away: that is a change.
  return Object.keys(keys).length === 0 && [newComments, answers, editedComments, notes].flat().length === 0;
}

/** The tracker's words; of a field that is not settled those of the last agreement. */
function agreedRemote({ base }: PlanInput, remote: RemoteFields, fields: Record<LocalKey, FieldPlan>) {
  const isOpen = (key: LocalKey) => ['silent', 'no_local_word'].includes(fields[key].reason);
  if (!base) return remote;
  const kept = byKey((key) => (isOpen(key) ? base.remote[key] : undefined));
  return { ...remote, ...kept, ...(isOpen('status') ? stateOf(base.remote) : {}) };
}

const WHY: Partial<Record<FieldPlan['reason'], string>> = {
  not_pushed: 'changed here, and `push:` does not name it',
  not_writable: 'changed here, and this tracker does not take it',
  no_local_word: 'the body markers are gone from the file, so that its body is no longer mirrored',
};

function whySkipped({ config, local }: PlanInput, { field, reason }: FieldPlan): MirrorPlan['skipped'] {
  if (reason === 'not_pushed' && config.push.includes(field)) {
    const what = field === 'parent' ? local.parent : 'a blocker';
    return [{ field, why: `${what} is no issue of this tracker` }];
  }
  const why = WHY[reason];
  return why === undefined ? [] : [{ field, why }];
}

/** The input as if the file had not been touched and upstream had changed since, for each field that would be undone: of a
 * file that is an earlier version of itself again (a restore from git or a backup) what upstream said since stands, and the
 * restored words are kept. What went up from here and is changed back is an edit like any other. */
function withoutRestored(input: PlanInput): { input: PlanInput; losses: Loss[] } {
  const { base, local } = input;
  const fields = restoredFields(input);
  if (base === null || fields.length === 0) return { input, losses: [] };
  const changed = (choose: (key: LocalKey) => unknown) =>
    Object.fromEntries(fields.map((key) => [key, choose(key)]));
  const said = changed((key) => ISSUE_FIELDS[key].upstream(local[key], input) ?? '');
  const remote = { ...base.remote, ...said, ...('status' in said && { ownStatus: undefined }) };
  return {
    input: { ...input, base: { ...base, local: { ...base.local, ...changed((key) => local[key]) }, remote } },
    losses: fields.map((key) => {
      const { name: field } = ISSUE_FIELDS[key];
      return { field, side: 'local', text: textOf(local[key], field), isRestored: true };
    }),
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
