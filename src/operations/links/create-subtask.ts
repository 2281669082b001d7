import { changedAnswer, newTask } from '../../tasks/shapes/change.ts';
import { count, levelOfStatus, operation, optional, orNull, ref } from '../operation.ts';

export const createSubtask = operation({
  summary: 'make a subtask for a step',
  about:
    'Makes a subtask: a task of its own that names its parent, and a step of the parent that names it. The parent is woken when it is done, and takes it along when it is canceled.',
  needs: 'write',
  level: ({ status }, own) => levelOfStatus(status, own),
  http: { method: 'post', path: '/api/tasks/{ref}/subtasks', status: 201 },
  cli: {
    command: 'sub',
    words: ['ref', 'name'],
    flags: {
      ...{ description: '--text <text>', index: '--step <number>' },
      ...{ steps: null, status: null, sort: null, parent: null },
    },
    stdin: ['description'],
    needed: ['name'],
    switches: { draft: { about: 'write it as a draft, which does not run', given: { status: 'draft' } } },
    fromOne: ['index'],
    examples: {
      'taskroom sub "Ship it" "Check the docs" --owner claude --step 2': 'hand step 2 to another agent',
      'taskroom sub "Check the docs" --text - < brief.md': 'inside a turn: a subtask of its own task',
    },
    notes: 'With --json: {"id","name","path","changed","step"}, the step counted from 0.',
    done: ({ step, path }) => (step === null ? 'is written' : `is written for step ${step + 1}: ${path}`),
  },
  tool: {
    name: 'create_subtask',
    about:
      'Hand a part of a task to an agent, as a task of its own linked to a step; you get a turn when it is finished. Without `index` a new step is added.',
    names: { ref: 'id' },
    only: ['ref', 'index', 'title', 'description', 'owner', 'priority', 'blocked_by'],
  },
  input: () => ({
    ref: ref(),
    ...newTask(),
    index: optional(count(), 'the step it is for; else a new one at the end'),
  }),
  output: () =>
    changedAnswer().extend({
      step: orNull(count(), 'of the parent, linked to it, from 0; null when not known yet'),
    }),
  run: async (on, { ref: parent, index, ...task }, actor) =>
    (await import('../../tasks/change/steps.ts')).createSubtask(on, parent, task, actor, index),
});
