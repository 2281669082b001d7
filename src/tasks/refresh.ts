// Observing without a daemon: a changing command takes in what happened to the files since somebody last looked,
// and what it wrote itself. With a daemon nothing is observed here; it is rung instead.
import { threadOfTask } from '../core/ids.ts';
import { sleep } from '../effects.ts';
import type { FileRow } from '../store/ledger/files.ts';
import { isTaskFile, runScan } from '../store/scan.ts';
import { applyConsequences } from './apply-consequences.ts';
import type { Desk } from './desk.ts';
import { splitCopy } from './give-id.ts';
import { type Observation, recordGone, recordReading } from './observer.ts';
import { readFileRow } from './read-file-row.ts';
import type { Actor } from './task-room.ts';

// A file that is saved by "move away, write anew" is gone for a moment.
const GONE_GRACE_MS = 150;
// So many files are open at once, and so many readings share a commit.
const READ_AT_ONCE = 64;
const BATCH = 512;

/** Takes in every change on disk, when no daemon does. @throws RoomError `room_gone`, `io`, `locked` */
export async function refresh(desk: Desk): Promise<void> {
  if (desk.ports.daemonRuns()) return;
  const { deps } = desk;
  const { files } = deps.ledger;
  const { changed, gone: vanished } = runScan(deps.room, files.stamps());
  const paths = new Set(changed.map(({ path }) => path));
  // Readings that a list kept are as good as new ones.
  const kept = files.unobserved(true).filter((path) => !paths.has(path));
  await observeAll(desk, [...paths], (path) => readFileRow(deps, path));
  await observeAll(desk, kept, async (path) => files.get(path));
  // What was renamed has been seen under its new name by now, and its old row is gone.
  const known = vanished.filter((path) => files.get(path) !== null);
  const gone = [...new Set([...known, ...files.missing()])].filter((path) => !isThere(desk, path));
  if (gone.length > 0) {
    await sleep(deps.effects, GONE_GRACE_MS);
    for (const path of gone) if (!isThere(desk, path)) await heed(desk, recordGone(deps, path), null);
  }
  await applyConsequences(deps);
}

type Read = (path: string) => Promise<(FileRow & { text?: string }) | null | 'unstable'>;

/** Observes many files, a batch in each transaction: one commit each would take seconds after a branch switch. */
async function observeAll(desk: Desk, paths: readonly string[], read: Read): Promise<void> {
  for (let at = 0; at < paths.length; at += BATCH) {
    const rows = await readBatch(paths.slice(at, at + BATCH), read);
    const seen = desk.deps.ledger.transaction(() => rows.flatMap((row) => record(desk, row) ?? []));
    for (const observation of seen) await follow(desk, observation, null);
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

function record(desk: Desk, row: (FileRow & { text?: string }) | null | 'unstable'): Observation | null {
  // Gone is for the next scan; a file that never rests is left for the next look.
  if (row === null || row === 'unstable') return null;
  const { path, stamp, hash, reading } = row;
  return recordReading(desk.deps, { path, stamp, hash, reading });
}

/** After a write to `path`: rings the daemon, or observes in its place. */
export async function announce(desk: Desk, path: string, actor: Actor): Promise<void> {
  if (desk.ports.daemonRuns()) return desk.ports.ring();
  await observePath(desk, path, actor);
  await applyConsequences(desk.deps);
}

/** After a file of ours was moved away. */
export async function announceGone(desk: Desk, path: string, actor: Actor): Promise<void> {
  if (desk.ports.daemonRuns()) return desk.ports.ring();
  await heed(desk, recordGone(desk.deps, path), actor);
  await applyConsequences(desk.deps);
}

async function observePath(desk: Desk, path: string, actor: Actor | null): Promise<void> {
  const observation = record(desk, await readFileRow(desk.deps, path));
  if (observation !== null) await follow(desk, observation, actor);
}

async function follow(desk: Desk, observation: Observation, actor: Actor | null): Promise<void> {
  await heed(desk, observation, actor);
  if (observation.kind !== 'copy' || (await splitCopy(desk.deps, observation.path)) === null) return;
  // Split, it is a task like any other.
  const split = record(desk, await readFileRow(desk.deps, observation.path));
  if (split !== null) await heed(desk, split, actor);
}

/** A turn that outlived its daemon has to stop when its task was stopped. */
async function heed(desk: Desk, observation: Observation, actor: Actor | null): Promise<void> {
  for (const { id, reason } of observation.stop) {
    const turn = desk.deps.ledger.turns.runningOn(threadOfTask(id));
    if (turn === null) continue;
    // An agent that stops its own task is part of that turn: it ends by itself, or at the next start.
    if (actor?.kind === 'agent' && actor.turn === turn.id) continue;
    await desk.ports.killOrphan(turn, reason);
  }
}

function isThere(desk: Desk, path: string): boolean {
  return isTaskFile(desk.deps.room.at(path));
}
