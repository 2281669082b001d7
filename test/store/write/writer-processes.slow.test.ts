import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseDocument } from '../../../src/core/document/document.ts';
import { writes } from '../../../src/store/ledger/writes/writes.ts';
import { cleanTemps } from '../../../src/store/write/replace-file.ts';
import { judge, quantile, runNode, runStorm } from '../../stress/storm.ts';
import { rig } from './each-room.ts';
import { PATH, TEXT } from './writer-room.ts';

const PROGRAM = fileURLToPath(new URL('../../stress/writer-program.ts', import.meta.url));

// Each program checks for itself that the text it left behind can be read.
test('processes that write at once while an editor saves: nothing is lost, nothing stands twice', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const names = Array.from({ length: 4 }, (_, worker) =>
    Array.from({ length: 25 }, (_, round) => `w${worker}r${round}`),
  );
  const saves = await runStorm({
    file: rig.room.at(PATH),
    seed,
    // On a busy machine a write begins anew for every save that came before its end.
    editorPauseMs: 60,
    workers: names.map((words) =>
      [0, 1].map((half) => [
        PROGRAM,
        'comments',
        rig.room.dir,
        PATH,
        ...words.filter((_, at) => at % 2 === half),
      ]),
    ),
  });
  for (let round = 0; round < 3; round += 1) await rig.writer.settleReplaced(0);
  await rig.writer.restore(PATH);
  const windows = writes.open(rig.database).windows(0);
  const verdict = judge(rig.read(), names.flat(), saves, windows);
  const sizes = windows.map((window) => window.endMs - window.startMs).sort((a, b) => a - b);
  console.log(
    `seed ${seed}: ${saves.length} saves, ${windows.length} writes, window p50 ${quantile(sizes, 0.5).toFixed(3)} ms, max ${sizes.at(-1)?.toFixed(3)} ms, ${verdict.inWindow.length} lines lost in a window`,
  );
  expect(saves.length).toBeGreaterThan(10);
  expect(verdict, `seed ${seed}`).toMatchObject({ comments: [], lost: [], readable: true });
}, 120_000);

test.each(['intended', 'renamed', 'recorded'])(
  'killed when %s: the same entry again stands once',
  async (point) => {
    const args = [PROGRAM, 'keyed', rig.room.dir, PATH, 'turn:1', 'built it'];
    expect(await runNode(args, { TASKROOM_DIE_AT: point })).toMatchObject({ signal: 'SIGKILL' });
    expect(rig.read().split('built it').length - 1).toBe(point === 'intended' ? 0 : 1);
    expect(parseDocument(rig.read(), PATH).ok).toBe(true);
    for (let round = 0; round < 2; round += 1) expect(await runNode(args)).toMatchObject({ code: 0 });
    expect(rig.read().split('built it').length - 1).toBe(1);
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 0 });
    rig.save(TEXT.replace('note', 'typed'));
    expect(await rig.writer.restore(PATH)).toEqual({ restored: 1 });
    expect(rig.read()).toContain('typed');
    expect(rig.read().split('built it').length - 1).toBe(1);
    rig.later(120_000);
    for (let round = 0; round < 2; round += 1) await rig.writer.settleReplaced(0);
    expect(rig.kept()).toEqual([]);
  },
);

test('a temp file of a killed process is cleaned up', async () => {
  const args = [PROGRAM, 'keyed', rig.room.dir, PATH, 'turn:1', 'built it'];
  await runNode(args, { TASKROOM_DIE_AT: 'intended' });
  expect(cleanTemps(rig.room.tasksDir, Date.now())).toBe(0);
  expect(cleanTemps(rig.room.tasksDir, Date.now() + 120_000)).toBe(1);
  expect(readdirSync(rig.room.tasksDir)).toEqual(['a.md']);
});
