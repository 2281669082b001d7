// Observing without a daemon: a changing command takes in what happened to the files since somebody last looked,
// and what it wrote itself. With a daemon nothing is observed here; it is rung instead.

import { threadOfTask } from '../../core/ids.ts';
import { sleep } from '../../effects.ts';
import { scanArtifacts } from '../../store/files/artifacts.ts';
import { isTaskFile, runScan, statTask } from '../../store/files/scan.ts';
import { type FileRow, sameStamp } from '../../store/ledger/tasks/files.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Actor, TaskRoom } from '../task-room.ts';
import { applyConsequences } from './apply-consequences.ts';
import { takeInArchive } from './archive.ts';
import { splitCopy } from './give-id.ts';
import { hideDeleted } from './hide-deleted.ts';
import { type Observation, recordGone, recordReading } from './observer.ts';
import { readFileRow } from './read-file-row.ts';
import { untroubled } from './untroubled.ts';

// A file that is saved by "move away, write anew" is gone for a moment.
const GONE_GRACE_MS = 150;
// So many files are open at once, and so many readings share a commit.
const READ_AT_ONCE = 64;
const BATCH = 512;

/** Takes in what happened to one file, when no daemon does: one that is as it was costs a `stat`. @throws RoomError `io` */
export async function refreshPath(handle: RoomHandle, path: string): Promise<void> {
  if (handle.ports.daemonRuns()) return;
  const { deps } = handle;
  const known = deps.ledger.files.get(path);
  const stamp = statTask(deps.room.at(path));
  if (stamp === null || typeof stamp === 'string') return;
  const row = known !== null && sameStamp(known.stamp, stamp) ? known : await readFileRow(deps, path);
  const observation = record(handle, row);
  if (observation !== null) await follow(handle, observation, null);
  await untroubled(deps, () => carryOut(handle));
}

/** Takes in every change on disk, when no daemon does. @throws RoomError `room_gone`, `io`, `locked` */
export async function refresh(handle: RoomHandle): Promise<void> {
  if (handle.ports.daemonRuns()) return;
  const { deps } = handle;
  const { files } = deps.ledger;
  takeInArchive(deps);
  const { changed, gone: vanished } = runScan(deps.room, files.stamps(), sameStamp);
  const paths = new Set(changed.map(({ path }) => path));
  // Readings that a list kept are as good as new ones.
  const kept = files.unobserved(true).filter((path) => !paths.has(path));
  await observeAll(handle, [...paths], (path) => readFileRow(deps, path));
  await observeAll(handle, kept, async (path) => files.get(path));
  // What was renamed has been seen under its new name by now, and its old row is gone.
  const known = vanished.filter((path) => files.get(path) !== null);
  const gone = [...new Set([...known, ...files.missing()])].filter((path) => !isThere(handle, path));
  if (gone.length > 0) {
    await sleep(deps.effects, GONE_GRACE_MS);
    for (const path of gone) if (!isThere(handle, path)) await heed(handle, recordGone(deps, path), null);
  }
  deps.ledger.meta.setLookedAt();
  await untroubled(deps, () => carryOut(handle));
  await refreshArtifacts(handle);
}

const underWay = new WeakSet<TaskRoom>();

/** Making the tasks of a plan may look at the room again. */
async function refreshArtifacts(handle: RoomHandle): Promise<void> {
  const { deps, ports } = handle;
  if (underWay.has(deps) || ports.takeInArtifacts === undefined) return;
  const known = new Map(deps.ledger.artifacts.list().map(({ name, stamp }) => [name, stamp]));
  const { changed, gone } = scanArtifacts(deps.room, known);
  if (changed.length + gone.length === 0) return;
  underWay.add(deps);
  try {
    await untroubled(deps, () => ports.takeInArtifacts!(handle));
  } finally {
    underWay.delete(deps);
  }
}

type Read = (path: string) => Promise<(FileRow & { text?: string }) | null | 'unstable'>;

/** Observes many files, a batch in each transaction: one commit each would take seconds after a branch switch. */
async function observeAll(handle: RoomHandle, paths: readonly string[], read: Read): Promise<void> {
  for (let at = 0; at < paths.length; at += BATCH) {
    const rows = await readBatch(paths.slice(at, at + BATCH), read);
    const seen = handle.deps.ledger.transaction(() => rows.flatMap((row) => record(handle, row) ?? []));
    for (const observation of seen) await follow(handle, observation, null);
  }
}

async function readBatch(paths: readonly string[], read: Read): Promise<Awaited<ReturnType<Read>>[]> {
  const rows: Awaited<ReturnType<Read>>[] = [];
  for (let at = 0; at < paths.length; at += READ_AT_ONCE)
    rows.push(
      ...(await Promise.all(
        paths.slice(at, at + READ_AT_ONCE).map(async (path) => withoutText(await read(path))),
      )),
    );
  return rows;
}

/** A batch of texts is not held in memory. */
function withoutText(row: Awaited<ReturnType<Read>>): Awaited<ReturnType<Read>> {
  if (row === null || row === 'unstable') return row;
  const { text: _, ...rest } = row;
  return rest;
}

function record(
  handle: RoomHandle,
  row: (FileRow & { text?: string }) | null | 'unstable',
): Observation | null {
  // Gone is for the next scan; a file that never rests is left for the next look.
  if (row === null || row === 'unstable') return null;
  const { path, stamp, hash, reading } = row;
  return recordReading(handle.deps, { path, stamp, hash, reading });
}

/** After a write to `path`: rings the daemon, or observes in its place. What the disk refuses of that is told as trouble. */
export function announce(handle: RoomHandle, path: string, actor: Actor): Promise<void> {
  return tellChange(handle, () => observePath(handle, path, actor));
}

/** After a file of ours was moved away; else as `announce`. */
export function announceGone(handle: RoomHandle, path: string, actor: Actor): Promise<void> {
  return tellChange(handle, () => heed(handle, recordGone(handle.deps, path), actor));
}

function tellChange(handle: RoomHandle, observe: () => Promise<void>): Promise<void> {
  const { deps, ports } = handle;
  return untroubled(deps, async () => {
    if (ports.daemonRuns()) return ports.ring();
    await observe();
    await carryOut(handle);
  });
}

/** What is written here is observed here, and may have consequences of its own. */
async function carryOut(handle: RoomHandle): Promise<void> {
  const { deps } = handle;
  // Each round cancels subtasks one level further down; a finished task has no such consequence again.
  for (
    let written = await applyConsequences(deps);
    written.length > 0;
    written = await applyConsequences(deps)
  )
    for (const { path } of written) if (path !== null) await observePath(handle, path, null);
}

async function observePath(handle: RoomHandle, path: string, actor: Actor | null): Promise<void> {
  const observation = record(handle, await readFileRow(handle.deps, path));
  if (observation !== null) await follow(handle, observation, actor);
}

async function follow(handle: RoomHandle, observation: Observation, actor: Actor | null): Promise<void> {
  await heed(handle, observation, actor);
  for (const other of observation.reread) await observePath(handle, other, actor);
  if (observation.kind === 'deleted')
    for (const path of await hideDeleted(handle.deps, observation.path))
      await heed(handle, recordGone(handle.deps, path), actor);
  if (observation.kind !== 'copy' || (await splitCopy(handle.deps, observation.path)) === null) return;
  // Split, it is a task like any other.
  const split = record(handle, await readFileRow(handle.deps, observation.path));
  if (split !== null) await heed(handle, split, actor);
}

/** A turn that outlived its daemon has to stop when its task was stopped. */
async function heed(handle: RoomHandle, observation: Observation, actor: Actor | null): Promise<void> {
  for (const { id, reason } of observation.stop) {
    const turn = handle.deps.ledger.turns.runningOn(threadOfTask(id));
    if (turn === null) continue;
    // An agent that stops its own task is part of that turn: it ends by itself, or at the next start.
    if (actor?.kind === 'agent' && actor.turn === turn.id) continue;
    await handle.ports.killOrphan(turn, reason);
  }
}

function isThere(handle: RoomHandle, path: string): boolean {
  return isTaskFile(handle.deps.room.at(path));
}
