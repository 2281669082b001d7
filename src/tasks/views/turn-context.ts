// What a turn of a task is given, and the prompt made of it: the facts of its file, and of the tasks around it.
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Access } from '../../core/config/agent-config.ts';
import type { ServiceReport } from '../../core/context/context.ts';
import { buildContext, localServices, mirroredServices, withAccess } from '../../core/context/context.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { buildPrompt, type PromptOptions, type Shown, trustOfComment } from '../../core/context/prompt.ts';
import type { PromptChecks } from '../../core/context/services-section.ts';
import {
  agentsSection,
  checksSection,
  faceOf,
  groupSection,
  jobsSection,
} from '../../core/context/services-section.ts';
import { parseDocument } from '../../core/document/document.ts';
import { valueOr } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { hasLevel } from '../../core/rules/access.ts';
import { type CommentEntry, readComments, readProgress } from '../../core/task/body/entries.ts';
import type { ListedTask } from '../../core/task/listed-task.ts';
import { unknownKeys } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { invalidFile } from '../observe/read-file-row.ts';
import { findByRef, namesOfTask } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import { folderOf } from './agent-folder.ts';
import { type Around, newAnswers, readAround, withOutcomes } from './around.ts';

/** The tasks around one: what it waits for, and its subtasks. */
export interface Surroundings {
  blockedBy: NonNullable<TurnContext['blocked_by']>;
  subtasks: NonNullable<TurnContext['subtasks']>;
}

export interface BeforeTurn
  extends Pick<PromptOptions, 'bridge' | 'face' | 'access' | 'attempt' | 'wroteNothing'> {
  cwd?: string; // Absolute path of the folder its agent works in; as its settings say when absent.
  checks?: PromptChecks;
}

/** The context and the prompt of a turn on this task, which was read from `text`; `around` is what the ledger knows when absent.
 * @throws RoomError `bad_input` for a task without an id, `invalid_file` for a `remote:` that can't be read */
export function contextOf(
  deps: TaskRoom,
  task: Task,
  text: string,
  tag: string,
  turn: BeforeTurn = { bridge: null },
  around: Surroundings | null = null,
): { context: TurnContext; prompt: string } {
  const { ledger } = deps;
  const parent = namesOfTask(ledger, task.id, task.name);
  const found = around ?? surroundingsOf(task, ledger.tasks.all({ parent }), (ref) => findByRef(ledger, ref));
  const agent = task.owner ?? deps.config().defaultAgent;
  const settings = deps.agents().get(agent);
  // What takes the turn may be another than its owner: then the turn says so.
  const access = turn.access ?? settings?.access ?? 'full';
  const face = faceOf(settings);
  const more = readAround(deps, task, agent);
  const { group, jobs } = more;
  const agents = hasLevel(access, 'readonly') ? more.agents : [];
  const { context, shown } = shownContext(deps, task, text, found, access, more);
  const { checks, cwd = folderOf(deps, settings, threadOfTask(task.id!)), ...said } = turn;
  const mirror = ledger.mirrors.get(task.id!);
  const prompt = buildPrompt(context, {
    ...{ tag, room: deps.room.dir, cwd, agent, access, face },
    // Where the requester looks.
    ...(mirror !== null && { issue: mirror.url ?? `${mirror.provider}:${mirror.ref}` }),
    ...said,
    rules: [
      ...(settings?.workspace ? workspaceRule(deps.ledger.workspaces.of(task.id!)) : []),
      ...(checks === undefined ? [] : [checksSection(checks, tag)]),
      ...(jobs.length === 0 ? [] : [jobsSection(jobs, tag, face)]),
      ...(agents.length === 0 ? [] : [agentsSection(agents, agent)]),
      ...(group === null ? [] : [groupSection(group, tag, face)]),
    ],
    ...shown,
  });
  return { context, prompt };
}

/** What there is to say of a task, and how its texts are to be shown. Throws as `contextOf`. */
export function shownContext(
  deps: TaskRoom,
  task: Task,
  text: string,
  around: Surroundings,
  access: Access = 'full',
  more: Partial<Around> = {},
): { context: TurnContext; shown: Shown } {
  const parsed = parseDocument(text, task.path);
  if (!parsed.ok) throw invalidFile(task.path, parsed.problems);
  const body = text.slice(parsed.doc.bodyStart);
  const answered = newAnswers(deps.ledger, task, body);
  const entries = readComments(body);
  const trusted = trustOf(deps, task, entries);
  const context = buildContext({
    task,
    body,
    comments: entries.map((entry) => {
      const { author, role, at, text } = entry;
      return { author, role, at, text, trust: trustOfComment(entry, task.remote === null, trusted) };
    }),
    answers: answered?.answers ?? [],
    progress: readProgress(body).map(({ at, text: said }) => (at === null ? said : `${at} · ${said}`)),
    subtasks: withOutcomes(deps, around.subtasks),
    blockedBy: around.blockedBy,
    extra: unknownKeys(parsed.doc),
    ...more,
    ...withAccess(servicesOf(deps, task), access),
  });
  const passages = answered === null ? {} : { answers: answered.passages };
  return { context, shown: { path: task.path, ...trusted, ...passages } };
}

/** Branches are named by us: nothing of anybody's stands in that name but safe signs. */
function workspaceRule([row, ...more]: ReturnType<TaskRoom['ledger']['workspaces']['of']>): string[] {
  if (row === undefined) return [];
  const place =
    row.name === ''
      ? "Your folder is a git worktree of this task's own"
      : `Your workspace holds git worktrees of this task's own: ${[row, ...more].map(({ name }) => `\`${name}\``).join(', ')}. Each is`;
  return [
    `## Workspace
${place}, on the branch ${row.branch}. Commit there what is to be kept: work that is not committed reaches nobody. Stay on that branch and do not push it; a later turn finds all as you leave it.`,
  ];
}

/** Who wrote a mirrored task and its comments: what our own tools said here is known by its entry, not by a name. */
function trustOf(
  deps: TaskRoom,
  task: Task,
  entries: readonly CommentEntry[],
): Pick<PromptOptions, 'trustIn'> {
  if (task.id === null) return {};
  const mirror = task.remote === null ? null : deps.mirrorServices?.(task.id);
  if (!mirror) return trustOfReviews(deps, task.id, entries);
  const spoken = deps.ledger.postedComments.among(entries.map(({ id }) => id));
  const ours = entries.filter(({ id }) => spoken.has(id)).map(keyOfComment);
  const others = new Set(entries.filter(({ id }) => !spoken.has(id)).map(keyOfComment));
  // What two people said alike at one moment is nobody's of ours.
  const said = new Set(ours.filter((key) => !others.has(key)));
  return {
    trustIn: {
      requester: mirror.trust?.requester ? 'member' : 'stranger',
      comment(comment) {
        const { author, role } = comment;
        if (said.has(keyOfComment(comment))) return author === 'owner' ? 'person' : 'agent';
        return mirror.trust?.comment(author, role) ? 'member' : 'stranger';
      },
    },
  };
}

/** In a local task: what trusted people said of its pull requests is known by its entry. */
function trustOfReviews({ ledger }: TaskRoom, task: TaskId, entries: readonly CommentEntry[]) {
  const pulls = ledger.pulls.of(task);
  if (pulls.length === 0) return {};
  const told = pulls.flatMap(({ provider, talk }) =>
    talk.told.filter((key) => !key.startsWith('check:')).map((key) => `${provider}:${key}`),
  );
  const trust = entries
    .filter(({ id }) => pulls.some(({ provider }) => id.startsWith(`${provider}:`)))
    .map((entry) => [keyOfComment(entry), told.includes(entry.id) ? 'member' : 'stranger'] as const);
  const known = new Map(trust);
  const comment = (said: Comment) => known.get(keyOfComment(said)) ?? null;
  return { trustIn: { requester: 'person' as const, comment } };
}

type Comment = Parameters<NonNullable<PromptOptions['trustIn']>['comment']>[0];

const keyOfComment = ({ author, role, at, text }: Comment): string =>
  JSON.stringify([author, role, at, text]);

function servicesOf(deps: TaskRoom, task: Task): ServiceReport {
  if (!task.path.startsWith('tasks/')) return NOT_THERE;
  const path = deps.room.at(task.path);
  const local = localServices({
    readable: isAllowed(path, constants.R_OK),
    // A file is replaced, not written into: its folder must take a new one.
    writable: isAllowed(dirname(path), constants.W_OK),
  });
  if (task.remote === null) return local;
  return mirroredServices(local, task.id === null ? null : (deps.mirrorServices?.(task.id) ?? null));
}

const ITS_FILE = {
  what: 'its file is not in tasks/ any more',
  how: 'the person can put it back there to go on with it',
};

/** Of a task that is archived or deleted. */
const NOT_THERE: ServiceReport = {
  services: { read: true, write: false, comment: false },
  missing: [
    { service: 'write', ...ITS_FILE },
    { service: 'comment', ...ITS_FILE },
  ],
};

/** What a task waits for, and its subtasks: those of this parent, and those that its steps name as the file says now. */
export function surroundingsOf(
  task: Task,
  children: readonly Pick<ListedTask, 'id' | 'name' | 'status' | 'owner'>[],
  find: (ref: string) => Pick<ListedTask, 'id' | 'name' | 'status' | 'owner'> | null,
): Surroundings {
  const linked = task.steps.flatMap((step) => (step.task && find(step.task)) || []);
  const subtasks = new Map(
    [...children, ...linked].map(({ id, name, status, owner }) => {
      return [id ?? name, { id: id ?? name, name, status, owner }];
    }),
  );
  if (task.id !== null) subtasks.delete(task.id);
  const blockedBy = task.blockedBy.map((ref) => {
    const other = find(ref);
    return { ref, name: other?.name ?? null, status: other?.status ?? null };
  });
  return { blockedBy, subtasks: [...subtasks.values()] };
}

const isAllowed = (path: string, mode: number) => valueOr(false, () => accessSync(path, mode) === undefined);
