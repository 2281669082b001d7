import { changedAnswer, entryInput } from '../../tasks/shapes/change.ts';
import { flag, operation, orNull, text } from '../operation.ts';

export const tell = operation({
  summary: 'tell the agent of a task something while it works',
  about:
    'Adds a comment, and gives it to the turn that runs where its agent can take it: one of the runner model between two answers, and over ACP claude, codex and any other that can be steered. Any other has it in its next turn, which it asks for.',
  needs: 'person',
  cli: {
    words: ['ref', 'text'],
    examples: {
      'taskroom tell "Fix the build" "The staging database may be dropped."':
        'to the turn that runs, or the next',
      'taskroom tell 3npr - < words.txt': 'from a file',
    },
    notes:
      'It says which of the two it is. Words that a turn did not hear before its end are for the next one.',
    done: ({ turn, daemon }) =>
      turn !== null
        ? `is told: turn ${turn} hears it while it works`
        : `is told with its next turn${daemon ? '' : ', once something runs the room'}`,
  },
  input: entryInput,
  output: () =>
    changedAnswer().extend({
      turn: orNull(text(), 'that runs and hears it; null where the next one begins with it'),
      daemon: flag('something runs the room'),
    }),
  async run(on, input, actor) {
    const { addEntry } = await import('../../tasks/change/entry-change.ts');
    const { hearingTurn } = await import('../../tasks/change/ask-for-turns.ts');
    const told = await addEntry(on, 'comment', input, actor, true);
    return { ...told, turn: hearingTurn(on, told.id), daemon: on.ports.daemonRuns() };
  },
});
