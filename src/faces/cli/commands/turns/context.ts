// `taskroom context`: shows what an agent would be given for a task.

import type { CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { cleanText } from '../../lines/display-text.ts';
import { TASK } from '../../parse/task-argument.ts';
import { printableJson } from '../../printable-json.ts';

export const command: CommandModule = {
  about: "Shows what an agent would get for a task: the context's two objects, and the prompt.",
  arguments: [TASK],
  options: [],
  examples: [
    ['taskroom context "Fix the build"', 'context, then prompt'],
    ['taskroom context 3npr --json | jq .context.task_services', 'what the agent could do'],
  ],
  notes: 'With --json: {"context":{"task":{…},"task_services":{…},…},"prompt":"…"}.',
  async run(call) {
    const { tasks } = await call.openRoom({ readOnly: true });
    const { context, prompt } = await tasks.context(taskOf(call));
    if (call.json) {
      call.terminal.write(`${JSON.stringify({ context, prompt })}\n`);
      return;
    }
    const shown = call.terminal.outIsTerminal ? cleanText(prompt) : prompt;
    const heading = (text: string) => call.paint('bold', text);
    call.terminal.write(
      `${heading('Context')}\n${printableJson(JSON.stringify(context, null, 2))}\n\n${heading('Prompt')}\n${shown.trimEnd()}\n`,
    );
  },
};
