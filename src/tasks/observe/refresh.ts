// Observing without a daemon: what happened to the files since the last look, and what a command wrote. A daemon is rung instead.

import { isPassing, type RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { sleep } from '../../effects.ts';
import { isTaskFile, runScan, scanArtifacts, statTask } from '../../store/files/scan.ts';
import { lookAtStatuses } from '../../store/files/settings.ts';
import { sameStamp } from '../../store/ledger/tasks/files.ts';
import type { Actor, RoomHandle, TaskRoom } from '../task-room.ts';
import { applyConsequences } from './consequences.ts';
import { splitCopy } from './give-id.ts';
import { hideDeleted } from './hide-deleted.ts';
import { type Observation, recordGone, recordReading } from './observer.ts';
import { readFileRow } from './read-file-row.ts';
import { takeInArchive, takeInBulk } from './take-in.ts';

const GONE_GRACE_MS = 150; // A file that is saved by "move away, write anew" is gone for a moment.
const BATCH = 64; // So many files are read at once, and so many readings share a commit.

/** Takes in what happened to one file, when no daemon does: one that is as it was costs a `stat`. @throws RoomError `io` */
export async function refreshPath(deps: RoomHandle, path: string): Promise<void> {
  if (deps.ports.daemonRuns()) return;
  lookAtStatuses(deps);
  const known = deps.ledger.files.get(path);
  const stamp = statTask(deps.room.at(path));
  if (stamp === null || typeof stamp === 'string') return;
  if (known === null || !sameStamp(known.stamp, stamp)) await observe(deps, [path], null);
  else await follow(deps, recordReading(deps, known), null);
  await untroubled(deps, () => carryOut(deps));
}

/** Takes in every change on disk, when no daemon does. @throws RoomError `room_gone`, `io`, `locked` */
export async function refresh(deps: RoomHandle): Promise<void> {
  if (deps.ports.daemonRuns()) return;
  lookAtStatuses(deps);
  const { files } = deps.ledger;
  takeInArchive(deps);
  const stamps = files.stamps();
  const { changed, gone: vanished } = runScan(deps.room, stamps, sameStamp);
  const differing = new Set([...changed.map(({ path }) => path), ...vanished]);
  // Readings that a list kept are as good as new ones.
  const kept = files.unobserved(true).filter((path) => !differing.has(path));
  const all = [...changed, ...kept.map((path) => ({ path, stamp: stamps.get(path)! }))];
  const { taken, careful } = await takeInBulk(deps, all);
  for (const { observation } of taken) await follow(deps, observation, null);
  await observe(deps, careful, null);
  // What was renamed has been seen under its new name by now, and its old row is gone.
  const known = vanished.filter((path) => files.get(path) !== null);
  const gone = [...new Set([...known, ...files.missing()])].filter((path) => !isThere(deps, path));
  if (gone.length > 0) {
    await sleep(deps.effects, GONE_GRACE_MS);
    for (const path of gone) if (!isThere(deps, path)) await heed(deps, recordGone(deps, path), null);
  }
  deps.ledger.meta.setLookedAt();
  await untroubled(deps, () => carryOut(deps));
  await refreshArtifacts(deps);
}

const underWay = new WeakSet<TaskRoom>();

/** Making the tasks of a plan may look at the room again. */
async function refreshArtifacts(deps: RoomHandle): Promise<void> {
  const { ports } = deps;
  if (underWay.has(deps) || ports.takeInArtifacts === undefined) return;
  const known = new Map(deps.ledger.artifacts.all().map(({ name, stamp }) => [name, stamp]));
  const { changed, gone } = scanArtifacts(deps.room, known);
  if (changed.length + gone.length === 0) return;
  underWay.add(deps);
  try {
    await untroubled(deps, () => ports.takeInArtifacts!(deps));
  } finally {
    underWay.delete(deps);
  }
}

/** Observes files with all care. Gone is for the next scan; a file that never rests is left for the next look. */
async function observe(deps: RoomHandle, paths: readonly string[], actor: Actor | null): Promise<void> {
  for (let at = 0; at < paths.length; at += BATCH) {
    const rows = await Promise.all(paths.slice(at, at + BATCH).map((path) => readFileRow(deps, path)));
    const found = rows.filter((row) => row !== null && row !== 'unstable');
    // One commit for each would take seconds after a branch switch.
    const seen = deps.ledger.transaction(() => found.map((row) => recordReading(deps, row)));
    for (const observation of seen) await follow(deps, observation, actor);
  }
}

/** After a write to `path`: rings the daemon, or observes in its place. What the disk refuses of that is told as trouble. */
export const announce = (deps: RoomHandle, path: string, actor: Actor): Promise<void> =>
  tellChange(deps, () => observe(deps, [path], actor));

/** After a file of ours was moved away; else as `announce`. */
export const announceGone = (deps: RoomHandle, path: string, actor: Actor): Promise<void> =>
  tellChange(deps, () => heed(deps, recordGone(deps, path), actor));

function tellChange(deps: RoomHandle, observe: () => Promise<void>): Promise<void> {
  const { ports } = deps;
  return untroubled(deps, async () => {
    if (ports.daemonRuns()) return ports.ring();
    await observe();
    await carryOut(deps);
  });
}

/** What is written here is observed here, and may have consequences of its own. */
async function carryOut(deps: RoomHandle): Promise<void> {
  // Each round cancels subtasks one level further down; a finished task has no such consequence again.
  for (;;) {
    const written = await applyConsequences(deps);
    if (written.length === 0) return;
    const paths = written.flatMap(({ path }) => path ?? []);
    await observe(deps, paths, null);
  }
}

async function follow(deps: RoomHandle, observation: Observation, actor: Actor | null): Promise<void> {
  const { kind, path, reread } = observation;
  await heed(deps, observation, actor);
  await observe(deps, reread, actor);
  if (kind === 'deleted')
    for (const gone of await hideDeleted(deps, path)) await heed(deps, recordGone(deps, gone), actor);
  // Split, it is a task like any other.
  if (kind === 'copy' && (await splitCopy(deps, path)) !== null) await observe(deps, [path], actor);
}

/** A turn that outlived its daemon has to stop when its task was stopped. */
async function heed(deps: RoomHandle, observation: Observation, actor: Actor | null): Promise<void> {
  for (const { id, reason } of observation.stop) {
    const turn = deps.ledger.turns.runningOn(threadOfTask(id));
    if (turn === null) continue;
    // An agent that stops its own task is part of that turn: it ends by itself, or at the next start.
    if (actor?.kind === 'agent' && actor.turn === turn.id) continue;
    await deps.ports.killOrphan(turn, reason);
  }
}

const isThere = (deps: RoomHandle, path: string): boolean => isTaskFile(deps.room.at(path));

/** Runs `follow`; what the disk or another process refuses of it is told as `room.trouble`. */
export async function untroubled({ events }: Pick<TaskRoom, 'events'>, follow: () => void | Promise<void>) {
  try {
    await follow();
  } catch (error) {
    if (!isPassing(error)) throw error;
    const { message, hint } = error as RoomError;
    events.emit({ type: 'room.trouble', message, hint: hint ?? null });
  }
}
