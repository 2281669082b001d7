// The heartbeat: at its ticks every open task is woken and decided over. Ticks that were missed are one.
import { dueTick } from '../../core/time/schedule.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { type Alarm, LONGEST_WAIT_MS } from '../alarm.ts';
import type { Settling } from '../decide/settling.ts';

export interface HeartbeatOptions {
  deps: TaskRoom;
  alarm: Alarm;
  settling: Pick<Settling, 'decide'>;
}

export interface Heartbeat {
  /** Beats when a tick is due, and waits for the next. */
  beat(): void;
}

const LEAST_WAIT_MS = 1_000;

export function createHeartbeat({ deps, alarm, settling }: HeartbeatOptions): Heartbeat {
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
    const open = tasks.withStatus(['todo', 'doing']).filter(({ paused, blocked }) => !paused && !blocked);
    ledger.transaction(() => {
      for (const { id } of open) wakes.add(id, 'heartbeat', now);
    });
    for (const { id } of open) settling.decide(id);
  }

  return { beat };
}
