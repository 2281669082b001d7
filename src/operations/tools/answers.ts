// What tools answer: short texts in which what others wrote has no room to be taken for ours. A change is one line of JSON, a
// task of a list one line.
import { oneLine, word } from '../../core/context/fence.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';

/** A change, as JSON on one line. */
export function changeText(change: Omit<Changed, 'id'> & { id: string | null }, more: object = {}): string {
  if (change.later) return 'Written down: nothing runs the room now, it is done when something does.';
  const { name, awaits_checks, deferred, unreached, ...rest } = change;
  const unseen = (unreached ?? []).map(
    ({ who, what, how }) =>
      `It stands in the file and will not reach ${word(who)}: ${oneLine(what)}. ${oneLine(how)}`,
  );
  const line = [JSON.stringify({ ...rest, name: oneLine(name), ...more }), ...unseen].join('\n');
  if (awaits_checks !== undefined)
    return `${line}\nIt counts as done once your turn is over and these pass: ${awaits_checks.map(oneLine).join('; ')}`;
  if (deferred)
    return `${line}\nThe status was left as it is: the task was edited during this turn, one more turn follows.`;
  return line;
}

/** `abc12345 doing high owner=codex steps=1/3 waits=def45678 "Name"`. */
export function taskLine(task: TaskRow): string {
  const { id, status, priority, owner, steps, blocked, blocked_by, requester } = task;
  const parts = [
    id ?? task.path,
    status,
    task.paused && 'paused',
    task.running !== null && `turn=${task.running}`,
    blocked && `waits=${blocked_by.map(word).join(',')}`,
    priority,
    owner !== null && `owner=${word(owner)}`,
    requester !== 'owner' && `from=${word(requester)}`,
    task.parent !== null && `parent=${word(task.parent)}`,
    task.sprint !== null && `sprint=${word(task.sprint)}`,
    ...placeOf(task),
    task.labels.length > 0 && `labels=${task.labels.map(word).join(',')}`,
    steps.total > 0 && `steps=${steps.done}/${steps.total}`,
    task.archived && 'archived',
    JSON.stringify(oneLine(task.title ?? task.name).slice(0, MAX_NAME)),
  ];
  return parts.filter(Boolean).join(' ');
}

/** The set and the document that a task belongs to; its place among others is that in the list. */
export function placeOf({ scope, artifact }: TaskRow): (string | false)[] {
  return [scope !== null && `scope=${word(scope)}`, artifact !== null && `artifact=${word(artifact)}`];
}

const MAX_NAME = 120;

/** What was refused, why, and what to do. */
export function refusalText({ code, message, hint, problems }: RoomError): string {
  const listed = problems.slice(0, 5).map((problem) => `\n- ${oneLine(problem.message)}`);
  return `${code}: ${inTools(message)}${hint === undefined ? '' : `\n${inTools(hint)}`}${listed.join('')}`;
}

// Hints are written for the command line; an agent with tools has none.
const COMMANDS: readonly [RegExp, string][] = [
  [/taskroom list\b/g, 'list_tasks'],
  [/taskroom show\b/g, 'get_task'],
  [/taskroom history\b/g, 'list_history'],
  [/taskroom comment\b/g, 'comment_task'],
  [/taskroom done\b/g, 'complete_task'],
  [/taskroom ask\b/g, 'ask_requester'],
];

function inTools(words: string): string {
  return COMMANDS.reduce((said, [command, name]) => said.replace(command, name), words);
}
