// `taskroom show`: shows one task from all sides.

import { detailJson } from '../../../shapes/json-shapes.ts';
import type { CommandModule } from '../../command.ts';
import { taskOf } from '../../invocation/caller.ts';
import { TASK } from '../../parse/task-argument.ts';

export const command: CommandModule = {
  about: 'Shows one task: how it stands, what it waits for, its last turns, and its text.',
  arguments: [TASK],
  options: [],
  examples: [
    ['taskroom show "Fix the build"', 'by name'],
    ['taskroom show 3npr --json | jq -r .body', 'only the text'],
  ],
  async run(call) {
    const { tasks } = await call.openRoom({ readOnly: true });
    const detail = await tasks.show(taskOf(call));
    if (call.json) {
      call.terminal.write(`${JSON.stringify(detailJson(detail))}\n`);
      return;
    }
    const { renderDetail } = await import('../../lines/task-detail-lines.ts');
    call.terminal.write(renderDetail(detail, call.effects.now(), call.paint, call.terminal.columns()));
  },
};
