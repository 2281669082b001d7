// A task as every face shows it: a row of a list, and all of it; and a list of tasks: what narrows it, and what it answers.
import * as z from 'zod';
import { pullRequest } from '../../core/review-shapes.ts';
import {
  count,
  flag,
  instant,
  list,
  named,
  optional,
  orNull,
  priority,
  problem,
  status,
  taskId,
  text,
  titleIfAny,
  turnId,
  unreadable,
  words,
} from '../../core/shapes.ts';
import { keyShapes } from '../../core/task/key-shapes.ts';
import { STATUSES } from '../../core/task/status.ts';
import type { FilterKey, FilterName } from '../../core/task/task-keys.ts';
import { FILTER_KEYS, factsOf, LISTED_KEYS } from '../../core/task/task-keys.ts';
import { spent, turnAnswer } from './turn.ts';

export const whyNot = named(
  'WhyNot',
  () => ({ reason: text(), text: text(), hint: text().nullable() }),
  'Why a task has no turn now, and what would change that.',
);

const oneStatus = () => z.enum(STATUSES);
const name = text;

const fields = () => ({
  ...keyShapes(LISTED_KEYS),
  id: orNull(taskId(), 'null until the runtime has given one'),
  ...{ name: name(), path: text() },
  blocked: flag('an open task with a blocker that is not done'),
  running: orNull(turnId(), 'the turn that runs now'),
  pending: flag('a turn is asked for'),
  held: flag('it waits for `taskroom run --all`'),
  retry_at: orNull(instant(), 'when a failed turn is tried again'),
  parked_until: orNull(
    instant(),
    "its turn is asked for and waits until then, for its agent's usage limit or a budget of the day",
  ),
  nothing_written: flag('its last turn ended well and wrote nothing, and it is open'),
  why_not: whyNot().nullable(),
  finished_at: orNull(instant(), 'when it was seen to be done or canceled'),
  waiting: flag('for an answer to a question'),
  own_status: optional(text(), 'the status of the room’s own that its file says, which counts as `status`'),
});

export const taskRow = named('Task', () => ({
  ...fields(),
  steps: z.strictObject({ done: count(), total: count() }),
  archived: z.boolean().exactOptional(),
}));

export type TaskRow = z.output<ReturnType<typeof taskRow>>;

export const question = named('Question', () => ({
  ...{ key: text(), author: text() },
  at: text('`YYYY-MM-DD HH:MM` in UTC'),
  text: text(),
  answers: list(
    z.strictObject({
      author: orNull(text(), 'null for what was typed by hand'),
      ...{ role: text().nullable(), at: text().nullable(), text: text() },
    }),
    'empty while it is open',
  ),
}));

const checks = named('Checks', () => ({
  commands: z.array(text()),
  unconfirmed: list(text(), 'what the file says that does not count'),
  last: orNull(
    z.strictObject({
      turn: text(),
      state: z.enum(['open', 'held', 'passed', 'failed', 'gave_up', 'waived']),
      failures: count(),
      results: z.array(
        z.strictObject({
          command: text(),
          ended: z.enum(['ok', 'exit', 'timed_out', 'output_limit', 'unstarted', 'stopped']),
          ...{ exit_code: z.int().nullable(), took_ms: z.number(), output: text() },
        }),
      ),
    }),
    'of the newest turn that had checks',
  ),
}));

const remote = named(
  'RemoteSide',
  () => ({
    ...{ ref: text(), url: text().nullable() },
    chore: orNull(text(), 'that governs the mirror; null when nothing follows it'),
    ...{ state: text().nullable(), message: text().nullable() },
  }),
  'The issue that a task mirrors.',
);

const detail = () => ({
  ...fields(),
  thread_id: text().nullable(),
  steps: z.strictObject({
    ...{ done: count(), total: count() },
    list: z.array(
      z.strictObject({ title: text(), details: text(), done: z.boolean(), task: text().nullable() }),
    ),
  }),
  ...keyShapes(['resources', 'created_by', 'completed_by', 'budget', 'base', 'repositories']),
  blockers: z.array(
    z.strictObject({
      ...{ ref: text(), name: text().nullable(), title: titleIfAny(), status: oneStatus().nullable() },
    }),
  ),
  subtasks: list(
    z.strictObject({
      id: text(),
      name: name(),
      title: titleIfAny(),
      status: oneStatus(),
      owner: text().nullable(),
    }),
    'those whose `parent` it is, and those its steps are linked to',
  ),
  blocks: list(
    z.strictObject({ id: text(), name: name(), title: titleIfAny(), status: oneStatus() }),
    'the tasks that wait for it',
  ),
  archived: z.boolean(),
  deleted: flag('this is what the attic or the history kept of it'),
  comments: z.array(z.strictObject({ author: text(), role: text().nullable(), at: text(), text: text() })),
  questions: z.array(question()),
  turns: list(turnAnswer(), 'pending ones first, then the newest; jobs among them'),
  attempts: count(),
  used: spent().meta({ description: 'since it began, or was last resumed' }),
  odd: list(problem(), 'what in its file is read as text, and may have meant more'),
  remote: remote().nullable(),
  pull_requests: z.array(pullRequest()),
  checks: checks().nullable(),
  body: text(),
  text: text('the whole file'),
  task_text: text('what stands under Task: what `body` of a change replaces'),
  is_foreign: flag('that text is a tracker’s'),
  sections: list(z.strictObject({ name: text(), text: text() }), 'the other sections'),
});

export const taskDetail = named('TaskDetail', detail);

export type QuestionView = z.output<ReturnType<typeof question>>;
export type TaskDetail = z.output<ReturnType<typeof taskDetail>>;
type Shapes = typeof SHAPES;
type ShapeOf<K extends FilterKey> = K extends keyof Shapes ? Shapes[K] : typeof text;

const SHAPES = { status: () => words(status()), priority: () => words(priority()) };

const keyFilters = () =>
  Object.fromEntries(
    FILTER_KEYS.map((key) => {
      const { as, about } = factsOf(key).filter!;
      const shape = SHAPES[key as keyof Shapes] ?? text;
      return [as, optional(shape(), about)];
    }),
  ) as unknown as {
    [K in FilterKey as FilterName<K>]: z.ZodExactOptional<ReturnType<ShapeOf<K>>>;
  };

export const whichTasks = () => {
  const { status: _, ...filters } = keyFilters();
  return filters;
};

export const SORT_KEYS = ['due', 'priority', 'status', 'name', 'created', 'finished'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** What decides whether a task is listed, and where. */
const filters = () => ({
  ...keyFilters(),
  text: optional(
    text(),
    'only tasks that fit `status:todo`, `label:web`, `due:<friday`, `@agent`, `#label` and the like, and hold all other words in name, title, id or text; archived ones too',
  ),
  ready: optional(flag(), 'only tasks that a turn could start on now'),
  sort: optional(z.enum(SORT_KEYS), `by ${SORT_KEYS.join(', ')}`),
});

export type ListFilter = z.output<z.ZodObject<ReturnType<typeof filters>>>;

export const MOST_IDS = 100;

export const listInput = () =>
  z.strictObject({
    ...filters(),
    all: optional(flag(), 'finished tasks, too; of itself where a status is named'),
    ids: optional(
      words(text().min(1)),
      `only these, at most ${MOST_IDS}, in no order; one that is not there is left out. No filter beside it`,
    ),
    since: optional(
      text(),
      'what changed since that `version` of an earlier answer, everything where it is empty; no filter beside it',
    ),
    limit: optional(z.int().min(1), 'at most this many'),
    offset: optional(count(), 'where a page begins: `next_offset` of the one before'),
    agents: optional(flag(), 'with the agents of the room, and the ids of the tasks that have a turn now'),
    turns: optional(flag(), 'with the turns that run'),
  });

export type ListInput = z.output<ReturnType<typeof listInput>>;

export const agentAnswer = named('Agent', () => ({
  ...{ id: text(), name: text(), runner: text(), access: text(), is_default: z.boolean() },
  ...{ waits_until: instant().nullable(), taken_by: text().nullable() },
  limit: orNull(z.int(), 'turns of it at once'),
  ...{ preset: text().nullable(), model: text().nullable() },
  fallback: orNull(text(), 'who takes over while it must wait'),
  budget: keyShapes(['budget']).budget.meta({ description: 'what its turns of a day may use' }),
  today: spent().meta({ description: 'what its turns that began today used' }),
}));

export type AgentJson = z.output<ReturnType<typeof agentAnswer>>;

export const listAnswer = named('TaskList', () => ({
  tasks: z.array(taskRow()),
  agents: z.array(agentAnswer()).optional(),
  statuses: z
    .record(text(), oneStatus())
    .optional()
    .meta({
      description:
        'the statuses of the room’s own, with `agents` or `since`, where there are any: what each counts as',
    }),
  in_flight: z.array(text()).optional().meta({ description: 'ids of the tasks that have a turn now' }),
  turns: z.array(turnAnswer()).optional(),
  invalid: list(unreadable(), 'files that can not be read as tasks'),
  notes: z
    .array(text())
    .optional()
    .meta({ description: 'what of the filter is unknown in this room, with the nearest that is known' }),
  odd: list(unreadable(), 'files with keys that look like a known one mistyped'),
  total: count('tasks that fit, on this page or not'),
  next_offset: count().nullable(),
  version: text().optional().meta({ description: 'of the whole list, for `since`' }),
  order: z
    .array(text())
    .optional()
    .meta({ description: 'with `since`: the paths of all tasks in their order, where that is another' }),
}));

export type TaskList = z.output<ReturnType<typeof listAnswer>>;
