// The turns of the room, of a task, or of all tasks that a filter fits.
import { unknownWord } from '../../core/document/suggest.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { TURN_STATES, type TurnState } from '../../core/rules/turn.ts';
import { type FilterTerm, formatFilter, parseFilter } from '../../core/task/filter.ts';
import { readSince } from '../../core/time/durations.ts';
import type { TurnJson } from '../shapes/turn.ts';
import type { RoomHandle } from '../task-room.ts';
import { threadOfWord } from '../turns/turn-records.ts';
import { DEFAULT_LIMIT, type ListedTurns, turnsOn } from '../turns/turn-views.ts';
import { findTasks } from './list.ts';

type TurnWish = ListedTurns & { task?: string; status?: readonly TurnState[]; since?: string };

const MOST_TURNS = 5000; // More are not looked through for those that fit.

/** Of one task, `chore:<name>`, or the tasks that a filter fits. @throws RoomError `not_found`, `ambiguous`, `bad_input` */
export async function listTurns(
  deps: RoomHandle,
  { task, status, since, limit = DEFAULT_LIMIT, ...filter }: TurnWish,
): Promise<{ turns: TurnJson[] }> {
  const { terms, words } = parseFilter(task ?? '');
  const states = [...(status ?? []), ...terms.filter(({ key }) => key === 'status').flatMap(statesIn)];
  const asked = terms.filter(({ key }) => key !== 'status');
  const isOfTasks = asked.length > 0 || (terms.length > 0 && words.length > 0);
  const single =
    task === undefined || terms.length > 0
      ? null
      : await threadOfWord(deps, task.replace(/^"([^"]*)"$/, '$1'));
  if (task !== undefined && terms.length === 0 && single === null) return { turns: [] };
  const ids = isOfTasks ? await idsOfTasks(deps, formatFilter({ terms: asked, words })) : null;
  const sinceMs = since === undefined ? null : readSince(since, deps.effects.now());
  const { state, untold = false, pending = state === undefined && !untold } = filter;
  const fits = (turn: TurnJson) =>
    (states.length === 0 || states.includes(turn.state)) &&
    (ids === null || ids.has(turn.task)) &&
    (sinceMs === null || Date.parse(turn.started_at ?? turn.asked_at ?? '') >= sinceMs);
  const isNarrowed = states.length > 0 || ids !== null || sinceMs !== null;
  const wish = { ...filter, pending: pending || state === 'pending', limit: isNarrowed ? MOST_TURNS : limit };
  return { turns: turnsOn(deps, single, wish).filter(fits).slice(0, limit) };
}

/** @throws RoomError `bad_input` for a word that begins no state */
function statesIn({ values }: FilterTerm): TurnState[] {
  return values.map((value) => {
    const state = TURN_STATES.find((each) => each.startsWith(value.toLowerCase()));
    if (state !== undefined) return state;
    const { message, hint } = unknownWord('state', value, TURN_STATES);
    throw new RoomError('bad_input', message, hint);
  });
}

async function idsOfTasks(deps: RoomHandle, text: string): Promise<ReadonlySet<TaskId | null>> {
  const { tasks, notes } = await findTasks(deps, { text });
  if (tasks.length === 0 && notes.length > 0)
    throw new RoomError('bad_input', notes.join('; '), 'see: taskroom list');
  return new Set(tasks.flatMap(({ id }) => id ?? []));
}
