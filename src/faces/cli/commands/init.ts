// `taskroom init`: makes a room in a folder.
import { resolve } from 'node:path';
import { initRoom } from '../../../tasks/init-room.ts';
import type { CommandModule } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import { quoteWord } from '../lines/shell-word.ts';

export const command: CommandModule = {
  about:
    'Makes a room: settings, a folder for tasks, and a first agent that needs nothing else installed. What is there already stays as it is.',
  arguments: [{ name: 'dir', about: 'the folder; else --room, AGENT_ROOM, or this folder', optional: true }],
  options: [],
  examples: [
    ['taskroom init ~/room', 'a new room'],
    ['cd my-project && taskroom init', 'a room in a folder that exists'],
  ],
  notes: 'With --json: {"room","made":[…],"kept":[…]}.',
  async run({ words, options, json, terminal, paint }) {
    const dir = resolve(terminal.cwd, words[0] ?? options.text('room') ?? (terminal.env.AGENT_ROOM || '.'));
    const { room, made, kept, advice } = initRoom(dir);
    if (json) {
      terminal.write(`${JSON.stringify({ room, made, kept })}\n`);
      return;
    }
    const lines = [
      `${paint('green', '✓')} ${made.length === 0 ? 'was a room already' : 'a room'}: ${cleanLine(room)}`,
    ];
    lines.push(
      ...made.map((path) => `  made  ${path}`),
      ...kept.map((path) => paint('dim', `  kept  ${path}`)),
    );
    lines.push(...advice.map((text) => `  ${paint('yellow', '!')} ${text}`));
    const flag = room === terminal.cwd ? '' : ` --room ${quoteWord(room)}`;
    lines.push(
      '',
      'Next:',
      `  taskroom up${flag}`,
      `  taskroom new "Say hello" "$(printf '\`\`\`sh run\\necho hello\\n\`\`\`')"${flag}`,
      `  or write a file in ${cleanLine(room)}/tasks/ with any editor`,
    );
    terminal.write(`${lines.join('\n')}\n`);
  },
};
