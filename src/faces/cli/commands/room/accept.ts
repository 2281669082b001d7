// `taskroom accept`: a person's word for what changed while a turn ran and opens rights.
import type { CommandModule } from '../../command.ts';
import { OK } from '../../exit-codes.ts';
import { refuseInsideTurn } from '../../invocation/caller.ts';
import { cleanLine } from '../../lines/display-text.ts';

export const command: CommandModule = {
  about:
    'Takes what changed while a turn of an agent ran and opens rights: room.yaml, an agent, a chore, a provider, the checks of a task, work handed to an agent with more rights. Until then what was said before counts.',
  arguments: [
    {
      name: 'what',
      about: 'the file or the task, or the key of its line in the inbox; all that waits when left out',
      optional: true,
    },
  ],
  options: [],
  examples: [
    ['taskroom accept', 'all that the inbox lists counts'],
    ['taskroom accept agents/coder/agent.json', 'what this file says now counts'],
    ['taskroom accept "Fix the build"', 'this task may go to the agent that it was handed to'],
  ],
  notes:
    'To refuse a change put the file back as it was, or set the owner anew. Inside a turn it is refused.\nWith --json: {"accepted":[{what,task,name,text}…],"daemon"}.',
  async run({ words, json, terminal, paint, openRoom }) {
    const runtime = await openRoom();
    refuseInsideTurn(runtime, 'accept changes of');
    const { accepted, daemon } = await runtime.tasks.accept(words[0], runtime.caller);
    if (json) terminal.write(`${JSON.stringify({ accepted, daemon })}\n`);
    else if (accepted.length === 0) terminal.write(`${paint('dim', 'nothing waits to be accepted')}\n`);
    for (const { name, text } of json ? [] : accepted)
      terminal.write(`${paint('green', '✓')} ${cleanLine(name)} accepted: ${cleanLine(text)}\n`);
    return OK;
  },
};
