import { defined } from '../../core/plain-data.ts';
import { operation, optional, ref, text } from '../operation.ts';

export const describe = operation({
  summary: 'replace the text of a task',
  about:
    'Puts a new text under Task, in the place of the old one. New words are a new assignment: the task is due again unless it is over.',
  needs: 'write',
  cli: {
    words: ['ref', 'text'],
    examples: {
      'taskroom describe "Fix the build" "CI fails on main since Monday, on arm64 only."': 'replace its text',
      'taskroom describe 3npr - < brief.md': 'from a file',
    },
    done: 'has a new text',
  },
  input: () => ({
    ref: ref(),
    text: text(),
    only: optional(text(), 'the hash of the text of the file that this is to be made on'),
  }),
  async run(on, { ref: task, text: description, only }, actor) {
    const { updateTask } = await import('../../tasks/change/update-task.ts');
    return updateTask(on, task, { description, ...defined({ only }) }, actor);
  },
});
