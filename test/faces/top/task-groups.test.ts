// Groups of tasks as they are kept from frame to frame are the groups of a room that is looked at for the first time.
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { countTasks } from '../../../src/faces/top/model/rows.ts';
import { initialState } from '../../../src/faces/top/model/screen-state.ts';
import { GROUPS, groupTasks } from '../../../src/faces/top/model/task-groups.ts';
import type { TaskView } from '../../../src/tasks/contract/operations.ts';
import { view } from '../cli/task-views.ts';

const COUNT = 12;
const EVERY = [...GROUPS, 'Running'] as const;

const changes: fc.Arbitrary<Partial<TaskView>> = fc.record(
  {
    status: fc.constantFrom('todo', 'doing', 'done', 'draft', 'canceled'),
    paused: fc.boolean(),
    pending: fc.boolean(),
    nothingWritten: fc.boolean(),
    scope: fc.constantFrom(null, 'one', 'two'),
  },
  { requiredKeys: ['status'] },
);
const frames = fc.array(
  fc.record({
    edits: fc.array(fc.tuple(fc.nat(COUNT - 1), changes), { maxLength: 5 }),
    search: fc.constantFrom('', '', '', 'task 1'),
    scope: fc.constantFrom(null, null, 'one'),
    isShorter: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 20 },
);

test('what changed moves to its group, in the order of the list', async () => {
  // Another copy of the module, that keeps nothing from frame to frame.
  vi.resetModules();
  const { groupTasks: anew } = await import('../../../src/faces/top/model/task-groups.ts');
  const { countTasks: countAnew } = await import('../../../src/faces/top/model/rows.ts');
  fc.assert(
    fc.property(frames, (all) => {
      let tasks = Array.from({ length: COUNT }, (_, at) => view(`Task ${at}`));
      for (const { edits, search, scope, isShorter } of all) {
        tasks = isShorter ? tasks.slice(0, -1) : [...tasks];
        for (const [at, change] of edits) if (tasks[at]) tasks[at] = { ...tasks[at], ...change };
        const state = { ...initialState(scope), search };
        anew([], state);
        countAnew({ tasks: [] }, state);
        expect(countTasks({ tasks }, state)).toEqual(countAnew({ tasks }, state));
        expect(rowsOf(groupTasks, tasks, state)).toEqual(rowsOf(anew, tasks, state));
      }
    }),
  );
});

type State = ReturnType<typeof initialState>;

function rowsOf(group: typeof groupTasks, tasks: readonly TaskView[], state: State): unknown {
  const groups = group(tasks, state);
  return EVERY.map((each) => (groups.get(each) ?? []).map(({ task, key }) => [task, key]));
}
