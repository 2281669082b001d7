// One task from all sides: its file, the tasks around it, its turns.
import { existsSync } from 'node:fs';
import { isRoomError } from '../../core/errors.ts';
import { newTag, threadOfTask } from '../../core/ids.ts';
import { snakeKeys } from '../../core/plain-data.ts';
import { NOTHING_SPENT, spentJson } from '../../core/rules/budget.ts';
import { sameWords } from '../../core/rules/checks.ts';
import { readTaskText } from '../../core/task/body/body-edit.ts';
import { readComments } from '../../core/task/body/entries.ts';
import { readQuestions } from '../../core/task/body/questions.ts';
import { readSections } from '../../core/task/body/sections.ts';
import { asListed } from '../../core/task/listed-task.ts';
import { namedIfAny, titleBeside } from '../../core/task/names.ts';
import type { Task } from '../../core/task/task.ts';
import { bodyOf } from '../change/entry-change.ts';
import { checksOfTask } from '../change/gates.ts';
import {
  locateTask,
  pathOfWord,
  readGoneTask,
  readUnknownTask,
  refuseWithoutFile,
} from '../lookup/locate.ts';
import { readTaskFile } from '../observe/read-file-row.ts';
import type { Snapshot } from '../observe/snapshot.ts';
import { chooseTask, isWaiting, takeSnapshot, takeSnapshotAround } from '../observe/snapshot.ts';
import { readAgentProblems, readAgentWaits, taskSpending } from '../obstacles.ts';
import type { Candidate } from '../references.ts';
import { chooseByWord, findByRef, idOfRef, namesOfTask, namesOfWord, throughIssue } from '../references.ts';
import type { TaskDetail } from '../shapes/task.ts';
import type { RoomHandle, TaskRoom } from '../task-room.ts';
import { turnsOn } from '../turns/turn-views.ts';
import { viewOf } from './around.ts';
import { inOrder } from './room-index.ts';
import { archivedTasks, changedMs } from './text-search.ts';
import { type BeforeTurn, contextOf, surroundingsOf } from './turn-context.ts';
import { addFacts, readTurnFactsOf } from './turn-facts.ts';
import { circleThrough, readWhyNot } from './why-not.ts';

const TURNS_SHOWN = 5;

/** Everything about one task. @throws RoomError `not_found`, `ambiguous`, `invalid_file`; an archived one is read where it lies */
export async function showTask(deps: RoomHandle, ref: string): Promise<TaskDetail> {
  const { snapshot, task, text, lies } = await readWithSurroundings(deps, ref);
  const { tasks } = deps.ledger;
  const body = bodyOf(task.path, text);
  const { blockedBy, subtasks, blocks } = surroundings(deps, snapshot, task);
  const memory = task.id === null ? null : tasks.get(task.id);
  const listed = asListed(task, changedMs(deps.room.at(task.path)));
  const view = addFacts(listed, readTurnFactsOf(deps, task.id), isWaiting(snapshot, listed));
  const open = blockedBy.filter(({ status }) => status !== 'done');
  const blockers = open.map(
    ({ ref, name, title, status }) => `${title ?? name ?? ref} (${status ?? 'unknown'})`,
  );
  const circle = circleThrough(snapshot.tasks, task.name);
  const wait = readAgentWaits(deps).of(task.owner ?? deps.config().defaultAgent);
  const agentProblem = (await readAgentProblems(deps))(task.owner, task.id);
  const around = { blockers, circle, agentProblem, wait };
  return {
    ...view,
    why_not: lies === 'history' ? null : readWhyNot(deps, view, around),
    thread_id: task.id === null ? null : threadOfTask(task.id),
    steps: { ...view.steps, list: task.steps },
    resources: task.resources,
    ...{
      created_by: task.createdBy,
      completed_by: task.completedBy,
      base: task.base,
      repositories: task.repositories,
    },
    ...{ blockers: blockedBy, subtasks, blocks },
    ...{ archived: lies === 'archive', deleted: lies === 'history' },
    comments: readComments(body).map(({ author, role, at, text }) => ({ author, role, at, text })),
    questions: readQuestions(body).map(viewOf),
    turns:
      task.id === null ? [] : turnsOn(deps, threadOfTask(task.id), { pending: true, limit: TURNS_SHOWN }),
    attempts: memory?.attempts ?? 0,
    used: spentJson(task.id === null ? NOTHING_SPENT : taskSpending(deps, task.id)),
    budget: task.budget ?? deps.config().budgets.perTask,
    odd: task.oddKeys ?? [],
    remote: remoteOf(deps, task),
    pull_requests: task.id === null ? [] : deps.ledger.pulls.of(task.id).map(({ seen }) => seen),
    checks: snakeKeys(checksOf(deps, task)) as TaskDetail['checks'],
    ...{ body, text },
    ...textParts(body),
  };
}

/** What a turn on the task would be given now. Throws as `showTask`, and `bad_input` for a task without an id. */
export async function showContext(deps: RoomHandle, ref: string) {
  const { snapshot, task, text, lies } = await readWithSurroundings(deps, ref);
  if (lies === 'history') throw refuseWithoutFile(deps, { ...task, path: null });
  return contextOf(
    deps,
    task,
    text,
    newTag(deps.effects.randomBytes),
    before(deps, task),
    surroundings(deps, snapshot, task),
  );
}

/** What a turn would be told of checks now. */
function before(deps: RoomHandle, task: Task): BeforeTurn {
  if (task.id === null) return { bridge: null };
  const commands = checksOfTask(deps, task.id, task.owner);
  if (commands.length === 0) return { bridge: null };
  const newest = deps.ledger.checks.newest(task.id);
  const hasFailed = newest?.state === 'failed' || newest?.state === 'gave_up';
  const failed = hasFailed ? (newest.results.at(-1) ?? null) : null;
  const failures = newest?.state === 'failed' ? newest.failures : 0;
  return { bridge: null, checks: { commands, failed, failures, maxRounds: deps.config().maxCheckRounds } };
}

function remoteOf(deps: RoomHandle, { id, remote }: Task): TaskDetail['remote'] {
  const row = id === null ? null : deps.ledger.mirrors.listed(id);
  if (row === null)
    return remote === null ? null : { ref: remote, url: null, chore: null, state: null, message: null };
  const { provider, ref, url, chore, state, message } = row;
  return { ref: `${provider}:${ref}`, url, chore, state, message };
}

interface Found {
  task: Task;
  text: string;
  snapshot: Snapshot; // Of the whole room, or of the task and those around it.
  /** Where it was found when not in tasks/: moved there when it was finished, or all that is left of it. */
  lies?: 'archive' | 'history';
}

/** A word that leads straight to a file takes a look at that one and those around it, any other at all of them. */
async function readWithSurroundings(deps: RoomHandle, ref: string): Promise<Found> {
  if (deps.ledger.meta.wasLookedAt() && pathOfWord(deps, ref) !== null) {
    const { id, task, text } = await locateTask(deps, ref);
    const own = { ...task, id };
    return { task: own, text, snapshot: await takeSnapshotAround(deps, own) };
  }
  const snapshot = await takeSnapshot(deps);
  const found = await findAnywhere(deps, throughIssue(deps.ledger, ref), snapshot);
  if ('text' in found) return { ...found, snapshot, lies: 'history' };
  const archived = found.path === null ? archivedPath(deps, found) : null;
  const path = found.path ?? archived;
  if (path === null) {
    const gone = readGoneTask(deps, found);
    if (gone === null) throw refuseWithoutFile(deps, found);
    return { ...gone, snapshot, lies: 'history' };
  }
  const { task, text } = await readTaskFile(deps, path);
  // The snapshot knows whether the id is this file's own.
  const own = { ...task, id: found.id as Task['id'] };
  return { task: own, text, snapshot, ...(path.startsWith('archive/') ? { lies: 'archive' as const } : {}) };
}

/** Where it was archived to, while it still lies there. */
function archivedPath(deps: RoomHandle, { id }: Candidate): string | null {
  const path = deps.ledger.tasks.get(id ?? '')?.archived ?? null;
  return path !== null && existsSync(deps.room.at(path)) ? path : null;
}

/** As `chooseTask`, with what archive and history tell of though the ledger does not (in a fresh clone, say). */
async function findAnywhere(deps: RoomHandle, word: string, snapshot: Snapshot) {
  try {
    return await chooseTask(deps, word, snapshot);
  } catch (error) {
    if (!isRoomError(error, 'not_found')) throw error;
    const archived = archivedTasks(deps).filter(
      ({ id, name }) => id === idOfRef(word) || namesOfWord(word).includes(name),
    );
    if (archived.length > 0) return chooseByWord(word, archived);
    const gone = readUnknownTask(deps, word);
    if (gone === null) throw error;
    return gone;
  }
}

function surroundings({ ledger }: TaskRoom, snapshot: Snapshot, task: Task) {
  const words = new Set(namesOfTask(ledger, task.id, task.name));
  const others = inOrder(
    snapshot.tasks.filter(({ path }) => path !== task.path),
    ledger.tasks.firstSeen,
  );
  const isNamed = (ref: string | null) => ref !== null && words.has(idOfRef(ref));
  const children = others.filter(({ parent }) => isNamed(parent));
  // A linked subtask counts also when its file is archived.
  const around = surroundingsOf(task, children, (ref) => snapshot.find(ref) ?? findByRef(ledger, ref));
  const waiting = others.filter(({ blocked_by }) => blocked_by.some(isNamed));
  return {
    subtasks: around.subtasks.map((each): TaskDetail['subtasks'][number] => {
      const title = (snapshot.find(each.id) ?? ledger.tasks.get(each.id))?.title;
      return { ...each, ...titleBeside({ title, name: each.name }) } as TaskDetail['subtasks'][number];
    }),
    blockedBy: task.blockedBy.map((ref): TaskDetail['blockers'][number] => {
      const named = namedIfAny(snapshot.find(ref));
      return { ref, ...named, status: snapshot.statusOf(ref) };
    }),
    blocks: waiting.map((task) => {
      const { id, name, status } = task;
      return { id: id ?? name, name, ...titleBeside(task), status };
    }),
  };
}

/** A text in its parts, for those who show it part by part. @param body what stands below the front matter */
export function textParts(body: string) {
  const { sections, foreign, preamble } = readSections(body);
  const hasTask = sections.some(({ name, known }) => known && name === 'Task');
  const others = sections.filter(({ name, known }) => !(known && name === 'Task'));
  const above = hasTask && foreign === null ? body.slice(preamble.start, preamble.end).trim() : '';
  return {
    task_text: readTaskText(body),
    is_foreign: foreign !== null,
    sections: [
      ...(above === '' ? [] : [{ name: '', text: above }]),
      ...others.map(({ name, contentStart, end }) => ({ name, text: body.slice(contentStart, end).trim() })),
    ],
  };
}

/** What decides whether a done of the task counts, and how that went last; null for a task that no check is asked of. */
function checksOf(deps: RoomHandle, task: Task) {
  const { ledger } = deps;
  const written = task.checks ?? [];
  if (task.id === null)
    return written.length === 0 ? null : { commands: written, unconfirmed: [], last: null };
  const commands = checksOfTask(deps, task.id, task.owner);
  const said = ledger.saidWords.get(`task:${task.id}`);
  // Not confirmed: it is not known that a person wrote it.
  const isUnconfirmed = said !== null && !sameWords(said.said, said.seen);
  const unconfirmed = isUnconfirmed ? written.filter((command) => !commands.includes(command)) : [];
  const newest = ledger.checks.newest(task.id);
  if (commands.length + unconfirmed.length === 0 && newest === null) return null;
  if (newest === null) return { commands, unconfirmed, last: null };
  const { turn, state, failures, results } = newest;
  return { commands, unconfirmed, last: { turn, state, failures, results } };
}
