// What of the room itself needs the person: held edits, agents that can't run, chores that stand still, plans that can't be
// read, trouble outside, messages nobody has seen.
import { existsSync } from 'node:fs';
import { hashText } from '../../core/task/read-task.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import type { AgentProblemOf, RoomHandle } from '../room-handle.ts';
import type { InboxItem } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';
import { readAgentWaits } from './agent-waits.ts';
import type { Trouble } from './why-not.ts';

const MOST_NOTICES = 100;

export async function roomItems(
  { deps }: RoomHandle,
  problemOf: AgentProblemOf,
  trouble: readonly Trouble[],
): Promise<InboxItem[]> {
  return [
    ...heldItem(deps),
    ...agentItems(deps, problemOf),
    ...unpaidItems(deps),
    ...choreItems(deps),
    ...planItems(deps),
    ...trouble.map(({ message, hint }) => ofRoom('trouble', message, hint ?? 'taskroom status')),
    ...noticeItems(deps),
  ];
}

function ofRoom(
  kind: InboxItem['kind'],
  text: string,
  settle: string,
  name: string | null = null,
): InboxItem {
  const key = `${kind}:${hashText(`${name}\n${text}`).slice(0, 12)}`;
  return { kind, key, task: null, name, text, settle, at: null };
}

function heldItem({ ledger }: TaskRoom): InboxItem[] {
  const count = ledger.tasks.held().length;
  if (count === 0) return [];
  const text = `${count} ${count === 1 ? 'task is' : 'tasks are'} held, since so many changed at once`;
  return [{ ...ofRoom('held', text, 'taskroom run --all'), key: 'held' }];
}

/** One for each agent that can't run, however many tasks wait for it. */
function agentItems({ ledger, config }: TaskRoom, problemOf: AgentProblemOf): InboxItem[] {
  const problems = new Map<string, string>();
  for (const owner of ledger.tasks.ownersOfOpen()) {
    const problem = problemOf(owner);
    if (problem !== null && ledger.tasks.candidatesOf(owner).length > 0)
      problems.set(owner ?? config().defaultAgent, problem);
  }
  return [...problems].map(([agent, problem]) => ofRoom('setup', problem, 'taskroom doctor', agent));
}

/** One for each agent whose account must be paid, however many turns wait for it. */
function unpaidItems(deps: TaskRoom): InboxItem[] {
  return [...readAgentWaits(deps).agents].flatMap(([agent, { said }]) => {
    if (said == null) return [];
    const settle = `pay for it, then run one of its tasks: taskroom run <task>`;
    return [ofRoom('setup', said, settle, agent)];
  });
}

function choreItems({ ledger, room }: TaskRoom): InboxItem[] {
  return ledger.chores.list().flatMap(({ name, stopped }) => {
    const path = `chores/${name}.md`;
    if (!existsSync(room.at(path))) return [];
    const error = ledger.sources.get(name)?.error ?? null;
    if (stopped !== null)
      return [ofRoom('setup', `stands still: ${stopped}`, `taskroom sync ${quoted(name)}`, path)];
    if (error === null || !NEEDS_PERSON.has(error.code)) return [];
    return [ofRoom('setup', error.message, error.hint ?? 'taskroom doctor', path)];
  });
}

/** What no later try settles by itself. */
const NEEDS_PERSON: ReadonlySet<string> = new Set(['unauthorized', 'not_allowed', 'bad_input', 'not_found']);

function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : JSON.stringify(word);
}

function planItems({ ledger }: TaskRoom): InboxItem[] {
  return ledger.artifacts.list().flatMap(({ name, problem }) => {
    const path = `artifacts/${name}.md`;
    return problem === null ? [] : [ofRoom('setup', problem, `edit ${path}`, path)];
  });
}

function noticeItems({ ledger }: TaskRoom): InboxItem[] {
  return ledger.notices
    .list({ untold: true, limit: MOST_NOTICES })
    .map(({ seq, at, author, task, text }) => ({
      kind: 'notice',
      key: `notice:${seq}`,
      task,
      name: task === null ? null : (ledger.tasks.get(task)?.name ?? null),
      text: `${author.replace(/^agent:/, '')}: ${text}`,
      settle: 'taskroom notices',
      at: isoOrNull(at),
    }));
}
