// Work that an agent handed to one with more rights, by whatever way: a tool, a command, a file that it wrote. It waits until a
// person says so (`taskroom accept`), or room.yaml lets that pair hand over.
import { resolve } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { isModelled } from '../../core/config/agent-env.ts';
import { moreRights, type Rights } from '../../core/rules/access.ts';
import { hashText } from '../../core/task/read-task.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { BEFORE_OWN_WRITE_MS } from '../../store/files/trusted-words.ts';
import type { FileRow } from '../../store/ledger/tasks/files.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { SaidSource } from '../../store/ledger/tasks/waits.ts';
import { agentOfName, type TaskRoom } from '../task-room.ts';

interface Giver {
  agent: string;
  isSure: boolean; // Named by what it asked for; else its turn ran when the file was changed, by whomever.
}

/** Takes in for whom a task is now, before it is compared with what was known of it. */
export function takeInOwner(
  deps: TaskRoom,
  row: FileRow,
  before: FileRow | null,
  task: Task,
  memory: TaskMemory | null,
): void {
  const { saidWords } = deps.ledger;
  const isNew = memory === null || memory.owner !== task.owner;
  const isReworded = memory !== null && memory.revision !== task.revision;
  if (!isNew && !isReworded) return;
  if (isFinished(task.status)) return;
  const givers = giversOf(deps, row, memory === null ? before : { hash: memory.hash }).filter(
    ({ isSure }) => isNew || isSure,
  );
  const why = givers.map((giver) => whyHeld(deps, giver, task, memory)).find((found) => found !== null);
  if (why !== undefined) saidWords.put({ source: `owner:${task.id!}`, said: [], seen: [why] });
  else if (isNew && saidWords.get(`owner:${task.id!}`) !== null) saidWords.delete(`owner:${task.id!}`);
}

/** Why a task must not run before a person said so; null when nothing keeps it. */
export function whyUnsaid({ ledger }: Pick<TaskRoom, 'ledger'>, id: string | null): string | null {
  const why = id === null ? undefined : ledger.saidWords.get(`owner:${id}`)?.seen[0];
  return why === undefined ? null : `${why}: taskroom accept ${id}`;
}

/** @param seen as it was looked at last; null where nobody did */
function giversOf(
  deps: TaskRoom,
  { path, hash, stamp }: FileRow,
  seen: FileRow | Pick<FileRow, 'hash'> | null,
): Giver[] {
  const { turns, writes } = deps.ledger;
  const written = writes.last(path);
  const ran = (fromMs: number): Giver[] =>
    turns.agentsRan(fromMs, stamp.ctimeMs).map((agent) => ({ agent, isSure: false }));
  if (written?.afterHash !== hash) return ran(stamp.ctimeMs);
  const agent = agentOfName(written.actor);
  const own = agent === null ? [] : [{ agent, isSure: true }];
  // A word of ours on what somebody saved just before it, and nobody looked at yet.
  if (written.beforeHash !== (seen?.hash ?? '')) return [...own, ...ran(stamp.ctimeMs - BEFORE_OWN_WRITE_MS)];
  // It was seen before it had an id.
  return seen !== null && 'stamp' in seen ? [...own, ...giversOf(deps, seen, null)] : own;
}

function whyHeld(deps: TaskRoom, { agent, isSure }: Giver, task: Task, memory: TaskMemory | null) {
  const { config, agents, room, ledger } = deps;
  const owner = task.owner ?? config().defaultAgent;
  if (owner === agent || config().handOver[agent]?.includes(owner)) return null;
  const to = agents().get(owner);
  const from = agents().get(agent);
  // The person's own assistant has a name of its own. An agent that is gone handed over all the same.
  if (to === undefined || (from === undefined && isSure)) return null;
  const more =
    from === undefined
      ? 'may have more rights'
      : moreRights(rightsOf(from, room.dir), rightsOf(to, room.dir));
  const who = isSure ? `${agent} gave it to ${owner}` : `it came to ${owner} while a turn of ${agent} ran`;
  if (more !== null) return `${who}, which ${more}`;
  const isShut = memory !== null && (memory.paused || ledger.mirrors.isGated(memory.id));
  return isShut && memory.owner !== task.owner ? `${who} while it was paused` : null;
}

function rightsOf(agent: AgentConfig, room: string): Rights {
  const { permissions, approve, access, tasks, cwd, workspace } = agent;
  const runs = permissions === 'run' || approve.execute === 'allow';
  const isOwn = cwd === null && workspace === null;
  const { repositories, folder } = workspace ?? { repositories: [], folder: '' };
  const named = repositories.flatMap(({ address, project }) => address ?? project ?? []);
  return {
    reach: !isModelled(agent) || permissions === 'all' ? 2 : runs ? 1 : 0,
    ...{ access, tasks },
    folder: isOwn ? null : [...named, folder].join('/') || resolve(room, cwd ?? '.'),
    isApart: workspace !== null,
  };
}

/** `what`: a file's path, or the id of a task; `hash` changes with what stands there. */
export type Unsaid = Record<'what' | 'name' | 'hash' | 'text', string> & {
  source: SaidSource;
  task: string | null;
};

const MOST_LINES = 3;
const MOST_CHARS = 100;

export function readUnsaid({ ledger, agents }: Pick<TaskRoom, 'ledger' | 'agents'>): Unsaid[] {
  // What nobody has read since it changed is taken in.
  agents();
  return ledger.saidWords.unsaid().flatMap(({ source, said, seen }): Unsaid[] => {
    const at = source.indexOf(':');
    const [kind, what] = [source.slice(0, at), source.slice(at + 1)];
    const hash = hashText(seen.join('\n')).slice(0, 12);
    if (kind === 'file') {
      const text = `${what} was changed while a turn ran (${difference(said[0], seen[0])}); what it said before counts`;
      return [{ source, what, task: null, name: what, hash, text }];
    }
    const task = ledger.tasks.get(what);
    if (task === null || task.path === null || (kind !== 'owner' && kind !== 'task')) return [];
    const text =
      kind === 'owner'
        ? `waits: ${seen[0]}`
        : `its checks (${seen.join('; ') || 'none'}) are not yours: ${said.join('; ') || 'none'} counts`;
    return [{ source, what, task: task.id, name: task.name, hash, text }];
  });
}

/** The lines that one text has and the other lacks, a few of them. */
function difference(before: string | undefined, after: string | undefined): string {
  if (after === undefined) return 'removed';
  if (before === undefined) return 'new';
  const [old, fresh] = [before, after].map((text) => text.split('\n').map((line) => line.trim()));
  const lost = old!.filter((line) => line !== '' && !fresh!.includes(line)).map((line) => `− ${shown(line)}`);
  const come = fresh!.filter((line) => line !== '' && !old!.includes(line)).map((line) => `+ ${shown(line)}`);
  const all = [...lost.slice(0, MOST_LINES), ...come.slice(0, MOST_LINES)];
  const more = lost.length + come.length - all.length;
  if (all.length === 0) return 'its lines stand in another order';
  return `${all.join('  ')}${more > 0 ? `  and ${more} lines more` : ''}`;
}

const shown = (line: string): string =>
  line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1).toWellFormed()}…` : line;
