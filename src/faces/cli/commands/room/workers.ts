// `taskroom workers`: the workers of the room on other machines, and what each has in hand.
import { workerJson } from '../../../shapes/worker-json.ts';
import type { CommandModule } from '../../command.ts';
import { workerLine } from '../../lines/worker-lines.ts';

export const command: CommandModule = {
  about: 'Lists the workers of the room: machines that take its turns, with their slots and what they have.',
  arguments: [],
  options: [],
  examples: [
    ['taskroom workers', 'who lives, and what each runs'],
    ['taskroom workers --json', 'the same for a program'],
  ],
  notes:
    'With --json: {"workers":[{"id","name","version","slots","agents","live","turns","started_at","seen_at"}]}. A worker that was not seen for a day is forgotten. What its token may do: taskroom token list.',
  async run({ openRoom, json, terminal, paint }) {
    const runtime = await openRoom();
    const workers = await (await runtime.host()).workers();
    if (json) terminal.write(`${JSON.stringify({ workers: workers.map(workerJson) })}\n`);
    else if (workers.length === 0)
      terminal.write(`${paint('dim', 'no workers: docs/scaling.md says how another machine becomes one')}\n`);
    else
      for (const worker of workers) {
        terminal.write(`${workerLine(worker, paint)}\n`);
        for (const turn of worker.turns) terminal.write(`    ${turn}\n`);
      }
    return 0;
  },
};
