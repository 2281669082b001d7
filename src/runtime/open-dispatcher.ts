// Whether a room's turns go to workers: where room.yaml names a queue, what sends them is loaded and stands between the loop
// and its runners; where not, nothing of it is there.
import type { RunnerName } from '../core/config/agent-config.ts';
import { RoomError } from '../core/errors.ts';
import type { Runner } from '../runners/runner.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
import type { OpenBridges } from './bridge/open-bridges.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import type { WorkerDesk } from './dispatch/worker-desk.ts';
import type { TurnPrograms } from './turn-programs.ts';

/** What of the running loop it tells. */
interface Told {
  agentsChanged(): void;
  note(about: string, trouble: RoomError | null): void;
}

export interface Sending {
  /** The runners as the loop has them. */
  wrap(runners: ReadonlyMap<RunnerName, Runner>): ReadonlyMap<RunnerName, Runner>;
  isOut(turn: string): boolean;
  desk(): WorkerDesk | null;
  started(loop: Told): void;
  close(): Promise<void>;
}

/** @throws RoomError `bad_input` for a queue whose address is not set */
export async function openDispatcher(
  { deps }: RoomHandle,
  bridges: OpenBridges,
  { withheldEnv, workspaces }: Pick<TurnPrograms, 'withheldEnv' | 'workspaces'>,
): Promise<Sending> {
  const variable = deps.config().queue.postgres;
  if (variable === null)
    return {
      wrap: (runners) => runners,
      isOut: () => false,
      desk: () => null,
      started() {},
      async close() {},
    };
  const { createDispatcher } = await import('./dispatch/dispatcher.ts');
  let loop: Told | null = null;
  let dispatcher: Dispatcher | null = null;
  let isStopping = false;
  const unsubscribe = deps.events.subscribe(({ type }) => {
    if (type === 'room.stopping') isStopping = true;
  });
  return {
    wrap(runners) {
      dispatcher = createDispatcher({
        ...{ deps, variable, runners, bridges, withheldEnv, workspaces: workspaces.room },
        isStopping: () => isStopping,
        onWorkers: () => loop?.agentsChanged(),
        onWorkerTrouble: (name, trouble) => loop?.note(`worker ${name}`, workerTrouble(name, trouble)),
        onTrouble: (error) => loop?.note('queue', error === null ? null : troubleOf(error)),
      });
      return dispatcher.runners;
    },
    isOut: (turn) => dispatcher?.hasOut(turn) ?? false,
    desk: () => dispatcher?.desk ?? null,
    started(running) {
      loop = running;
      loop.agentsChanged();
    },
    async close() {
      unsubscribe();
      await dispatcher?.close();
    },
  };
}

function workerTrouble(name: string, trouble: string | null): RoomError | null {
  if (trouble === null) return null;
  return new RoomError('unavailable', `worker ${name} takes no turns: ${trouble}`, {
    hint: 'taskroom workers',
  });
}

function troubleOf(error: unknown): RoomError {
  if (error instanceof RoomError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new RoomError('unavailable', `the queue on PostgreSQL: ${said}`, { cause: error });
}
