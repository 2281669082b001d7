// What a room needs because time passed, whatever happens in it: rescans, the heartbeat, archiving and housekeeping, a last look into the
// files that were replaced, and looks at the documents in artifacts/ once those that are being written have been quiet.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { createRounds } from '../../core/keyed-mutex.ts';
import { dayOf } from '../../core/time/day.ts';
import { dueTick } from '../../core/time/schedule.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import { finishBulks } from '../../tasks/bulk/carry-out-bulk.ts';
import { archiveDue } from '../../tasks/change/remove-task.ts';
import { hasDayBudget } from '../../tasks/obstacles.ts';
import { takeInArtifacts } from '../../tasks/plans/take-in-artifacts.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { nameOf, tidyOwnFolders } from '../../tasks/views/agent-folder.ts';
import type { Loop } from '../state/loop.ts';
import { LONGEST_WAIT_MS } from '../state/work.ts';
import { removeTurnFolder } from '../turn/turn-files.ts';

// A rescan takes some 4 µs a file: with this rest after it, a five-hundredth of a core at most. Counted, not measured, so
// that a rescan that found much to take in, or met a busy machine, does not put the next one off.
const REST_MS_PER_FILE = 2;
const AGAIN_MS = 2_000; // While the room can't be listed.
const TIDY_EVERY_MS = 60 * 60_000;
const LOOK_EVERY_MS = 2_500;

/** Begins everything in a room of `files` task files; resolves when what was due by now is done. @param look at the whole room */
export async function startTimedWork(loop: Loop, files: number, look: () => Promise<number>): Promise<void> {
  const { deps, timers } = loop;
  const lookAfter = (delayMs: number) =>
    timers.set('rescan', delayMs, async () => {
      let waitMs = AGAIN_MS;
      try {
        waitMs = restAfter(await look());
      } finally {
        lookAfter(waitMs);
      }
    });
  const restAfter = (count: number) => Math.max(deps.config().sweepMs, count * REST_MS_PER_FILE);
  lookAfter(restAfter(files));
  every(loop, 'tidy', TIDY_EVERY_MS, () => tidy(loop));
  every(loop, 'replaced files', LOOK_EVERY_MS, async () => {
    if (!loop.holdsRoom()) return;
    await settleReplaced(deps);
    // A command died in the middle of one.
    await finishBulks(deps);
  });
  // Now, not by timer: a room that only ever runs `once` has its heartbeat and its archive too.
  beat(loop);
  await tidy(loop);
}

function every(loop: Loop, key: string, delayMs: number, run: () => Promise<void>): void {
  loop.timers.set(key, delayMs, async () => {
    try {
      await run();
    } finally {
      every(loop, key, delayMs, run);
    }
  });
}

async function tidy({ deps, workspaces }: Loop): Promise<void> {
  await archiveDue(deps);
  await housekeep(deps);
  await workspaces.tidy();
}

/** A program may have gone on writing into a file that was replaced under it. */
async function settleReplaced({ ledger, effects, writer }: TaskRoom): Promise<void> {
  // A look at the ledger is all an idle room pays for this.
  if (ledger.writes.replaced.list(effects.now(), 1).length > 0) await writer.settleReplaced();
}

// The heartbeat: at its ticks every open task is woken and decided over, but for those whose turn runs, or was killed by a
// person with nothing new since. Ticks that were missed are one.

const LEAST_WAIT_MS = 1_000;
const AFTER_TROUBLE_MS = 5_000;

export function beat(loop: Loop): void {
  // Armed whatever happens: a ledger that refuses once must not be the end of it.
  let waitMs = AFTER_TROUBLE_MS;
  try {
    waitMs = beatNow(loop);
  } finally {
    loop.timers.set('heartbeat', waitMs, () => beat(loop));
  }
}

/** Returns how long to wait for the next look, ms. */
function beatNow(loop: Loop): number {
  const { ledger, effects, config } = loop.deps;
  const { heartbeat, timezone } = config();
  if (heartbeat === null) return LONGEST_WAIT_MS;
  const now = effects.now();
  const stored = ledger.meta.get('heartbeat');
  const tick = dueTick(heartbeat, timezone, Number(stored ?? now), now);
  // Together: a tick that is on record has woken its tasks.
  const woken = ledger.transaction(() => {
    if (String(tick.lastMs) !== stored) ledger.meta.set('heartbeat', String(tick.lastMs));
    return tick.due ? wakeOpenTasks(loop, now) : [];
  });
  for (const id of woken) loop.dirtyTasks.push(id);
  const waitMs = tick.nextMs === null ? LONGEST_WAIT_MS : Math.max(tick.nextMs - now, LEAST_WAIT_MS);
  return Math.min(waitMs, LONGEST_WAIT_MS);
}

function wakeOpenTasks({ deps, active }: Loop, now: number): TaskId[] {
  const { tasks, wakes, turns } = deps.ledger;
  const isToBeWoken = ({ id, paused, blocked }: TaskMemory): boolean => {
    const thread = threadOfTask(id);
    if (paused || blocked || active.running.has(thread)) return false;
    const [last] = turns.list({ thread, limit: 1 });
    return last?.reason !== 'person';
  };
  const open = tasks.withStatus(['todo', 'doing']).filter(isToBeWoken);
  for (const { id } of open) wakes.add(id, 'heartbeat', now);
  return open.map(({ id }) => id);
}

/** Removes what is older than the settings keep. Files of running turns and the newest turns of a task stay. */
async function housekeep(deps: TaskRoom): Promise<void> {
  const { keep } = deps.config();
  const now = deps.effects.now();
  // A budget of the day counts the turns of the day.
  const keptFrom = hasDayBudget(deps) ? dayOf(now, deps.config().timezone).startMs : now;
  for (const turn of deps.ledger.turns.prune(Math.min(now - keep.turnsMs, keptFrom), keep.turnsPerTask)) {
    deps.ledger.checks.delete(turn);
    removeTurnFolder(deps.room, turn);
  }
  for (const job of deps.ledger.jobs.prune(now - keep.turnsMs)) removeTurnFolder(deps.room, job);
  deps.ledger.notices.prune(now - keep.turnsMs);
  deps.ledger.bulks.prune(now - keep.turnsMs);
  deps.ledger.idempotencyKeys.prune(now - keep.turnsMs);
  deps.ledger.conflicts.prune(now - keep.atticMs);
  const working = new Set(deps.ledger.turns.running().map(({ thread }) => nameOf(thread)));
  tidyOwnFolders(deps, (name) => working.has(name));
  removeOlderThan(deps.room.trashDir, now - keep.atticMs);
  removeOlderThan(deps.room.overflowDir, now - keep.spillMs);
}

function removeOlderThan(dir: string, beforeMs: number): void {
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const path = join(dir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.mtimeMs < beforeMs) rmSync(path, { force: true });
  }
}

const SOON_MS = 50; // Several files of one save are looked at together.

/** @param onChange called when documents changed the room, before it may be idle */
export function createArtifactLooks(loop: Loop, onChange: () => Promise<void>) {
  const timers = loop.newTimers();
  let isClosed = false;
  const rounds = createRounds(() => loop.during(takeIn));

  async function takeIn(): Promise<void> {
    if (isClosed) return;
    try {
      const quietMs = loop.mode.once ? 0 : loop.deps.config().settleMs;
      const { againInMs, changed } = await takeInArtifacts(loop.deps, { quietMs });
      if (changed) await onChange();
      if (againInMs !== null) after(againInMs);
    } catch (error) {
      loop.onTrouble(error);
    }
  }

  function after(delayMs: number): void {
    timers.set('artifacts', delayMs, look);
  }

  /** Looks now; resolves when what was found is taken in. Never rejects. */
  function look(): Promise<void> {
    timers.cancel('artifacts');
    return rounds.ask();
  }

  return {
    hint: (): void => after(SOON_MS),
    look,
    async close(): Promise<void> {
      isClosed = true;
      timers.close();
      await rounds.settled();
    },
  };
}
