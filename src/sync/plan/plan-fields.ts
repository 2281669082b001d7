// One function a kind of field: its facts on both sides go through the decision table, and come out as a word for the
// file, a word for the tracker, and what both then agree on.
import type { Field } from '../../core/chore/chore.ts';
import { comesDown, decideField, type FieldFacts, goesUp } from './decide-field.ts';
import { mergeSets } from './merge-values.ts';
import type { Loss, PlanInput, Reason, RemoteFields } from './plan-data.ts';
import { cutTitle } from './upstream-text.ts';

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

type SharedFacts = Pick<
  FieldFacts,
  'remoteSpeaks' | 'known' | 'pushed' | 'writable' | 'prefer' | 'localIsNewer'
>;

function sharedFacts({ base, remote, config, profile, savedAt }: PlanInput, field: Field): SharedFacts {
  const spoken = remote ?? base?.remote;
  return {
    remoteSpeaks: spoken !== undefined && !spoken.silent.includes(field),
    known: base !== null,
    pushed: config.push.includes(field),
    writable: profile.writable.includes(field),
    prefer: config.prefer,
    localIsNewer: savedAt > (spoken?.updatedAt ?? 0),
  };
}

interface Scalar<T> {
  field: Field;
  local: T;
  /** The tracker's word in the file's terms. */
  remote: T;
  /** What the file said at the last agreement. */
  localBase: T;
  localChanged: boolean;
  remoteChanged: boolean;
  same: boolean;
  localSpeaks?: boolean;
  /** Both changes in one value, when they fit. */
  merged?: () => T | null;
  /** False when the file's word has no counterpart upstream. */
  sendable?: boolean;
  /** How a lost word is kept. */
  show(value: T): string;
}

/** Decides one value; both sides' changes in one where `merged` can. */
export function planScalar<T>(input: PlanInput, scalar: Scalar<T>): FieldPlan<T> {
  const { field, local, remote, localBase, localChanged, remoteChanged, same, show } = scalar;
  const shared = sharedFacts(input, field);
  const both = shared.known && localChanged && remoteChanged && !same;
  const merged = both && shared.pushed && shared.writable ? (scalar.merged?.() ?? null) : null;
  const facts = { ...shared, localChanged, remoteChanged, same, mergeable: merged !== null };
  const pushed = shared.pushed && scalar.sendable !== false;
  const reason = decideField({ ...facts, pushed, localSpeaks: scalar.localSpeaks !== false });
  const keep = { field, reason, agreed: shared.known ? localBase : local };
  if (
    reason === 'silent' ||
    reason === 'no_local_word' ||
    reason === 'not_pushed' ||
    reason === 'not_writable'
  )
    return keep;
  if (reason === 'merged')
    return { field, reason, down: { value: merged! }, up: { value: merged! }, agreed: remote };
  if (comesDown(reason)) {
    const plan: FieldPlan<T> = { field, reason, down: { value: remote }, agreed: remote };
    if (reason === 'conflict_remote_wins') plan.loss = { field, side: 'local', text: show(local) };
    return plan;
  }
  if (!goesUp(reason)) return { field, reason, agreed: local };
  const plan: FieldPlan<T> = { field, reason, agreed: reason === 'local_changed' ? localBase : remote };
  if (pushed && shared.writable) plan.up = { value: local };
  if (reason === 'conflict_local_wins') plan.loss = { field, side: 'remote', text: show(remote) };
  return plan;
}

export const titleIn = ({ title }: RemoteFields): string => cutTitle(title, Number.POSITIVE_INFINITY);

export function planTitle(input: PlanInput, remote: RemoteFields): FieldPlan<string> {
  const { base, local, profile } = input;
  const limit = profile.limits.title;
  const theirs = titleIn(remote);
  const localBase = base?.local.title ?? theirs;
  // A title without words is no wish to have none.
  const mine = local.title?.trim() ? local.title : localBase;
  return planScalar(input, {
    field: 'title',
    local: mine,
    remote: theirs,
    localBase,
    localChanged: mine !== localBase,
    remoteChanged: base !== null && remote.title !== base.remote.title,
    same: cutTitle(mine, limit) === cutTitle(remote.title, limit),
    show: String,
  });
}

export function planStatus(input: PlanInput, remote: RemoteFields): FieldPlan<PlanInput['local']['status']> {
  const { base, local, profile } = input;
  const { classOf } = profile;
  const localBase = base?.local.status ?? local.status;
  return planScalar(input, {
    field: 'status',
    local: local.status,
    remote: remote.status,
    localBase,
    // In Review stays In Review while the task is doing: only a change of class counts.
    localChanged: classOf(local.status) !== classOf(localBase),
    remoteChanged: base !== null && classOf(remote.status) !== classOf(base.remote.status),
    same: classOf(local.status) === classOf(remote.status),
    show: String,
  });
}

export function planWord<T extends string | null>(
  input: PlanInput,
  remote: RemoteFields,
  field: 'priority' | 'due',
): FieldPlan<T> {
  const saidBy = (side: Pick<RemoteFields, 'priority' | 'due'>) => side[field] as T;
  const [mine, theirs]: [T, T] = [saidBy(input.local), saidBy(remote)];
  const [localBase, remoteBase]: [T, T] = input.base
    ? [saidBy(input.base.local), saidBy(input.base.remote)]
    : [mine, theirs];
  return planScalar<T>(input, {
    field,
    local: mine,
    remote: theirs,
    localBase,
    localChanged: mine !== localBase,
    remoteChanged: theirs !== remoteBase,
    same: mine === theirs,
    show: (value) => `${value ?? 'none'}`,
  });
}

/** How the file names an issue: the task that mirrors it, else the issue itself. */
function wordFor({ provider, taskOf }: Links, ref: string): string {
  return taskOf(ref) ?? `task:${provider}:${ref}`;
}

export type Links = Pick<PlanInput, 'provider' | 'taskOf'>;

/** The issue a word of the file means, or null. */
export function refFor({ provider, refOf }: PlanInput, word: string): string | null {
  const named = word.trim().replace(/^task:/, '');
  return named.startsWith(`${provider}:`) ? named.slice(provider.length + 1) : refOf(word);
}

export function parentIn({ parent }: RemoteFields, links: Links): string | null {
  return parent === null ? null : wordFor(links, parent);
}

export function planParent(input: PlanInput, remote: RemoteFields): FieldPlan<string | null> {
  const { base, local } = input;
  const mine = local.parent === null ? null : refFor(input, local.parent);
  const localBase = base === null ? local.parent : base.local.parent;
  const plan = planScalar(input, {
    field: 'parent',
    local: local.parent,
    remote: parentIn(remote, input),
    localBase,
    localChanged: local.parent !== localBase,
    remoteChanged: base !== null && remote.parent !== base.remote.parent,
    same: mine === remote.parent && (local.parent === null || mine !== null),
    sendable: local.parent === null || mine !== null,
    show: (value) => value ?? 'none',
  });
  // Upstream it is known by its reference.
  return plan.up ? { ...plan, up: { value: mine } } : plan;
}

export interface SetChange {
  add: string[];
  remove: string[];
}

function planSet(
  input: PlanInput,
  field: Field,
  lists: Parameters<typeof mergeSets>[0],
  keyOf?: (item: string) => string,
): FieldPlan<string[], SetChange> {
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

export function planList(
  input: PlanInput,
  remote: RemoteFields,
  field: 'labels' | 'assignees',
): FieldPlan<string[], SetChange> {
  const { base, local } = input;
  return planSet(input, field, {
    localBase: base?.local[field] ?? [],
    remoteBase: base?.remote[field] ?? [],
    local: local[field],
    remote: remote[field],
  });
}

/** An issue that is over and not mirrored blocks nothing. */
export function blockersIn({ blockedBy }: RemoteFields, links: Links): string[] {
  return blockedBy
    .filter(({ ref, finished }) => !finished || links.taskOf(ref) !== null)
    .map(({ ref }) => wordFor(links, ref));
}

/** Blockers, in the file's words; upstream only those that are issues there. */
export function planBlockers(input: PlanInput, remote: RemoteFields): FieldPlan<string[], SetChange> {
  const { base, local } = input;
  const keyOf = (word: string): string => refFor(input, word) ?? word;
  const plan = planSet(
    input,
    'blocked_by',
    {
      localBase: base?.local.blockedBy ?? [],
      remoteBase: base === null ? [] : blockersIn(base.remote, input),
      local: local.blockedBy,
      remote: blockersIn(remote, input),
    },
    keyOf,
  );
  if (!plan.up) return plan;
  const refs = (list: readonly string[]) => list.flatMap((word) => refFor(input, word) ?? []);
  const value = { add: refs(plan.up.value.add), remove: refs(plan.up.value.remove) };
  if (value.add.length + value.remove.length > 0) return { ...plan, up: { value } };
  const { up: _nothing, ...rest } = plan;
  return { ...rest, reason: plan.down ? 'remote_changed' : 'not_pushed' };
}
