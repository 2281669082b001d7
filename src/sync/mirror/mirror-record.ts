// What is recorded of a mirror: the base with what follows from it in one commit, and its state for people; in a dry run,
// what would be done.

import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { RemoteTask } from '../../providers/provider.ts';
import { statTask } from '../../store/files/scan.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import type { ConflictRow } from '../../store/ledger/mirrors/outbox.ts';
import { type FileWrite, keepConsumed, recordConflicts } from '../file/local-write.ts';
import type { TaskFile } from '../file/task-file.ts';
import { packBase, remoteHashOf } from '../plan/base.ts';
import { ISSUE_FIELDS, LOCAL_KEYS } from '../plan/fields.ts';
import type { MirrorPlan } from '../plan/plan-data.ts';
import { backoffMs, isOfItem, type SyncPass } from '../sync-pass.ts';

/** A plan that is carried out; `remote` is null where the tracker was not asked. */
export interface Round {
  row: MirrorRow;
  file: TaskFile;
  plan: MirrorPlan;
  written: FileWrite;
  remote: RemoteTask | null;
}

/** The file holds its part of the plan: the base says so, and who waits for a word from upstream is woken. */
export function recordPlan(pass: SyncPass, round: Round): void {
  const { row, file, plan, written, remote } = round;
  const { ledger, effects } = pass.deps;
  const now = Math.trunc(effects.now());
  ledger.transaction(() => {
    ledger.mirrors.update(row.task, { base: packBase(plan.base), path: file.path });
    if (remote !== null) {
      const { uid, ref, url, updatedAt: remoteUpdatedAt } = remote;
      ledger.mirrors.update(row.task, { uid, ref, url, remoteUpdatedAt, syncedAt: now });
    }
    if (plan.heard.length > 0 && !isFinished(written.side.class)) {
      // Under our own account it may be our agent that speaks: such turns are counted.
      const own = plan.heard.every(({ mine }) => mine);
      ledger.wakes.add(row.task, own ? 'own_comment' : 'comment', now);
      ledger.messages.send({ kind: 'look', tasks: [row.task] }, now);
    } else if (plan.heard.length > 0) {
      // Starts no turn: nobody's word is to be lost for that.
      const key = `heard:${row.task}:${plan.heard.map(({ id }) => id).join(',')}`;
      const text = saidAfterEnd(plan, row.task);
      ledger.notices.add({ at: now, author: 'taskroom', turn: null, task: row.task, text, key });
    }
    recordConflicts(pass.deps, written.conflicts, { before: file.local, after: written.side });
    if (written.absorb) keepConsumed(pass.deps, row.task, written.absorb);
  });
  if (plan.heard.length > 0) pass.written.add(file.path);
  count(pass, round);
  if (remote !== null) pass.mirrorsChanged = true;
}

function saidAfterEnd({ heard }: MirrorPlan, task: TaskId): string {
  const who = [...new Set(heard.map(({ author }) => author))].join(', ');
  return `${who} commented on a task that is over, which starts no turn: taskroom reopen ${task} gives it one`;
}

function count(pass: SyncPass, { file, plan, written }: Round): void {
  const { report, deps } = pass;
  const { id } = file.local;
  report.commentsIn += plan.local?.newComments.length ?? 0;
  if (plan.heard.length > 0 && isFinished(written.side.class))
    pass.skip({ ref: plan.base.remote.ref, task: id, what: 'comments', why: saidAfterEnd(plan, id) });
  for (const { field, why } of plan.skipped)
    pass.skip({ ref: plan.base.remote.ref, task: id, what: field, why });
  const told = { id, name: file.name, ref: `${pass.config.provider}:${plan.base.remote.ref}` };
  if (written.changed) {
    report.updated += 1;
    deps.events.emit({ type: 'mirror.updated', ...told, ...changesOf(plan) });
  }
  if (plan.losses.length > 0) {
    report.conflicts += 1;
    const fields = [...new Set(plan.losses.map(({ field }) => field))];
    deps.events.emit({ type: 'mirror.conflict', ...told, fields, kept: written.kept });
  }
  if (plan.local?.paused) deps.events.emit({ type: 'mirror.paused', ...told, reason: plan.base.gate ?? '' });
}

/** What came into the file: fields by name, and how many comments are new or other. */
function changesOf({ local }: MirrorPlan): { fields: string[]; comments: number } {
  if (local === null) return { fields: [], comments: 0 };
  const { newComments, answers: _answers, editedComments, notes: _notes, ...fields } = local;
  return { fields: Object.keys(fields), comments: newComments.length + editedComments.length };
}

export interface SettledRound extends Round {
  refused: string | null;
  waitUntil: number | null;
  again: boolean; // Something is left that a later look has to deal with.
  path?: string | null; // Where the file was renamed to.
}

/** Records that the round is over: all of the plan is done, or waits for a known time. */
export function recordRound(pass: SyncPass, settled: SettledRound): void {
  const { row, written, refused, again } = settled;
  const { ledger } = pass.deps;
  const dueAt = settled.plan.held ? heldUntil(pass, row.task) : whenDue(settled, pass.deps.effects.now());
  const open = again || written.crossed;
  const { state, message } = stateOf(settled, dueAt, ledger.conflicts.all({ task: row.task, settled: null }));
  const { fields, comments } = changesOf(settled.plan);
  const stamp = statTask(pass.deps.room.at(settled.path ?? settled.file.path));
  ledger.versions.add(row.task, written.side.hash, {
    pulled: [...fields, ...(comments > 0 ? ['comments'] : [])],
    pushed: Object.keys(settled.plan.push ?? {}),
    savedAt: stamp === null || typeof stamp === 'string' ? null : stamp.mtimeMs,
  });
  ledger.mirrors.update(row.task, {
    localHash: open ? null : written.side.hash,
    ...seenOf(pass, settled),
    dueAt: dueAt === null ? null : Math.trunc(dueAt),
    tries: 0,
    state,
    message,
    ...(settled.path ? { path: settled.path } : {}),
  });
  if (state !== row.state || refused !== null) pass.mirrorsChanged = true;
}

/** What a listing says is compared with. What we wrote to a local program is looked at once more: see unseenTasks. */
function seenOf({ provider, options }: SyncPass, { plan, remote }: SettledRound) {
  const wrote = options.push && (plan.push !== null || plan.comments.length > 0);
  if (wrote && !provider.profile.remote) return { remoteHash: null };
  return remote === null ? {} : { remoteHash: remoteHashOf(remote) };
}

// What was refused may be taken later: an issue is unlocked, the credentials are given more rights.
const REFUSED_LOOK_MS = 3_600_000;

function whenDue({ plan, refused, waitUntil }: SettledRound, now: number): number | null {
  if (waitUntil !== null && waitUntil > 0) return waitUntil;
  return refused === null
    ? plan.dueAt
    : Math.min(now + REFUSED_LOOK_MS, plan.dueAt ?? Number.POSITIVE_INFINITY);
}

// The end of the turn makes the mirror due; this wait is for a turn whose end nobody recorded.
const HELD_MS = 60_000;

function heldUntil({ deps }: SyncPass, task: TaskId): number {
  const { turns, checks } = deps.ledger;
  const isOver = turns.runningOn(threadOfTask(task)) === null && !checks.isHeld(task);
  return isOver ? 0 : deps.effects.now() + HELD_MS;
}

function stateOf(settled: SettledRound, dueAt: number | null, conflicts: readonly ConflictRow[]) {
  const { plan, written, refused, again } = settled;
  if (conflicts.length > 0) {
    const fields = [...new Set(conflicts.map(({ field }) => field))].join(', ');
    const { task } = conflicts[0]!;
    const message = `both sides changed ${fields}; settle it: taskroom mirror settle ${task}`;
    return { state: 'conflict', message };
  }
  if (plan.base.gate !== null && (written.side.paused || plan.local?.paused))
    return { state: 'untrusted', message: `waits for a person: ${plan.base.gate}` };
  if (refused !== null) return { state: 'error', message: refused };
  if (plan.held) return { state: 'pending', message: 'a turn of it runs: the rest goes out after that' };
  if (dueAt !== null)
    return { state: 'pending', message: `the rest goes out at ${new Date(dueAt).toISOString()}` };
  if (again) return { state: 'pending', message: 'it changed meanwhile: the next sync takes that up' };
  return { state: 'in_sync', message: null };
}

/** To be looked at again, later each time. @param remote what nobody recorded: asked for again then, no listing repeats it */
export function postpone(
  pass: SyncPass,
  task: TaskId,
  remote: RemoteTask | null,
  why: string,
  retryAfterMs?: number,
): void {
  const { ledger, effects } = pass.deps;
  const row = ledger.mirrors.get(task);
  if (row === null || row.state === 'detached' || pass.isDry) return;
  const tries = row.tries + 1;
  const dueAt = Math.trunc(effects.now() + backoffMs(tries, retryAfterMs));
  const ask = remote === null ? {} : { remoteHash: null };
  ledger.mirrors.update(task, { localHash: null, dueAt, tries, state: 'pending', message: why, ...ask });
  pass.mirrorsChanged = true;
}

/** The same for an error of this one mirror. @throws any other error, and one that says that the tracker is down */
export function postponeFailed(
  pass: SyncPass,
  task: TaskId,
  remote: RemoteTask | null,
  what: string,
  error: unknown,
): void {
  if (!isOfItem(error)) throw error;
  const { ref = null } = pass.deps.ledger.mirrors.get(task) ?? {};
  pass.skip({ ref, task, what, why: error.message });
  postpone(pass, task, remote, error.message, error.retryAfterMs);
  pass.countFault(error);
}

/** Ends following: both sides stay as they are. */
export function detach(pass: SyncPass, row: MirrorRow, cause: 'remote_gone' | 'file_gone', message: string) {
  const { ledger, events } = pass.deps;
  const ref = `${row.provider}:${row.ref}`;
  if (pass.isDry) {
    pass.report.plan.push(`detach ${ref}: ${message}`);
    return;
  }
  ledger.transaction(() => {
    for (const { id } of ledger.outbox.all({ task: row.task })) ledger.outbox.delete(id);
    ledger.mirrors.update(row.task, { state: 'detached', cause, message, dueAt: null, localHash: null });
  });
  pass.report.detached += 1;
  pass.mirrorsChanged = true;
  const name = ledger.tasks.get(row.task)?.name ?? row.ref;
  events.emit({ type: 'mirror.detached', id: row.task, name, ref, reason: message });
}

export function attach(pass: SyncPass, row: MirrorRow): void {
  pass.deps.ledger.mirrors.update(row.task, {
    state: 'pending',
    cause: null,
    message: 'it is there again: the next sync compares both sides',
    localHash: null,
    remoteHash: null,
  });
  pass.mirrorsChanged = true;
}

export function describePlan(pass: SyncPass, row: MirrorRow, file: TaskFile, plan: MirrorPlan): void {
  const { report, options } = pass;
  const ref = `${row.provider}:${row.ref}`;
  const counted = (count: number, what: string) =>
    count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
  const { newComments = [], editedComments = [], remote, paused } = plan.local ?? {};
  const down = [
    ...fieldsDown(plan),
    ...counted(newComments.length, 'new comment'),
    ...counted(editedComments.length, 'changed comment'),
    ...(remote === undefined ? [] : ['remote']),
    ...(paused ? ['paused'] : []),
  ];
  if (down.length > 0) {
    report.updated += 1;
    report.plan.push(`update ${file.path} from ${ref}: ${down.join(', ')}`);
  }
  for (const { field, side } of plan.losses) {
    report.conflicts += 1;
    report.plan.push(`conflict in ${file.path}: ${field}, the ${side} text would be kept in the attic`);
  }
  for (const { field, why } of plan.skipped) pass.skip({ ref: row.ref, task: row.task, what: field, why });
  if (!options.push) return;
  const up = Object.keys(plan.push ?? {});
  if (up.length > 0) {
    report.pushed += 1;
    report.plan.push(`push ${file.path} to ${ref}: ${up.join(', ')}`);
  }
  for (const { kind } of plan.comments) {
    report.commentsOut += 1;
    const what = kind === 'entry' ? 'comment' : kind === 'edit' ? 'edited comment' : kind;
    report.plan.push(`post ${what} of ${file.path} to ${ref}`);
  }
}

/** Which sides' fields a plan would change; comments, Progress and Outcome only add and don't count. */
export function sidesChanged(plan: MirrorPlan): { remote: boolean; local: boolean } {
  return { remote: fieldsDown(plan).length > 0, local: plan.push !== null };
}

const fieldsDown = ({ local }: MirrorPlan): string[] =>
  LOCAL_KEYS.filter((key) => local?.[key] !== undefined).map((key) => ISSUE_FIELDS[key].name);
