// Puts the operations together. Each is loaded when it is first asked for: a list must not pay for the parsers that
// only a change needs.
import type { Desk, OperationPorts } from './desk.ts';
import type { Operations } from './operations.ts';
import type { TaskRoom } from './task-room.ts';

/**
 * The operations on a room's tasks.
 * @param ports what they need of daemons and processes
 */
export function createOperations(deps: TaskRoom, ports: OperationPorts): Operations {
  const desk: Desk = { deps, ports };
  return { ...readingOperations(desk), ...changingOperations(desk), ...turnOperations(desk) };
}

type Reading = Pick<Operations, 'list' | 'listAsJson' | 'show' | 'history' | 'context' | 'skipped'>;

function readingOperations(desk: Desk): Reading {
  return {
    list: async (filter) => (await import('./views.ts')).listTasks(desk, filter),
    listAsJson: async () => (await import('./list-json.ts')).listAsJson(desk),
    show: async (ref) => (await import('./detail.ts')).showTask(desk, ref),
    history: async (options) => (await import('./past.ts')).readPast(desk, options),
    context: async (ref) => (await import('./detail.ts')).showContext(desk, ref),
    skipped: async () => (await import('../store/scan.ts')).runScan(desk.deps.room, new Map()).skipped,
  };
}

type Turns = Pick<Operations, 'run' | 'release' | 'turns' | 'turn' | 'markTold' | 'output' | 'kill'>;

function turnOperations(desk: Desk): Turns {
  const asking = () => import('./asking.ts');
  const records = () => import('./turn-records.ts');
  return {
    run: async (ref, options, actor) => (await asking()).runTask(desk, ref, options, actor),
    release: async () => (await asking()).releaseTasks(desk),
    turns: async (filter) => (await records()).listTurns(desk, filter),
    markTold: async (turns) => desk.deps.ledger.turns.markTold(turns),
    turn: async (ref) => (await records()).findTurn(desk, ref),
    output: async (turn, offset, limit) => (await records()).readOutput(desk, turn, offset, limit),
    kill: async (ref, actor) => (await records()).killTurn(desk, ref, actor),
  };
}

function changingOperations(desk: Desk): Omit<Operations, keyof Reading | keyof Turns> {
  const status = () => import('./status-change.ts');
  const entries = () => import('./entry-change.ts');
  const removal = () => import('./removal.ts');
  return {
    create: async (task, actor) => (await import('./create-task.ts')).createTask(desk, task, actor),
    set: async (ref, changes, actor) => (await import('./set-keys.ts')).setKeys(desk, ref, changes, actor),
    setStatus: async (ref, to, actor, options) => (await status()).setStatus(desk, ref, to, actor, options),
    pause: async (ref, actor, reason) => (await status()).pauseTask(desk, ref, actor, reason),
    resume: async (ref, actor) => (await status()).resumeTask(desk, ref, actor),
    remove: async (ref, actor) => (await removal()).removeTask(desk, ref, actor),
    archive: async (ref, actor) => (await removal()).archiveTask(desk, ref, actor),
    comment: async (ref, text, actor, key) =>
      (await entries()).addEntry(desk, 'comment', ref, text, actor, key),
    progress: async (ref, text, actor, key) =>
      (await entries()).addEntry(desk, 'progress', ref, text, actor, key),
    outcome: async (ref, text, actor, key) =>
      (await entries()).addEntry(desk, 'outcome', ref, text, actor, key),
    setStep: async (ref, index, done, actor) => (await entries()).setStep(desk, ref, index, done, actor),
    addStep: async (ref, title, actor, details) =>
      (await entries()).addStep(desk, ref, title, actor, details),
    setSteps: async (ref, steps, actor) => (await entries()).setSteps(desk, ref, steps, actor),
  };
}
