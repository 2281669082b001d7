// Twelve processes comment on one task through the CLI, round after round, while an editor saves the same file by
// rename and in place. Prints what was measured; exits 1 when anything is lost or stands twice.
//   node test/stress/edit-storm.ts          PROCESSES, ROUNDS, SEED, EDITOR_PAUSE_MS, TASKROOM_BIN from the environment
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from '../../src/core/document/document.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openDatabase } from '../../src/store/ledger/ledger.ts';
import { writes } from '../../src/store/ledger/writes/writes.ts';
import { openRoom } from '../../src/store/room.ts';
import { createWriter } from '../../src/store/write/writer.ts';
import { judge, quantile, runStorm } from './storm.ts';

const env = createNodeEffects().env;
const processes = Number(env.PROCESSES ?? 12);
const rounds = Number(env.ROUNDS ?? 200);
const seed = Number(env.SEED ?? Date.now() % 1_000_000);
const editorPauseMs = Number(env.EDITOR_PAUSE_MS ?? 250);
const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = env.TASKROOM_BIN ?? join(root, 'dist/bin/bin.cjs');
const stand = join(root, 'test/stress/writer-program.ts');
const PATH = 'tasks/storm.md';

const dir = mkdtempSync(join(tmpdir(), 'taskroom-storm-'));
mkdirSync(join(dir, 'tasks'));
writeFileSync(
  join(dir, PATH),
  '---\nid: abc\nstatus: todo # mine\npaused: true\n---\n\n## Task\n\nDo it.\n\n## Notes\n\n## Progress\n\n## Outcome\n',
);
const room = openRoom(dir);
const database = openDatabase(room.ledgerPath, { effects: createNodeEffects() });

const cli = existsSync(bin) && env.STORM_WRITER !== '1';
const words = Array.from({ length: processes }, (_, worker) =>
  Array.from({ length: rounds }, (_, round) => `w${worker}r${round}`),
);
const job = (text: string) =>
  cli ? [bin, 'comment', 'abc', text, '--room', dir] : [stand, 'comment', dir, PATH, text];
console.log(
  `${processes} processes × ${rounds} rounds through ${cli ? bin : stand}, seed ${seed}, the editor pausing ${editorPauseMs} ms`,
);

let unreadable = 0;
const startedAt = performance.now();
const saves = await runStorm({
  file: room.at(PATH),
  seed,
  editorPauseMs,
  workers: words.map((texts) => texts.map(job)),
  // A text in the midst of the editor's own saving in place is the editor's: empty, or cut short.
  onText: (text) => {
    if (text.endsWith('## Outcome\n') && !parseDocument(text, PATH).ok) unreadable += 1;
  },
});
const seconds = (performance.now() - startedAt) / 1000;

const writer = createWriter({ room, database, effects: createNodeEffects() });
for (let round = 0; round < 4; round += 1) await writer.settleReplaced(0);
await writer.restore(PATH);
await writer.close();

const windows = writes.open(database).windows(0);
const verdict = judge(readFileSync(room.at(PATH), 'utf8'), words.flat(), saves, windows);
const sizes = windows.map((window) => window.endMs - window.startMs).sort((a, b) => a - b);
const ms = (value: number | undefined) => `${(value ?? 0).toFixed(3)} ms`;
const kinds = (['rename', 'in place', 'pieces'] as const).map(
  (how) => `${saves.filter((save) => save.how === how).length} ${how}`,
);

console.log(
  `${seconds.toFixed(1)} s, ${windows.length} writes of ours, ${saves.length} saves of the editor (${kinds.join(', ')})`,
);
console.log(
  `window p50 ${ms(quantile(sizes, 0.5))}, p99 ${ms(quantile(sizes, 0.99))}, max ${ms(sizes.at(-1))}`,
);
console.log(
  `typed lines gone: ${verdict.lost.length}, and ${verdict.inWindow.length} whose save met a window`,
);
console.log(
  `comments not there exactly once: ${verdict.comments.length}; unreadable after a write of ours: ${unreadable}`,
);
for (const one of [...verdict.lost, ...verdict.comments].slice(0, 20)) console.log(JSON.stringify(one));

const failed = verdict.lost.length + verdict.comments.length + unreadable > 0 || !verdict.readable;
database.close();
if (failed) console.log(`kept for a look: ${dir}`);
else rmSync(dir, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
