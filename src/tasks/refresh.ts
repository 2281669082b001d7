// Observing without a daemon: a changing command takes in what happened to the files since somebody last looked,
// and what it wrote itself. With a daemon nothing is observed here; it is rung instead.
import { threadOfTask } from '../core/ids.ts';
import { sleep } from '../effects.ts';
import { runScan, statTask } from '../store/scan.ts';
import { applyConsequences } from './apply-consequences.ts';
import type { Desk } from './desk.ts';
import { splitCopy } from './give-id.ts';
import { type Observation, recordGone, recordReading } from './observer.ts';
import { readFileRow } from './read-file-row.ts';
import type { Actor } from './task-room.ts';

// A file that is saved by "move away, write anew" is gone for a moment.
const GONE_GRACE_MS = 150;

/** Takes in every change on disk, when no daemon does. @throws RoomError `room_gone`, `io`, `locked` */
export async function refresh(desk: Desk): Promise<void> {
  if (desk.ports.daemonRuns()) return;
  const { deps } = desk;
  const { files } = deps.ledger;
  const { changed } = runScan(deps.room, files.stamps());
  const paths = new Set([...changed.map(({ path }) => path), ...files.unobserved(true)]);
  for (const path of paths) await observePath(desk, path);
  const known = runScan(deps.room, files.stamps()).gone;
  const gone = [...new Set([...known, ...files.missing()])].filter((path) => !isThere(desk, path));
  if (gone.length > 0) {
    await sleep(deps.effects, GONE_GRACE_MS);
    for (const path of gone) if (!isThere(desk, path)) await heed(desk, recordGone(deps, path), null);
  }
  await applyConsequences(deps);
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

async function observePath(desk: Desk, path: string, actor: Actor | null = null): Promise<void> {
  const { deps } = desk;
  // Twice at most: a copy is split, and then it is a task like any other.
  for (let round = 0; round < 2; round += 1) {
    const row = await readFileRow(deps, path);
    // Gone is for the caller's next scan; a file that never rests is left for the next look.
    if (row === null || row === 'unstable') return;
    const { text: _, ...reading } = row;
    const observation = recordReading(deps, reading);
    await heed(desk, observation, actor);
    if (observation.kind !== 'copy' || (await splitCopy(deps, path)) === null) return;
  }
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
  const stamp = statTask(desk.deps.room.at(path));
  return stamp !== null && typeof stamp === 'object';
}
