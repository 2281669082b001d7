// The heartbeat: at its ticks every open task is woken and decided over, but for those whose turn runs, or was killed by a
// person with nothing new since. Ticks that were missed are one.
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { dueTick } from '../../core/time/schedule.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { type Alarm, LONGEST_WAIT_MS } from '../alarm.ts';
import type { Settling } from '../decide/settling.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';

export interface HeartbeatOptions {
  deps: TaskRoom;
  alarm: Alarm;
  settling: Pick<Settling, 'decide'>;
  running: Pick<RunningTurns, 'has'>;
}

const LEAST_WAIT_MS = 1_000;
const AFTER_TROUBLE_MS = 5_000;

export function createHeartbeat({ deps, alarm, settling, running }: HeartbeatOptions) {
  const { ledger, effects } = deps;

  /** Beats when a tick is due, and waits for the next. */
  function beat(): void {
    // Armed whatever happens: a ledger that refuses once must not be the end of it.
    let waitMs = AFTER_TROUBLE_MS;
    try {
      waitMs = beatNow();
    } finally {
      alarm.set(waitMs, beat);
    }
  }

  /** Returns how long to wait for the next look, ms. */
  function beatNow(): number {
    const { heartbeat, timezone } = deps.config();
    if (heartbeat === null) return LONGEST_WAIT_MS;
    const now = effects.now();
    const stored = ledger.meta.get('heartbeat');
    const tick = dueTick(heartbeat, timezone, Number(stored ?? now), now);
    // Together: a tick that is on record has woken its tasks.
    const woken = ledger.transaction(() => {
      if (String(tick.lastMs) !== stored) ledger.meta.set('heartbeat', String(tick.lastMs));
      return tick.due ? wakeOpenTasks(now) : [];
    });
    woken.forEach(settling.decide);
    const waitMs = tick.nextMs === null ? LONGEST_WAIT_MS : Math.max(tick.nextMs - now, LEAST_WAIT_MS);
    return Math.min(waitMs, LONGEST_WAIT_MS);
  }

  function wakeOpenTasks(now: number): TaskId[] {
    const { tasks, wakes } = ledger;
    const open = tasks.withStatus(['todo', 'doing']).filter(isToBeWoken);
    for (const { id } of open) wakes.add(id, 'heartbeat', now);
    return open.map(({ id }) => id);
  }

  function isToBeWoken({ id, paused, blocked }: TaskMemory): boolean {
    const thread = threadOfTask(id);
    if (paused || blocked || running.has(thread)) return false;
    const [last] = ledger.turns.list({ thread, limit: 1 });
    return last?.reason !== 'person';
  }

  return { beat };
}
