import { linked } from '../../core/chore-shapes.ts';
import { RoomError } from '../../core/errors.ts';
import { operation, optional, ref, text } from '../operation.ts';

export const publish = operation({
  summary: 'make an issue of a task',
  about: 'Makes an issue of a local task, in the source of a chore; from then on the two mirror each other.',
  needs: 'person',
  cli: {
    command: 'mirror publish',
    aliases: ['publish'],
    asksTracker: true,
    examples: {
      'taskroom mirror publish "Fix the login"': 'open an issue for it, in the only source of the room',
      'taskroom mirror publish 3npr --chore web-issues --json': 'in this source, and print the new reference',
    },
    notes:
      'One issue is made however often this is tried.\nWith --json: {"task","provider","ref","url","chore"}.',
    said: ({ task, ref: issue, url }) => [`${task} is now ${issue}${url === null ? '' : ` ${url}`}`],
  },
  input: () => ({
    ref: ref(),
    chore: optional(text(), 'the chore whose source gets the issue; may be left out where there is one'),
  }),
  output: linked,
  async run({ ports }, { ref: task, chore }) {
    const mirrors = await ports.mirrors!();
    const sources = mirrors.sources();
    const into = chore ?? (sources.length === 1 ? sources[0] : undefined);
    if (into !== undefined) return mirrors.publish(task, into);
    const known = `give --chore, one of: ${sources.join(', ')}`;
    const hint = sources.length === 0 ? 'write one first: docs/chores.md' : known;
    throw new RoomError('bad_input', 'no chore was named', { hint });
  },
});
