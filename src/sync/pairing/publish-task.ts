// A local task becomes an issue: its words get body markers, then the issue is made, once for its key, then the two are
// mirrors of each other.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { newTag, type TaskId } from '../../core/ids.ts';
import { readTask } from '../../core/task/read-task.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import type { RemoteDraft, RemoteTask } from '../../providers/provider.ts';
import type { OutboxRow } from '../../store/ledger/mirrors/outbox.ts';
import { wrapBody } from '../file/local-edit.ts';
import { syncMirror } from '../mirror/sync-mirror.ts';
import { createKey } from '../plan/keys.ts';
import { localFields, readLocalSide } from '../plan/local-side.ts';
import { newRow, packBase } from '../plan/mirror-row.ts';
import type { Base, LocalFields, LocalSide } from '../plan/plan-data.ts';
import { cutText, cutTitle } from '../plan/upstream-text.ts';
import { isDry, type SyncPass, skip } from '../sync-pass.ts';
import { send, whyWaiting } from '../upstream/outbox.ts';

/**
 * @param path of the task's file
 * @throws RoomError `refused` when the source can't be written, `invalid_file`, and as providers throw
 */
export async function publishTask(pass: SyncPass, task: TaskId, path: string): Promise<void> {
  if (!pass.provider.write)
    throw new RoomError('refused', `${pass.config.source} can't be written`, {
      hint: `what is missing: taskroom mirrors, and the page of ${pass.config.provider} in the documentation`,
    });
  const side = await addBodyMarkers(pass, task, path);
  const draft = draftOf(pass, side, path);
  const { provider, source } = pass.config;
  await create(pass, task, createKey(provider, source, task), { draft, path, local: localFields(side) });
}

/** Body markers around the task's words, so that they can be compared with the issue's. */
export async function addBodyMarkers(pass: SyncPass, task: TaskId, path: string): Promise<LocalSide> {
  const { writer, effects } = pass.deps;
  const tag = newTag(effects.randomBytes);
  const edit = (text: string): string => wrapBody(text, path, tag);
  const result = await writer.edit(path, { actor: 'runtime', task, edit });
  if (result.changed) {
    pass.written.add(path);
    absorb(pass, task);
  }
  const side = readLocalSide(path, result.after);
  if (side) return side;
  throw new RoomError('invalid_file', `${path} can't be read as a task`, { hint: 'mend it in an editor' });

  // Markers are no words: a revision that was consumed stays so.
  function absorb({ deps }: SyncPass, id: TaskId): void {
    const memory = deps.ledger.tasks.get(id);
    const [was, now] = [result.before, result.after].map((text) => revisionOf(path, text));
    if (memory && was && now && memory.consumed === was) deps.ledger.tasks.update(id, { consumed: now });
  }
}

function draftOf(pass: SyncPass, side: LocalSide, path: string): RemoteDraft {
  const { limits } = pass.provider.profile;
  const { config } = pass;
  const { status, priority, due } = side;
  return {
    title: cutTitle(side.title ?? nameOfPath(path), limits.title),
    body: cutText(side.body ?? '', limits.body),
    status: config.push.includes('status') ? status : 'todo',
    // Without the labels that admit an issue the mirror's own listing would not know it.
    labels: [...new Set([...side.labels, ...config.filter.labels])],
    priority,
    due,
  };
}

interface CreatePayload {
  draft: RemoteDraft;
  path: string;
  /** What the file said when the draft was made. */
  local: LocalFields;
}

async function create(pass: SyncPass, task: TaskId, key: string, payload: CreatePayload): Promise<void> {
  const { effects } = pass.deps;
  const sent = await send(
    pass,
    { kind: 'create', task, key, payload },
    (intended, attempt) => pass.provider.write!.create(intended.draft, attempt, pass.signal),
    (intended, remote) => linkMade(pass, task, pass.chore, remote, intended),
  );
  if (sent.outcome === 'waiting')
    throw new RoomError(
      'unavailable',
      `the issue of ${payload.path} is not made yet: ${whyWaiting(sent.until)}`,
      {
        retryAfterMs: sent.until - effects.now(),
      },
    );
  if (sent.outcome !== 'sent') throw sent.error;
  pass.report.pushed += 1;
  pass.mirrorsChanged = true;
  await syncMirror(pass, task, sent.result);
}

function linkMade(
  pass: SyncPass,
  task: TaskId,
  chore: string,
  remote: RemoteTask,
  made: CreatePayload,
): void {
  const { ledger, effects } = pass.deps;
  const { path, local, draft } = made;
  const { uid, ref, url } = remote;
  const row = newRow({ task, provider: pass.config.provider, uid, ref, url, chore, path }, effects.now());
  ledger.mirrors.insert({ ...row, base: packBase(baseOfNew(asMade(pass, remote, draft), local)) });
}

/**
 * An issue that an earlier try made and whose answer was lost, listed before the next try: it is that task's, and no new one.
 * @returns the task it was made of; null for an issue nobody here waits for
 */
export function adoptPublished(pass: SyncPass, item: RemoteTask): TaskId | null {
  const { ledger } = pass.deps;
  const row = item.mine && item.key !== null ? ledger.outbox.byKey(item.key) : null;
  if (row?.kind !== 'create') return null;
  if (isDry(pass)) return row.task;
  ledger.transaction(() => {
    linkMade(pass, row.task, row.chore, item, JSON.parse(row.payload) as CreatePayload);
    ledger.outbox.delete(row.id);
  });
  pass.report.pushed += 1;
  pass.mirrorsChanged = true;
  return row.task;
}

/** The issue as it was when it was made: one that an earlier try made may have been changed since, and that is news. */
function asMade({ provider }: SyncPass, remote: RemoteTask, draft: RemoteDraft): RemoteTask {
  const { classOf } = provider.profile;
  const { title, body, labels } = draft;
  const sameClass = classOf(remote.status) === classOf(draft.status);
  const status = sameClass ? {} : { status: draft.status, state: '' };
  return { ...remote, title, body, labels: [...labels], ...status };
}

/** An issue that was just made says what the draft said; what a draft does not hold is news from here. */
function baseOfNew({ comments: _none, ...remote }: RemoteTask, local: LocalFields): Base {
  return {
    remote,
    local: { ...local, assignees: [], parent: null, blockedBy: [] },
    comments: {},
    own: {},
    name: '',
    gate: null,
  };
}

/** Takes up a making whose end was not recorded. */
export async function finishPublish(pass: SyncPass, row: OutboxRow): Promise<void> {
  try {
    await create(pass, row.task, row.key, JSON.parse(row.payload) as CreatePayload);
  } catch (error) {
    if (!isRoomError(error) || ['rate_limited', 'unauthorized', 'interrupted'].includes(error.code))
      throw error;
    skip(pass, { ref: null, task: row.task, what: 'issue', why: error.message });
  }
}

function revisionOf(path: string, text: string): string | null {
  const reading = readTask(path, text);
  return reading.ok ? reading.task.revision : null;
}
