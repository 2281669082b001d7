// Keeps what the runtime writes for itself in bounds: folders and rows of old turns, the attic, spilled entries.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf } from '../../core/time/day.ts';
import { conflictsIn } from '../../store/ledger/mirrors/outbox.ts';
import { nameOf, tidyOwnFolders } from '../../tasks/agent-folder.ts';
import { hasDayBudget } from '../../tasks/read/agent-waits.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { removeTurnFolder } from '../turn/turn-folder.ts';

/** Removes what is older than the settings keep. Files of running turns and the newest turns of a task stay. */
export async function housekeep(deps: TaskRoom): Promise<void> {
  const { keep } = deps.config();
  const now = deps.effects.now();
  // A budget of the day counts the turns of the day.
  const keptFrom = hasDayBudget(deps) ? dayOf(now, deps.config().timezone).startMs : now;
  for (const turn of deps.ledger.turns.prune(Math.min(now - keep.turnsMs, keptFrom), keep.turnsPerTask))
    forgetTurn(deps, turn);
  for (const job of deps.ledger.jobs.prune(now - keep.turnsMs)) removeTurnFolder(deps.room, job);
  deps.ledger.notices.prune(now - keep.turnsMs);
  deps.ledger.bulks.prune(now - keep.turnsMs);
  deps.ledger.asked.prune(now - keep.turnsMs);
  conflictsIn(deps.ledger).prune(now - keep.atticMs);
  const working = new Set(deps.ledger.turns.running().map(({ thread }) => nameOf(thread)));
  tidyOwnFolders(deps, (name) => working.has(name));
  removeOlderThan(deps.room.atticDir, now - keep.atticMs);
  removeOlderThan(deps.room.spillDir, now - keep.spillMs);
}

function forgetTurn({ room, ledger }: TaskRoom, turn: string): void {
  ledger.checks.forget(turn);
  removeTurnFolder(room, turn);
}

function removeOlderThan(dir: string, beforeMs: number): void {
  const names = listOrNothing(dir);
  for (const name of names) {
    const path = join(dir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.mtimeMs < beforeMs) rmSync(path, { force: true });
  }
}

function listOrNothing(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
