// What a room needs because time passed, whatever happens in it: sweeps, the heartbeat, archiving and housekeeping, and a
// last look into the files that were replaced.
import { finishBulks } from '../../tasks/bulk/carry-out-bulk.ts';
import { archiveDue } from '../../tasks/change/remove-task.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { type Alarm, createAlarm } from '../alarm.ts';
import type { Base } from '../base.ts';
import type { Retries } from '../decide/retries.ts';
import type { Settling } from '../decide/settling.ts';
import type { Hold } from '../hold.ts';
import type { Workspaces } from '../ports.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';
import { createHeartbeat } from './heartbeat.ts';
import { housekeep } from './housekeeping.ts';

// The next look at the whole room, after each one: the watcher's hints only make it sooner.
interface SweepsOptions {
  deps: Pick<TaskRoom, 'config'>;
  alarm: Alarm;
  /** Looks at the whole room; resolves with how many files there are. */
  sweep(): Promise<number>;
}

// A sweep takes some 4 µs a file: with this rest after it, a five-hundredth of a core at most. Counted, not measured, so
// that a sweep that found much to take in, or met a busy machine, does not put the next one off.
const REST_MS_PER_FILE = 2;
// While the room can't be listed.
const AGAIN_MS = 2_000;

function createSweeps({ deps, alarm, sweep }: SweepsOptions) {
  async function sweepNow(): Promise<void> {
    try {
      wait(await sweep());
    } catch (error) {
      alarm.set(AGAIN_MS, sweepNow);
      throw error;
    }
  }

  /** Sweeps again after a while, in a room of `files` task files. */
  function wait(files: number): void {
    alarm.set(Math.max(deps.config().sweepMs, files * REST_MS_PER_FILE), sweepNow);
  }

  return { wait };
}

interface TimedWorkOptions extends Pick<Base, 'deps' | 'onTrouble'> {
  /** Looks at the whole room; resolves with how many files there are. */
  sweep(): Promise<number>;
  settling: Pick<Settling, 'decide'>;
  retries: Pick<Retries, 'wait'>;
  running: Pick<RunningTurns, 'has'>;
  hold: Pick<Hold, 'check'>;
  workspaces: Pick<Workspaces, 'tidy'>;
}

const TIDY_EVERY_MS = 60 * 60_000;
const LOOK_EVERY_MS = 2_500;

export function createTimedWork(options: TimedWorkOptions) {
  const { deps, sweep, onTrouble } = options;
  const alarms: Alarm[] = [];
  const newAlarm = () => {
    const alarm = createAlarm(deps.effects, onTrouble);
    alarms.push(alarm);
    return alarm;
  };
  const sweeps = createSweeps({ deps, alarm: newAlarm(), sweep });
  const heartbeat = createHeartbeat({
    deps,
    alarm: newAlarm(),
    settling: options.settling,
    running: options.running,
  });
  return {
    /** Arms everything in a room of `files` task files; resolves when what was due by now is done. */
    async start(files: number): Promise<void> {
      sweeps.wait(files);
      every(newAlarm(), TIDY_EVERY_MS, () => tidy(options));
      every(newAlarm(), LOOK_EVERY_MS, async () => {
        if (!options.hold.check()) return;
        await settleReplaced(deps);
        // A command died in the middle of one.
        await finishBulks(deps);
      });
      options.retries.wait();
      // Now, not by timer: a room that only ever runs `once` has its heartbeat and its archive too.
      heartbeat.beat();
      await tidy(options);
    },
    close(): void {
      for (const alarm of alarms) alarm.close();
    },
  };
}

function every(alarm: Alarm, delayMs: number, run: () => Promise<void>): void {
  alarm.set(delayMs, async () => {
    try {
      await run();
    } finally {
      every(alarm, delayMs, run);
    }
  });
}

async function tidy({ deps, workspaces }: TimedWorkOptions): Promise<void> {
  await archiveDue(deps);
  await housekeep(deps);
  await workspaces.tidy();
}

/** A program may have gone on writing into a file that was replaced under it. */
async function settleReplaced({ ledger, effects, writer }: TaskRoom): Promise<void> {
  // A look at the ledger is all an idle room pays for this.
  if (ledger.writes.oldInodes.list(effects.now(), 1).length > 0) await writer.settleOldInodes();
}
