// `taskroom notify`: tells the person something now.
import type { CommandModule } from '../../command.ts';
import { readText } from '../../invocation/caller.ts';

export const command: CommandModule = {
  about:
    'Tells the person something that can not wait until they look at the task. It stands in the log of up and in status, and goes out by the ways that notify: in room.yaml names.',
  arguments: [{ name: 'text', about: 'the text, or - to read it from stdin' }],
  options: [{ flags: '--task <task>', about: 'what it is about; inside a turn, its own task when left out' }],
  examples: [
    ['taskroom notify "The migration is ready to be looked at."', 'inside a turn: about its own task'],
    ['taskroom notify --task 3npr "This is a test."', 'to try the ways that room.yaml names'],
  ],
  notes:
    'A turn may tell ten things. It is no place for results: they belong into progress and outcome. Nothing is sent to a tracker.',
  async run(call) {
    const { words, options, terminal, json, paint, openRoom } = call;
    const text = await readText(words[0]!, terminal);
    const runtime = await openRoom();
    const ref = options.text('task');
    const { seq, at } = await runtime.tasks.notify(text, runtime.caller, ref === null ? {} : { ref });
    const said = json
      ? JSON.stringify({ seq, at: new Date(at).toISOString() })
      : `${paint('green', '✓')} the person is told`;
    terminal.write(`${said}\n`);
  },
};
