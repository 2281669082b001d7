// Issues that were never mirrored become tasks, some pages at a time: claimed in the ledger, so that of two syncs that see
// one issue only one makes its file; filed; recorded. A crash in between leaves a claim that the next sync takes up.
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { isRoomError } from '../../core/errors.ts';
import { newTag, type TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import type { RemoteTask } from '../../providers/provider.ts';
import { readMirrorsFile } from '../../store/files/mirrors-file.ts';
import { type NewTaskFile, newTaskFile } from '../file/local-edit.ts';
import { freeName } from '../file/task-file.ts';
import { syncMirror } from '../mirror/sync-mirror.ts';
import { linksOf, newRow, packBase, remoteHashOf } from '../plan/base.ts';
import type { Base } from '../plan/plan-data.ts';
import { gateReason } from '../plan/trust.ts';
import type { SyncPass } from '../sync-pass.ts';

type NewTask = { id: TaskId; remote: RemoteTask; file: NewTaskFile; path: string };

const BATCH = 300; // Two durable commits each; small enough to let the event loop go in between.

/** Makes the tasks of these issues. @returns false when one of them could not be made */
export async function createTasks(pass: SyncPass, items: readonly RemoteTask[]): Promise<boolean> {
  let complete = true;
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    pass.report.created += pass.isDry ? batch.length : 0;
    if (pass.isDry)
      for (const { ref, title } of batch)
        pass.report.plan.push(`create a task from ${pass.config.provider}:${ref}: ${title}`);
    else complete = (await createBatch(pass, await withComments(pass, batch))) && complete;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return complete;
}

/** A listing may bring only the comments that are new since; a new task gets all there are. */
async function withComments(pass: SyncPass, batch: readonly RemoteTask[]): Promise<readonly RemoteTask[]> {
  const partial = batch.filter(
    ({ comments, commentCount, silent }) =>
      !comments.complete && commentCount !== comments.items.length && !silent.includes('comments'),
  );
  if (partial.length === 0) return batch;
  const refs = partial.map(({ ref }) => ref);
  const whole = await pass.fetchMany(refs);
  return batch.map((remote) => whole.get(remote.ref) ?? remote);
}

async function createBatch(pass: SyncPass, batch: readonly RemoteTask[]): Promise<boolean> {
  const { fresh, complete } = prepare(pass, batch);
  const { ledger, writer } = pass.deps;
  const files = fresh.map(({ path, file, id }) => ({ path, text: file.text, task: id }));
  const claimed = new Set<NewTask>();
  const made = new Set<NewTask>();
  await writer.createMany(files, {
    actor: 'runtime',
    claim(index) {
      const task = fresh[index]!;
      if (ledger.mirrors.insert(newRow(pass, task.id, task.remote, task.path))) claimed.add(task);
      // A commit that is tried once more may find the issue claimed by then.
      else claimed.delete(task);
      return claimed.has(task);
    },
    claimed: () => pass.probe('claimed'),
    record(hashes) {
      for (const [index, task] of fresh.entries()) {
        const hash = hashes[index]!;
        if (hash !== null) {
          record(pass, task, hash);
          made.add(task);
        } else if (claimed.has(task)) ledger.mirrors.delete(task.id);
      }
    },
  });
  pass.probe('filed');
  for (const task of made) announce(pass, task);
  let isWhole = complete && made.size === claimed.size;
  // Comments beyond what a new file should hold are appended like any that come later.
  for (const { id, remote, file } of made)
    if (file.later.length > 0) isWhole = (await syncMirror(pass, id, remote)) && isWhole;
  return isWhole;
}

/** @returns the files to make, and whether one of them failed in a way that another try may mend */
function prepare(pass: SyncPass, batch: readonly RemoteTask[]): { fresh: NewTask[]; complete: boolean } {
  const { deps, config, factory, provider } = pass;
  const taken = new Set<string>();
  const links = linksOf(deps.ledger, config.provider);
  // Issues of one page may name each other.
  const ids = new Map(batch.map(({ ref }) => [ref, deps.freshTaskId()]));
  let complete = true;
  const passOver = (ref: string, why: string): [] => {
    pass.skip({ ref, task: null, what: 'issue', why });
    return [];
  };
  const fresh = batch.flatMap((remote): NewTask[] => {
    const id = ids.get(remote.ref)!;
    try {
      const file = newTaskFile({
        remote,
        config,
        words: deps.config,
        profile: provider.profile,
        provider: config.provider,
        id,
        tag: newTag(deps.effects.randomBytes),
        shortRef: factory.shortRef(remote.ref),
        taskOf: (ref) => ids.get(ref) ?? links.taskOf(ref),
      });
      if (Buffer.byteLength(file.text) > MAX_FILE_BYTES)
        return passOver(remote.ref, 'its file would be larger than 1 MiB');
      const name = freeName(deps, file.name, null, taken);
      taken.add(name.toLowerCase());
      return [{ id, remote, file, path: `tasks/${name}.md` }];
    } catch (error) {
      complete = false;
      return passOver(remote.ref, (error as Error).message);
    }
  });
  return { fresh, complete };
}

function record({ deps }: SyncPass, { id, remote, file, path }: NewTask, hash: string): void {
  const base: Base = { ...file.base, name: nameOfPath(path) };
  // What has yet to be written into the file must look like news.
  for (const { id: comment } of file.later) delete base.comments[comment];
  deps.ledger.versions.add(id, hash, { pulled: [], pushed: [] });
  deps.ledger.mirrors.update(id, {
    base: packBase(base),
    localHash: file.later.length > 0 ? null : hash,
    remoteHash: remoteHashOf(remote),
    remoteUpdatedAt: remote.updatedAt,
    state: file.trusted ? 'in_sync' : 'untrusted',
    message: file.trusted ? null : `waits for a person: ${remote.author} is not trusted by this mirror`,
  });
}

function announce(pass: SyncPass, { id, remote, path, file }: NewTask): void {
  pass.report.created += 1;
  pass.report.commentsIn += remote.comments.items.length - file.later.length;
  pass.written.add(path);
  pass.mirrorsChanged = true;
  const name = nameOfPath(path);
  const told = { id, name, ref: `${pass.config.provider}:${remote.ref}` };
  pass.deps.events.emit({ type: 'mirror.created', ...told });
  if (!file.trusted) pass.deps.events.emit({ type: 'mirror.paused', ...told, reason: gateReason(remote) });
}

// Mirrors the ledger does not know, taken from what the files and task_mirrors.json say: after a lost ledger, or in a
// fresh clone. Both sides are then compared without a base. A copy of a mirrored file never takes its issue.

/** A mirror whose issue the tracker told of. */
export type ListedMirror = { task: TaskId; remote: RemoteTask };

/** Ref → the task whose file says it mirrors it, of refs that belong to this source and have no mirror. */
export type Claims = Map<string, Claim>;
type Claim = { task: TaskId; path: string };

export function readClaims(pass: SyncPass): Claims {
  const { deps, config } = pass;
  const { ledger } = deps;
  const entries = entriesByRef(pass);
  const named = new Map([...entries].map(([ref, { task }]) => [ref, task]));
  const claims: Claims = new Map();
  for (const { path, reading } of ledger.files.unlinked()) {
    if (!reading.ok || reading.task.id === null) continue;
    const { id, remote } = reading.task;
    const word = remote?.trim().replace(/^task:/, '') ?? '';
    if (!word.startsWith(`${config.provider}:`)) continue;
    // A copy that has not got its own id yet stands where its task was not seen first.
    if (ledger.tasks.get(id)?.path !== path) continue;
    claim(pass, claims, named, word.slice(config.provider.length + 1), { task: id, path });
  }
  for (const [ref, { task, path: at }] of entries) {
    const path = ledger.tasks.get(task)?.path ?? unreadable(pass, at);
    if (path !== null && !claims.has(ref) && ledger.mirrors.get(task) === null)
      claim(pass, claims, named, ref, { task: task as TaskId, path });
  }
  return claims;
}

/** The path, when a file stands there that nobody can read now: it keeps its issue, and is looked at again. */
function unreadable({ deps }: SyncPass, path: string | null): string | null {
  const row = path === null ? null : deps.ledger.files.get(path);
  return row === null || row.reading.ok ? null : path;
}

function claim(pass: SyncPass, claims: Claims, named: ReadonlyMap<string, string>, ref: string, file: Claim) {
  const { ledger } = pass.deps;
  if (!pass.factory.owns(ref, pass.config)) return;
  const owner = ledger.mirrors.byRef(pass.config.provider, ref);
  const rival = claims.get(ref);
  if (owner && owner.state !== 'detached') return reportCopy(pass, ref, file, owner.task);
  const winner = !rival || named.get(ref) === file.task ? file : rival;
  if (rival) reportCopy(pass, ref, winner === file ? rival : file, winner.task);
  claims.set(ref, winner);
}

function reportCopy(pass: SyncPass, ref: string, file: Claim, owner: string): void {
  const why = `${file.path} says it mirrors ${ref}, which is the mirror of task ${owner}: take \`remote:\` out of it`;
  pass.skip({ ref, task: file.task, what: 'file', why });
}

/** What task_mirrors.json says: ref → task and where its file was. */
function entriesByRef({ deps, config }: SyncPass): Map<string, { task: string; path: string | null }> {
  try {
    const entries = readMirrorsFile(deps.room).filter(({ provider }) => provider === config.provider);
    return new Map(entries.map(({ remote_ref, local_task_id: task, path }) => [remote_ref, { task, path }]));
  } catch (error) {
    // It is put aside, and said so, when it is written.
    if (!isRoomError(error, 'invalid_file')) throw error;
    return new Map();
  }
}

/** Links a listed issue to the file that claims it. @returns the task, null when none does */
export function adoptClaim(pass: SyncPass, claims: Claims, item: RemoteTask): TaskId | null {
  const claimed = claims.get(item.ref);
  if (!claimed) return null;
  const { deps, config } = pass;
  const { task, path } = claimed;
  if (pass.isDry) {
    pass.report.plan.push(`link ${path} to ${config.provider}:${item.ref} again`);
    return null;
  }
  if (!deps.ledger.mirrors.insert(newRow(pass, task, item, path))) return null;
  claims.delete(item.ref);
  pass.mirrorsChanged = true;
  return task;
}

/** Claimed issues that no listing shows (finished, or outside the filter) are asked for. */
export async function fetchClaimed(pass: SyncPass, claims: Claims): Promise<ListedMirror[]> {
  const claimed = [...claims];
  const found = await pass.fetchMany([...claims.keys()]);
  return claimed.flatMap(([ref, { task, path }]) => {
    const remote = found.get(ref);
    if (remote === undefined) {
      pass.skip({ ref, task, what: 'issue', why: `${path} names it, and it is not visible there` });
      return [];
    }
    const adopted = adoptClaim(pass, new Map([[remote.ref, { task, path }]]), remote);
    return adopted === null ? [] : [{ task: adopted, remote }];
  });
}
