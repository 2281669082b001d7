// A list of tasks: what narrows it, and what it answers.
import * as z from 'zod';
import { count, instant, once, priority, status, text, unreadable, words } from '../../core/shapes.ts';
import { keyShapes } from '../../core/task/key-shapes.ts';
import { FILTER_KEYS, type FilterKey, type FilterName, factsOf } from '../../core/task/task-keys.ts';
import { taskRow } from './task.ts';
import { spent, turnAnswer } from './turn.ts';

type Shapes = typeof SHAPES;
type ShapeOf<K extends FilterKey> = K extends keyof Shapes ? Shapes[K] : typeof text;

const SHAPES = { status: () => words(status()), priority: () => words(priority()) };

const keyFilters = () =>
  Object.fromEntries(
    FILTER_KEYS.map((key) => {
      const { as, about } = factsOf(key).filter!;
      const shape = SHAPES[key as keyof Shapes] ?? text;
      return [as, shape().exactOptional().meta({ description: about })];
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

const flag = (description: string) => z.boolean().exactOptional().meta({ description });

/** What decides whether a task is listed, and where. */
const filters = () => ({
  ...keyFilters(),
  text: text().exactOptional().meta({
    description:
      'only tasks that fit `status:todo`, `label:web`, `due:<friday`, `@agent`, `#label` and the like, and hold all other words in name, title, id or text; archived ones too',
  }),
  ready: flag('only tasks that a turn could start on now'),
  sort: z
    .enum(SORT_KEYS)
    .exactOptional()
    .meta({ description: `by ${SORT_KEYS.join(', ')}` }),
});

export type ListFilter = z.output<z.ZodObject<ReturnType<typeof filters>>>;

export const MOST_IDS = 100;

export const listInput = () =>
  z.strictObject({
    ...filters(),
    all: flag('finished tasks, too; of itself where a status is named'),
    ids: words(text().min(1))
      .exactOptional()
      .meta({
        description: `only these, at most ${MOST_IDS}, in no order; one that is not there is left out. No filter beside it`,
      }),
    since: text().exactOptional().meta({
      description:
        'what changed since that `version` of an earlier answer, everything where it is empty; no filter beside it',
    }),
    limit: z.int().min(1).exactOptional().meta({ description: 'at most this many' }),
    offset: count()
      .exactOptional()
      .meta({ description: 'where a page begins: `next_offset` of the one before' }),
    agents: flag('with the agents of the room, and the ids of the tasks that have a turn now'),
    turns: flag('with the turns that run'),
  });

export type ListInput = z.output<ReturnType<typeof listInput>>;

export const agentAnswer = once(() =>
  z
    .strictObject({
      ...{ id: text(), name: text(), runner: text(), access: text(), is_default: z.boolean() },
      ...{ waits_until: instant().nullable(), taken_by: text().nullable() },
      limit: z.int().nullable().meta({ description: 'turns of it at once' }),
      ...{ preset: text().nullable(), model: text().nullable() },
      fallback: text().nullable().meta({ description: 'who takes over while it must wait' }),
      budget: keyShapes(['budget']).budget.meta({ description: 'what its turns of a day may use' }),
      today: spent().meta({ description: 'what its turns that began today used' }),
    })
    .meta({ id: 'Agent' }),
);

export type AgentJson = z.output<ReturnType<typeof agentAnswer>>;

export const listAnswer = once(() =>
  z
    .strictObject({
      tasks: z.array(taskRow()),
      agents: z.array(agentAnswer()).optional(),
      in_flight: z.array(text()).optional().meta({ description: 'ids of the tasks that have a turn now' }),
      turns: z.array(turnAnswer()).optional(),
      invalid: z.array(unreadable()).meta({ description: 'files that can not be read as tasks' }),
      notes: z
        .array(text())
        .optional()
        .meta({ description: 'what of the filter is unknown in this room, with the nearest that is known' }),
      odd: z.array(unreadable()).meta({ description: 'files with keys that look like a known one mistyped' }),
      total: count().meta({ description: 'tasks that fit, on this page or not' }),
      next_offset: count().nullable(),
      version: text().optional().meta({ description: 'of the whole list, for `since`' }),
      order: z
        .array(text())
        .optional()
        .meta({ description: 'with `since`: the paths of all tasks in their order, where that is another' }),
    })
    .meta({ id: 'TaskList' }),
);

export type TaskList = z.output<ReturnType<typeof listAnswer>>;
