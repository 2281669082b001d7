import { isOver } from '../../core/rules/turn.ts';
import { turnAnswer, turnRef } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const kill = operation({
  summary: 'stop a running turn',
  about:
    'Stops a turn or a job and everything it started: first asked to end, after 5 seconds made to; a turn that is asked for never begins. What it was asked for counts as answered: the next turn takes an edit, a comment, run, or another event that asks for one. Agents may not.',
  needs: 'person',
  http: { method: 'post', path: '/api/turns/{turn}/stop' },
  cli: {
    words: ['turn'],
    examples: {
      'taskroom kill "Fix the build"': 'the running turn of a task',
      'taskroom kill b4k2m9x1q': 'a turn by its id',
    },
    said: ({ id, description, state }) => [
      `${description} ${id} is ${isOver(state) ? 'stopped' : 'being stopped'}`,
    ],
  },
  input: () => ({ turn: turnRef() }),
  output: turnAnswer,
  run: async (on, { turn }, actor) =>
    (await import('../../tasks/turns/turn-records.ts')).killTurn(on, turn, actor),
});
