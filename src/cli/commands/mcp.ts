// `taskroom mcp`: serves the room's tools to an agent over the Model Context Protocol.
import type { CommandModule } from '../command.ts';
import { readVersion } from '../version.ts';

export const command: CommandModule = {
  about:
    'Serves the tools of the room over the Model Context Protocol, on standard input and output, until they are closed. For your own coding agent, which acts under its own name; inside a turn, for the agent of that turn.',
  arguments: [],
  options: [
    ['--readonly', 'only tools that look'],
    ['--dialect <name>', 'names of the tools: taskroom, claude (TaskCreate, …) or todo (todo_add, …)'],
  ],
  examples: {
    'claude mcp add taskroom -- taskroom mcp --room ~/room': 'Claude Code',
    'codex mcp add taskroom -- taskroom mcp --room ~/room --readonly': 'Codex, which may look alone',
  },
  notes:
    'An agent opens no gate, forces nothing, overrides no check and answers no question. See docs/mcp.md.',
  async run({ options, serveMcp, terminal, effects, remote }) {
    const dialect = options.text('dialect') ?? 'taskroom';
    const stop = new AbortController();
    const unhook = terminal.onSignal(() => stop.abort());
    try {
      await serveMcp({
        access: options.flag('readonly') ? 'minimal' : 'full',
        dialect,
        version: readVersion(),
        signal: stop.signal,
        followed: remote === null && !effects.env.TASKROOM_TURN ? effects : null,
        report: (text) => terminal.writeError(`${text}\n`),
      });
      return 0;
    } finally {
      unhook();
    }
  },
};
