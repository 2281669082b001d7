// Statuses and Linear's workflow states. A state's type decides what it means; going back, the team's first state of a
// type stands for the status unless the source names another.
import { RoomError } from '../../core/errors.ts';
import type { Status } from '../../core/task/status.ts';
import type { LinearOptions } from './options.ts';
import type { StateAnswer } from './response-shapes.ts';

/** What a state of this type means. A type that is not known is open work. */
export function statusOf(type: string, options: Pick<LinearOptions, 'triage' | 'backlog'>): Status {
  switch (type) {
    case 'triage':
      return options.triage;
    case 'backlog':
      return options.backlog;
    case 'started':
      return 'doing';
    case 'completed':
      return 'done';
    case 'canceled':
    case 'duplicate':
      return 'canceled';
    default:
      return 'todo';
  }
}

/** Statuses that share a word can't be told apart: without a state for drafts, a draft is a todo. */
export function classOf(status: Status, options: LinearOptions): string {
  return status === 'draft' && !hasDrafts(options) ? 'todo' : status;
}

function hasDrafts({ triage, backlog, states }: LinearOptions): boolean {
  return triage === 'draft' || backlog === 'draft' || states.draft !== undefined;
}

/** State types over which an issue is. */
export const FINISHED_TYPES: readonly string[] = ['completed', 'canceled', 'duplicate'];

function typesFor(status: Status, options: LinearOptions): readonly string[] {
  switch (status) {
    case 'draft':
      return (['backlog', 'triage'] as const).filter((type) => options[type] === 'draft');
    case 'todo':
      return ['unstarted', ...(['backlog', 'triage'] as const).filter((type) => options[type] === 'todo')];
    case 'doing':
      return ['started'];
    case 'done':
      return ['completed'];
    case 'canceled':
      return ['canceled'];
  }
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
  const status = wanted === 'draft' && !hasDrafts(options) ? 'todo' : wanted;
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
