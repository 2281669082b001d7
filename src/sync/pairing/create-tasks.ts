// Issues that were never mirrored become tasks, some pages at a time: claimed in the ledger, so that of two syncs that see
// one issue only one makes its file; filed; recorded. A crash in between leaves a claim that the next sync takes up.
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { newTag, type TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import type { RemoteTask } from '../../providers/provider.ts';
import { type NewTaskFile, newTaskFile } from '../file/new-task.ts';
import { freeName } from '../file/task-file.ts';
import { syncMirror } from '../mirror/sync-mirror.ts';
import { linksOf, newRow, packBase, remoteHashOf } from '../plan/base.ts';
import type { Base } from '../plan/plan-data.ts';
import { gateReason } from '../plan/trust.ts';
import type { SyncPass } from '../sync-pass.ts';

interface NewTask {
  id: TaskId;
  remote: RemoteTask;
  file: NewTaskFile;
  path: string;
}

// Two durable commits each; small enough to let the event loop go in between.
const BATCH = 300;

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
