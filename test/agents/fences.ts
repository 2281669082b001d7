// What an agent must not get past, tried with the real programs.
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTaken, takenBy } from '../../src/runners/command/presets/taken-files.ts';
import { plant } from './planted.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subjects.ts';
import { lastTurn, logOf, once } from './turn-records.ts';

/**
 * The configuration of its own program that lies in an agent's folder is not taken: it may be what it wrote there itself. What
 * the program takes all the same, its agent can't write.
 */
export async function takesNoConfiguration(stage: Stage, permissions: string): Promise<void> {
  const { preset, project, room, model, wishes } = stage;
  const name = `Planted with ${permissions}`;
  stage.configure({ permissions });
  const planted = plant(preset, project, join(dirname(project), 'proofs'), (path) => !isTaken(preset, path));
  const from = model.thought.length;
  room.save(`tasks/${name}.md`, '## Task\nChange notes.txt.\n\n## Steps\n- [ ] Change it\n');
  try {
    await once(stage);
    const words = JSON.stringify(model.thought.slice(from));
    const turn = await lastTurn(stage, name);
    const taken = { ran: planted.ran(), seen: planted.seenIn(words) };
    assert.deepEqual(taken, { ran: [], seen: [] });
    assert.equal(turn.state, 'completed', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
    // A program whose agent may run others may be told by one what it is not allowed to write.
    if (permissions !== 'edit') return;
    for (const path of takenBy(preset)) {
      const { file } = wishes;
      wishes.file = join(project, /\.\w+$/.test(path) ? path : `${path}/planted.json`);
      room.save(`tasks/Plant ${path.replaceAll('/', ' ')}.md`, '## Task\nWrite it.\n');
      await once(stage);
      const written = existsSync(wishes.file);
      rmSync(join(project, path), { recursive: true, force: true });
      wishes.file = file;
      assert.ok(!written, `it wrote ${path}`);
    }
  } finally {
    planted.remove();
    stage.configure({});
  }
}

/** What is told of a program that takes more than it can be kept from. */
export function takesWhatRuns({ preset }: Subject): string | null {
  return takenBy(preset).length > 0 ? 'but what its commands write' : null;
}

/** The program's first request holds the turn's tools, though their server takes two seconds to start. */
export async function waitsForTools(stage: Stage): Promise<void> {
  const { account, room, project } = stage;
  const slow = join(dirname(project), 'slow.cjs');
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)';
  writeFileSync(slow, `if (process.argv.includes('mcp')) ${wait};\n`);
  stage.account = { ...account, NODE_OPTIONS: `--require "${slow}"` };
  try {
    room.save('tasks/Slow tools.md', '## Task\nChange notes.txt.\n\n## Steps\n- [ ] Change it\n');
    await once(stage);
    const turn = await lastTurn(stage, 'Slow tools');
    assert.equal(turn.state, 'completed', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
    assert.match(room.read('tasks/Slow tools.md'), /^status: done$/m);
  } finally {
    stage.account = account;
  }
}
