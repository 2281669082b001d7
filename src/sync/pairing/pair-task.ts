// A task and an issue become mirrors of each other: an issue that is there is linked, or one is made of the task, once for its
// key. Its words get body markers first. A mirror is ended without a change of what either side says.
import { removeKey } from '../../core/document/document.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { newTag, type TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { readStatus } from '../../core/task/status.ts';
import type { RemoteDraft, RemoteTask } from '../../providers/provider.ts';
import type { OutboxRow } from '../../store/ledger/mirrors/outbox.ts';
import { wrapBody } from '../file/local-edit.ts';
import { keepConsumed } from '../file/local-write.ts';
import { syncMirror } from '../mirror/sync-mirror.ts';
import { createKey, localFields, newRow, packBase, readLocalSide } from '../plan/base.ts';
import { ISSUE_FIELDS, statusUpstream } from '../plan/fields.ts';
import type { Base, LocalFields, LocalSide } from '../plan/plan-data.ts';
import { cutText, cutTitle } from '../plan/upstream-text.ts';
import type { SyncDeps, SyncPass } from '../sync-pass.ts';
import { send, waitingReason } from '../upstream/outbox.ts';

/** @param path of the task's file
 * @throws RoomError `refused` when the source can't be written, `invalid_file`, and as providers throw */
export async function publishTask(pass: SyncPass, task: TaskId, path: string): Promise<void> {
  if (!pass.provider.write)
    throw new RoomError('refused', `${pass.config.source} can't be written`, {
      hint: `what is missing: taskroom mirror list, and the page of ${pass.config.provider} in the documentation`,
    });
  const side = await addBodyMarkers(pass, task, path);
  const draft = draftOf(pass, side, path);
  const { provider, source } = pass.config;
  await create(pass, task, createKey(provider, source, task), { draft, path, local: localFields(side) });
}

/** Body markers around the task's words, so that they can be compared with the issue's. */
async function addBodyMarkers(pass: SyncPass, task: TaskId, path: string): Promise<LocalSide> {
  const { writer, effects } = pass.deps;
  const tag = newTag(effects.randomBytes);
  const edit = (text: string): string => wrapBody(text, path, tag);
  const result = await writer.edit(path, { actor: 'runtime', task, edit });
  if (result.changed) {
    pass.written.add(path);
    keepConsumed(pass.deps, task, { path, ...result });
  }
  const side = readLocalSide(path, result.after, pass.deps.config);
  if (side) return side;
  throw new RoomError('invalid_file', `${path} can't be read as a task`, 'mend it in an editor');
}

function draftOf(pass: SyncPass, side: LocalSide, path: string): RemoteDraft {
  const { profile } = pass.provider;
  const { limits } = profile;
  const { config } = pass;
  const { status, priority, due } = side;
  return {
    title: cutTitle(side.title ?? nameOfPath(path), limits.title),
    body: cutText(side.body ?? '', limits.body),
    status: config.push.includes('status')
      ? statusUpstream(status, { profile, ...pass.deps.config() })
      : 'todo',
    // Without the labels that admit an issue the mirror's own listing would not know it.
    labels: [...new Set([...side.labels, ...config.filter.labels])],
    priority,
    due,
  };
}

interface CreatePayload {
  draft: RemoteDraft;
  path: string;
  local: LocalFields; // What the file said when the draft was made.
}

async function create(pass: SyncPass, task: TaskId, key: string, payload: CreatePayload): Promise<void> {
  const sent = await send(
    pass,
    { kind: 'create', task, key, payload },
    (intended, attempt) => pass.provider.write!.create(intended.draft, attempt, pass.signal),
    (intended, remote) => linkMade(pass, task, pass.chore, remote, intended),
  );
  if (sent.outcome === 'waiting') {
    const message = `the issue of ${payload.path} is not made yet: ${waitingReason(sent.until)}`;
    throw new RoomError('unavailable', message, { retryAfterMs: sent.until - pass.deps.effects.now() });
  }
  if (sent.outcome !== 'sent') throw sent.error;
  pass.report.pushed += 1;
  pass.mirrorsChanged = true;
  await syncMirror(pass, task, sent.result);
}

/** Both sides as they were when the issue was made: what was changed since, and what a draft does not hold, is news. */
function linkMade(
  pass: SyncPass,
  task: TaskId,
  chore: string,
  remote: RemoteTask,
  { path, local, draft }: CreatePayload,
): void {
  const { comments: _none, ...issue } = remote;
  const { title, body, labels, status } = draft;
  const isThere = ISSUE_FIELDS.status.shows(remote, status, pass.provider.profile);
  const { statuses } = pass.deps.config();
  const state = isThere ? {} : { state: '', ownStatus: undefined, ...readStatus(status, () => statuses) };
  const base: Base = {
    remote: { ...issue, title, body, labels: [...labels], ...state },
    local: { ...local, assignees: [], parent: null, blockedBy: [] },
    ...{ comments: {}, own: {}, name: '', gate: null },
  };
  const row = newRow({ ...pass, chore }, task, remote, path);
  pass.deps.ledger.mirrors.insert({ ...row, base: packBase(base) });
}

/** An issue of an earlier try whose answer was lost, listed first: @returns the task it was made of, null for any other */
export function adoptPublished(pass: SyncPass, item: RemoteTask): TaskId | null {
  const { ledger } = pass.deps;
  const row = item.mine && item.key !== null ? ledger.outbox.first({ key: item.key }) : null;
  if (row?.kind !== 'create') return null;
  if (pass.isDry) return row.task;
  ledger.transaction(() => {
    linkMade(pass, row.task, row.chore, item, JSON.parse(row.payload) as CreatePayload);
    ledger.outbox.delete(row.id);
  });
  pass.report.pushed += 1;
  pass.mirrorsChanged = true;
  return row.task;
}

/** Takes up a making whose end was not recorded. */
export async function finishPublish(pass: SyncPass, row: OutboxRow): Promise<void> {
  try {
    await create(pass, row.task, row.key, JSON.parse(row.payload) as CreatePayload);
  } catch (error) {
    if (!isRoomError(error) || ['rate_limited', 'unauthorized', 'interrupted'].includes(error.code))
      throw error;
    pass.skip({ ref: null, task: row.task, what: 'issue', why: error.message });
  }
}

/** The file of a task that has no mirror yet. @throws RoomError `not_found`, `conflict` */
export function fileOfUnmirrored({ ledger }: SyncDeps, task: TaskId): string {
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null) throw new RoomError('not_found', `no task ${task} with a file`, 'see: taskroom list');
  const row = ledger.mirrors.get(task);
  if (row === null) return path;
  const hint = `end that first: taskroom mirror unlink ${task}`;
  throw new RoomError('conflict', `${path} mirrors ${row.provider}:${row.ref} already`, hint);
}

/** Where issue and task differ that is a conflict, both kept. @throws RoomError `not_found`, `conflict`, and as providers throw */
export async function linkTask(pass: SyncPass, task: TaskId, ref: string): Promise<void> {
  const { deps, config } = pass;
  const path = fileOfUnmirrored(deps, task);
  const remote = await pass.fetchOne(ref);
  const hint = 'check the address and what the credentials may see';
  if (remote === null) throw new RoomError('not_found', `${ref} is not visible in ${config.source}`, hint);
  await addBodyMarkers(pass, task, path);
  const { uid } = remote;
  const row = newRow(pass, task, remote, path);
  const linked = deps.ledger.transaction(() => {
    const there = deps.ledger.mirrors.byUid(config.provider, uid);
    if (there?.state === 'detached') deps.ledger.mirrors.delete(there.task);
    return deps.ledger.mirrors.insert(row);
  });
  if (!linked) throw mirroredElsewhere(deps, config.provider, uid);
  pass.mirrorsChanged = true;
  await syncMirror(pass, task, remote);
}

function mirroredElsewhere({ ledger }: SyncDeps, provider: string, uid: string): RoomError {
  const row = ledger.mirrors.byUid(provider, uid);
  const name = row && ledger.tasks.get(row.task)?.name;
  const message = `that issue is mirrored already${name ? `, as ${JSON.stringify(name)}` : ''}`;
  const hint = row ? `end that first: taskroom mirror unlink ${row.task}` : 'try again';
  return new RoomError('conflict', message, { hint });
}

/** Ends a mirror: the file loses `remote:`, nothing else changes on either side. */
export async function unlinkTask({ ledger, writer }: SyncDeps, task: TaskId): Promise<string | null> {
  const path = ledger.tasks.get(task)?.path ?? null;
  let written: string | null = null;
  if (path !== null) {
    try {
      const edit = (text: string): string => removeKey(text, 'remote', path);
      const { changed } = await writer.edit(path, { actor: 'runtime', task, edit });
      if (changed) written = path;
    } catch (error) {
      // Without its file there is nothing to take the key from.
      if (!isRoomError(error, 'not_found')) throw error;
    }
  }
  // Forgotten, the issue would come in again as a new task.
  ledger.transaction(() => ledger.mirrors.retire(task));
  return written;
}
