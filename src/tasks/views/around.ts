// The work around a task as its turn is told: its group, its agent's jobs, the other agents, outcomes of its subtasks; and the answers
// that no turn has dealt with yet, with who stands behind each.
import type { TurnContext } from '../../core/context/context-shape.ts';
import type { Fenced, Trust } from '../../core/context/fence.ts';
import { answerPassages } from '../../core/context/prompt.ts';
import type { AroundAgent, AroundJob, GroupTask, TaskGroup } from '../../core/context/services-section.ts';
import { parseDocument } from '../../core/document/document.ts';
import { threadOfTask } from '../../core/ids.ts';
import { readArtifact } from '../../core/task/artifact.ts';
import { readOutcome } from '../../core/task/body/entries.ts';
import { type Answer, answerMark, type Question, readQuestions } from '../../core/task/body/questions.ts';
import { artifactNameOf, compareNames } from '../../core/task/names.ts';
import type { Task } from '../../core/task/task.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import { readText } from '../observe/take-in.ts';
import { findByRef, subtasksOf } from '../references.ts';
import type { QuestionView } from '../shapes/task.ts';
import type { TaskRoom } from '../task-room.ts';
import { tailOfOutput } from '../turns/turn-output.ts';
import { inOrder } from './room-index.ts';

export type Around = { group: TaskGroup | null; jobs: AroundJob[]; agents: AroundAgent[] };

const MAX_LISTED = 12;
const MAX_OUTCOMES = 20;
const OUTCOME_CHARS = 600;
const JOB_OUTPUT_BYTES = 1_500;

/** @param agent id of the one that takes the turn */
export function readAround(deps: TaskRoom, task: Task, agent: string): Around {
  const { agents, ledger, room } = deps;
  const all = [...agents().values()].sort((a, b) => compareNames(a.id, b.id));
  // Of an agent without task tools nobody else can be given work.
  const isAlone = all.length < 2 || agents().get(agent)?.tasks === false;
  const { id } = task;
  // Those that run, and those whose end its agent was not told of.
  const active = ledger.jobs.active().filter((job) => job.task === id);
  const jobs = id === null ? [] : [...ledger.jobs.untold(id), ...active];
  return {
    group: groupOf(deps, task),
    jobs: jobs.map((job) => ({
      id: job.id,
      description: job.description,
      state: job.state,
      message: job.message,
      output: job.endedAt === null ? '' : tailOfOutput(room, job.id, JOB_OUTPUT_BYTES),
    })),
    agents: isAlone
      ? []
      : all.map((each) => ({ id: each.id, name: each.name, by: each.preset ?? each.runner })),
  };
}

/** The first that the task names of scope, document, sprint and parent, else what one thread made; null where it stands alone. */
function groupOf(deps: TaskRoom, task: Task): TaskGroup | null {
  for (const kind of ['scope', 'artifact', 'sprint', 'parent'] as const) {
    const name = task[kind]?.trim();
    if (!name) continue;
    const tasks = (kind === 'parent' ? siblingsOf(deps, name) : tasksNaming(deps, kind, name)).filter(
      ({ status }) => status !== 'canceled',
    );
    if (tasks.length < 2) continue;
    return summed(deps, kind, name, tasks, task.id);
  }
  const { id } = task;
  if (id === null) return null;
  // The todos that the task's own turns made; else those made by the turns of another task that made it too.
  const { makers } = deps.ledger;
  const maker = makers.get(id)?.thread ?? null;
  const isCounted = ({ status }: Task) => status !== 'canceled';
  const own = readTasks(deps, makers.tasksOf(threadOfTask(id))).filter(isCounted);
  if (own.length > 0) return summed(deps, 'made', 'by turns of this task', own, id);
  const others = maker === null ? [] : readTasks(deps, makers.tasksOf(maker)).filter(isCounted);
  return others.length < 2 ? null : summed(deps, 'made', 'together with this task', others, id);
}

function readTasks({ ledger }: TaskRoom, ids: readonly string[]): Task[] {
  return ids.flatMap((id) => {
    const path = ledger.tasks.get(id)?.path ?? null;
    const row = path === null ? null : ledger.files.get(path);
    return row?.reading.ok ? [row.reading.task] : [];
  });
}

function tasksNaming({ ledger }: TaskRoom, kind: 'scope' | 'artifact' | 'sprint', name: string): Task[] {
  const plain = (value: string) => (kind === 'artifact' ? artifactNameOf(value) : value.trim());
  return ledger.files
    .naming(kind)
    .flatMap(({ reading }) => (reading.ok ? [reading.task] : []))
    .filter((task) => task[kind] !== null && plain(task[kind]) === plain(name));
}

function siblingsOf(deps: TaskRoom, parent: string): Task[] {
  const { ledger } = deps;
  const memory = findByRef(ledger, parent);
  const subtasks = memory === null ? [] : subtasksOf(ledger, memory);
  return readTasks(
    deps,
    subtasks.map(({ id }) => id),
  );
}

function summed(
  deps: TaskRoom,
  kind: TaskGroup['kind'],
  name: string,
  tasks: readonly Task[],
  own: string | null,
): TaskGroup {
  const titles = new Map<string, string>();
  const shown = (task: Task): GroupTask => ({
    id: task.id ?? '',
    name: task.title ?? task.name,
    status: task.status,
    artifact: task.artifact === null ? null : titleOf(deps, artifactNameOf(task.artifact), titles),
    own: task.id === own,
  });
  const ordered = inOrder(tasks, deps.ledger.tasks.firstSeen);
  const active = ordered.filter(({ status }) => status === 'doing');
  const pending = ordered.filter(({ status }) => status === 'todo');
  return {
    kind,
    name,
    done: tasks.filter(({ status }) => status === 'done').length,
    total: tasks.length,
    active: active.slice(0, MAX_LISTED).map(shown),
    pending: pending.slice(0, MAX_LISTED).map(shown),
    more: Math.max(0, active.length - MAX_LISTED) + Math.max(0, pending.length - MAX_LISTED),
  };
}

/** What a document calls itself; its name where it says nothing, or can't be read. */
function titleOf(deps: TaskRoom, name: string, known: Map<string, string>): string {
  const before = known.get(name);
  if (before !== undefined) return before;
  const path = `artifacts/${name}.md`;
  const text = name.includes('/') ? null : readText(deps.room.at(path));
  const reading = text === null ? null : readArtifact(path, text);
  const title = reading?.ok ? (reading.artifact.title ?? name) : name;
  known.set(name, title);
  return title;
}

/** The subtasks with the last words of what the finished ones came to. */
export function withOutcomes(deps: TaskRoom, subtasks: NonNullable<TurnContext['subtasks']>) {
  let left = MAX_OUTCOMES;
  return subtasks.map((subtask) => {
    if (subtask.status !== 'done' || left <= 0) return subtask;
    left -= 1;
    const outcome = outcomeOf(deps, subtask.id);
    return outcome === null ? subtask : { ...subtask, outcome };
  });
}

function outcomeOf(deps: TaskRoom, id: string): string | null {
  const memory = deps.ledger.tasks.get(id);
  const path = memory?.path ?? memory?.archived ?? null;
  const text = path === null ? null : readText(deps.room.at(path));
  if (path === null || text === null) return null;
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const said = readOutcome(text.slice(parsed.doc.bodyStart)).at(-1)?.text.trim() ?? '';
  if (said === '') return null;
  return said.length <= OUTCOME_CHARS ? said : `${said.slice(0, OUTCOME_CHARS).toWellFormed()}…`;
}

type AnsweredQuestion = NonNullable<TurnContext['answers']>[number];

const MAX_ANSWER = 8_000; // Of one answer, and of all; what is left out stands in the file.
const MAX_ALL = 16_000;

export interface NewAnswers {
  answers: AnsweredQuestion[];
  passages: Fenced[]; // As prompt and brief show them.
}

/** Null where there is nothing new. */
export function newAnswers(ledger: Ledger, { id }: Pick<Task, 'id'>, body: string): NewAnswers | null {
  const news = id === null ? [] : ledger.questions.news(id);
  if (news.length === 0) return null;
  const questions = new Map(readQuestions(body).map((question) => [question.key, question]));
  const trust = new Map<string, Trust[]>();
  let left = MAX_ALL;
  const answers = news.flatMap(({ key, author, at, text, isWithdrawn, isUnsure }): AnsweredQuestion[] => {
    const question = questions.get(key);
    if (isWithdrawn) return [{ key, question: { author, at, text }, answers: [], withdrawn: true }];
    if (question === undefined) return [];
    trust.set(key, trustOfAnswers(ledger, question, isUnsure));
    const given = viewOf(question).answers.map((answer) => {
      const shown = clip(answer.text, Math.min(MAX_ANSWER, left));
      left -= Math.min(left, shown.length);
      return { ...answer, text: shown };
    });
    const asked = { author: question.author, at: question.at, text: clip(question.text, MAX_ANSWER) };
    return [{ key, question: asked, answers: given, withdrawn: false }];
  });
  return {
    answers,
    passages: answerPassages(answers, ({ key }, index) => trust.get(key)?.[index] ?? 'unsure'),
  };
}

export function viewOf({ key, author, at, text, answers }: Question): QuestionView {
  return {
    ...{ key, author, at, text },
    answers: answers.map((answer) =>
      answer.kind === 'typed'
        ? { author: null, role: null, at: null, text: answer.text }
        : { author: answer.author, role: answer.role, at: answer.at, text: answer.text },
    ),
  };
}

/** What a tool or the sync wrote for somebody is known by its entry, never by the name in it. */
function trustOfAnswers(ledger: Ledger, { answers }: Question, isUnsure: boolean): Trust[] {
  const marks = answers.map((answer) => (answer.kind === 'entry' ? answerMark(answer.id) : ''));
  const said = ledger.postedComments.among(marks);
  return answers.map((answer: Answer, index): Trust => {
    if (answer.kind === 'typed') return isUnsure ? 'unsure' : 'person';
    if (!said.has(marks[index]!)) return 'unsure';
    // Those of a mirror carry its provider's name; a login there may well be "owner".
    return answer.id.includes(':') ? 'member' : 'person';
  });
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}\n[taskroom: cut here to keep this short; the task file has all of it]`;
}
