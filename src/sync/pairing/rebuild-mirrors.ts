// Mirrors the ledger does not know, taken from what the files and task_mirrors.json say: after a lost ledger, or in a
// fresh clone. Both sides are then compared without a base. A copy of a mirrored file never takes its issue.

import { isRoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { RemoteTask } from '../../providers/provider.ts';
import { readMirrorsFile } from '../../store/files/mirrors-file.ts';
import { newRow } from '../plan/base.ts';
import type { SyncPass } from '../sync-pass.ts';

/** A mirror whose issue the tracker told of. */
export interface ListedMirror {
  task: TaskId;
  remote: RemoteTask;
}

/** Ref → the task whose file says it mirrors it, of refs that belong to this source and have no mirror. */
export type Claims = Map<string, Claim>;

interface Claim {
  task: TaskId;
  path: string;
}

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
