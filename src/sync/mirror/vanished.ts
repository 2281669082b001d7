// What is not there any more: issues that a whole listing did not show, and task files that were deleted. Neither side
// is ever deleted for it.

import type { TaskId } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { RemoteChange, RemoteTask } from '../../providers/provider.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { baseOf } from '../plan/base.ts';
import type { Base } from '../plan/plan-data.ts';
import { countFault, fetchMany, fetchOne, isDry, isOfItem, type SyncPass, skip, tell } from '../sync-pass.ts';
import { type Sent, send } from '../upstream/outbox.ts';
import { expectedOf } from '../upstream/push.ts';
import { detach, postpone } from './mirror-record.ts';

export interface Vanished {
  /** Not visible any more. */
  gone: MirrorRow[];
  /** Not listed, and there: no longer what the filter asks for. */
  known: { task: TaskId; remote: RemoteTask }[];
  /** Open mirrors that are followed. */
  open: number;
}

/**
 * Asks for the mirrors that a whole listing did not show.
 * @param all those that are over too: nothing else tells what happened to them since
 */
export async function findVanished(
  pass: SyncPass,
  listed: ReadonlySet<string>,
  all: boolean,
): Promise<Vanished> {
  const { mirrors, choreMirrors } = pass.deps.ledger;
  const followed = choreMirrors.followed(pass.chore);
  const missing = followed
    .filter(({ uid }) => !listed.has(uid))
    .flatMap(({ task }) => mirrors.byTask(task) ?? [])
    .filter((row) => all || !isFinished(baseOf(row)?.remote.status ?? 'todo'));
  const seen = followed.filter(({ uid }) => listed.has(uid)).length;
  const result: Vanished = { gone: [], known: [], open: seen + missing.length };
  const refs = missing.map(({ ref }) => ref);
  const found = await fetchMany(pass, refs, (at) => tell(pass, 'checking', at, refs.length));
  for (const row of missing) {
    const remote = found.get(row.ref);
    // Another issue under its name (a repository made anew) is not it.
    if (remote === undefined || remote.uid !== row.uid) result.gone.push(row);
    else result.known.push({ task: row.task, remote });
  }
  return result;
}

/** Ends following what a person deleted here; a room that cancels deleted tasks cancels them upstream too. */
export async function detachDeleted(pass: SyncPass, tasks: readonly TaskId[]): Promise<void> {
  for (const task of tasks) {
    const row = pass.deps.ledger.mirrors.byTask(task);
    if (row === null) continue;
    try {
      if (await cancelUpstream(pass, row)) detach(pass, row, 'file_gone', 'its file was deleted here');
      else if (pass.options.push) postpone(pass, task, null, 'its issue is canceled a little later');
    } catch (error) {
      if (!isOfItem(error)) throw error;
      skip(pass, { ref: row.ref, task, what: 'status', why: error.message });
      postpone(pass, task, null, error.message, error.retryAfterMs);
      countFault(pass, error);
    }
  }
}

/** @returns false while the cancelling still has to be sent */
async function cancelUpstream(pass: SyncPass, row: MirrorRow): Promise<boolean> {
  const { deps, provider, config } = pass;
  const base = baseOf(row);
  const wanted =
    deps.config().onDelete === 'cancel' && deps.ledger.tasks.get(row.task)?.status === 'canceled';
  if (!wanted || !base || isFinished(base.remote.status)) return true;
  if (!config.push.includes('status') || !provider.write) return true;
  if (!pass.options.push) return false;
  if (isDry(pass)) {
    pass.report.plan.push(`cancel ${row.provider}:${row.ref}: its task was deleted`);
    return true;
  }
  const present = await fetchOne(pass, row.ref);
  if (present === null || present.uid !== row.uid) return true;
  const sent = await sendCancel(pass, row, base);
  if (sent.outcome === 'sent') pass.report.pushed += 1;
  else if (sent.outcome === 'waiting') return false;
  else skip(pass, { ref: row.ref, task: row.task, what: 'status', why: sent.error.message });
  return true;
}

function sendCancel(pass: SyncPass, row: MirrorRow, base: Base): Promise<Sent<RemoteTask>> {
  const { outbox } = pass.deps.ledger;
  const change: RemoteChange = { status: 'canceled' };
  // An older intent with other words must not stand in for this one.
  for (const { id, kind, payload } of outbox.ofTask(row.task))
    if (kind === 'update' && payload !== JSON.stringify({ change })) outbox.delete(id);
  return send(
    pass,
    { kind: 'update', task: row.task, key: `update:${row.provider}:${row.uid}`, payload: { change } },
    (intended) => pass.provider.write!.update(row.ref, intended.change, expectedOf(base)!, pass.signal),
    () => undefined,
  );
}
