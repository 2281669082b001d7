// `taskroom history`: lists finished tasks as they stood when they finished.

import { historyJson } from '../../../shapes/json-shapes.ts';
import type { CommandModule } from '../../command.ts';
import { cleanLine } from '../../lines/display-text.ts';
import { dateTime } from '../../lines/time-text.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Lists finished tasks, newest first, as they stood at that moment.',
  arguments: [{ ...TASK, about: 'only this task' }],
  options: [{ flags: '--limit <number>', about: 'at most this many (default 20)' }],
  examples: [
    ['taskroom history', 'what was finished lately'],
    ['taskroom history "Fix the build" --json', 'every time one task was finished'],
  ],
  notes: 'With --json: {"history":[…]}.',
  async run({ words, options, json, terminal, paint, openRoom }) {
    const limit = options.whole('limit', 1) ?? 20;
    const { tasks } = await openRoom({ readOnly: true });
    const lines = await tasks.history({ limit, ...(words[0] === undefined ? {} : { ref: words[0] }) });
    if (json) {
      terminal.write(`${JSON.stringify({ history: lines.map(historyJson) })}\n`);
      return;
    }
    const rows = lines.map((line) => {
      const glyph = line.status === 'done' ? paint('green', '✓') : paint('dim', '✗');
      return `  ${glyph} ${dateTime(Date.parse(line.archived_at))}  ${paint('dim', line.id.padEnd(8))}  ${cleanLine(line.name)}`;
    });
    terminal.write(
      rows.length === 0 ? `${paint('dim', 'nothing is finished yet')}\n` : `${rows.join('\n')}\n`,
    );
  },
};
