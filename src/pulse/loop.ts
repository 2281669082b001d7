// The parts of the loop and how they feed each other: intake → observations → decider → requests → scheduler → turns
// → intake again. Starting and stopping them in order is pulse.ts's.

import { isPassing } from '../core/errors.ts';
import {
  choreOfThread,
  newTurnId,
  type TaskId,
  type ThreadId,
  taskOfThread,
  threadOfTask,
} from '../core/ids.ts';
import { sleep } from '../effects.ts';
import { StopTurn } from '../runners/runner.ts';
import type { Message } from '../store/ledger/messages.ts';
import type { TurnRecord } from '../store/ledger/turns.ts';
import { applyConsequences } from '../tasks/observe/apply-consequences.ts';
import type { Observation } from '../tasks/observe/observer.ts';
import { createChoreLoop } from './chore/chore-loop.ts';
import { createDecider } from './decider.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createIntake } from './intake/intake.ts';
import type { PulseDependencies, PulseMode } from './pulse-dependencies.ts';
import { createAgents } from './runnable-agents.ts';
import { createScheduler, type TurnSlot } from './scheduler.ts';
import type { TroubleReporter } from './trouble-reporter.ts';
import type { DriverOptions, TurnFate } from './turn/driver-options.ts';
import { recoverTurns } from './turn/recovery.ts';
import { adoptTurn, driveTurn } from './turn/turn-driver.ts';
import { interruptTurn } from './turn/turn-finish.ts';
import { createUpstreamPushes } from './upstream-pushes.ts';

export interface LoopOptions {
  parts: PulseDependencies;
  mode: PulseMode;
  trouble: TroubleReporter;
  /** Nothing is asked for, running or waiting for a retry. */
  onIdle(): void;
  /** A command asks to stop. */
  onStop(graceMs: number): void;
  /** A turn is over: a retry may be due sooner. */
  onTurnOver(): void;
}

// A task seen done gives its turn this long to end by itself.
const WIND_DOWN_MS = 60_000;
// A fault of the disk or of ours must not spin.
const FAULT_REST_MS = 2_000;
const STOP_GRACE_MS = 30_000;

const isChore = ({ thread }: { thread: ThreadId }): boolean => choreOfThread(thread) !== null;

export function createLoop({ parts, mode, trouble, onIdle, onStop, onTurnOver }: LoopOptions) {
  const { deps, queue } = parts;
  const { effects, ledger, events } = deps;
  const agents = createAgents(deps, parts.runners);
  const count = { turns: 0, failed: 0 };
  const firstEdits: TaskId[] = [];
  let ready = false;

  let started = false;
  const idle = createIdleWatch(() => started && isIdle(), onIdle);
  const driver: DriverOptions = {
    deps,
    tasks: parts.tasks,
    queue,
    agentOf: agents.find,
    binDir: parts.binDir,
    withheldEnv: parts.withheldEnv,
    lookAt,
    onObserved,
    isStopping: () => scheduler.isDraining(),
    onTrouble: trouble.report,
  };
  const scheduler = createScheduler({
    queue,
    effects,
    ...agents.limits(),
    plan: ({ agent }) => ({
      turn: newTurnId(agents.runnerOf(agent)?.kind ?? 'command', effects.randomBytes),
      ...agents.patience(agent),
    }),
    launch: (request, turn, slot) =>
      guarded(request.thread, slot, () =>
        isChore(request) ? choreLoop.drive(request, turn, slot) : driveTurn(driver, request, turn, slot),
      ),
    stopReason: (reason) => new StopTurn(reason),
    onEnded,
  });
  const choreLoop = createChoreLoop({
    parts,
    driver,
    once: mode.once,
    stopTurn: (thread, reason) => scheduler.stop(thread, reason),
    onSynced,
    onChange() {
      idle.stir();
      if (ready) scheduler.pump();
      idle.check();
    },
  });
  const { chores } = choreLoop;
  const pushes = createUpstreamPushes({
    effects,
    parts,
    push: (chore, signal) => parts.pushChore(chore, signal).finally(onSynced),
    onChange: () => idle.check(),
    onTrouble: trouble.report,
  });
  const adoptEither = (turn: TurnRecord, slot: TurnSlot) =>
    isChore(turn) ? choreLoop.adopt(turn, slot) : adoptTurn(driver, turn, slot);
  const isRunning = (id: TaskId) => scheduler.isRunning(threadOfTask(id));
  const intake = createIntake({
    deps,
    settleMs: () => (mode.once || !ready ? 0 : deps.config().settleMs),
    onObserved,
    onSettled: (ids) => (ready ? decider.lookTogether(ids, true) : firstEdits.push(...ids)),
    onCalm: idle.check,
    onTrouble: trouble.report,
  });
  const decider = createDecider({
    deps,
    queue,
    agentProblem: agents.problem,
    isRunning,
    isSettling: intake.isSettling,
    onRequests: () => ready && scheduler.pump(),
  });

  async function guarded(thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnFate>): Promise<void> {
    const fate = await untilRecorded(thread, slot, run);
    if (fate !== 'skipped') count.turns += 1;
    if (fate === 'failed') count.failed += 1;
    const id = taskOfThread(thread);
    if (id !== null) await lookAt(id);
  }

  /** A turn that disk or ledger interrupted on its way is taken up again from what its process left on disk. */
  async function untilRecorded(
    thread: ThreadId,
    slot: TurnSlot,
    run: () => Promise<TurnFate>,
  ): Promise<TurnFate> {
    for (let again = run; ; ) {
      try {
        return await again();
      } catch (error) {
        trouble.report(error);
        await sleep(effects, FAULT_REST_MS);
        const turn = scheduler.isDraining() || !isPassing(error) ? null : ledger.turns.runningOn(thread);
        // A record that still says running is taken up at the next start.
        if (turn === null) return 'failed';
        again = () => adoptEither(turn, slot);
      }
    }
  }

  /** A loop that ends when it is idle must have seen what a sync wrote. */
  async function onSynced(): Promise<void> {
    if (mode.once || mode.exitWhenIdle) await intake.sweep();
  }

  async function lookAt(id: TaskId): Promise<void> {
    const path = ledger.tasks.get(id)?.path ?? null;
    if (path !== null) await intake.look(path);
  }

  function onEnded(thread: ThreadId): void {
    const id = taskOfThread(thread);
    if (id !== null) decider.look(id);
    else chores.turnOver();
    pushes.look();
    onTurnOver();
    idle.check();
  }

  function onObserved(observation: Observation): void {
    idle.stir();
    const { id } = observation;
    if (id !== null && observation.inputChanged) {
      if (isRunning(id)) decider.noteInsideEdit(id);
      else decider.noteOutsideEdit(id);
    }
    for (const stop of observation.stop) scheduler.stop(threadOfTask(stop.id), stop.reason);
    for (const done of observation.windDown) scheduler.windDown(threadOfTask(done), WIND_DOWN_MS);
    if (ready) {
      pushes.look();
      for (const other of observation.look) decider.look(other);
      if (observation.kind !== 'invalid') void applyConsequences(deps).catch(trouble.report);
    }
    idle.check();
  }

  function isIdle(): boolean {
    const turns = scheduler.runningCount() > 0 || queue.countPending() > 0;
    if (turns || chores.isBusy() || pushes.isBusy() || !intake.isQuiet()) return false;
    return mode.once || (ledger.tasks.nextRetryAt() === null && !chores.awaitsRetry());
  }

  function heed(message: Message): void {
    if (message.kind === 'stop') onStop(message.now ? 0 : STOP_GRACE_MS);
    else if (message.kind === 'look') message.tasks.forEach(decider.look);
    else if (message.kind === 'release') lookAtAll();
    else if (message.kind === 'chores') void chores.look();
    else {
      const turn = ledger.turns.get(message.turn);
      if (turn) scheduler.stop(turn.thread, 'person');
    }
  }

  function lookAtAll(): void {
    decider.lookTogether(
      ledger.tasks.candidates().map(({ id }) => id),
      false,
    );
    scheduler.pump();
  }

  function adopt(turn: TurnRecord): void {
    const now = effects.monotonicMs();
    const { timeoutMs, stallMs } = agents.patience(turn.agent);
    const deadline = now + timeoutMs - Math.max(0, effects.now() - turn.startedAt);
    const base = {
      turn: turn.id,
      origin: turn.origin,
      agent: turn.agent,
      outputBytes: 0,
      woundDown: false,
      stopping: null,
    };
    const running = { ...base, deadline, stallMs, lastOutput: now };
    scheduler.adopt(turn.thread, running, (slot) =>
      guarded(turn.thread, slot, () => adoptEither(turn, slot)),
    );
  }

  return {
    count,
    intake,
    scheduler,
    chores,
    pushes,
    idle,
    look: decider.look,
    /** All that is due at the start was asked for. */
    mayIdle(): void {
      started = true;
      idle.check();
    },
    recover: () =>
      recoverTurns({
        deps,
        runnerOf: (turn) => agents.runnerOf(turn.agent),
        adopt,
        interrupt(turn) {
          if (isChore(turn)) choreLoop.interrupt(turn);
          else interruptTurn(driver, turn);
        },
        claimUnstarted: parts.claimUnstarted,
        endOrphan: parts.endOrphan,
      }),
    /** Takes in the whole room for the first time and decides over it; resolves with how many files there are. */
    async firstLook(startedAt: number): Promise<number> {
      const fresh = ledger.meta.get('observed') === null;
      const onProgress = (done: number, total: number) => events.emit({ type: 'room.scanning', done, total });
      const { total } = await intake.sweep({ first: true, onProgress });
      if (fresh) {
        // Nobody knows how far a task got that says doing: it waits for `run` or an edit.
        for (const { id, revision } of ledger.tasks.withStatus(['doing']))
          ledger.tasks.update(id, { consumed: revision });
        ledger.meta.set('observed', String(effects.now()));
      }
      ready = true;
      pushes.look();
      decider.lookTogether(firstEdits, !fresh);
      decider.lookTogether(
        ledger.tasks.candidates().map(({ id }) => id),
        false,
      );
      const tookMs = effects.monotonicMs() - startedAt;
      events.emit({ type: 'room.ready', tasks: total, invalid: ledger.files.invalid().length, tookMs });
      return total;
    },
    /** Reads what commands left in the ledger. */
    receive(): void {
      try {
        for (const message of ledger.messages.receive()) heed(message);
      } catch (error) {
        trouble.report(error);
      }
    },
    /** New settings are in force. */
    configured(): void {
      const { limits, agentLimits, maxOutputBytes } = agents.limits();
      scheduler.configure(limits, agentLimits, maxOutputBytes);
      lookAtAll();
      void chores.look();
    },
  };
}
