// Builds what a turn is given (T7): the task, what can be done to it where its requester looks, and optional
// siblings. Its JSON never exceeds the budget, and whatever is cut leaves a line that says so.
import type { Access } from '../config/agent-config.ts';
import { RoomError } from '../errors.ts';
import { threadOfTask } from '../ids.ts';
import { hasLevel } from '../rules/access.ts';
import { providerOfRemote, REMOTE_EXAMPLES } from '../task/names.ts';
import { statusWord } from '../task/status.ts';
import type { Task } from '../task/task.ts';
import { cutToBudget, type MissingService, type TaskServices, type TurnContext } from './context-shape.ts';

export const DEFAULT_CONTEXT_BYTES = 200 * 1024;
const LEAST_BYTES = 32 * 1024;

// Names are shown on one line everywhere; a longer one is a paragraph in the wrong place.
const MAX_NAME = 300;

export type ContextComment = NonNullable<TurnContext['comments']>[number];
export type ServiceReport = { services: TaskServices; missing: MissingService[] };

export interface ContextInput extends ServiceReport {
  task: Task;
  body: string;
  comments?: readonly ContextComment[];
  progress?: readonly string[];
  answers?: NonNullable<TurnContext['answers']>;
  subtasks?: NonNullable<TurnContext['subtasks']>;
  blockedBy?: NonNullable<TurnContext['blocked_by']>;
  jobs?: NonNullable<TurnContext['jobs']>;
  group?: NonNullable<TurnContext['group']> | null;
  agents?: NonNullable<TurnContext['agents']>;
  extra?: Readonly<Record<string, unknown>>; // Front matter keys the runtime does not know, as read.
  maxBytes?: number; // Bytes of compact JSON the context may have; less than 32 KiB counts as 32 KiB.
}

/** The context of one turn. Above the budget the oldest comments go first, then the oldest progress entries, then
 * the middle of the body, then whole siblings (agents, group, extra, jobs, resources, blocked_by, subtasks, steps).
 * @throws RoomError `bad_input` for a task without an id; `invalid_file` for a `remote:` that names no provider. */
export function buildContext(input: ContextInput): TurnContext {
  const { task } = input;
  if (task.id === null)
    throw new RoomError('bad_input', `${task.path} has no id yet`, 'run `taskroom once`, or change the task');
  const context: TurnContext = {
    task: {
      ...originOf(task),
      name: clip(task.title ?? task.name),
      body: input.body,
      status: statusWord(task),
      requester: clip(task.requester),
      thread_id: threadOfTask(task.id),
    },
    task_services: { ...input.services },
    ...unlessEmpty('answers', input.answers ?? []),
    ...unlessEmpty('steps', task.steps),
    ...unlessEmpty('subtasks', input.subtasks ?? []),
    ...unlessEmpty('blocked_by', input.blockedBy ?? []),
    ...unlessEmpty('resources', task.resources),
    ...unlessEmpty('comments', input.comments ?? []),
    ...unlessEmpty('progress', input.progress ?? []),
    ...unlessEmpty('missing', input.missing),
    ...unlessEmpty('jobs', input.jobs ?? []),
    ...(input.group ? { group: input.group } : {}),
    ...unlessEmpty('agents', input.agents ?? []),
  };
  const { extra = {}, maxBytes = DEFAULT_CONTEXT_BYTES } = input;
  if (Object.keys(extra).length > 0) context.extra = { ...extra };
  const limit = Math.max(maxBytes, LEAST_BYTES);
  const fits = (candidate: TurnContext): boolean => contextBytes(candidate) <= limit;
  return fits(context) ? context : cutToBudget(context, fits);
}

/** The size that counts: bytes of compact JSON. */
export const contextBytes = (context: TurnContext): number =>
  new TextEncoder().encode(JSON.stringify(context)).length;

/** What can be done to a task of this room alone, as its file can be read and replaced. */
export function localServices(access: { readable: boolean; writable: boolean }): ServiceReport {
  const { readable } = access;
  const writable = readable && access.writable;
  const missing: MissingService[] = [];
  const how = 'make the file and its folder writable for the user that runs taskroom';
  if (!readable) {
    const whose = 'make it readable for the user that runs taskroom';
    missing.push({ service: 'read', what: 'the task file can not be read', how: whose });
  }
  if (!writable) {
    const why = readable ? 'the task file can not be written' : 'a file that can not be read is not written';
    missing.push({ service: 'write', what: `${why}: no status, step, progress or outcome`, how });
    missing.push({ service: 'comment', what: `${why}: no comment`, how });
  }
  return { services: { read: readable, write: writable, comment: writable }, missing };
}

/** The services for an agent with this access: with `minimal` it neither writes nor comments. */
export function withAccess({ services, missing }: ServiceReport, access: Access): ServiceReport {
  if (hasLevel(access, 'readonly')) return { services, missing };
  const what = 'this agent may look at tasks alone';
  const how = 'ask the person for another "access" in its agent.json';
  return {
    services: { ...services, write: false, comment: false },
    missing: [
      ...missing.filter(({ service }) => service === 'read'),
      { service: 'write', what, how },
      { service: 'comment', what, how },
    ],
  };
}

export interface MirrorServices {
  write: boolean;
  comment: boolean;
  missing: readonly { what: string; set: string }[];
  /** Whether the mirror trusts the author, and the author of a comment; absent while that is not known. */
  trust?: { requester: boolean; comment(author: string, role: string | null): boolean };
}

/** A flag counts only when the requester will see it upstream. @param mirror null when no chore governs the task */
export function mirroredServices(local: ServiceReport, mirror: MirrorServices | null): ServiceReport {
  const set = 'run `taskroom chores`, or `taskroom mirror unlink` it';
  const nothing = { write: false, comment: false, missing: [{ what: 'no chore mirrors this task', set }] };
  const known = mirror ?? nothing;
  const services = { ...local.services };
  const missing = [...local.missing];
  for (const service of ['write', 'comment'] as const) {
    if (known[service] || !services[service]) continue;
    services[service] = false;
    const why = known.missing.length > 0 ? known.missing : [NOT_PUSHED[service]];
    for (const { what, set } of why) missing.push({ service, what, how: set });
  }
  return { services, missing };
}

const NOT_PUSHED = {
  write: { what: 'the mirror does not push status and outcome', set: 'name them in `push:` of its chore' },
  comment: { what: 'the mirror does not push comments', set: 'name comments in `push:` of its chore' },
};

/** Where the requester looks. A `remote:` that can't be read must never make a foreign task look local. */
function originOf(task: Task): Pick<TurnContext['task'], 'provider' | 'ref'> {
  if (task.remote === null) return { provider: 'local', ref: threadOfTask(task.id!) };
  const remote = task.remote.trim().replace(/^task:/, '');
  const provider = providerOfRemote(remote);
  if (provider !== null) return { provider, ref: clip(`task:${remote}`) };
  const message = `${task.path}: remote ${JSON.stringify(clip(task.remote))} can't be read`;
  throw new RoomError('invalid_file', message, `write it like ${REMOTE_EXAMPLES}, or remove it`);
}

const unlessEmpty = <K extends string, T>(key: K, items: readonly T[]): { [P in K]?: T[] } =>
  items.length === 0 ? {} : ({ [key]: [...items] } as { [P in K]?: T[] });

const clip = (text: string): string =>
  text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME - 1).toWellFormed()}…`;
