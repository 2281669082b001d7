// The heartbeat: at its ticks every open task is woken and decided over, but for those whose turn runs, or was killed by a
// person with nothing new since. Ticks that were missed are one.
import { threadOfTask } from '../../core/ids.ts';
import { dueTick } from '../../core/time/schedule.ts';
import type { TaskMemory } from '../../store/ledger/tasks.ts';
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

export interface Heartbeat {
  /** Beats when a tick is due, and waits for the next. */
  beat(): void;
}

const LEAST_WAIT_MS = 1_000;

export function createHeartbeat({ deps, alarm, settling, running }: HeartbeatOptions): Heartbeat {
  const { ledger, effects } = deps;

  function beat(): void {
    const { heartbeat, timezone } = deps.config();
    if (heartbeat === null) return alarm.set(LONGEST_WAIT_MS, beat);
    const now = effects.now();
    const stored = ledger.meta.get('heartbeat');
    const tick = dueTick(heartbeat, timezone, Number(stored ?? now), now);
    if (String(tick.lastMs) !== stored) ledger.meta.set('heartbeat', String(tick.lastMs));
    if (tick.due) wakeOpenTasks(now);
    const waitMs = tick.nextMs === null ? LONGEST_WAIT_MS : Math.max(tick.nextMs - now, LEAST_WAIT_MS);
    alarm.set(Math.min(waitMs, LONGEST_WAIT_MS), beat);
  }

  function wakeOpenTasks(now: number): void {
    const { tasks, wakes } = ledger;
    const open = tasks.withStatus(['todo', 'doing']).filter(isToBeWoken);
    ledger.transaction(() => {
      for (const { id } of open) wakes.add(id, 'heartbeat', now);
    });
    for (const { id } of open) settling.decide(id);
  }

  function isToBeWoken({ id, paused, blocked }: TaskMemory): boolean {
    const thread = threadOfTask(id);
    if (paused || blocked || running.has(thread)) return false;
    const [last] = ledger.turns.list({ thread, limit: 1 });
    return last?.reason !== 'person';
  }

  return { beat };
}
