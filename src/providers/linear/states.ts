// Statuses and Linear's workflow states. A state's type decides what it means; going back, the team's first state of a
// type stands for the status unless the source names another.
import { RoomError } from '../../core/errors.ts';
import type { Status } from '../../core/task/status.ts';
import type { StateAnswer } from './documents.ts';
import type { LinearOptions } from './options.ts';

const STATUS_OF: Readonly<Record<string, Status>> = {
  started: 'doing',
  completed: 'done',
  canceled: 'canceled',
  duplicate: 'canceled',
};

/** What a state of this type means. A type that is not known is open work. */
export function statusOf(type: string, { triage, backlog }: Pick<LinearOptions, 'triage' | 'backlog'>) {
  return { triage, backlog, ...STATUS_OF }[type] ?? 'todo';
}

/** Statuses that share a word can't be told apart: without a state for drafts, a draft is a todo. */
export function classOf(status: Status, options: LinearOptions): Status {
  const { triage, backlog, states } = options;
  const hasDrafts = triage === 'draft' || backlog === 'draft' || states.draft !== undefined;
  return status === 'draft' && !hasDrafts ? 'todo' : status;
}

/** State types over which an issue is. */
export const FINISHED_TYPES: readonly string[] = ['completed', 'canceled', 'duplicate'];

function typesFor(status: Status, options: LinearOptions): readonly string[] {
  const early = (['backlog', 'triage'] as const).filter((type) => options[type] === status);
  const others = {
    draft: [],
    todo: ['unstarted'],
    doing: ['started'],
    done: ['completed'],
    canceled: ['canceled'],
  };
  return [...others[status], ...early];
}

/**
 * The state to write for a status.
 * @throws RoomError `bad_input` when the source names a state the team lacks, `refused` when the team has none that fits
 */
export function stateFor(
  wanted: Status,
  team: string,
  states: readonly StateAnswer[],
  options: LinearOptions,
): StateAnswer {
  const status = classOf(wanted, options);
  const name = options.states[status];
  if (name !== undefined) {
    const named = states.find((state) => state.name.toLowerCase() === name.trim().toLowerCase());
    if (!named)
      throw new RoomError('bad_input', `team ${team} has no state ${JSON.stringify(name)}`, {
        hint: `mend states.${status} of the mirror`,
      });
    return named;
  }
  for (const type of typesFor(status, options)) {
    const first = states.filter((state) => state.type === type).sort((a, b) => a.position - b.position)[0];
    if (first) return first;
  }
  throw new RoomError('refused', `team ${team} of Linear has no state that stands for ${status}`, {
    hint: `name one as states.${status} of the mirror`,
  });
}
