// `taskroom turns`: lists turns.

import { turnJson } from '../../../../tasks/read/turn-views.ts';
import type { CommandModule } from '../../command.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about:
    'Lists turns, newest first: of one task, or of the room; before them those that are asked for, and jobs among them.',
  arguments: [{ ...TASK, about: 'only turns of this task' }],
  options: [
    { flags: '--running', about: 'only turns that run now' },
    { flags: '--limit <number>', about: 'at most this many (default 20)' },
  ],
  examples: [
    ['taskroom turns', 'the last turns of the room'],
    ['taskroom turns "Fix the build" --limit 5', 'the last five of one task'],
    ['taskroom turns --running --json', 'what runs now'],
  ],
  notes: 'With --json: {"turns":[…]}.',
  async run({ words, options, json, terminal, paint, effects, openRoom }) {
    const limit = options.whole('limit', 1) ?? 20;
    const { tasks } = await openRoom({ readOnly: true });
    const turns = await tasks.turns({
      limit,
      ...(words[0] === undefined ? {} : { ref: words[0] }),
      ...(options.flag('running') ? { state: 'running' as const } : { pending: true }),
    });
    if (json) {
      terminal.write(`${JSON.stringify({ turns: turns.map(turnJson) })}\n`);
      return;
    }
    const { turnLine } = await import('../../lines/turn-lines.ts');
    const lines = turns.map((turn) => turnLine(turnJson(turn), effects.now(), paint, terminal.columns()));
    terminal.write(lines.length === 0 ? `${paint('dim', 'no turns')}\n` : `${lines.join('\n')}\n`);
  },
};
