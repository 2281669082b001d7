// Everything that is open while the loop runs, made around the loop and wired to it: who holds the room, what commands
// say, what the watcher sees, what time asks for, and whom trouble is told.
import type { RoomError } from '../core/errors.ts';
import { isDamage } from '../store/ledger/migrate.ts';
import type { RoomLock } from '../store/lock/locks.ts';
import { createCommandMessages } from './command-messages.ts';
import { createHold } from './hold.ts';
import { createLoop, type Loop } from './loop.ts';
import type { PulseDependencies, PulseMode } from './ports.ts';
import { createTroubleReporter } from './trouble-reporter.ts';
import { createTimedWork } from './upkeep/timed-work.ts';
import { createRoomWatch } from './watch/room-watch.ts';

/** All that is open while the loop runs. */
export type Pulse = ReturnType<typeof createPulse>;

export interface Endings {
  /** Stops the loop; running turns get `graceMs`. */
  stop(graceMs: number): void;
  /** Stops it at once, for this. */
  fail(error: RoomError): void;
}

export function createPulse(
  dependencies: PulseDependencies,
  mode: PulseMode,
  lock: RoomLock,
  { stop, fail }: Endings,
) {
  const { deps, jobs } = dependencies;
  const { room, effects, events, ledger } = deps;
  const trouble = createTroubleReporter(deps);
  // With the ledger all that the loop knows is gone: it ends, for whoever runs it to start anew.
  ledger.database.onDamage((error) => {
    hold.ledgerReplaced();
    trouble.report(error);
    fail(error);
  });
  function onTrouble(error: unknown): void {
    if (!isDamage(error)) trouble.report(error);
  }
  function onIdle(): void {
    events.emit({ type: 'room.idle' });
    if (mode.once || mode.exitWhenIdle) stop(0);
  }
  const hold = createHold({ room, lock, onLost: fail });
  const { note } = trouble;
  const loop = createLoop({ dependencies, mode, holdsRoom: hold.check, onIdle, onTrouble, note });
  const { intake, chores } = loop;
  const self = lock.holder;
  const takeSettings = () => takeNewSettings(dependencies, loop, onTrouble);
  const messages = createCommandMessages({ ledger, loop, jobs, self, stop, takeSettings, onTrouble });
  const roomWatch = createRoomWatch(room, effects, {
    onTask: intake.hint,
    onChores: () => void chores.look(),
    onArtifacts: loop.artifacts.hint,
    onSettings: loop.persistence.keep(takeSettings),
    onWake() {
      if (hold.check()) messages.receive();
    },
    onError: onTrouble,
    async onBlind() {
      if (hold.check()) messages.receive();
      return sweep();
    },
  });
  const sweep = () => sweepRoom(dependencies, { hold, loop, trouble, roomWatch });
  const { workspaces } = dependencies;
  const timedWork = createTimedWork({ ...loop, deps, sweep, hold, workspaces, onTrouble });
  return { dependencies, mode, lock, hold, loop, messages, roomWatch, timedWork, trouble, onTrouble };
}

/** Looks at the whole room, and tries again what trouble kept from being done; resolves with how many task files there are. */
async function sweepRoom(
  { deps, jobs }: PulseDependencies,
  { hold, loop, trouble, roomWatch }: Pick<Pulse, 'hold' | 'loop' | 'trouble' | 'roomWatch'>,
): Promise<number> {
  const { total } = await loop.intake.sweep();
  if (hold.check()) await loop.observations.carryOut();
  deps.ledger.database.examine();
  if (trouble.mended()) await roomWatch.open();
  roomWatch.checkSettings();
  if (await loop.agents.look()) decideAnew(loop);
  await loop.chores.look();
  if (hold.check()) await loop.artifacts.look();
  jobs.look();
  return total;
}

function takeNewSettings(
  { reloadSettings }: PulseDependencies,
  loop: Loop,
  onTrouble: (error: unknown) => void,
): void {
  if (!reloadSettings()) return;
  loop.running.configure(loop.agents.limits());
  loop.waiting.look();
  decideAnew(loop);
  void loop.chores.look();
  lookAtAgents(loop, onTrouble);
}

/** What agents need is looked at anew, and who can run now is decided anew. */
export function lookAtAgents(loop: Loop, onTrouble: (error: unknown) => void): void {
  void loop.agents
    .look()
    .then((isNews) => isNews && decideAnew(loop))
    .catch(onTrouble);
}

function decideAnew({ decider, scheduler }: Loop): void {
  decider.decideAll();
  scheduler.startTurns();
}
