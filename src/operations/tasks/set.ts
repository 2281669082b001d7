import { dateForPeople } from '../../core/time/durations.ts';
import { taskChange } from '../../tasks/shapes/change.ts';
import { flag, levelOfChange, operation, optional, ref, status, text } from '../operation.ts';

function valuesForPeople(now: Readonly<Record<string, string | null>>, nowMs: number): string {
  const said = Object.entries(now).map(([key, value]) => {
    if (value === null) return `${key} is gone`;
    return `${key} is now ${key === 'due' ? dateForPeople(value, nowMs) : value}`;
  });
  return said.join(', ');
}

export const set = operation({
  summary: 'change status, keys or text of a task',
  about:
    'Changes keys of the front matter, what stands under Task, status and pause: all of it in one write.',
  needs: 'write',
  level: levelOfChange,
  http: { method: 'patch', path: '/api/tasks/{ref}', guard: 'only' },
  cli: {
    about: [
      'change front matter keys',
      'Sets keys of the front matter; an empty value removes the key, labels+=x and labels-=x add and remove one, as blocked_by+=task and blocked_by-=task do. Nothing else in the file changes.',
    ],
    words: ['ref...'],
    only: ['force'],
    examples: {
      'taskroom set "Fix the build" owner=claude priority=high': 'two keys in one write',
      'taskroom set 3npr k2xm labels+=web labels-=later': 'labels of two tasks',
      'taskroom set 3npr blocked_by="Write the parser, k2xm9q4c" sprint=': 'a list has commas; remove a key',
    },
    done: ({ attic, now = {} }, _, nowMs) =>
      attic === undefined ? valuesForPeople(now, nowMs) : `is deleted: its file lies in ${attic}`,
  },
  tool: {
    name: 'update_task',
    about:
      'Change a task: its text, keys, status, pause. `progress` and `outcome` add a dated entry that the requester reads.',
    names: { ref: 'id' },
    without: ['due', 'keys', 'force', 'only_if'],
  },
  input: () => ({
    ref: ref(),
    ...taskChange(),
    force: optional(flag(), 'also set an unknown key that looks like a known one mistyped'),
    only: optional(text(), 'the hash of the text that it is to be made on'),
    only_if: optional(status(), 'leaves a task of any other status as it is'),
  }),
  run: async (on, { ref: task, ...change }, actor) =>
    (await import('../../tasks/change/update-task.ts')).updateTask(on, task, change, actor),
});
