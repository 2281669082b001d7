// `taskroom link`: makes a task the mirror of an issue that is there.
import { RoomError } from '../../../../core/errors.ts';
import type { CommandModule } from '../../command.ts';
import { assertPerson, tellLinked } from '../../invocation/link-report.ts';
import { mirrorsFor } from '../../invocation/tracker.ts';

export const command: CommandModule = {
  about:
    'Makes a task the mirror of an issue that is there already, and syncs the two. Where they differ both texts are kept.',
  arguments: [
    { name: 'task', about: 'id, unique prefix of an id, or file name' },
    { name: 'url', about: "the issue's address, or its reference such as acme/web#12" },
  ],
  options: [{ flags: '--chore <name>', about: 'the chore that governs it; else the one whose source fits' }],
  examples: [
    ['taskroom link "Fix the login" https://github.com/acme/web/issues/12', 'this task is that issue'],
    ['taskroom link 3npr ENG-42 --chore eng-issues', 'by reference'],
  ],
  notes: 'With --json: {"task","provider","ref","url","chore"}.',
  async run(call) {
    const { words, options } = call;
    const [ref, url] = words;
    if (ref === undefined || url === undefined)
      throw new RoomError('bad_input', 'a task and an issue are needed', {
        hint: 'see: taskroom link --help',
      });
    const runtime = await call.openRoom();
    assertPerson(runtime);
    const chore = options.text('chore') ?? undefined;
    const mirrors = await mirrorsFor(call, runtime, chore === undefined ? [] : [chore]);
    tellLinked(call, await mirrors.link(ref, url, chore), 'mirrors');
    return undefined;
  },
};
