// What an agent must not get past, tried with the real programs.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { plant } from './planted.ts';
import type { Stage } from './stage.ts';
import { lastTurn, logOf, once } from './turn-records.ts';

/** The configuration of its own program that lies in an agent's folder is not taken: it may be what it wrote there itself. */
export async function takesNoConfiguration(stage: Stage, permissions: string): Promise<void> {
  const { preset, project, room, model } = stage;
  const name = `Planted with ${permissions}`;
  stage.configure({ permissions });
  const planted = plant(preset, project, join(dirname(project), 'proofs'));
  const from = model.thought.length;
  room.save(`tasks/${name}.md`, '## Task\nChange notes.txt.\n\n## Steps\n- [ ] Change it\n');
  try {
    await once(stage);
    const words = JSON.stringify(model.thought.slice(from));
    const turn = await lastTurn(stage, name);
    const taken = { ran: planted.ran(), seen: planted.seenIn(words) };
    assert.deepEqual(taken, { ran: [], seen: [] });
    assert.equal(turn.state, 'completed', `${JSON.stringify(turn)}\n${logOf(stage, turn.id)}`);
  } finally {
    planted.remove();
    stage.configure({});
  }
}
