import { questionChanged } from '../../tasks/shapes/change.ts';
import { flag, operation, optional, ref, text } from '../operation.ts';

export const answer = operation({
  summary: 'answer what an agent asked',
  about:
    'Answers the question that a task waits with: its agent goes on with the answer, in the same session. With no open question it is another answer to the newest one.',
  needs: 'person',
  cli: {
    words: ['ref', 'text'],
    flags: { question: '--question <key>' },
    examples: {
      'taskroom answer "Fix the build" "The second one."': 'answer the open question',
      'taskroom answer 3npr - --question k2x < answer.txt': 'one of several, from a file',
    },
    notes:
      'The same as typing below the question in the file. taskroom inbox lists what is open. Only the person answers: inside a turn it is refused.\nWith --json: {"id","name","path","changed","question","waiting","paused"}.',
    done: ({ paused, waiting }) =>
      paused ? 'has its answer, and is paused' : waiting ? 'waits for another answer' : 'goes on',
  },
  input: () => ({
    ref: ref(),
    text: text(),
    question: optional(text(), 'its key, or how that begins, where several are open'),
  }),
  output: () => questionChanged().extend({ waiting: flag('for another answer'), paused: flag() }),
  async run(on, { ref: task, text: words, question }, actor) {
    const { answer: write } = await import('../../tasks/change/entry-change.ts');
    const answered = await write(on, task, words, actor, question);
    const { showTask } = await import('../../tasks/views/task-detail.ts');
    const { waiting, paused } = await showTask(on, answered.id);
    return { ...answered, waiting, paused };
  },
});
