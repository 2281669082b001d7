// `taskroom bulk`: several changes read as JSON from stdin, all or none of them made.
import type { CommandModule } from '../../command.ts';
import { tellChanges } from '../../invocation/change-report.ts';
import { readBulk } from '../../parse/bulk-input.ts';

export const command: CommandModule = {
  about:
    'Makes up to 25 changes that are read as JSON from stdin: all of them, or none when one is refused. What a crash cuts short is finished or taken back.',
  arguments: [],
  options: [],
  examples: [
    [
      `echo '[{"do":"create","task":{"name":"A"}},{"do":"create","task":{"name":"B","blocked_by":["A"]}}]' | taskroom bulk`,
      'two new tasks, one after the other',
    ],
    [
      `echo '[{"do":"complete","ref":"A"},{"do":"update","ref":"B","changes":{"priority":"high"}}]' | taskroom bulk`,
      'finish one, change another',
    ],
  ],
  notes:
    'The input is a list of {"do":"create","task":{"name",…}}, {"do":"update","ref","changes":{key:value},"text","status"}, {"do":"complete","ref","outcome"} and {"do":"delete","ref"}. A new task may have body, title, status, owner, priority, labels, blocked_by, parent, sprint, artifact, scope and sort; tasks of one call may name each other. With --json: {"tasks":[…]}, in the order of the input.',
  async run(call) {
    const changes = readBulk(await call.terminal.readInput());
    const runtime = await call.openRoom();
    const done = await runtime.tasks.bulk(changes, runtime.caller);
    const said = { create: 'is written', update: 'is changed', complete: 'is done', delete: 'is deleted' };
    tellChanges(call, done, (index) => said[changes[index]!.do]);
  },
};
