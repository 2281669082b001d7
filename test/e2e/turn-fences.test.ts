// What a turn leaves behind in its own folder is nobody's program, and what runs beside it has none of its means.
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { PROGRAM } from './room.ts';

const TASK = 'tasks/Fix.md';

/** Puts a program beside its `taskroom`, as far as that lies in the room. */
const SHADOW = `cat > /dev/null
folder=$(dirname "$(command -v taskroom)")
case "$folder" in "$AGENT_ROOM"/*) printf '#!/bin/sh\\n' > "$folder/of-the-turn"; chmod +x "$folder/of-the-turn";; esac
taskroom done`;

describe('checks', () => {
  test('find no program that their turn wrote', async () => {
    room.agent('smith', { command: SHADOW, checks: ['of-the-turn'] });
    room.save(TASK, '---\nowner: smith\n---\nFix it.\n');
    const { results } = await room.json('once');
    expect(results).toMatchObject([{ reason: 'checks_failed' }]);
    expect(room.read(TASK)).toContain('status: doing');
  });

  test('report nothing, and are not taken for the person', async () => {
    const check = [
      '! env | grep -q "^TASKROOM_BRIDGE="',
      'test "$(dirname "$(command -v taskroom)")" != "$(dirname "$PROGRAM")/turn-path"',
      '"$NODE" "$PROGRAM" --room "$AGENT_ROOM" done Other > refused.txt 2>&1; test $? = 4',
      '"$NODE" "$PROGRAM" --room "$AGENT_ROOM" progress Fix forged >> refused.txt 2>&1; test $? = 4',
    ].join(' && ');
    const env = { NODE: process.execPath, PROGRAM };
    room.agent('smith', { ...{ command: 'cat > /dev/null; taskroom done', checks: [check], env } });
    room.save(TASK, '---\nowner: smith\n---\nFix it.\n');
    room.save('tasks/Other.md', '---\nowner: smith\nstatus: draft\n---\nNot yet.\n');
    const { results } = await room.json('once');
    expect(results, room.read(TASK)).toMatchObject([{ reason: 'ok' }]);
    expect(room.read('tasks/Other.md')).toContain('status: draft');
    expect(room.read(TASK)).not.toContain('forged');
    expect(room.read('refused.txt')).toMatch(/beside turn b\w+, as its checks and hooks do/);
  });
});
